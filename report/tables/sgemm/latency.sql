-- How long a load waits for its word: step 2's --show latency.
-- marker: latency
-- align: lr
-- recorded: latency; one thread, each load after the one before.
-- otherwise: Not recorded yet: `make latency` does it.
-- part: rows
SELECT memory, CASE WHEN lines > 0 THEN lines || ' in ' || CASE WHEN kib >= 1048576 THEN form('%.3g GiB',
    kib / 1048576.0)
                                       WHEN kib >= 1024 THEN form('%.3g MiB', kib / 1024.0)
                                       ELSE kib || ' KiB' END END AS "lines of 128 bytes",
       form('%.1f (%s..%s)', clocks_median, form('%.1f', clocks_min), form('%.1f', clocks_max))
       AS "clocks, median (min..max)",
       form('%.1f', ns_median) AS ns, form('%.0f', clock_mhz) AS "at MHz"
FROM latency
ORDER BY rowid;
