-- Every layer of the networks' sweep in one type and layout: best and cuDNN.
-- marker: conv-layers STEP [DTYPE] [LAYOUT]
-- align: llr
-- recorded: conv; cold L2, medians, ratios pair by pair; {dtype} {layout}; cuDNN: its fastest direct engine.
-- part: rows
SELECT network, l.layer AS "n-c-h-w-k-r-s-stride", microseconds(own.us) AS "`best` µs",
       fast_speed(own.tflops) AS "TFLOP/s", percent(own.peak_share) AS "% of peak",
       ratio_text(ratio, ratio_low, ratio_high) AS "ratio to cuDNN, median (95 %)", microseconds(b.us) AS "cuDNN µs",
       fast_speed(b.tflops) AS "TFLOP/s"
FROM conv_layer AS l
LEFT JOIN conv_row AS own ON (own.step, own.variant, own.dtype, own.sides, own.layer) =
                             (:step, 'best', :dtype, :layout, l.layer)
LEFT JOIN conv_baseline AS b ON (b.step, b.dtype, b.sides, b.layer) = (:step, :dtype, :layout, l.layer)
ORDER BY l.place;
