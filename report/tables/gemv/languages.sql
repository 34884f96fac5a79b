-- y = A*x in three languages and by cuBLAS, timed in turn in one process (make other-languages).
-- marker: languages N
-- align: llrrl
-- recorded: languages; f16, {n} × {n}, cold L2, in CUDA graphs, medians, ratios round by round.
-- otherwise: Not recorded yet: `make other-languages` does it.
-- part: rows
SELECT language, coalesce('`' || kernel || '`', 'not run: ' || why) AS kernel, microseconds(us) AS "µs",
       form('%.3f (%.3f..%.3f)', ratio, ratio_min, ratio_max) AS "ratio to cuBLAS, median (least..greatest)",
       configuration AS "as it was fastest"
FROM languages WHERE n = :n ORDER BY us IS NULL, us DESC;
