-- A step's best at the networks' layers in two runs of their own, side by side: conv.csv and conv_again.csv.
-- marker: conv-runs STEP
-- align: lr
-- recorded: conv; cold L2, ratios to cuDNN's fastest direct engine: in the first run, in the second.
-- part: rows
WITH run AS (SELECT 1 AS nr, rowid AS line, * FROM conv UNION ALL SELECT 2, rowid, * FROM conv_again),
row AS (SELECT nr, max(line), dtype, substr(layout, 1, 4) AS sides, l.layer, ratio FROM run
        JOIN conv_layer AS l ON l.layer = layer(run.layout, n)
        WHERE op = 'conv' AND step = :step AND variant = 'best' AND baseline = 'cudnn' AND ratio > 0 AND cache = 'cold'
          AND mode NOT IN ('sim', 'sustained') AND alpha = 1 AND beta = 0 AND layout NOT LIKE '% bias'
        GROUP BY nr, dtype, sides, l.layer),
kind (place, dtype, sides) AS (VALUES (1, 'f32', 'nchw'), (2, 'f32', 'nhwc'), (3, 'f16', 'nhwc'), (4, 'bf16', 'nhwc')),
whole AS (SELECT nr, dtype, sides, count(*) AS layers, sum(ratio >= 1.0) AS ahead, sum(ratio >= 0.97) AS near,
                 min(ratio) AS worst, geometric_mean(ratio) AS mean FROM row GROUP BY nr, dtype, sides)
SELECT k.dtype || ' ' || k.sides AS "type, layout",
       coalesce(a.layers, '–') || ', ' || coalesce(b.layers, '–') AS layers,
       coalesce(form('%.2f', a.mean), '–') || ', ' || coalesce(form('%.2f', b.mean), '–') AS "geometric mean",
       coalesce(a.ahead, '–') || ', ' || coalesce(b.ahead, '–') AS "at least 1.00",
       coalesce(a.near, '–') || ', ' || coalesce(b.near, '–') AS "at least 0.97",
       coalesce(form('%.2f', a.worst), '–') || ', ' || coalesce(form('%.2f', b.worst), '–') AS worst
FROM kind AS k
LEFT JOIN whole AS a ON (a.nr, a.dtype, a.sides) = (1, k.dtype, k.sides)
LEFT JOIN whole AS b ON (b.nr, b.dtype, b.sides) = (2, k.dtype, k.sides)
ORDER BY place;
