-- The FP32 ladder at one size, for the terminal.
-- align: llrrr
-- widths: 20 20 10 10 10
-- part: any
SELECT 1 FROM record WHERE op = 'gemm' AND dtype = 'f32' AND mode <> 'sim' LIMIT 1;
-- part: rows
SELECT device || ', ' || :size || '^3, FP32, cold L2' AS heading, step, variant, form('%.3f', ms_median) AS "ms",
       form('%.2f', gflops / 1000) AS "TFLOP/s", percent(ratio) AS "vs cuBLAS"
FROM record
WHERE op = 'gemm' AND dtype = 'f32' AND (m, n, k, alpha, beta, cache) = (:size, :size, :size, 1, 0, 'cold')
      AND mode <> 'sim'
ORDER BY step, line;
