-- Square shapes with the operands left in the L2, a column for each variant that was measured so.
-- marker: gemv-warm STEP
-- below: µs, GB/s, in brackets the ratio to cuBLAS.
-- recorded: gemv; f16, operands left in the L2, medians, in CUDA graphs, ratios pair by pair.
-- part: columns
SELECT '`' || variant || '`'
FROM (SELECT variant FROM variant
      WHERE family = 'gemv' AND step = :step AND variant IN (
          SELECT variant FROM gemv_row
          WHERE (op, step, dtype, cache, mode) = ('gemv', :step, 'f16', 'warm', 'graph') AND n = k)
      ORDER BY place)
UNION ALL VALUES ('cuBLAS µs'), ('read ceiling GB/s');
-- part: rows
WITH own AS (SELECT DISTINCT n FROM gemv_row
             WHERE (op, step, dtype, cache, mode) = ('gemv', :step, 'f16', 'warm', 'graph') AND n = k),
     line AS (SELECT own.n, name FROM own JOIN (
                  SELECT variant AS name FROM variant WHERE family = 'gemv' AND step = :step
                  UNION ALL VALUES ('cublas'), ('read_ceiling')))
SELECT l.n AS "n = k", significant(l.n * l.n * 2 / 1e6, 3) AS "MB",
       CASE l.name WHEN 'cublas' THEN 'cuBLAS µs' WHEN 'read_ceiling' THEN 'read ceiling GB/s' ELSE '`' || l.name ||
              '`' END,
       CASE l.name WHEN 'cublas' THEN us WHEN 'read_ceiling' THEN gbps
                   ELSE coalesce(us, '–') || ' µs, ' || coalesce(gbps, '–') || coalesce(form(' (%.2f)', t.plain_ratio),
                          '') END
FROM line AS l LEFT JOIN gemv_text AS t
     ON (t.name, op, step, dtype, t.n, t.k, cache, mode) = (l.name, 'gemv', :step, 'f16', l.n, l.n, 'warm', 'graph')
ORDER BY l.n;
