# tf32x3's error against K beside FP32's and plain TF32's: values of either sign on the left, positive ones on the
# right. Lines with points are means, dashed ones the largest of all elements.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
low = scale(1); top = scale(2); octaves = scale(3); right = scale(4)
height = top - low

set title "FP32 from three products of TF32: error against K (dashed: the largest)"
set xrange [-0.6 : right + octaves + 5.5]
set yrange [low - 0.14 * height : top + 0.1 * height]
unset xtics
set border 0
set ytics ()
do for [i = int(low) : int(top)] { if (i % 4 == 0) { set ytics add (sprintf("2^%d", i) i) } }
set ylabel "|c - ref| / |A||B|" offset (dumb ? 1.5 : 0)
if (!dumb) { set lmargin at screen 0.125 }
if (!dumb) { set bmargin at screen 0.09 }
do for [x in sprintf("0 %g", right)] {
    set arrow from real(x) - 0.6, low to real(x) + octaves + 0.4, low nohead lc rgb INK
    if (!dumb) {
        set label "K" at real(x) + 0.5 * octaves, low - 0.13 * height center textcolor rgb INK
        do for [i = int(low) + 1 : int(top)] {
            if (i % 4 == 0) {
                set arrow from real(x) - 0.6, i to real(x) + octaves + 0.4, i nohead back lc rgb GRID lw 0.5
            }
        }
    }
}
plot DATA index "labels" using 5:6:($1 - 0.15 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "maxima" using 1:(dumb ? NaN : $2):3 with lines lc variable dt 2 lw 0.8, \
     "" index "means" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.2 * point, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.2 * point, \
     "" index "labels" using ($1 + (dumb ? 0.8 : 0.35)):2:3 with labels left textcolor rgb INK, \
     "" index "ticks" using 1:(low - 0.05 * height):2 with labels center textcolor rgb INK, \
     "" index "panels" using 1:(top + 0.05 * height):2 with labels center textcolor rgb INK
