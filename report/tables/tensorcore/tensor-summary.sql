-- Types and layouts against sizes, by the variant that stands for the type.
-- marker: tensor-summary STEP
-- align: lr
-- below: TFLOP/s (for s8, TOP/s), in brackets the ratio to cuBLAS in the same type (for tf32x3, in FP32).
-- recorded: tensor; cold L2, medians, ratios pair by pair.
-- part: columns
SELECT side || '³' FROM tensor_side;
-- part: rows
WITH kind(place, dtype, layout) AS (
         VALUES (1, 'f16', 'tn'), (2, 'f16', 'nn'), (3, 'bf16', 'tn'), (4, 'bf16', 'nn'), (5, 's8', 'tn'),
                (6, 'tf32', 'tn'), (7, 'tf32', 'nn'), (8, 'tf32x3', 'tn'), (9, 'tf32x3', 'nn'))
SELECT kind.dtype || ' ' || kind.layout || ', `best`' AS "type, layout", side || '³', short
FROM kind JOIN tensor_side
LEFT JOIN tensor_text AS t ON (t.step, variant, t.dtype, t.layout, m, n, k, load) =
                              (:step, 'best', kind.dtype, kind.layout, side, side, side, 'burst')
ORDER BY place;
