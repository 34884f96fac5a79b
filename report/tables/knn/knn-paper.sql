-- The paper's table: 1200 queries, k = 25, against the paper's method, brute force, and the CPU. In parentheses with
-- copies from and to the host.
-- marker: knn-paper
-- part: rows
WITH d(d) AS (VALUES (32), (64), (128), (256)),
     n(n) AS (VALUES (1024), (2048), (4096), (8192), (16384), (32768)),
     here AS (SELECT n, d,
                     max(CASE WHEN variant = 'exact_tc' AND how = 'device' THEN ms_median END) AS exact,
                     max(CASE WHEN variant = 'exact_tc' AND how = 'transfers' THEN ms_median END) AS exact_copied,
                     max(CASE WHEN variant = 'gemm_cublas+auto' AND how = 'device' THEN ms_median END) AS paper,
                     max(CASE WHEN variant = 'gemm_cublas+auto' AND how = 'transfers' THEN ms_median END) AS
                     paper_copied, max(CASE WHEN variant = 'bf_garcia' AND how = 'device' THEN ms_median END) AS brute,
                     max(CASE WHEN variant = 'bf_garcia' AND how = 'transfers' THEN ms_median END) AS brute_copied,
                     max(CASE WHEN variant = 'openblas' AND how = 'cpu' THEN ms_median END) AS openblas,
                     max(CASE WHEN variant = 'ann_brute' AND how = 'cpu' THEN ms_median END) AS ann_brute,
                     max(CASE WHEN variant = 'ann_kdtree' AND how = 'cpu' THEN ms_median END) AS ann_kdtree
              FROM knn_case WHERE k = 25 GROUP BY n, d)
SELECT d AS "d", n AS "n",
       milliseconds(exact, exact_copied) AS "`exact_tc`", milliseconds(paper, paper_copied) AS "`gemm_cublas+auto`",
       milliseconds(brute, brute_copied) AS "`bf_garcia`", milliseconds(openblas, NULL) AS "OpenBLAS",
       milliseconds(ann_brute, NULL) AS "ANN, brute force", milliseconds(ann_kdtree, NULL) AS "ANN, kd-tree",
       times(brute / exact) AS "as fast as `bf_garcia`", times(openblas / exact) AS "OpenBLAS",
       times(ann_brute / exact) AS "ANN, brute force", times(ann_kdtree / exact) AS "ANN, kd-tree"
FROM d JOIN n LEFT JOIN here USING (d, n)
ORDER BY d, n;
-- part: below
SELECT sub('Recorded on ' || max(CASE kind WHEN 'knn' THEN text END) ||
           coalesce(' and ' || max(CASE kind WHEN 'knn_cpu' THEN device END), '') ||
                  '; m = 1200, k = 25, median ms (with ' ||
           'copies from and to the host), then the speed-up of `exact_tc`. OpenBLAS on ' ||
           coalesce((SELECT max(substr(device, length(without_threads(device)) + 3)) FROM knn_shown
                     WHERE how = 'cpu' AND variant = 'openblas'), 'all cores') ||
           ', ANN on one; building the tree is not counted.')
FROM source;
