# KDD Cup 1999: share of the attacks detected (above) and of normal records taken for attacks (below, on a scale of its
# own) against k, means of the samples; the test's records from the same file on the left, from `corrected` on the right.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1); wide = scale(2)

set title "KDD Cup 1999: attacks detected, and false alarms, against k"
set xrange [0.2 : 2 * wide]
set yrange [-0.85 : 1.16]
unset xtics
set border 0
set ytics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1, "0 %% " -0.62)
set ytics add (sprintf("%g %%%%", top) -0.2)
if (!dumb) { set bmargin at screen 0.08 }
do for [p = 0 : 1] {
    do for [y in "0 -0.62"] { set arrow from p * wide + 0.5, real(y) to p * wide + 15.5, real(y) nohead lc rgb INK }
    if (!dumb) {
        do for [y in "0.25 0.5 0.75 1 -0.41 -0.2"] {
            set arrow from p * wide + 0.5, real(y) to p * wide + 15.5, real(y) nohead back lc rgb GRID lw 0.5
        }
    }
    do for [k in "1 3 5 7 9 11 13 15"] { set label k at p * wide + k, -0.69 center textcolor rgb INK }
    set label "detected" at p * wide + 15.7, 1.08 left font (dumb ? "" : small) textcolor rgb GREY
    set label "false alarms" at p * wide + 15.7, -0.41 left font (dumb ? "" : small) textcolor rgb GREY
}
set label "k" at wide / 2 - 2, -0.8 center textcolor rgb INK
plot DATA index "labels" using 5:6:($1 - 0.2 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.0 * point, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.0 * point, \
     "" index "labels" using ($1 + 0.5):2:3 with labels left textcolor rgb INK, \
     "" index "panels" using 1:(1.1):2 with labels center textcolor rgb INK, \
     "" index "note" using (wide + 8):(-0.8):1 with labels center font (dumb ? "" : small) textcolor rgb INK
