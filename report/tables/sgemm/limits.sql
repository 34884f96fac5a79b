-- What a SM and the GPU do at most, but for wgmma: step 2's --show limits.
-- marker: limits
-- align: lrlrrr
-- recorded: limits; one block a SM; a clock is one of a SM, an instruction one of a warp; medians of 9 runs.
-- otherwise: Not recorded yet: `make latency` does it.
-- part: rows
SELECT '`' || name || '`' AS "limit", form('%.4g', rate) AS rate, unit, percent(rate / peak) AS "% of the peak",
       form('%.2f', clocks) AS "clocks an instruction", form('%.0f', clock_mhz) AS "at MHz"
FROM limits
WHERE name NOT LIKE 'wgmma%'
ORDER BY rowid;
