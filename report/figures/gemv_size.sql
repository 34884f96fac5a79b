-- GB/s of square GEMVs in FP16: the read ceiling, `best` with and without PDL, cuBLAS.
-- part: points
SELECT cache, CASE WHEN name = 'best' AND mode = 'pdl' THEN 'pdl' ELSE name END AS what, n, gbps
FROM gemv_all
WHERE op = 'gemv' AND dtype = 'f16' AND n = k AND n >= 256 AND gbps IS NOT NULL
  AND (name = 'best' AND mode IN ('graph', 'pdl') OR name IN ('read_ceiling', 'cublas') AND mode = 'graph')
ORDER BY n;
