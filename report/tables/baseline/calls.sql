-- Which of the library's calls was the baseline at each problem. It is chosen anew in every run, so there may be several.
-- Files of version 0.9 do not say.
-- marker: calls-sgemm
-- marker: calls-tensorcore
-- marker: calls-gemv
-- align: llr
-- part: rows
WITH used(ladder, place, a, b, problem, call, tried, failed, wrong) AS (
         SELECT 'sgemm', CASE shape WHEN 'square' THEN 1 WHEN 'article' THEN 2 ELSE 3 END, m, n,
                CASE shape WHEN 'square' THEN m || '³' ELSE m || ' × ' || n || ' × ' || k END, baseline_call, calls_tried,
                calls_failed, calls_wrong
         FROM gemm
         UNION ALL
         SELECT 'tensorcore', CASE WHEN m = n AND n = k THEN 1 ELSE 2 END, dtype || ' ' || layout, m,
                dtype || ' ' || layout || ', ' || CASE WHEN m = n AND n = k THEN m || '³' ELSE m || ' × ' || n || ' × ' || k END,
                baseline_call, calls_tried, calls_failed, calls_wrong
         FROM tensor WHERE load = 'burst'
         UNION ALL
         SELECT 'gemv', CASE dtype WHEN 'f16' THEN 1 WHEN 'bf16' THEN 2 ELSE 3 END, n * k, n, dtype || ', ' || n || ' × ' || k,
                baseline_call, calls_tried, calls_failed, calls_wrong
         FROM gemv_row WHERE op = 'gemv' AND cache = 'cold' AND mode = 'graph'),
     counted AS (
         SELECT ladder, place, a, b, problem, call, count(*) AS runs, max(tried) AS tried, max(failed) AS failed,
                max(wrong) AS wrong
         FROM used WHERE call IS NOT NULL AND 'calls-' || ladder = :table
         GROUP BY ladder, problem, call)
SELECT problem AS "problem",
       group_concat(call || CASE others WHEN 1 THEN '' ELSE ' (' || runs || ')' END, ', ') AS "fastest call (in how many runs)",
       max(tried) AS "calls tried", max(failed) AS "refused", max(wrong) AS "wrong"
FROM (SELECT *, count(*) OVER (PARTITION BY problem) AS others FROM counted ORDER BY problem, runs DESC, call)
GROUP BY problem
ORDER BY min(place), min(a), min(b), problem;
-- part: below
SELECT sub(CASE WHEN EXISTS (SELECT 1 FROM sgemm WHERE baseline_call IS NOT NULL UNION ALL
                             SELECT 1 FROM tensorcore WHERE baseline_call IS NOT NULL UNION ALL
                             SELECT 1 FROM gemv WHERE baseline_call IS NOT NULL)
                THEN 'Recorded on ' || text || '; refused: calls that do not take the problem, wrong: whose result was not ' ||
                     'right; neither can be the baseline.'
                ELSE 'Not recorded yet.' END)
FROM (SELECT max(text) AS text FROM source
      WHERE kind = CASE :table WHEN 'calls-sgemm' THEN 'gemm' WHEN 'calls-tensorcore' THEN 'tensor' ELSE 'gemv' END);
