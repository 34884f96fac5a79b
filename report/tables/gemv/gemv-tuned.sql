-- The best candidate of every search of the autotuner: a line a shape, a column for each way of timing.
-- marker: gemv-tuned STEP [DTYPE]
-- align: rl
-- part: columns
SELECT label FROM (
    SELECT min(search) AS first,
           cache || ', ' || CASE mode WHEN 'graph' THEN 'graphs' WHEN 'pdl' THEN 'PDL' ELSE mode END AS label
    FROM candidate WHERE step = :step AND dtype = :dtype GROUP BY cache, mode
    UNION ALL
    SELECT 0, 'candidate' WHERE NOT EXISTS (SELECT 1 FROM candidate WHERE step = :step AND dtype = :dtype))
ORDER BY first;
-- part: rows
SELECT n || ' × ' || k AS "n × k",
       cache || ', ' || CASE mode WHEN 'graph' THEN 'graphs' WHEN 'pdl' THEN 'PDL' ELSE mode END,
       '`' || candidate || '`, ' || microseconds(us) || ' µs (' || factor(slowest / us) || ')'
FROM (SELECT *, row_number() OVER (PARTITION BY search ORDER BY us, row) AS rank, max(us) OVER (PARTITION BY search) AS
       slowest
      FROM candidate WHERE step = :step AND variant = 'best' AND dtype = :dtype)
WHERE rank = 1
ORDER BY n * k, n;
-- part: below
SELECT 'In brackets the time of the slowest candidate divided by this one''s. n: rows per block, r: threads per row, '
       || 'u: loads in flight per row, v: rows per thread.'
UNION ALL
SELECT sub('Searched on ' || max(text) || '; ' || :dtype || ', medians; the best four are timed again, longer.')
FROM source WHERE kind = 'search';
