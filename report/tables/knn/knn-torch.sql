-- exact_tc, fused and, where it was recorded beside them, direct+radix, each timed alternately with PyTorch.
-- marker: knn-torch
-- part: rows
WITH shape AS (SELECT min(line) AS first, m, n, d, k FROM knn_shown WHERE beside_torch GROUP BY m, n, d, k)
SELECT shape.m AS "m", shape.n AS "n", shape.d AS "d", shape.k AS "k",
       milliseconds(e.baseline_ms, NULL) AS "PyTorch ms", milliseconds(e.ms_median, NULL) AS "`exact_tc` ms",
       form('%.2f (%.2f..%.2f)', e.ratio, e.ratio_min, e.ratio_max) AS "speed-up (min..max)",
       milliseconds(f.ms_median, NULL) AS "`fused` ms", form('%.2f', f.ratio) AS "speed-up",
       milliseconds(r.ms_median, NULL) AS "?`direct+radix` ms", form('%.2f', r.ratio) AS "?speed-up"
FROM shape
LEFT JOIN knn_torch AS e ON (e.m, e.n, e.d, e.k, e.variant) = (shape.m, shape.n, shape.d, shape.k, 'exact_tc')
LEFT JOIN knn_torch AS f ON (f.m, f.n, f.d, f.k, f.variant) = (shape.m, shape.n, shape.d, shape.k, 'fused')
LEFT JOIN knn_torch AS r ON (r.m, r.n, r.d, r.k, r.variant) = (shape.m, shape.n, shape.d, shape.k, 'direct+radix')
ORDER BY first;
-- part: below
SELECT sub('Recorded on ' || max(text) || '; ' || (SELECT baseline FROM knn_torch ORDER BY line DESC LIMIT 1) ||
           ', TF32 off, timed alternately: medians, ratios pair by pair; data on the device.')
FROM source WHERE kind = 'knn_torch';
