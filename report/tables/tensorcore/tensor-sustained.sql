-- Short runs and continuous load, side by side.
-- marker: tensor-sustained STEP
-- align: lr
-- recorded: tensor; cold L2, medians, ratios pair by pair; `best`, tn; sustained: both sides alternating without a
-- recorded: pause, the second half of the time.
-- part: rows
WITH here AS (SELECT * FROM tensor_text
              WHERE (step, variant, layout) = (:step, 'best', 'tn') AND m = n AND n = k),
     type(place, dtype) AS (VALUES (1, 'f16'), (2, 'bf16'))
SELECT type.dtype || ', ' || side AS "type, m = n = k", a.tflops AS "TFLOP/s", a.clock AS "MHz",
       a.plain_ratio AS "ratio", b.tflops AS "sustained: TFLOP/s", b.clock AS "MHz", b.power AS "W",
       b.ratio AS "ratio, median (min..max)", fast_speed(cublas.tflops) AS "cuBLAS sustained, TFLOP/s"
FROM type JOIN tensor_side
JOIN here AS b ON (b.dtype, b.m, b.load) = (type.dtype, side, 'sustained')
LEFT JOIN here AS a ON (a.dtype, a.m, a.load) = (type.dtype, side, 'burst')
LEFT JOIN tensor_baseline AS cublas
     ON (cublas.step, cublas.dtype, cublas.layout, cublas.m, cublas.n, cublas.k, cublas.load) =
        (:step, type.dtype, 'tn', side, side, side, 'sustained')
ORDER BY place, side;
