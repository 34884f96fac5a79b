-- Every variant of every step at 4096^3, and the baseline.
-- marker: ladder
-- align: llr
-- part: heading
SELECT against FROM gemm_source;
-- part: rows
SELECT step, name AS variant, ms, tflops AS "TFLOP/s", peak AS "% of FP32 peak",
       ratio AS "ratio to {against}, median (min..max)"
FROM (SELECT v.step, '`' || v.variant || '`' AS name, ms, tflops, peak, ratio, place
      FROM variant AS v
      LEFT JOIN gemm_text AS t ON (t.step, t.variant, m, n, k) = (v.step, v.variant, 4096, 4096, 4096)
      WHERE family = 'gemm'
      UNION ALL
      SELECT baseline, '', significant(ms, 4), speed(b.tflops), percent(b.tflops / peak), '1', NULL
      FROM gemm_baseline AS b, gemm_about
      WHERE (m, n, k) = (4096, 4096, 4096))
ORDER BY place IS NULL, step, place;
-- part: below
SELECT line FROM gemm_source;
