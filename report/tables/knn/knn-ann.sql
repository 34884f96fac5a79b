-- The CPU's side in full: the paper's Algorithm 1, and ANN's kd-tree, exact and approximate.
-- marker: knn-ann
-- part: rows
WITH how(place, method, label) AS (VALUES
         (1, 'serial', 'Algorithm 1: all distances, sorted'), (2, 'ann_kdtree', 'ANN, kd-tree, exact'),
         (3, 'ann_eps1', 'ANN, kd-tree, eps = 1'), (4, 'ann_eps3', 'ANN, kd-tree, eps = 3')),
     here AS (SELECT max(rowid), * FROM knn_ann GROUP BY method, n, d),
     gpu AS (SELECT n, d, min(ms_median) AS ms FROM knn_case
             WHERE variant = 'exact_tc' AND how = 'device' AND k = 25 GROUP BY n, d)
SELECT d.d AS "d", label AS "on one core", significant(here.ms, 3) AS "ms",
       form('%.2f %%', 100 - 100.0 * wrong / "of") AS "right neighbours", times(here.ms / gpu.ms) AS
       "`exact_tc`, times as fast"
FROM (SELECT 32 AS d UNION SELECT 256) AS d JOIN how LEFT JOIN here ON (here.method, here.n, here.d) =
     (how.method, 32768, d.d)
LEFT JOIN gpu ON (gpu.n, gpu.d) = (32768, d.d)
ORDER BY d.d, place;
-- part: below
SELECT sub(coalesce('Recorded on ' || max(device), 'Not recorded yet') ||
           '; m = 1200, n = 32768, k = 25, uniform data.')
FROM knn_ann;
