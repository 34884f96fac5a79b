-- The speed-up of the exact search over its rivals: 1200 queries, k = 25.
-- part: points
SELECT rival.variant, own.n, own.d, rival.ms_median / own.ms_median AS times
FROM knn_case AS own JOIN knn_case AS rival USING (n, d, k)
WHERE own.variant = :exact AND own.how = 'device' AND k = 25
  AND rival.how = CASE WHEN rival.variant IN ('ann_kdtree', 'ann_brute', 'openblas') THEN 'cpu' ELSE 'device' END
  AND own.n IN (1024, 2048, 4096, 8192, 16384, 32768) AND own.d IN (32, 64, 128, 256)
ORDER BY own.d, own.n;
