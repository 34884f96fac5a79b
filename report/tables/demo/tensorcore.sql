-- The tensor cores' ladder at one size, each variant in the type that it stands for, for the terminal.
-- align: llrrrl
-- widths: 20 20 10 10 10 0
-- part: any
SELECT 1 FROM record WHERE op = 'gemm' AND dtype <> 'f32' AND mode <> 'sim' LIMIT 1;
-- part: rows
SELECT device || ', ' || :size || '^3, B column by column, cold L2' AS heading, step, variant,
       form('%.3f', ms_median) AS "ms", form('%.2f', gflops / 1000) AS "TFLOP/s", percent(ratio) AS "vs cuBLAS",
       ' ' || record.dtype AS " type"
FROM record LEFT JOIN ladder AS l USING (step, variant)
WHERE op = 'gemm' AND record.dtype = coalesce(l.dtype, 'f16') AND record.layout = 'tn' AND
      mode NOT IN ('sim', 'sustained')
  AND (m, n, k, alpha, beta, cache) = (:size, :size, :size, 1, 0, 'cold')
ORDER BY step, record.line;
