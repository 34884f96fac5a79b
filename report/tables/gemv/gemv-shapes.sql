-- `best` at six shapes, without and with programmatic dependent launch (PDL).
-- marker: gemv-shapes STEP [DTYPE]
-- recorded: gemv; `best`, {dtype}, cold L2, medians, in CUDA graphs, in the right half with programmatic dependent
-- recorded: launch beside cuBLAS without it; ratios pair by pair.
-- part: rows
WITH shape(place, n, k) AS (VALUES (1, 1024, 1024), (2, 4096, 4096), (3, 4096, 14336), (4, 14336, 4096),
                                   (5, 8192, 8192), (6, 16384, 16384)),
     here AS (SELECT * FROM gemv_text WHERE op = 'gemv' AND (step, dtype, cache) = (:step, :dtype, 'cold'))
SELECT shape.n || ' × ' || shape.k AS "n × k", plain.us AS "µs", plain.gbps AS "GB/s", plain.ceiling AS
       "% of read ceiling",
       plain.ratio AS "ratio to cuBLAS, median (min..max)", pdl.us AS "PDL: µs", pdl.gbps AS "GB/s",
       pdl.ceiling AS "% of read ceiling", pdl.ratio AS "ratio, median (min..max)", cublas.us AS "cuBLAS µs"
FROM shape
LEFT JOIN here AS plain ON (plain.n, plain.k, plain.name, plain.mode) = (shape.n, shape.k, 'best', 'graph')
LEFT JOIN here AS pdl ON (pdl.n, pdl.k, pdl.name, pdl.mode) = (shape.n, shape.k, 'best', 'pdl')
LEFT JOIN here AS cublas ON (cublas.n, cublas.k, cublas.name, cublas.mode) = (shape.n, shape.k, 'cublas', 'graph')
ORDER BY place;
