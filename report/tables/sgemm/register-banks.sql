-- Operand reuse and register banks in the main loops of all SGEMM kernels that keep more than one result a thread.
-- marker: register-banks
-- align: llr
-- part: rows
SELECT step, variant, ffmas AS "FFMAs in the loop", reuse AS "with `.reuse`", reads AS "registers read per FFMA",
       bank AS "three of one bank"
FROM (
SELECT 1 AS first, 0 AS place, 'the article' AS step, 'its kernel, by the nvcc of 2022' AS variant, NULL AS ffmas,
       'about 20 %' AS reuse, NULL AS reads, NULL AS bank
UNION ALL
SELECT 1, 1, 'the article', '*maxas*, by hand', NULL, '49 %', NULL, NULL
UNION ALL
SELECT 2, place, v.short AS step, '`' || v.variant || '`' AS variant, ffma, percent(1.0 * ffma_reuse / ffma),
       form('%.2f', 1.0 * ffma_reads / ffma), percent(1.0 * ffma_conflicts / ffma)
FROM variant AS v JOIN sass AS s ON (s.step, s.variant) = (v.step, v.variant)
WHERE family = 'gemm' AND ffma >= 256)
ORDER BY first, step, place;
-- part: below
SELECT sub('The main loop''s machine code for ' || group_concat(DISTINCT arch) || ' by nvcc ' ||
                           group_concat(DISTINCT nvcc) || '.')
FROM sass WHERE step LIKE 'step%';
