-- The ladder at 4096^3 as a chart of text: the variants that stand for f16.
-- marker: tensor-bars STEP
-- part: heading
SELECT 'cuBLAS' AS baseline, max(tflops) AS tflops, fast_speed(max(tflops)) AS shown
FROM tensor_baseline WHERE (step, dtype, layout, m, n, k, load) = (:step, 'f16', 'tn', 4096, 4096, 4096, 'burst');
-- part: chart
SELECT v.variant, t.tflops, with_percent
FROM tensor_variant AS v
LEFT JOIN tensor AS t ON (t.step, t.variant, t.dtype, t.layout, t.m, t.n, t.k, t.load) =
                         (v.step, v.variant, 'f16', 'tn', 4096, 4096, 4096, 'burst')
LEFT JOIN tensor_text USING (step, variant, dtype, layout, m, n, k, load)
WHERE v.step = :step AND v.dtype = 'f16'
ORDER BY place;
-- part: below
SELECT sub('Recorded on ' || max(text) || '; cold L2, medians, ratios pair by pair; f16, 4096³, tn.')
FROM source WHERE kind = 'tensor';
