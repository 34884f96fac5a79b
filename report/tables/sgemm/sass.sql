-- The machine code of the main loop of a step's kernels.
-- marker: sass STEP
-- align: lr
-- part: rows
SELECT '`' || v.variant || '`' AS variant, registers AS "registers", loop_instructions AS "instructions in the loop",
       ffma || coalesce(form(' (%.1f %%)', 100.0 * ffma_reuse / nullif(ffma, 0)), '') AS "FFMA (with `.reuse`)",
       form('%.2f', 1.0 * ffma_reads / nullif(ffma, 0)) AS "?registers read per FFMA", ffma_conflicts AS
              "?bank conflicts",
       coalesce(lds32, '–') || ' / ' || coalesce(lds64, '–') || ' / ' || coalesce(lds128, '–') AS "LDS.32 / .64 / .128",
       ldg AS "LDG", ldgsts AS "LDGSTS", bar AS "BAR"
FROM variant AS v LEFT JOIN sass AS s ON (s.step, s.variant) = (v.step, v.variant)
WHERE v.step = :step AND family <> 'gemv'
ORDER BY place;
-- part: below
SELECT sub('The main loop''s machine code for ' || group_concat(DISTINCT arch) || ' by nvcc ' ||
                           group_concat(DISTINCT nvcc) || '.')
FROM sass WHERE step = :step;
