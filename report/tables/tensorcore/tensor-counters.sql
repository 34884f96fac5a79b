-- What the variants do, as Nsight Compute counted it.
-- marker: tensor-counters STEP
-- align: lrrrrrrrl
-- part: rows
SELECT '`' || variant || '`' AS variant, form('%.2f', dram) AS "DRAM GB read", form('%.2f', l2) AS "L2 GB read",
       form('%.2f', wavefronts) AS "shared wavefronts, millions", form('%.2f', conflicts) AS "bank conflicts, millions",
       form('%.1f %%', issue) AS "issue slots busy", form('%.1f %%', pipe) AS "tensor pipe",
       form('%.1f %%', warps) AS "warps active",
       text AS "largest stall: warps waiting per scheduler"
FROM counter_fact LEFT JOIN largest_stall USING (step, variant)
WHERE step = :step AND family = 'tensor' AND variant NOT LIKE 'cutlass%'
ORDER BY place;
-- part: below
SELECT sub('Counted on ' || max(source) || ' by Nsight Compute: each kernel once, at ' || max(size) ||
                           ', each in the type of the ladder.')
FROM counted WHERE step = :step;
