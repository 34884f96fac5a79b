-- Time against k: 1200 queries, 16384 points, d = 32.
-- part: points
SELECT variant, k, ms_median AS ms FROM knn_case
WHERE (n, d, how) = (16384, 32, 'device') AND k BETWEEN 1 AND 512 ORDER BY k;
-- part: crossover
SELECT k, ms FROM knn_crossover;
