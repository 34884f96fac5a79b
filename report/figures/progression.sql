-- The FP32 ladder at 4096^3.
-- part: bars
SELECT v.step, v.variant, tflops, CASE WHEN ratio > 0 THEN percent(ratio) END AS ratio
FROM variant AS v JOIN gemm USING (step, variant)
WHERE family = 'gemm' AND (m, n, k) = (4096, 4096, 4096)
ORDER BY step, place;
-- part: baseline
SELECT tflops FROM gemm_baseline WHERE (m, n, k) = (4096, 4096, 4096);
