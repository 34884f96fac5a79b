-- The paper's speed-ups beside ours: its own method (gemm_cublas+auto) against what it compares itself with.
-- marker: knn-claims
-- align: lr
-- part: columns
SELECT DISTINCT 'n = ' || n FROM knn_case WHERE k = 25 AND how = 'device' AND d = 256 ORDER BY n;
-- part: rows
WITH other(place, variant, how, label) AS (VALUES (1, 'bf_garcia', 'device', 'brute force on the GPU, `bf_garcia`'),
                                           (2, 'ann_brute', 'cpu', 'ANN, brute force'), (3, 'ann_kdtree', 'cpu',
                                                  'ANN, kd-tree'))
SELECT label AS "times as fast as", paper.d AS "d", 'n = ' || paper.n AS heading, times(o.ms_median / paper.ms_median)
       AS cell
FROM other JOIN knn_case AS paper ON (paper.variant, paper.how, paper.k) = ('gemm_cublas+auto', 'device', 25)
LEFT JOIN knn_case AS o ON (o.variant, o.how, o.n, o.d, o.k) = (other.variant, other.how, paper.n, paper.d, 25)
ORDER BY place, paper.d, paper.n;
-- part: below
WITH gain AS (SELECT o.variant, paper.n, o.ms_median / paper.ms_median AS x
              FROM knn_case AS paper JOIN knn_case AS o ON (o.n, o.d, o.k) = (paper.n, paper.d, paper.k)
              WHERE (paper.variant, paper.how, paper.k, paper.d) = ('gemm_cublas+auto', 'device', 25, 256)
                AND (o.variant, o.how) IN (VALUES ('bf_garcia', 'device'), ('ann_brute', 'cpu'), ('ann_kdtree',
                       'cpu'))),
     ends AS (SELECT variant, max(CASE n WHEN 1024 THEN times(x) END) AS first, max(CASE n WHEN 32768 THEN times(x)
            END) AS last
              FROM gain GROUP BY variant)
SELECT form('At d = 256 the gain over brute force on the GPU goes from %s at n = 1024 to %s at n = 32768, where ' ||
    'the paper has ' ||
            '2.8; over ANN from %s to %s by brute force and from %s to %s with a kd-tree, where the paper has 145.',
            g.first, g.last, b.first, b.last, t.first, t.last)
FROM ends AS g JOIN ends AS b JOIN ends AS t
WHERE (g.variant, b.variant, t.variant) = ('bf_garcia', 'ann_brute', 'ann_kdtree')
UNION ALL
SELECT sub('Recorded on ' || max(CASE kind WHEN 'knn' THEN text END) ||
           coalesce(' and ' || max(CASE kind WHEN 'knn_cpu' THEN device END), '') ||
                  '; `gemm_cublas+auto`, m = 1200, k = 25, ' ||
           'medians, without copies from and to the host.')
FROM source;
