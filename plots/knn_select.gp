# A search's time against k for each way to select, both axes logarithmic; where the paper's two cross is marked.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
low = scale(1); high = scale(2); last = scale(3)
height = high - low

set title "1200 queries, 16384 points, d = 32: milliseconds against k"
set xrange [-0.2 : last + (dumb ? 3 : 2.1)]
set yrange [low - 0.03 * height : high + 0.05 * height]
set xtics ()
do for [i = 0 : int(last)] { set xtics add (sprintf("%d", 2 ** i) i) }
set ytics ()
do for [i = int(low) : int(high)] { set ytics add (sprintf("%g", 10.0 ** i) i) }
set ylabel "ms" offset 1.5
if (dumb) { set xlabel "k" }
if (!dumb) {
    set label "k" at last / 2, screen 0.09 center textcolor rgb INK
    do for [i = int(low) : int(high)] { set arrow from -0.2, i to last + 0.1, i nohead back lc rgb GRID lw 0.5 }
}
set border 3
plot DATA index "labels" using 5:6:($1 - 0.1 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "cross" using 1:(low):(0):($2 - low) with vectors nohead lc rgb INK dt 2 lw 0.8, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.3 * point, \
     "" index "cross" using 1:2 with points lc rgb INK pt (dumb ? 1 : 6) ps 2.5 * point, \
     "" index "cross" using ($1 + (dumb ? 0.2 : 0.1)):(low + (dumb ? 0.06 : 0.03) * height):3 with labels left textcolor rgb INK, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.3 * point, \
     "" index "labels" using ($1 + (dumb ? 0.2 : 0.12)):2:3 with labels left textcolor rgb INK
