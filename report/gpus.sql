-- What one GPU's ladders reached, for tables of several: of each shape the texts of three columns (gpus.py has their
-- headings). Shapes of one `line` stand together. The peaks are the data
-- sheet's; a GPU that devices.csv does not know has dashes in their place.
-- part: reached
WITH peak AS (SELECT * FROM devices WHERE name = (SELECT device FROM source WHERE kind IN ('gemm', 'tensor', 'gemv')))
SELECT 'sgemm' AS ladder, shape = 'article' AS line, m AS place,
       CASE shape WHEN 'square' THEN m || '³' ELSE m || ' × ' || n || ' × ' || k END AS shape, '`' || variant || '`' AS
              first,
       ratio_text(ratio, ratio_low, ratio_high) || coalesce('<sup>' || older || '</sup>', '') AS second,
       percent(tflops / (SELECT fp32_tflops FROM peak)) AS third
FROM (SELECT *, row_number() OVER (PARTITION BY m, n, k ORDER BY tflops DESC) AS rank FROM gemm
      WHERE shape IN ('square', 'article')
        -- without the last step a shape is not recorded to its end, and its fastest variant is not known
        AND (m, n, k) IN (SELECT m, n, k FROM gemm WHERE step = (SELECT max(step) FROM gemm)))
WHERE rank = 1
UNION ALL
SELECT 'tensorcore', CASE dtype WHEN 'f16' THEN 1 WHEN 'bf16' THEN 2 WHEN 's8' THEN 3 WHEN 'tf32' THEN 4 ELSE 5 END, m,
       dtype || ', ' || m || '³', fast_speed(tflops),
       ratio_text(ratio, ratio_low, ratio_high) || coalesce('<sup>' || older || '</sup>', ''),
       percent(tflops / CASE dtype WHEN 's8' THEN (SELECT s8_tops FROM peak) WHEN 'tf32' THEN (SELECT tf32_tflops FROM
              peak)
                                   WHEN 'tf32x3' THEN (SELECT tf32_tflops / 3 FROM peak)
                                   ELSE (SELECT f16_tflops FROM peak) END)
FROM tensor
WHERE stands AND layout = 'tn' AND load = 'burst' AND m = n AND n = k AND m IN (SELECT side FROM tensor_side)
UNION ALL
SELECT 'gemv', n <> k, CASE WHEN n = k THEN n ELSE k END, n || ' × ' || k, '`' || variant || '`',
       ratio_text(ratio, ratio_low, ratio_high), percent(gbps / (SELECT dram_gbps FROM peak))
FROM (SELECT *, row_number() OVER (PARTITION BY n, k ORDER BY us) AS rank FROM gemv_row
      WHERE op = 'gemv' AND dtype = 'f16' AND cache = 'cold' AND mode = 'graph'
        AND (n = k AND n >= 256 OR (n, k) IN ((4096, 14336), (14336, 4096))))
WHERE rank = 1
UNION ALL
SELECT 'conv', dtype <> 'f32', place, dtype || ', ' || layer, fast_speed(tflops),
       ratio_text(ratio, ratio_low, ratio_high) || coalesce('<sup>' || older || '</sup>', ''), percent(peak_share)
FROM conv_chosen JOIN conv_row USING (layer)
WHERE variant = 'best' AND (dtype, sides) IN (('f32', 'nchw'), ('f16', 'nhwc'))
UNION ALL
SELECT 'knn', 0, place, m || ' of ' || n || ', d ' || d || ', k ' || k, milliseconds(ours, NULL),
       form('%.1f', torch), form('%.1f', theirs / ours)
FROM (SELECT s.place, s.m, s.n, s.d, s.k,
             min(CASE WHEN variant NOT LIKE 'gemm\_cublas%' ESCAPE '\' THEN ms_median END) AS ours,
             min(CASE WHEN variant LIKE 'gemm\_cublas%' ESCAPE '\' THEN ms_median END) AS theirs,
             max(CASE WHEN baseline LIKE 'torch %' THEN ratio END) AS torch
      FROM (SELECT 1 AS place, 1200 AS m, 32768 AS n, 256 AS d, 25 AS k UNION ALL VALUES (2, 1200, 16384, 32, 46),
            (3, 1200, 16384, 32, 512), (4, 1200, 1000000, 128, 100), (5, 10000, 1000000, 128, 25)) AS s
      JOIN knn USING (m, n, d, k)
      WHERE op = 'knn' AND mode NOT IN ('sim', 'cpu') AND mode NOT LIKE 'transfers%' AND ms_median > 0
      GROUP BY s.place)
WHERE ours > 0
ORDER BY 1, 2, 3, 4;
-- part: origin
SELECT CASE kind WHEN 'gemm' THEN 'sgemm' WHEN 'tensor' THEN 'tensorcore' WHEN 'knn_all' THEN 'knn' ELSE kind END AS
       ladder, device, text
FROM source WHERE kind IN ('gemm', 'tensor', 'gemv', 'conv', 'knn_all');
