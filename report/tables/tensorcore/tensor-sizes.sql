-- One type and layout at all sizes: best and cuBLAS.
-- marker: tensor-sizes STEP DTYPE LAYOUT
-- recorded: tensor; cold L2, medians, ratios pair by pair; {dtype} {layout}.
-- part: heading
SELECT CASE :dtype WHEN 'tf32x3' THEN 'cuBLAS''s FP32' ELSE 'cuBLAS' END AS against;
-- part: rows
WITH here AS (SELECT *, m AS side FROM tensor_text
              WHERE (step, dtype, layout, load) = (:step, :dtype, :layout, 'burst') AND m = n AND n = k)
SELECT tensor_side.side AS "m = n = k", own.ms AS "`best` ms", own.tflops AS "TFLOP/s", own.peak AS "% of peak",
       own.ratio AS "ratio to {against}, median (min..max)",
       significant(b.ms, 4) AS "cuBLAS ms", fast_speed(b.tflops) AS "TFLOP/s"
FROM tensor_side
LEFT JOIN here AS own ON own.side = tensor_side.side AND own.variant = 'best'
LEFT JOIN tensor_baseline AS b ON (b.step, b.dtype, b.layout, b.m, b.n, b.k, b.load) =
                                  (:step, :dtype, :layout, tensor_side.side, tensor_side.side, tensor_side.side,
                                         'burst')
ORDER BY tensor_side.side;
