-- Step 8 from host memory to host memory: all copies first, and in pieces while the piece before is searched.
-- marker: knn-copies
-- align: lr
-- recorded: knn_copies; `exact_tc`, d = 256, k = 25, medians.
-- part: rows
WITH shape(m, n) AS (VALUES (1200, 32768), (100000, 32768)),
     parts(pieces, how) AS (VALUES (0, 'events'), (1, 'transfers'), (2, 'transfers/2'), (4, 'transfers/4'),
                                   (8, 'transfers/8'), (16, 'transfers/16')),
     one AS (SELECT m, n, mode, max(rowid), ms_median AS ms FROM knn_copies WHERE variant = 'exact_tc' GROUP BY m, n, mode)
SELECT s.m || ' of ' || s.n AS "queries of points", CASE pieces WHEN 0 THEN 'no copies' ELSE pieces END AS "pieces",
       milliseconds(max(CASE WHEN mode = how THEN ms END), NULL) AS "from pinned memory, ms",
       milliseconds(max(CASE WHEN mode = how || ' pageable' OR pieces = 0 THEN ms END), NULL) AS
       "from pageable memory, ms"
FROM shape AS s JOIN parts LEFT JOIN one ON (one.m, one.n) = (s.m, s.n) AND mode IN (how, how || ' pageable')
GROUP BY s.m, s.n, parts.pieces ORDER BY s.m, parts.pieces;
