-- Step 8 by several ranks of MPI: what was divided, and how much faster it became.
-- marker: knn-ranks
-- align: lllr
-- recorded: knn_ranks; k = 25, points made on the GPUs; medians, from queries in rank 0's memory to neighbours there.
-- part: rows
WITH asked(m, n, d, ranks, divide) AS (VALUES
    (10000, 40000000, 128, 1, 'points'), (10000, 40000000, 128, 2, 'points'), (10000, 40000000, 128, 4, 'points'),
    (10000, 40000000, 128, 2, 'queries'), (10000, 40000000, 128, 4, 'queries'), (1000, 1000000000, 64, 4, 'points'))
SELECT m || ' of ' || n AS "queries of points", d AS "d", CASE WHEN ranks = 1 THEN '' ELSE divide END AS "divided",
       ranks AS "ranks", coalesce(devices, '–') AS "GPUs", milliseconds(ms, NULL) AS "ms",
       milliseconds(merged, NULL) AS "of which merging or collecting",
       times(CASE WHEN ranks > 1 THEN speed END) AS "times as fast as one"
FROM asked LEFT JOIN value_ranks USING (m, n, d, ranks, divide);
