-- The SGEMM article's four shapes: every rung against the baseline, with the mean of the four ratios. The rung that is
-- the article's own scheme is bold, and beside it stands what the article reports.
-- marker: article
-- align: llr
-- part: columns
WITH side(side) AS (VALUES (2048), (4096), (8192), (16384)) SELECT side || '²' FROM side
UNION ALL VALUES ('mean');
-- part: rows
WITH side(side) AS (VALUES (2048), (4096), (8192), (16384)),
     rung AS (SELECT v.step, short, v.variant, place,
                     CASE v.variant WHEN 'register_prefetch' THEN '**`' || v.variant || '`**'
                                    ELSE '`' || v.variant || '`' END AS name
              FROM variant AS v WHERE family = 'gemm'),
     measured AS (SELECT rung.*, side, g.ratio, t.ratio AS text
                  FROM rung JOIN side
                  LEFT JOIN gemm AS g ON (g.step, g.variant, g.m, g.n, g.k) = (rung.step, rung.variant, side, side,
                      1024)
                  LEFT JOIN gemm_text AS t
                       ON (t.step, t.variant, t.m, t.n, t.k) = (rung.step, rung.variant, side, side, 1024))
SELECT step, variant, heading, cell
FROM (SELECT step AS whole, place, 0 AS after, side, short AS step, name AS variant, side || '²' AS heading, text
    AS cell
      FROM measured
      UNION ALL
      SELECT step, place, 0, 99999, short, name, 'mean',
             CASE WHEN count(ratio) = 4
                  THEN form(CASE variant WHEN 'register_prefetch' THEN '**%.3f**' ELSE '%.3f' END, mean(ratio)) END
      FROM (SELECT * FROM measured ORDER BY side) GROUP BY step, variant
      UNION ALL
      SELECT step, place, 1, 99999, 'the article', 'its kernel, on a T4', 'mean', '0.975'
      FROM rung WHERE variant = 'register_prefetch')
ORDER BY whole, place, after, side;
-- part: below
SELECT 'Ratio to ' || against || ' at M = N, K = 1024: median (min..max).' FROM gemm_source
UNION ALL
SELECT line FROM gemm_source;
