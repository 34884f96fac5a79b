-- best on prepared points, and what one would take from a shelf.
-- marker: knn-peers
-- recorded: knn_peers; k = 25, medians in ms, data on the device but for Faiss on the CPU. A dash: not recorded.
-- part: rows
WITH shape(place, m, n, d, k) AS (VALUES (1, 1, 1000000, 128, 25), (2, 100, 1000000, 768, 25), (3, 10000, 1000000, 128,
                                      25)),
     peer AS (SELECT m, n, d, k, max(CASE WHEN name LIKE 'torch % FP32' THEN ms END) AS fp32,
                     max(CASE WHEN name LIKE 'torch % TF32' THEN ms END) AS tf32,
                     max(CASE WHEN name LIKE 'torch % f16' THEN ms END) AS f16,
                     max(CASE WHEN name LIKE 'faiss %' THEN ms END) AS faiss,
                     max(CASE WHEN name LIKE 'cuvs %' THEN ms END) AS cuvs,
                     max(CASE WHEN name = 'faiss_cpu' THEN ms END) AS cpu
              FROM knn_peer GROUP BY m, n, d, k)
SELECT shape.m AS "queries", shape.n AS "points", shape.d AS "d", milliseconds(ours.ms_median, NULL) AS "step 8, exact",
       milliseconds(fp32, NULL) AS "PyTorch FP32", milliseconds(tf32, NULL) AS "TF32", milliseconds(f16, NULL) AS "f16",
       milliseconds(faiss, NULL) AS "Faiss", milliseconds(cuvs, NULL) AS "cuVS", milliseconds(cpu, NULL) AS "Faiss, CPU"
FROM shape LEFT JOIN knn_at_once AS ours USING (m, n, d, k) LEFT JOIN peer USING (m, n, d, k)
ORDER BY place;
