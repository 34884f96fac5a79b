-- The SGEMM article's four shapes: each step's best variant against the baseline. The last step's mean is bold: it is
-- the one to set beside the article's.
-- marker: article
-- part: columns
SELECT short || coalesce(' `' || variant || '`', '') FROM gemm_step LEFT JOIN best USING (step) ORDER BY step;
-- part: rows
WITH side(side) AS (VALUES (2048), (4096), (8192), (16384)),
     case_of AS (SELECT side, step, short, short || coalesce(' `' || best.variant || '`', '') AS name, best.variant
                 FROM side JOIN gemm_step LEFT JOIN best USING (step)),
     measured AS (SELECT side, c.short, name, ratio, text
                  FROM case_of AS c LEFT JOIN (SELECT g.*, t.ratio AS text
                                               FROM gemm AS g JOIN gemm_text AS t USING (step, variant, m, n, k)) AS g
                       ON (g.step, g.variant, m, n, k) = (c.step, c.variant, side, side, 1024))
SELECT label AS "M = N, K = 1024", name, text
FROM (SELECT side, side AS label, name, text FROM measured
      UNION ALL
      SELECT 99999, 'average', name,
             CASE WHEN count(CASE WHEN ratio > 0 THEN 1 END) = 4
                  THEN form(CASE short WHEN 'step05' THEN '**%.3f**' ELSE '%.3f' END, mean(ratio)) END
      FROM (SELECT * FROM measured ORDER BY side) GROUP BY name)
ORDER BY side;
-- part: below
SELECT 'Ratio to ' || against || ', median (min..max); each step by the variant that is fastest at 4096³.' FROM
       gemm_source
UNION ALL
SELECT line FROM gemm_source;
