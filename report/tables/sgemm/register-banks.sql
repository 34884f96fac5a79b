-- Operand reuse and register banks in the main loops of all SGEMM kernels that keep more than one result a thread.
-- marker: register-banks
-- align: llr
-- part: rows
SELECT v.short AS step, '`' || v.variant || '`' AS variant, ffma AS "FFMAs in the loop",
       percent(1.0 * ffma_reuse / ffma) AS "with `.reuse`", form('%.2f', 1.0 * ffma_reads / ffma) AS
       "registers read per FFMA", percent(1.0 * ffma_conflicts / ffma) AS "three of one bank"
FROM variant AS v JOIN sass AS s ON (s.step, s.variant) = (v.step, v.variant)
WHERE family = 'gemm' AND ffma >= 256
ORDER BY v.step, place;
-- part: below
SELECT sub('The main loop''s machine code for ' || group_concat(DISTINCT arch) || ' by nvcc ' ||
                           group_concat(DISTINCT nvcc) || '.')
FROM sass WHERE step LIKE 'step%';
