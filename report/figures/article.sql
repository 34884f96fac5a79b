-- The SGEMM article's four shapes: each step's best variant as a share of the baseline.
-- part: lines
SELECT step, short, variant, m, ratio, ratio_min, ratio_max
FROM gemm_step JOIN best USING (step) JOIN gemm USING (step, variant)
WHERE m = n AND k = 1024 AND m IN (2048, 4096, 8192, 16384) AND ratio > 0
ORDER BY step, m;
