-- The article's search at both sizes: `tree` by rows per block and threads per row, and the two rungs before it.
-- marker: gemv-searched STEP
-- align: llr
-- part: columns
WITH shape(n) AS (VALUES (1024), (4096)), threads(r) AS (VALUES (4), (8), (32))
SELECT n || '²: ' || r FROM shape JOIN threads ORDER BY n, r;
-- part: rows
WITH shape(n) AS (VALUES (1024), (4096)), threads(r) AS (VALUES (4), (8), (32)),
     line(place, rung, b) AS (VALUES (1, 'tree', 2), (2, 'tree', 4), (3, 'tree', 8), (4, 'tree', 32), (5, 'tree', 64),
                                     (6, 'tree', 128), (7, 'vectorized', 2), (8, 'splitk_balanced', 32)),
     timed AS (SELECT n, candidate, us, us = min(us) OVER (PARTITION BY n) AS won FROM candidate
               WHERE (step, variant, dtype, cache, mode) = (:step, 'searched', 'f16', 'cold', 'graph') AND n = k)
SELECT '`' || rung || '`' AS rung, b AS "rows per block", shape.n || '²: ' || r,
       CASE WHEN b * r > 1024 THEN 'over 1024 threads' WHEN won THEN form('**%.2f**', us) ELSE form('%.2f', us) END
FROM line JOIN shape JOIN threads
LEFT JOIN timed ON timed.n = shape.n AND candidate = rung || ' n' || b || ' r' || r
ORDER BY place, shape.n, r;
-- part: below
SELECT 'Columns: the shape, and the threads that share a row. µs; bold: the fastest.'
UNION ALL
SELECT n || '²: the fastest is `' || first || '`; ' || CASE WHEN first = 'tree n2 r32' THEN '' ELSE
       'the article''s 2 × 32 takes ' || form('%.3f', article / least) || ' times as long, ' END || 'the slowest takes ' ||
       factor(most / least) || ' times as long.'
FROM (SELECT n, min(us) AS least, max(us) AS most, max(CASE rank WHEN 1 THEN candidate END) AS first,
             max(CASE candidate WHEN 'tree n2 r32' THEN us END) AS article
      FROM (SELECT *, row_number() OVER (PARTITION BY n ORDER BY us) AS rank FROM candidate
            WHERE (step, variant, dtype, cache, mode) = (:step, 'searched', 'f16', 'cold', 'graph') AND n = k
                  AND n IN (1024, 4096))
      GROUP BY n)
UNION ALL
SELECT sub('Searched on ' || text || '; f16, cold L2, in CUDA graphs; the best four are timed again, longer.')
FROM source WHERE kind = 'search' AND EXISTS (SELECT 1 FROM candidate WHERE (step, variant) = (:step, 'searched'));
