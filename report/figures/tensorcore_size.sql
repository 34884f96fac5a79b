-- TFLOP/s of squares by the variant that stands for each type, and cuBLAS, timed alternately with it.
-- part: points
SELECT variant, dtype, m, tflops, CASE WHEN baseline_ms > 0 THEN 2.0 * m * n * k / baseline_ms / 1e9 END AS theirs
FROM tensor
WHERE stands AND layout = 'tn' AND load = 'burst' AND m = n AND n = k AND m IN (SELECT side FROM tensor_side)
ORDER BY m;
