-- Which of the library's calls was the baseline at each problem. Every run chooses it anew, so rows may differ.
-- marker: calls-sgemm
-- marker: calls-tensorcore
-- marker: calls-gemv
-- marker: calls-conv
-- align: llr
-- part: rows
WITH counted AS (
         SELECT place, a, b, problem, call, count(*) AS rows, max(tried) AS tried, max(failed) AS failed,
                max(wrong) AS wrong
         FROM baseline_used WHERE 'calls-' || ladder = :table
         GROUP BY problem, call)
SELECT problem AS "problem",
       group_concat(call || CASE others WHEN 1 THEN '' ELSE ' (' || rows || ')' END, ', ') AS
       "fastest call (in how many rows)",
       max(tried) AS "calls tried", max(failed) AS "refused", max(wrong) AS "wrong"
FROM (SELECT *, count(*) OVER (PARTITION BY problem) AS others FROM counted ORDER BY problem, rows DESC, call)
GROUP BY problem
ORDER BY min(place), min(a), min(b), problem;
-- part: below
SELECT sub(CASE WHEN EXISTS (SELECT 1 FROM baseline_used WHERE 'calls-' || ladder = :table)
                THEN 'Recorded on ' || text ||
                       '; refused: calls that do not take the problem, wrong: whose result was not ' ||
                     'right; neither can be the baseline.'
                ELSE 'Not recorded yet.' END)
FROM (SELECT max(text) AS text FROM source
      WHERE kind = CASE :table WHEN 'calls-sgemm' THEN 'gemm' WHEN 'calls-tensorcore' THEN 'tensor' ELSE substr(:table,
          7) END);
