-- `best` at shapes drawn at random, set by set: how its ratios to the strongest call lie.
-- marker: random
-- align: lllr
-- recorded: random; cold L2, medians of ratios to the strongest call pair by pair; shapes: those recorded, of those
-- recorded: drawn; seeds: kernels were tuned while looking at the first, and the last were kept for the end.
-- part: rows
WITH drawn AS (
         SELECT "set", spread || ' to ' || max || CASE max(multiple) WHEN 1 THEN ''
                ELSE ', multiples of ' || replace(group_concat(DISTINCT multiple), ',', ' and ') END AS sides
         FROM random_sets GROUP BY "set")
SELECT "set" || coalesce('<sup>' || max(older) || '</sup>', '') AS "set", sides AS "sides",
       CASE draw WHEN 'tuning' THEN 'first' WHEN 'final' THEN 'last' ELSE '' END AS "seeds",
       count(ratio) || ' of ' || count(*) AS "shapes", form('%.3f', geometric_mean(ratio)) AS "geometric mean",
       form('%.3f', tenth(ratio)) AS "10th percentile",
       dtype || ' ' || layout || ', ' || m || ' × ' || n || ' × ' || k || form(': %.3f', min(ratio)) AS "worst",
       sum(ratio < 1) AS "below 1.0"
FROM random_row LEFT JOIN drawn USING ("set")
GROUP BY random_row."set", draw HAVING count(ratio) > 0
ORDER BY avg(place);
