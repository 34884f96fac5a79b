-- One step at every square, or at every shape that no tile divides, a column a variant. Odd: no multiple of a warp's
-- 32.
-- marker: square STEP
-- marker: odd STEP
-- part: heading
SELECT CASE :table WHEN 'square' THEN 'm = n = k' ELSE 'm × n × k' END AS sides;
-- part: columns
SELECT '`' || variant || '`' FROM variant WHERE family = 'gemm' AND step = :step ORDER BY place;
-- part: rows
SELECT CASE :table WHEN 'square' THEN m ELSE m || ' × ' || n || ' × ' || k END AS "{sides}", '`' || variant || '`',
       short
FROM gemm_text JOIN gemm USING (step, variant, m, n, k)
WHERE step = :step AND CASE :table WHEN 'square' THEN shape = 'square' ELSE m % 32 OR n % 32 OR k % 32 END
ORDER BY m * n * k, m, n;
-- part: below
SELECT 'TFLOP/s, in brackets the ratio to ' || against || '.' FROM gemm_source
UNION ALL
SELECT line FROM gemm_source;
