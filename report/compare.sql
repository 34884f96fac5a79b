-- Two recorded files side by side (tables a and b, of the columns of a record). Rows are of one case when they measure
-- the same thing: step to cache; of another operation than GEMM the way of launching is part of that, of a GEMM
-- continuous load and chains are. Of several rows of one case the last counts. The simulator's rows hold no times.
-- part: compared
CREATE TABLE compared AS
SELECT *, CASE op WHEN 'gemm' THEN gflops / 1000 ELSE gbps END AS rate,
       CASE WHEN op <> 'gemm' OR mode IN ('sustained', 'chain') THEN mode ELSE '' END AS how
FROM (SELECT 1 AS side, rowid AS line, * FROM a UNION ALL SELECT 2, rowid, * FROM b)
WHERE mode <> 'sim';
-- part: latest
CREATE TABLE latest AS
SELECT *, max(line), first
FROM (SELECT *, first_value(line) OVER (PARTITION BY side, step, variant, op, dtype, layout, m, n, k, d, alpha, beta,
       cache, how
                                        ORDER BY line) AS first FROM compared)
GROUP BY side, step, variant, op, dtype, layout, m, n, k, d, alpha, beta, cache, how;
-- Problems of GEMM whose rows were not all timed alike: which way is chosen by how long a launch takes, for all of a
-- problem's variants the same one unless one launch took long by chance.
-- part: mixed
SELECT side, op, dtype, layout, m, n, k, d, alpha, beta, cache, how
FROM latest WHERE op = 'gemm' AND mode IN ('events', 'graph') AND baseline IS NOT NULL
GROUP BY side, op, dtype, layout, m, n, k, d, alpha, beta, cache, how HAVING count(DISTINCT mode) > 1
ORDER BY side, min(line);
-- Times of two devices say nothing about a kernel; their ratios to the baseline, in one run each, do.
-- part: cases
WITH pair AS (
    SELECT a.step, a.variant, a.op, a.dtype, a.layout, a.m, a.n, a.k, a.d, a.alpha, a.beta, a.cache, a.how, a.first,
           a.rate AS rate_a, b.rate AS rate_b, a.ratio AS ratio_a, b.ratio AS ratio_b, a.device <> b.device AS by_ratio,
           a.ms_median AS ms_a, b.ms_median AS ms_b, a.ms_low AS ms_low_a, b.ms_low AS ms_low_b, a.ms_high AS ms_high_a,
           b.ms_high AS ms_high_b, a.ratio_low AS ratio_low_a, b.ratio_low AS ratio_low_b, a.ratio_high AS ratio_high_a,
           b.ratio_high AS ratio_high_b
    FROM latest AS a JOIN latest AS b USING (step, variant, op, dtype, layout, m, n, k, alpha, beta, cache, how)
    WHERE a.side = 1 AND b.side = 2 AND a.d IS b.d)
SELECT *, CASE WHEN by_ratio THEN ratio_b / nullif(ratio_a, 0) ELSE ms_a / nullif(ms_b, 0) END AS change,
       CASE WHEN by_ratio THEN ratio_low_a <= ratio_high_b AND ratio_low_b <= ratio_high_a
            ELSE ms_low_a <= ms_high_b AND ms_low_b <= ms_high_a END AS overlap
FROM pair
ORDER BY first;
-- part: counts
SELECT count(CASE side WHEN 1 THEN 1 END) AS a, count(CASE side WHEN 2 THEN 1 END) AS b FROM latest;
-- part: origins
SELECT side, device, driver, cuda, date FROM compared ORDER BY side, line;
-- part: units
SELECT DISTINCT CASE op WHEN 'gemm' THEN 'TFLOP/s' ELSE 'GB/s' END FROM compared;
