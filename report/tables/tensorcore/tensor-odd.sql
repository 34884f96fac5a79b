-- Shapes beside the next aligned ones (scripts/bench.sh measures them).
-- marker: tensor-odd STEP [DTYPE] [LAYOUT]
-- align: rlr
-- recorded: tensor; cold L2, medians, ratios pair by pair; {dtype} {layout}.
-- part: rows
WITH pair(place, m, n, k, next_m, next_n, next_k) AS (
         VALUES (1, 4095, 4097, 4100, 4096, 4104, 4104), (2, 1000, 1000, 1000, 1024, 1024, 1024),
                (3, 8192, 8192, 72, 8192, 8192, 128)),
     here AS (SELECT t.*, ms_median FROM tensor_text AS t JOIN tensor USING (step, variant, dtype, layout, m, n, k,
            load)
              WHERE (step, variant, dtype, layout, load) = (:step, 'best', :dtype, :layout, 'burst'))
SELECT pair.m || ' × ' || pair.n || ' × ' || pair.k AS "m × n × k", '`best`' AS variant, a.ms,
       a.tflops AS "TFLOP/s", a.ratio AS "ratio to cuBLAS, median (min..max)",
       next_m || ' × ' || next_n || ' × ' || next_k AS "next aligned", b.ms AS "its ms",
       form('%.2f', a.ms_median / b.ms_median) AS "slow-down"
FROM pair
LEFT JOIN here AS a ON (a.m, a.n, a.k) = (pair.m, pair.n, pair.k)
LEFT JOIN here AS b ON (b.m, b.n, b.k) = (next_m, next_n, next_k)
ORDER BY place;
