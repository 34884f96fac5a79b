-- Step 8 from host memory to host memory: all copies first, and in pieces while the piece before is searched.
-- marker: knn-copies
-- align: lr
-- recorded: copies; `exact_tc`, d = 256, k = 25, medians.
-- part: rows
WITH shape(m, n) AS (VALUES (1200, 32768), (100000, 32768)), parts(pieces) AS (VALUES (0), (1), (2), (4), (8), (16)),
     one AS (SELECT m, n, pieces, memory, max(rowid), ms_median AS ms FROM knn_copies WHERE variant = 'exact_tc'
             GROUP BY m, n, pieces, memory)
SELECT m || ' of ' || n AS "queries of points", CASE pieces WHEN 0 THEN 'no copies' ELSE pieces END AS "pieces",
       milliseconds(max(CASE WHEN memory <> 'pageable' THEN ms END), NULL) AS "from pinned memory, ms",
       milliseconds(max(CASE WHEN memory <> 'pinned' THEN ms END), NULL) AS "from pageable memory, ms"
FROM shape JOIN parts LEFT JOIN one USING (m, n, pieces) GROUP BY m, n, parts.pieces ORDER BY m, parts.pieces;
