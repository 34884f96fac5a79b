-- The ladder at 4096^3 as a chart of text.
-- marker: bars
-- part: heading
SELECT baseline, tflops, speed(tflops) AS shown
FROM gemm_about LEFT JOIN gemm_baseline ON (m, n, k) = (4096, 4096, 4096);
-- part: chart
SELECT CASE WHEN row_number() OVER (PARTITION BY v.step ORDER BY place) = 1 THEN v.step ELSE '' END, v.variant, speed,
       with_percent
FROM variant AS v LEFT JOIN gemm_text AS t ON (t.step, t.variant, m, n, k) = (v.step, v.variant, 4096, 4096, 4096)
WHERE family = 'gemm'
ORDER BY v.step, place;
-- part: below
SELECT line FROM gemm_source;
