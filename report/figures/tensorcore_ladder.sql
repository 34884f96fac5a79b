-- The tensor cores' ladder at 4096^3, each variant in the type that it stands for.
-- part: bars
SELECT v.variant, t.dtype, t.tflops, CASE WHEN ratio > 0 THEN percent(ratio) END AS ratio
FROM tensor_variant AS v
JOIN tensor AS t ON (t.step, t.variant, t.dtype, layout, m, n, k, load) =
                    (v.step, v.variant, coalesce(v.dtype, 'f16'), 'tn', 4096, 4096, 4096, 'burst')
ORDER BY place;
-- part: baseline
SELECT tflops FROM tensor_baseline WHERE (dtype, layout, m, n, k, load) = ('f16', 'tn', 4096, 4096, 4096, 'burst');
-- part: limit
SELECT tflops, clock FROM tensor_limit;
