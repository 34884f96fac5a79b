-- GEMV's ladder in FP16, cold, at two sizes; a row more for a variant that was measured with programmatic dependent
-- launch.
-- part: bars
SELECT v.variant, mode, n, us, gbps
FROM variant AS v JOIN gemv_all ON name = v.variant AND gemv_all.step = v.step
WHERE family = 'gemv' AND op = 'gemv' AND dtype = 'f16' AND n = k AND n IN (1024, 4096) AND cache = 'cold'
  AND mode IN ('graph', 'pdl')
ORDER BY place, mode, n;
-- part: lines
SELECT n, name, us, gbps FROM gemv_all
WHERE name IN ('read_ceiling', 'cublas') AND dtype = 'f16' AND n = k AND n IN (1024, 4096)
  AND (cache, mode) = ('cold', 'graph');
