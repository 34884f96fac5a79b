# The speed-up of exact_tc over the others, against n: a panel per dimension; both axes logarithmic.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
low = scale(1); high = scale(2); wide = scale(3); panels = scale(4)
height = high - low

set title BASELINE.", 1200 queries, k = 25: speed-up"
set xrange [-0.3 : panels * wide + (dumb ? 7 : 6)]
set yrange [low - 0.16 * height : high + 0.1 * height]
unset xtics
set border 0
set ytics ()
do for [i = int(low) : int(high)] { set ytics add (sprintf(i < 0 ? "%.2g" : "%.0f", 10.0 ** i) i) }
do for [p = 0 : int(panels) - 1] {
    set arrow from p * wide - 0.3, low to p * wide + 5.3, low nohead lc rgb INK
    if (!dumb) {
        do for [i = int(low) + 1 : int(high)] {
            set arrow from p * wide - 0.3, i to p * wide + 5.3, i nohead back lc rgb (i == 0 ? INK : GRID) lw 0.5
        }
    }
}
if (!dumb) { set bmargin at screen 0.08 }
set label (dumb ? "n" : "n points") at panels * wide / 2, low - 0.14 * height center textcolor rgb INK
plot DATA index "labels" using 5:6:($1 - 0.1 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.3 * point, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.3 * point, \
     "" index "labels" using ($1 + (dumb ? 0.5 : 0.25)):2:3 with labels left font (dumb ? "" : small) textcolor rgb INK, \
     "" index "ticks" using 1:(low - 0.06 * height):2 with labels center textcolor rgb INK, \
     "" index "panels" using 1:(high + 0.05 * height):2 with labels center textcolor rgb INK
