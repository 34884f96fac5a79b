-- Chains of dependent GEMVs: each y is the next x.
-- marker: gemv-chain STEP
-- align: rllr
-- recorded: gemv; f16, chains in CUDA graphs, medians, ratios pair by pair; warm: the chain's matrices together are
-- recorded: less than four times the L2, so some of them stay there.
-- part: rows
WITH link AS (SELECT name, n, k, cache, place,
                     max(CASE mode WHEN 'graph' THEN us END) AS us, max(CASE mode WHEN 'pdl' THEN us END) AS pdl,
                     max(CASE mode WHEN 'pdl' THEN ratio END) AS ratio
              FROM gemv_text JOIN variant ON family = 'gemv' AND variant.step = gemv_text.step AND variant = name
              WHERE op = 'gemv_chain' AND gemv_text.step = :step AND dtype = 'f16' AND mode IN ('graph', 'pdl')
              GROUP BY name, n, k, cache, place)
SELECT CASE WHEN n = k THEN n ELSE n || ' × ' || k END AS "n = k", '`' || name || '`' AS variant, cache AS "L2",
       us AS "µs per link", pdl AS "with PDL, µs", ratio AS "speed-up, median (min..max)"
FROM link
ORDER BY n * k, n, place, cache;
