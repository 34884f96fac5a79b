-- The clocks of a wgmma m64nNk16 on f16, by N and by where A lies: step 2's --show limits.
-- marker: wgmma-limits
-- align: r
-- recorded: limits; clocks of the SM for a wgmma; medians of 9 runs.
-- otherwise: Not recorded yet: `make latency` does it.
-- part: rows
SELECT n AS N, 64 * n * 16 * 2 / 4096 AS "FLOP / 4096", (64 * 32 + 32 * n) / 128 AS "bytes of A and B / 128",
       max(CASE form WHEN 'shared' THEN clocks END) AS "A shared",
       max(CASE form WHEN 'shared_2' THEN clocks END) AS "A shared, two warpgroups",
       max(CASE form WHEN 'registers' THEN clocks END) AS "A in registers",
       max(CASE form WHEN 'registers_2' THEN clocks END) AS "A in registers, two warpgroups"
FROM (SELECT CAST(substr(name, 8) AS INTEGER) AS n, substr(name, instr(substr(name, 7), '_') + 7) AS form,
             form('%.1f', clocks) AS clocks
      FROM limits WHERE name LIKE 'wgmma%')
GROUP BY n ORDER BY n;
