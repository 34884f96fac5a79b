-- In a sentence each: how much faster a step's best variant is than the best of the step before, and each of its
-- variants than the one before. All at 4096^3.
-- marker: speedup STEP
-- align: text
-- part: rows
WITH at AS (SELECT v.step, v.short, v.variant, place, speed, tflops
            FROM variant AS v JOIN gemm_text AS t USING (step, variant)
            WHERE family = 'gemm' AND (m, n, k) = (4096, 4096, 4096)),
     own AS (SELECT * FROM best JOIN at USING (step, variant) WHERE step = :step),
     old AS (SELECT * FROM best JOIN at USING (step, variant)
             WHERE step = (SELECT max(step) FROM variant WHERE family = 'gemm' AND step < :step))
SELECT sentence
FROM (SELECT -1 AS place, 'At 4096³ `' || own.variant || '` reaches ' || own.tflops || ' TFLOP/s' || coalesce(
                 ', ' || factor(own.speed / old.speed) || ' times ' || old.short || '''s best, `' || old.variant ||
                 '` (' || old.tflops || ')', '') || '.' AS sentence
      FROM own LEFT JOIN old
      UNION ALL
      SELECT place, '`' || variant || '` runs at ' || factor(speed / lag(speed) OVER (ORDER BY place)) || ' times `' ||
                    lag(variant) OVER (ORDER BY place) || '`.'
      FROM at WHERE step = :step AND EXISTS (SELECT 1 FROM own)
      UNION ALL
      SELECT -1, 'At 4096³: not measured.' WHERE NOT EXISTS (SELECT 1 FROM own))
WHERE sentence IS NOT NULL
ORDER BY place;
-- part: below
SELECT line FROM gemm_source;
