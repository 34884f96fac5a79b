-- Searches of one shape, step 8's own where that was measured, else the largest, for the terminal: on the device, with
-- copies from and to the host, and on the CPU. What was timed beside PyTorch is another table's.
-- align: llrrr
-- widths: 20 24 10 12 15
-- part: any
SELECT 1 FROM record WHERE op = 'knn' AND mode <> 'sim' LIMIT 1;
-- part: rows
WITH shape AS (SELECT device, m, n, d, k FROM record
               WHERE op = 'knn' AND mode NOT IN ('sim', 'cpu') AND coalesce(baseline, '') NOT LIKE 'torch %'
               ORDER BY (m, n, d, k) = (1200, 32768, 256, 25) DESC, 1.0 * m * n * d DESC, k DESC, line LIMIT 1),
     latest AS (SELECT max(line) AS line, step, variant, mode = 'cpu' AS on_cpu, mode = 'transfers' AS copied,
            ms_median AS ms
                FROM record JOIN (SELECT m, n, d, k FROM shape) USING (m, n, d, k)
                WHERE op = 'knn' AND mode <> 'sim' AND coalesce(baseline, '') NOT LIKE 'torch %'
                GROUP BY step, variant, mode = 'cpu', mode = 'transfers'),
     method AS (SELECT min(line) AS line, step, variant, on_cpu, max(CASE WHEN NOT copied THEN ms END) AS ms,
                       max(CASE WHEN copied THEN ms END) AS copied
                FROM latest GROUP BY step, variant, on_cpu)
SELECT (SELECT device || ', ' || m || ' queries, ' || n || ' points, d ' || d || ', k ' || k || coalesce('; CPU: ' || (
            SELECT without_threads(cpu.device) FROM record AS cpu
            WHERE cpu.op = 'knn' AND cpu.mode = 'cpu' AND (cpu.m, cpu.n, cpu.d, cpu.k) = (shape.m, shape.n, shape.d,
                  shape.k) LIMIT 1), '') FROM shape) AS heading,
       step, variant || CASE WHEN on_cpu THEN ' (CPU)' ELSE '' END AS method, form('%.3f', ms) AS "ms",
       form('%.3f', copied) AS "with copies",
       percent((SELECT ms FROM method WHERE variant = 'gemm_cublas+auto') / ms) AS "vs gemm_cublas"
FROM method
ORDER BY on_cpu, method.ms;
