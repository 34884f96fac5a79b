-- Time against k for each way to select, at powers of two and where the paper's two ways cross.
-- marker: knn-select
-- part: rows
WITH RECURSIVE power(k) AS (VALUES (1) UNION ALL SELECT 2 * k FROM power WHERE k < 512),
     line AS (SELECT k FROM power UNION SELECT k FROM knn_crossover UNION SELECT k - 1 FROM knn_crossover),
     here AS (SELECT k, variant, ms_median FROM knn_case WHERE (n, d, how) = (16384, 32, 'device'))
SELECT CASE WHEN k = (SELECT k FROM knn_crossover) THEN '**' || k || '**' ELSE k END AS "k",
       milliseconds(max(CASE variant WHEN 'direct+kpass' THEN ms_median END), NULL) AS "`direct+kpass`",
       milliseconds(max(CASE variant WHEN 'direct+bitonic' THEN ms_median END), NULL) AS "`direct+bitonic`",
       milliseconds(max(CASE variant WHEN 'direct+warpselect' THEN ms_median END), NULL) AS "`direct+warpselect`",
       milliseconds(max(CASE variant WHEN 'direct+radix' THEN ms_median END), NULL) AS "`direct+radix`",
       milliseconds(max(CASE variant WHEN 'exact_tc' THEN ms_median END), NULL) AS "`exact_tc`"
FROM line LEFT JOIN here USING (k)
GROUP BY line.k ORDER BY line.k;
-- part: below
SELECT sub('Recorded on ' || max(text) || '; m = 1200, n = 16384, d = 32, median ms, distances included' ||
           coalesce('. `kpass` and `bitonic` cross at k = ' || (SELECT k FROM knn_crossover) ||
           ' (on the paper''s GPU at 46)', '') || '.')
FROM source WHERE kind = 'knn';
