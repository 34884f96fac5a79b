# The tensor cores' TFLOP/s against size: the best variant of each type, and cuBLAS (dashed, hollow).
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1); least = scale(2); largest = scale(3)
left = least * 0.9; end = largest * 1.12
unit = top > 800 ? 200 : top > 300 ? 100 : tick(top)

set title "Square GEMM on tensor cores, A row by row, B column by column"
set logscale x 2
set xrange [left : largest * 4.4]
set yrange [0 : top]
set xtics () # the powers of two that were measured
for_size = least
while (for_size <= largest) { set xtics add (sprintf("%d", for_size) for_size); for_size = 2 * for_size }
set ytics unit
if (dumb) { set xlabel "m = n = k" }
if (!dumb) { set label "m = n = k" at sqrt(least * largest), screen 0.08 center textcolor rgb INK }
set ylabel "TFLOP/s (s8: TOP/s)" offset (top < 1000 || dumb ? 1.5 : 1.0)
set arrow from left, 0 to end, 0 nohead lc rgb INK
if (!dumb) {
    do for [i = 1 : int(top / unit)] {
        set arrow from left, i * unit to end, i * unit nohead back lc rgb GRID lw 0.5
    }
}
hollow(series) = dumb ? series + 7 : mark(series) - 1
both(series, theirs) = theirs > 0.5 ? hollow(series) : mark(series)
plot DATA index "labels" using 6:7:($1 / 1.04 - $6):($2 - $7) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "theirs" using 1:2:(hollow($3)):3 with linespoints dt 2 lw 0.7 lc variable pt variable ps 1.5 * point, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.5 * point, \
     "" index "labels" using 1:2:(both($4, $5)):4 with points lc variable pt variable ps 1.5 * point, \
     "" index "labels" using ($1 * (dumb ? 1.15 : 1.08)):2:3 with labels left textcolor rgb INK
