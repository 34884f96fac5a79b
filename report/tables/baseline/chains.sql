-- Launches back to back on one stream, warm (--chain), on both sides; PDL: ours with programmatic dependent launch.
-- marker: chains-tensorcore
-- marker: chains-gemv
-- align: llr
-- part: rows
WITH chain(ladder, place, a, problem, variant, ours, theirs, ratio) AS (
         SELECT 'tensorcore', dtype, m, dtype || ' ' || layout || ', ' || m || ' × ' || n || ' × ' || k, variant || '`',
                ms_median, baseline_ms, ratio_text(ratio, ratio_low, ratio_high)
         FROM (SELECT max(rowid), * FROM tensorcore WHERE mode = 'chain' AND ms_median > 0
               GROUP BY variant, dtype, layout, m, n, k)
         UNION ALL
         SELECT 'gemv', dtype, n * k, dtype || ', ' || n || ' × ' || k, variant || CASE mode WHEN 'chain' THEN '`' ELSE '`, PDL' END,
                ms_median, baseline_ms, ratio_text(ratio, ratio_low, ratio_high)
         FROM (SELECT max(rowid), * FROM gemv WHERE op = 'gemv' AND mode IN ('chain', 'chain_pdl') AND ms_median > 0
               GROUP BY variant, dtype, n, k, mode))
SELECT problem AS "problem", '`' || variant AS "variant", microseconds(1000 * ours) AS "µs",
       microseconds(1000 * theirs) AS "cuBLAS µs", ratio AS "ratio to cuBLAS, median (95 % interval)"
FROM chain WHERE 'chains-' || ladder = :table
ORDER BY place DESC, a, problem, variant;
-- part: below
SELECT sub(CASE WHEN EXISTS (SELECT 1 FROM tensorcore WHERE mode = 'chain' AND :table = 'chains-tensorcore' UNION ALL
                             SELECT 1 FROM gemv WHERE mode = 'chain' AND :table = 'chains-gemv')
                THEN 'Recorded on ' || text || '; launches back to back on one stream, warm, ratios pair by pair.'
                ELSE 'Not recorded yet.' END)
FROM (SELECT max(text) AS text FROM source WHERE kind = CASE :table WHEN 'chains-gemv' THEN 'gemv' ELSE 'tensor' END);
