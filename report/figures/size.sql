-- TFLOP/s of squares: each step's best variant.
-- part: lines
SELECT step, short, variant, m, tflops
FROM gemm_step LEFT JOIN (SELECT best.* , m, tflops FROM best JOIN gemm USING (step, variant) WHERE shape = 'square')
     USING (step)
ORDER BY step, m;
-- part: baseline
SELECT m, tflops FROM gemm_baseline WHERE m = n AND n = k AND m >= 256 ORDER BY m;
