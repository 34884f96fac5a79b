-- Layers against rungs, those up to one of them, in one type and layout: the rungs that stand for it, `best`, and what
-- else was recorded in it.
-- marker: conv STEP [LAST] [DTYPE] [LAYOUT]
-- align: lr
-- below: TFLOP/s by direct count, in brackets the ratio to cuDNN's fastest direct engine.
-- recorded: conv; cold L2, medians, ratios pair by pair; {dtype} {layout}.
-- part: columns
SELECT '`' || variant || '`'
FROM (SELECT v.variant, place FROM variant AS v LEFT JOIN ladder AS l ON (l.step, l.variant) = (v.step, v.variant)
      WHERE v.family = 'conv' AND v.step = :step
        AND (v.variant = 'best' OR (l.dtype, l.layout) = (:dtype, :layout)
             OR EXISTS (SELECT 1 FROM conv_row AS r
                        WHERE (r.step, r.variant, r.dtype, r.sides) = (v.step, v.variant, :dtype, :layout)))
        AND (:last IS NULL OR place <= (SELECT place FROM variant WHERE step = :step AND variant = :last))
      ORDER BY place)
UNION ALL VALUES ('cuDNN');
-- part: rows
SELECT c.layer AS "n-c-h-w-k-r-s-stride", name, text
FROM conv_chosen AS c
LEFT JOIN (SELECT place AS nr, '`' || variant || '`' AS name, layer,
                  fast_speed(tflops) || coalesce(form(' (%.2f)', ratio), '') AS text
           FROM variant JOIN conv_row USING (step, variant)
           WHERE family = 'conv' AND (step, dtype, sides) = (:step, :dtype, :layout)
             AND (:last IS NULL OR place <= (SELECT place FROM variant WHERE step = :step AND variant = :last))
           UNION ALL
           SELECT 9000000, 'cuDNN', layer, fast_speed(tflops) FROM conv_baseline
           WHERE (step, dtype, sides) = (:step, :dtype, :layout)) USING (layer)
ORDER BY c.place, nr;
