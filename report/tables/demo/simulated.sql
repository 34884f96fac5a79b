-- What was run in the simulator, for the terminal.
-- align: lllrr
-- widths: 20 24 6 15 22
-- part: any
SELECT 1 FROM record WHERE mode = 'sim' LIMIT 1;
-- part: rows
SELECT device || ', every element: integers to the bit, others within their bound' AS heading, step, variant,
       dtype AS type,
       CASE WHEN op = 'knn' THEN m || 'x' || n || 'x' || d WHEN op IN ('gemm', 'conv') THEN m || 'x' || n || 'x' || k
            ELSE n || 'x' || k END
       AS "m x n x k",
       CASE op WHEN 'knn' THEN 'k = ' || k ELSE form('%.3f', coalesce(max_err_bound_share, 0)) END AS
              "worst error, of bound"
FROM record WHERE mode = 'sim'
ORDER BY step, line;
-- part: below
SELECT 'Of a matrix times a vector, the shape is n x k.'
WHERE EXISTS (SELECT 1 FROM record WHERE mode = 'sim' AND op NOT IN ('gemm', 'knn', 'conv'))
UNION ALL
SELECT 'Of a convolution it is that of the product of matrices: places x filters x taps.'
WHERE EXISTS (SELECT 1 FROM record WHERE mode = 'sim' AND op = 'conv')
UNION ALL
SELECT 'Of a search it is m queries x n points x d coordinates; neighbours and distances are exact,
but those by GEMM, whose distances cancel.'
WHERE EXISTS (SELECT 1 FROM record WHERE mode = 'sim' AND op = 'knn');
