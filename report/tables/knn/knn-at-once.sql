-- How long a search of prepared points takes for 1 to 10,000 queries, and what it moves and multiplies meanwhile.
-- marker: knn-at-once
-- recorded: knn_peers; `best` on prepared points: n = 1000000, d = 128, k = 25, L2 cold, data on the device.
-- part: rows
WITH at(m) AS (VALUES (1), (4), (16), (64), (128), (256), (1024), (4096), (10000))
SELECT at.m AS "queries at once", milliseconds(ms_median, NULL) AS "ms",
       milliseconds(ms_max, NULL) AS "ms, 99 % of them", form('%.2f', 1000 * ms_median / at.m) AS "µs a query",
           form('%.0f', gbps) AS "GB/s of FP16",
       form('%.1f', 2e-9 * at.m * n * d / ms_median) AS "TFLOP/s of products"
FROM at LEFT JOIN knn_at_once AS p ON (p.m, p.n, p.d, p.k) = (at.m, 1000000, 128, 25)
ORDER BY at.m;
