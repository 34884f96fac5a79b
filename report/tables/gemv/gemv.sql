-- Every variant, or those up to one of them, at one shape, cold; with programmatic dependent launch (PDL) where that
-- was measured.
-- marker: gemv STEP N K [DTYPE] [LAST]
-- align: lr
-- part: rows
WITH here AS (SELECT * FROM gemv_text
              WHERE op = 'gemv' AND (step, dtype, n, k, cache) = (:step, :dtype, :n, :k, 'cold')),
     line(place, pdl, label, name, mode) AS (
         SELECT place, 0, '`' || variant || '`', variant, 'graph' FROM variant WHERE family = 'gemv' AND step = :step
         UNION ALL
         SELECT place, 1, '`' || variant || '`, PDL', variant, 'pdl' FROM variant JOIN here ON name = variant AND mode
                = 'pdl'
         WHERE family = 'gemv' AND variant.step = :step
         UNION ALL
         VALUES (9000001, 0, 'cuBLAS', 'cublas', 'graph'), (9000002, 0, 'read ceiling', 'read_ceiling', 'graph')
         UNION ALL
         SELECT 9000003, 1, 'read ceiling, PDL', 'read_ceiling', 'pdl' FROM gemv_row
         WHERE (op, variant, step, dtype, n, k, cache, mode) = ('read', 'read_ceiling', :step, :dtype, :n, :k, 'cold',
                'pdl'))
SELECT label AS variant, us AS "µs", gbps AS "GB/s",
       CASE WHEN name = 'read_ceiling' AND us IS NOT NULL THEN '100 %' ELSE ceiling END AS "% of read ceiling",
       CASE WHEN name = 'cublas' AND us IS NOT NULL THEN '1' WHEN name <> 'read_ceiling' THEN ratio END AS
       "ratio to cuBLAS, median (min..max)"
FROM line LEFT JOIN here USING (name, mode)
WHERE :last IS NULL OR place >= 9000001 AND pdl = 0
      OR place <= (SELECT place FROM variant WHERE step = :step AND variant = :last)
ORDER BY place, pdl;
-- part: below
SELECT sub('Recorded on ' || max(text) || '; ' || :dtype || ', ' || :n || ' × ' || :k || ', cold L2, medians, ' ||
           'in CUDA graphs (PDL: with programmatic dependent launch, beside cuBLAS without it' ||
           CASE WHEN EXISTS (SELECT 1 FROM gemv_row
                             WHERE (op, variant, step, dtype, n, k, cache, mode) = ('read', 'read_ceiling', :step,
                                    :dtype, :n, :k, 'cold', 'pdl'))
                THEN ', its share of the ceiling with it' ELSE '' END || '), ratios pair by pair.')
FROM source WHERE kind = 'gemv';
