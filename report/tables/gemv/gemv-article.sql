-- The GEMV article's table, its numbers on the left, ours on the right: 1024 x 1024, single launches between events.
-- Its kernel named naive_gemv stands beside both of ours: as it is written, and as its compiler made it.
-- marker: gemv-article STEP
-- align: lrrlr
-- recorded: gemv; f16, 1024 × 1024, cold L2, single launches between events as in the article, medians, ratios pair
-- recorded: by pair; the article's numbers are its own.
-- part: rows
WITH line AS (SELECT 0 AS place, 'cublas' AS variant
              UNION ALL
              SELECT place, variant FROM variant WHERE family = 'gemv' AND step = :step),
     cublas AS (SELECT article_ms FROM gemv_ladder WHERE step = :step AND variant = 'cublas')
SELECT CASE l.variant WHEN 'cublas' THEN article_kernel ELSE '`' || article_kernel || '`' END AS "the article's kernel",
       article_ms || coalesce(' (text: ' || article_text_ms || ')', '') AS "its ms", article_ratio
           AS "its ratio to cuBLAS",
       CASE l.variant WHEN 'cublas' THEN 'cuBLAS' ELSE '`' || l.variant || '`' END AS "our variant", us AS "our µs",
       CASE l.variant WHEN 'cublas' THEN CASE WHEN us IS NOT NULL THEN '1' END ELSE ratio END AS
       "our ratio, median (min..max)",
       -- the article's ratio that is printed is rounded
       factor(plain_ratio / ((SELECT article_ms FROM cublas) / nullif(1.0 * article_ms, 0))) AS "ours / the article's"
FROM line AS l
LEFT JOIN gemv_ladder AS article ON article.step = :step AND article.variant = l.variant
LEFT JOIN gemv_text AS ours
     ON (name, op, ours.step, dtype, n, k, cache, mode) = (l.variant, 'gemv', :step, 'f16', 1024, 1024, 'cold',
            'events')
ORDER BY place;
