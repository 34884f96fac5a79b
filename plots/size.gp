# TFLOP/s against size: each step's best variant and the baseline.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1); largest = scale(2)
left = 230; end = largest * 1.14

set title "Square SGEMM, best variant of each step (hollow: size no power of two)"
set logscale x 2
set xrange [left : largest * 8]
set yrange [0 : top]
set xtics () # the powers of two that were measured
for_size = 256
while (for_size <= largest) { set xtics add (sprintf("%d", for_size) for_size); for_size = 2 * for_size }
set ytics tick(top)
if (dumb) { set xlabel "m = n = k" }
if (!dumb) { set label "m = n = k" at sqrt(256 * largest), screen 0.08 center textcolor rgb INK }
set ylabel "TFLOP/s, FP32"
set arrow from left, 0 to end, 0 nohead lc rgb INK
if (!dumb) {
    do for [i = 1 : int(top / tick(top))] {
        set arrow from left, i * tick(top) to end, i * tick(top) nohead back lc rgb GRID lw 0.5
    }
}
plot DATA index "labels" using 5:6:($1 / 1.04 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.5 * point, \
     "" index "hollow" using 1:2:(dumb ? mark($3) : 7):3 with points pt variable ps 2 * point lc variable, \
     "" index "hollow" using 1:(dumb ? NaN : $2) with points pt 7 ps 1.3 * point lc rgb "white", \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.5 * point, \
     "" index "labels" using ($1 * (dumb ? 1.2 : 1.1)):2:3 with labels left textcolor rgb INK
