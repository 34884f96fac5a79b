-- How the paper's method grows with n: what its count of steps says, and the time.
-- marker: knn-growth
-- align: text
-- part: rows
WITH pair AS (SELECT a.n, a.ms_median AS small, b.ms_median AS large FROM knn_case AS a JOIN knn_case AS b
              ON (b.variant, b.d, b.k, b.how, b.n) = (a.variant, a.d, a.k, a.how, 2 * a.n)
              WHERE (a.variant, a.d, a.k, a.how, a.n) = ('gemm_cublas+auto', 32, 25, 'device', 16384))
SELECT coalesce((SELECT form('From n = %d to %d at d = 32 the steps grow by a factor of %.2f for `kpass` and %.2f for ' ||
                             '`bitonic`; the time of `gemm_cublas+auto` grows by %.2f.', n, 2 * n, (log2(n) + 1) / log2(n),
                             (log2(n) + 1) * (log2(n) + 2) / (log2(n) * (log2(n) + 1)), large / small) FROM pair),
                'Not measured yet.');
