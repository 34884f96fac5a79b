# GEMV's GB/s against size: best, cuBLAS and the read ceiling, cold on the left, warm on the right.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1); octaves = scale(2); right = scale(3)
step = top > 5000 ? 2000 : top > 2500 ? 1000 : top > 1000 ? 500 : top > 200 ? 100 : 10

# Below the axis, n of the n x n matrix and its bytes.
set title "GEMV in FP16: GB/s against size (PDL: programmatic dependent launch)"
set xrange [-0.3 : right + octaves + 3.4]
set yrange [-0.16 * top : top * 1.1]
unset xtics
set border 0
set ytics 0, step, top
set ylabel "GB/s" offset 1.5
if (!dumb) { set bmargin at screen 0.07 }
do for [x in sprintf("0 %g", right)] {
    set arrow from real(x) - 0.3, 0 to real(x) + octaves + 0.2, 0 nohead lc rgb INK
    if (!dumb) {
        do for [i = 1 : int(top / step)] {
            set arrow from real(x) - 0.3, i * step to real(x) + octaves + 0.2, i * step nohead back lc rgb GRID lw 0.5
        }
    }
}
plot DATA index "labels" using 5:6:($1 - 0.1 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.5 * point, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.5 * point, \
     "" index "labels" using ($1 + (dumb ? 0.4 : 0.2)):2:3 with labels left textcolor rgb INK, \
     "" index "ticks" using 1:(-0.05 * top):2 with labels center textcolor rgb INK, \
     "" index "ticks" using 1:(-0.11 * top):3 with labels center textcolor rgb INK, \
     "" index "panels" using 1:(top * 1.05):2 with labels center textcolor rgb INK
