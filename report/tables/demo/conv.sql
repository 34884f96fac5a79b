-- A layer of ResNet-50 in FP32, cold caches, for the terminal.
-- align: llrrr
-- widths: 20 24 10 10 10
-- part: any
SELECT 1 FROM record WHERE op = 'conv' AND mode <> 'sim' LIMIT 1;
-- part: rows
SELECT device || ', 64 images of 64 x 56 x 56, 64 filters of 3 x 3, f32, cold L2' AS heading, step, variant,
       significant(ms_median, 4) AS "ms", speed(gflops / 1000) AS "TFLOP/s", percent(ratio) AS "vs cuDNN"
FROM (SELECT max(line), * FROM record
      WHERE op = 'conv' AND (layer(layout, n), dtype, cache, alpha, beta) = ('64-64-56-56-64-3-3-1', 'f32', 'cold', 1,
          0)
        AND mode <> 'sim' AND layout NOT LIKE '% bias'
      GROUP BY step, variant, layout)
ORDER BY step, line;
