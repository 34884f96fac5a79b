# The ladder: every variant's TFLOP/s at m = n = k = 4096, in the order the steps are read.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1); base = scale(2); bottom = scale(3)
left = -0.75 * top; right = scale(4)
# In text: 38 columns for the names, 16 for the bars' texts, all in one column, and the bars between them.
columns = ARG5 - 3
if (dumb) { column = top / (columns - 54); left = -38 * column; right = top + 16 * column }

set title "The SGEMM ladder at m = n = k = 4096"
set xrange [left : right]
set yrange [bottom - 0.8 : 0.9]
set border 0
unset ytics
set xtics 0, tick(top), top
unit = "TFLOP/s, FP32".(base > 0 ? " (in brackets: % of ".BASELINE.", median of pairs)" : "")
if (dumb) { set xlabel unit } else { set label unit at screen 0.5, screen 0.08 center textcolor rgb INK }
set style fill solid 1.0 noborder
if (!dumb) { set lmargin at screen 0.012 }
if (dumb) { set lmargin 1; set rmargin 1 }
# Text puts a line one column and one row beyond where it puts letters.
line = dumb ? base - column : base
if (base > 0) { set arrow from line, bottom - 0.8 to line, (dumb ? -0.6 : 0.2) nohead dt 2 lc rgb "black" front }
# Text has no filled boxes: a bar is a row of #.
bar(n) = n < 1 ? "" : "#".bar(n - 1)
length(x) = dumb ? int(x / column + 0.5) : 0
plot DATA index "bars" using (dumb ? NaN : 0):1:(0):3:($1 - 0.42):($1 + 0.42):2 with boxxyerror lc variable, \
     "" index "bars" using (0):1:(bar(length($3))) with labels left, \
     "" index "bars" using ((dumb ? -1.25 * column : -0.01 * top)):1:4 with labels right textcolor rgb INK, \
     "" index "bars" using (dumb ? top + 2 * column : NaN):1:5 with labels left textcolor rgb INK, \
     "" index "beside" using (dumb ? NaN : $2):1:3:4 with labels left textcolor rgb variable, \
     "" index "inside" using (dumb ? NaN : $2):1:3:4 with labels right textcolor rgb variable, \
     "" index "names" using (left):1:2 with labels left textcolor rgb GREY, \
     "" index "baseline" using 1:(0.6):2 with labels center textcolor rgb INK
