-- Launches back to back on one stream, warm (--chain), on both sides.
-- marker: chains-tensorcore
-- align: llr
-- part: rows
SELECT dtype || ' ' || layout || ', ' || m || ' × ' || n || ' × ' || k AS "problem", '`' || variant || '`' AS "variant",
       microseconds(1000 * ms_median) AS "µs", microseconds(1000 * baseline_ms) AS "cuBLAS µs",
       ratio_text(ratio, ratio_low, ratio_high) AS "ratio to cuBLAS, median (95 % interval)"
FROM tensor WHERE load = 'chain'
ORDER BY dtype DESC, layout, m, n, k, variant;
-- part: below
SELECT sub(CASE WHEN EXISTS (SELECT 1 FROM tensor WHERE load = 'chain')
                THEN 'Recorded on ' || text || '; launches back to back on one stream, warm, ratios pair by pair.'
                ELSE 'Not recorded yet.' END)
FROM (SELECT max(text) AS text FROM source WHERE kind = 'tensor');
