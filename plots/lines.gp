# What figures of lines share: in panels beside one another, as report/figures/layout.py lays them out. A figure sets
# TITLE, XLABEL and YLABEL, and calls this.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5
if (SLIDE) { set title TITLE } else { set label TITLE at screen 0.012, 1 - 22.0 / ARG5 left font big textcolor rgb INK }
set xrange [scale(1) : scale(2)]
set yrange [-0.23 : 1.1] # with room for what stands below and above the axes
set border 0
unset xtics
unset ytics
if (dumb) {
    set lmargin 9
    set label YLABEL at screen 0.01, screen 0.97 left
} else {
    set lmargin at screen (SLIDE ? 0.105 : YLABEL eq "" ? 0.23 : 0.14)
    set bmargin at screen 0.06
    set tmargin at screen (SLIDE ? 0.88 : 1 - 34.0 / ARG5)
    set label YLABEL at screen 0.022, first 0.5 center rotate by 90 textcolor rgb INK
}
set label XLABEL at first scale(3), first -0.19 center textcolor rgb INK
hollow(series) = dumb ? series + 7 : mark(series) - 1
end(series, kind) = kind == 1 ? hollow(series) : mark(series)
ps = (SLIDE ? 1.4 : 0.9) * point
plot DATA index "grid" using 1:(dumb ? NaN : $2):3:(0) with vectors nohead lc rgb GRID lw 0.5, \
     "" index "axes" using 1:2:3:(0) with vectors nohead lc rgb INK, \
     "" index "marked" using 1:(0):(0):2 with vectors nohead lc rgb INK dt 2 lw 0.8, \
     "" index "whiskers" using 1:(dumb ? NaN : $2):4:5:3 with yerrorbars lc variable pt 0 lw 0.7, \
     "" index "theirs" using 1:(dumb ? NaN : $2):3 with lines dt 2 lw 0.7 lc variable, \
     "" index "theirs" using 1:2:(hollow($3)):3 with points pt variable ps ps lc variable, \
     "" index "dashed" using 1:(dumb ? NaN : $2):3 with lines dt 2 lw 0.8 lc variable, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps ps, \
     "" index "points" using 1:2:(mark($3)):3 with points lc variable pt variable ps ps, \
     "" index "hollow" using 1:2:(dumb ? mark($3) : 7):3 with points pt variable ps 1.4 * ps lc variable, \
     "" index "hollow" using 1:(dumb ? NaN : $2) with points pt 7 ps 0.9 * ps lc rgb "white", \
     "" index "marked" using 1:2 with points lc rgb INK pt (dumb ? 1 : 6) ps 2 * ps, \
     "" index "marked" using ($1 - 0.02):($2 + 0.08):3 with labels right textcolor rgb INK, \
     "" index "labels" using ($5 == 2 ? NaN : $1):2:(end($4, $5)):4 with points lc variable pt variable ps ps, \
     "" index "labels" using ($5 == 2 && !dumb ? $1 - 0.02 : NaN):2:(0.04):(0):4 with vectors nohead lc variable dt 2 \
         lw 0.8, \
     "" index "labels" using ($1 + 0.035 * (scale(2) - scale(1)) / 1.4):2:3 with labels left textcolor rgb INK, \
     "" index "notes" using 1:2:3 with labels left font (dumb ? "" : small) textcolor rgb GREY, \
     "" index "panels" using 1:2:3 with labels center textcolor rgb INK, \
     "" index "yticks" using 1:2:3 with labels right textcolor rgb INK, \
     "" index "xticks" using 1:2:3 with labels center textcolor rgb INK
