-- One step's variants, or those up to one of them, at 4096^3 and, where that was measured, at 8192^3.
-- marker: step STEP [LAST]
-- align: lr
-- part: heading
SELECT against FROM gemm_source;
-- part: rows
SELECT '`' || v.variant || '`' AS variant, t.ms AS "ms at 4096³", t.tflops AS "TFLOP/s", t.peak AS "% of FP32 peak",
       t.ratio AS "ratio to {against}, median (min..max)",
       CASE WHEN big.any THEN coalesce(large.tflops, '–') END AS "?TFLOP/s at 8192³",
       CASE WHEN big.any THEN coalesce(large.ratio, '–') END AS "?ratio, median (min..max)"
FROM variant AS v
LEFT JOIN gemm_text AS t ON (t.step, t.variant, t.m, t.n, t.k) = (v.step, v.variant, 4096, 4096, 4096)
LEFT JOIN gemm_text AS large
     ON (large.step, large.variant, large.m, large.n, large.k) = (v.step, v.variant, 8192, 8192, 8192)
JOIN (SELECT count(*) > 0 AS any FROM gemm WHERE step = :step AND (m, n, k) = (8192, 8192, 8192)) AS big
WHERE family = 'gemm' AND v.step = :step
      AND (:last IS NULL OR place <= (SELECT place FROM variant WHERE step = :step AND variant = :last))
ORDER BY place;
-- part: below
SELECT line FROM gemm_source;
