-- A ladder on every GPU that it was recorded on: what its best variant reaches at each shape.
-- marker: gpus-sgemm
-- marker: gpus-tensorcore
-- marker: gpus-gemv
-- marker: gpus-conv
-- marker: gpus-knn
-- part: columns
SELECT gpu.short || ': ' || heading.text
FROM gpu JOIN heading USING (ladder)
WHERE 'gpus-' || ladder = :table
  AND (ladder <> 'knn' OR nr < 2 OR EXISTS (SELECT 1 FROM reached AS r WHERE r.ladder = 'knn' AND third IS NOT NULL))
ORDER BY gpu.place, nr;
-- part: rows
SELECT shape, gpu || ': ' || text,
       CASE nr WHEN 0 THEN first WHEN 1 THEN second ELSE third END
FROM (SELECT *, min(place) OVER (PARTITION BY ladder, line, shape) AS row FROM reached) JOIN heading USING (ladder)
WHERE 'gpus-' || ladder = :table
  AND (ladder <> 'knn' OR nr < 2 OR EXISTS (SELECT 1 FROM reached AS r WHERE r.ladder = 'knn' AND third IS NOT NULL))
ORDER BY line, row, shape;
-- part: below
SELECT CASE :table
       WHEN 'gpus-sgemm' THEN 'At each shape the fastest variant of steps 1 to 5; ratios are medians'
       WHEN 'gpus-tensorcore' THEN 'A row by row, B column by column; `best`; of tf32x3, whose peak is a ' ||
                                   'third of TF32''s and whose cuBLAS is FP32''s; ratios are medians'
       WHEN 'gpus-gemv' THEN 'f16, in CUDA graphs, at each shape the fastest variant; ratios are medians'
       WHEN 'gpus-conv' THEN 'n-c-h-w-k-r-s-stride, `best`; f32 in NCHW, f16 in NHWC; ratios to cuDNN''s fastest ' ||
                             'direct engine are medians'
       ELSE 'm of n points, the fastest of all exact methods; beside it cuBLAS and a selection: the fastest of ' ||
           '`gemm_cublas`'
       END || CASE WHEN EXISTS (SELECT 1 FROM reached WHERE 'gpus-' || ladder = :table AND second LIKE '%..%')
                   THEN ', in brackets their 95 % intervals.' ELSE '.' END
UNION ALL
SELECT sub('Recorded on ' || group_concat(text, '; ') ||
           CASE count(*) WHEN 1 THEN '; no other GPU is recorded yet.' ELSE '; peaks are the data sheets''.' END)
FROM (SELECT text FROM gpu WHERE 'gpus-' || ladder = :table ORDER BY place);
