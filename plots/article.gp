# The SGEMM article's four shapes (K = 1024): each step's best variant as a share of the baseline.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1)
left = 0.8; end = 4.15

set title "The article's shapes, K = 1024: best variant of each step against ".BASELINE
set xrange [left : 6.95]
set yrange [0 : top]
set xtics ("2048" 1, "4096" 2, "8192" 3, "16384" 4)
set ytics 20
if (dumb) { set xlabel "M = N" } else { set label "M = N" at 2.5, screen 0.08 center textcolor rgb INK }
set ylabel "% of ".BASELINE." (median; bars: min, max)"
set arrow from left, 0 to end, 0 nohead lc rgb INK
if (!dumb) { do for [t = 20 : 80 : 20] { set arrow from left, t to end, t nohead back lc rgb GRID lw 0.5 } }
set arrow from left, 100 to end, 100 nohead lt 9 dt 2
if (!dumb) { set arrow from left, 97.5 to end, 97.5 nohead lt 8 dt 3 }
plot DATA index "labels" using 5:6:($1 - 0.05 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "lines" using 1:2:3:4:5 with yerrorbars lc variable pt 0, \
     "" index "lines" using 1:2:(mark($5)):5 with linespoints lc variable pt variable ps 1.6 * point, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.6 * point, \
     "" index "labels" using ($1 + (dumb ? 0.13 : 0.08)):2:3 with labels left textcolor rgb INK
