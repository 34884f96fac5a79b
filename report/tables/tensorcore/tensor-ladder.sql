-- Every variant at 4096^3 in the type and layout that it stands for, CUTLASS's kernels where they are recorded, then
-- cuBLAS in each of these types.
-- marker: tensor-ladder STEP
-- align: llr
-- recorded: tensor; cold L2, medians, ratios pair by pair; 4096³, B column by column (tn), or where it says so row by
-- recorded: row (nn).
-- part: rows
WITH variant AS (SELECT step, variant, place, coalesce(dtype, CASE WHEN variant LIKE 'cutlass%' THEN 'f16' END)
    AS dtype,
                        layout
                 FROM tensor_variant),
     own AS (SELECT place, '`' || v.variant || '`' AS name, v.dtype,
                    v.dtype || CASE v.layout WHEN 'tn' THEN '' ELSE ' ' || v.layout END AS type, ms, t.tflops, peak,
                        ratio
             FROM variant AS v
             LEFT JOIN tensor_text AS t ON (t.step, t.variant, t.dtype, t.layout, m, n, k, load) =
                                           (v.step, v.variant, v.dtype, v.layout, 4096, 4096, 4096, 'burst')
             WHERE v.step = :step AND v.dtype IS NOT NULL),
     -- the type's peak, of the last variant that says it
     peak_of AS (SELECT max(place), v.dtype, peak
                 FROM tensor_variant AS v JOIN tensor USING (step, variant, dtype, layout)
                 WHERE v.step = :step AND (layout, m, n, k, load) = ('tn', 4096, 4096, 4096, 'burst') AND peak IS NOT
                        NULL
                 GROUP BY v.dtype)
SELECT name AS variant, type, ms, tflops AS "TFLOP/s", peak AS "% of the type's peak",
       ratio AS "ratio to cuBLAS, median (min..max)"
FROM (SELECT * FROM own
      UNION ALL
      SELECT 9000000 + first, 'cuBLAS, ' || CASE b.dtype WHEN 'tf32x3' THEN 'FP32' ELSE b.dtype END, b.dtype, b.dtype,
             significant(ms, 4), fast_speed(tflops), CASE WHEN b.dtype <> 'tf32x3' THEN percent(tflops / peak) END, '1'
      FROM (SELECT min(place) AS first, dtype FROM own GROUP BY dtype) AS type
      JOIN tensor_baseline AS b ON (step, b.dtype, layout, m, n, k, load) =
                                   (:step, type.dtype, 'tn', 4096, 4096, 4096, 'burst')
      LEFT JOIN peak_of ON peak_of.dtype = type.dtype)
ORDER BY place;
-- part: below
SELECT (SELECT 'Under continuous load at ' || side || '³ the clock settled at ' || form('%.0f', clock) ||
               ' MHz. At that clock the f16 peak is ' || fast_speed(tflops) || ' TFLOP/s, the power-limited peak.'
        FROM tensor_limit);
