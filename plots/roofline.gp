# Roofline at m = n = k = 4096. A kernel stands at its counted intensity: FLOP per byte that its blocks ask of global
# memory, whichever of caches and DRAM serves them.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5
top = scale(1); dram = scale(2); low = scale(3); above = scale(4); peak = scale(5); above_y = scale(6)
left = 0.125; end = 90.0; right = 1500.0

set title "Roofline at m = n = k = 4096"
set logscale xy
set xrange [left : right]
set yrange [low : top * 2]
set xtics ("1/8" 0.125, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
loads = "FLOP per byte its blocks load from global memory"
if (dumb) { set xlabel loads } else { set label loads at sqrt(left * end), screen 0.08 center textcolor rgb INK }
set ylabel "TFLOP/s, FP32"
set arrow from left, low to end, low nohead lc rgb INK
# A GPU that common/gpu/devices.csv does not know has no DRAM roof: a dash says so.
ridge = dram > 0 ? top / dram : 8 * left # where the roofs meet; without one of them, where its text stands
if (dram > 0) { set arrow from left, left * dram to ridge, ridge * dram nohead lc rgb "black" }
if (peak > 0) { set arrow from (dram > 0 ? ridge : left), peak to end, peak nohead lc rgb "black" }
set label (peak > 0 ? sprintf("FP32 peak: %.1f TFLOP/s", peak) : "FP32 peak: –") \
    at ridge, top * (dumb ? 1.5 : 1.2) left textcolor rgb INK
# Along the roof: its slope on the page, from the lengths of an octave (the plot is about 2.2 times as wide as high).
slope = dumb || dram == 0 ? 0 : atan2(1 / log(top * 2 / low), 2.2 / log(right / left)) * 180 / pi
set label (dram > 0 ? sprintf(dumb ? "  DRAM: %.2f TB/s" : "DRAM: %.2f TB/s (datasheet)", dram) : "DRAM: –") \
    at (dram > 0 ? 0.7 : 1.3 * left), (dram > 0 ? 0.7 * dram / (dumb ? 1 : 1.5) : top * (dumb ? 1.5 : 1.2)) \
    rotate by slope left textcolor rgb INK
if (above > 0) {
    set label "above the DRAM roof:\n".(dumb ? "caches serve repeats" : "L1/L2 serve the\nrepeated loads") \
        at 0.135, above_y * (dumb ? 4 : 5.2) left textcolor rgb GREY
}
plot DATA index "labels" using 5:6:($1 / 1.06 - $5):($2 - $6) with vectors nohead lc rgb GRID lw 0.6, \
     "" index "points" using 1:(dumb ? NaN : $2):3:4:5 with yerrorbars lc variable pt 0 lw 0.7, \
     "" index "points" using 1:2:(mark($5)):5 with points lc variable pt variable ps 2 * point, \
     "" index "beside" using 1:2:3 with labels left textcolor rgb INK, \
     "" index "below" using 1:2:3 with labels center textcolor rgb INK, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.5 * point, \
     "" index "labels" using ($1 * 1.15):2:3 with labels left textcolor rgb INK
