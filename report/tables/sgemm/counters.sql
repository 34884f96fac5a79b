-- What a step's variants do, as Nsight Compute counted it.
-- marker: counters STEP
-- align: lrrrrrrl
-- part: rows
SELECT '`' || variant || '`' AS variant, form('%.2f', sectors) AS "sectors per load request", form('%.2f', dram) AS
       "DRAM GB read", form('%.2f', conflicts) AS "shared bank conflicts, millions", form('%.1f %%', issue) AS
       "issue slots busy", form('%.1f %%', fma) AS "FMA pipe", form('%.1f %%', warps) AS "warps active",
       text AS "largest stall: warps waiting per scheduler"
FROM counter_fact LEFT JOIN largest_stall USING (step, variant)
WHERE step = :step AND family <> 'gemv'
ORDER BY place;
-- part: below
SELECT sub('Counted on ' || max(source) || ' by Nsight Compute: each kernel once, at ' || max(size) || '.')
FROM counted WHERE step = :step;
