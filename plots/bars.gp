# What figures of bars share, as report/figures/layout.py lays them out: x counts columns of letters, y lines. A figure
# sets TITLE and XLABEL, and calls this.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5
if (SLIDE) { set title TITLE } else { set label TITLE at screen 0.012, 1 - 22.0 / ARG5 left font big textcolor rgb INK }
set xrange [0 : scale(1)]
set yrange [scale(2) : scale(3)]
set border 0
unset xtics
unset ytics
if (dumb) { set lmargin 1; set rmargin 1 } else {
    set lmargin at screen 0.012
    set bmargin at screen (SLIDE ? (XLABEL eq "" ? 0.07 : 0.12) : 0.01)
    if (!SLIDE) { set tmargin at screen 1 - 45.0 / ARG5 }
}
if (dumb) { set xlabel XLABEL } else { set label XLABEL at screen 0.5, screen 0.096 center textcolor rgb INK }
set style fill solid 1.0 noborder
# Text has no filled boxes: a bar is a row of #. It puts a line one column beyond where it puts letters.
line = dumb ? -1 : 0
sign(dashed) = dumb ? (dashed > 0 ? ": " : "| ") : ""
pixel = dumb ? NaN : 0
plot DATA index "bars" using (pixel):2:1:4:($2 - 0.42):($2 + 0.42):5 with boxxyerror lc variable, \
     "" index "bars" using (dumb ? $1 : NaN):2:3 with labels left, \
     "" index "whiskers" using ($1 + pixel):2:3:4 with xerrorbars lc rgb INK lw 0.7 pt 0, \
     "" index "marks" using ($4 > 0 ? NaN : $1 + line):2:(0):3 with vectors nohead lc rgb "#888888", \
     "" index "marks" using ($4 == 0 ? NaN : $1 + line):2:(0):3 with vectors nohead dt 2 lc rgb "black", \
     "" index "keys" using (dumb || $4 > 0 ? NaN : $1):2:(3):(0) with vectors nohead lc rgb "#888888", \
     "" index "keys" using (dumb || $4 == 0 ? NaN : $1):2:(3):(0) with vectors nohead dt 2 lc rgb "black", \
     "" index "keys" using ($1 + (dumb ? 0 : 3.5)):2:(sign($4).strcol(3)) with labels left textcolor rgb INK, \
     "" index "legend" using (pixel):2:($1 - 1):($1 + 1):($2 - 0.3):($2 + 0.3):4 with boxxyerror lc variable, \
     "" index "legend" using ($1 + 2):2:3 with labels left textcolor rgb INK, \
     "" index "names" using 1:2:3 with labels right textcolor rgb INK, \
     "" index "groups" using 1:2:3 with labels left textcolor rgb GREY, \
     "" index "headings" using 1:2:3 with labels left textcolor rgb INK, \
     "" index "ticks" using 1:2:3 with labels center textcolor rgb INK, \
     "" index "texts" using 1:2:3 with labels left textcolor rgb INK
