-- GEMV of a square matrix in FP16, cold caches, in CUDA graphs, for the terminal.
-- align: llrrrr
-- widths: 20 20 10 10 10 10
-- part: any
SELECT 1 FROM record WHERE op = 'gemv' AND mode <> 'sim' LIMIT 1;
-- part: rows
WITH here AS (SELECT * FROM record
              WHERE (n, k, dtype, cache, mode, alpha, beta) = (:size, :size, 'f16', 'cold', 'graph', 1, 0)),
     ceiling AS (SELECT max(line), gbps FROM here WHERE op = 'read')
SELECT device || ', n x k = ' || :size || ' x ' || :size || ', f16, cold L2' AS heading, step, variant,
       form('%.2f', 1000 * ms_median) AS "us", form('%.0f', here.gbps) AS "GB/s",
       percent(here.gbps / nullif(ceiling.gbps, 0)) AS "of ceiling", percent(ratio) AS "vs cuBLAS"
FROM here JOIN ceiling WHERE op = 'gemv'
ORDER BY step, line;
