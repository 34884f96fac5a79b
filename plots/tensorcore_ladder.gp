# The tensor cores' ladder: every variant's TFLOP/s at m = n = k = 4096, with cuBLAS and the power-limited peak as lines.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1); base = scale(2); bottom = scale(3); limit = scale(4)
left = -0.33 * top; right = 1.27 * top
# In text: 23 columns for the names, 16 for the bars' texts, all in one column, and the bars between them.
columns = ARG5 - 3
column = top / (columns - 39)
if (dumb) { left = -23 * column; right = top + 16 * column }
unit = top > 500 ? 100 : tick(top)

set title "Tensor cores at m = n = k = 4096, f16 (others where named)"
set xrange [left : right]
set yrange [bottom - 1.6 : 0.9]
set border 0
unset ytics
set xtics 0, unit, top
name = "TFLOP/s (in brackets: % of ".BASELINE." in that type, median of pairs)"
if (dumb) { set xlabel name } else { set label name at screen 0.5, screen 0.08 center textcolor rgb INK }
set style fill solid 1.0 noborder
if (!dumb) { set lmargin at screen 0.012 }
if (dumb) { set lmargin 1; set rmargin 1 }
# Text puts a line one column and one row beyond where it puts letters.
at(x) = dumb ? x - column : x
if (base > 0) { set arrow from at(base), bottom - 0.6 to at(base), (dumb ? -0.6 : 0.2) nohead dt 2 lc rgb "black" front }
if (limit > 0) { set arrow from at(limit), bottom - 0.8 to at(limit), -0.4 nohead lc rgb GREY front }
# Text has no filled boxes: a bar is a row of #.
bar(n) = n < 1 ? "" : "#".bar(n - 1)
length(x) = dumb ? int(x / column + 0.5) : 0
plot DATA index "bars" using (dumb ? NaN : 0):1:(0):3:($1 - 0.4):($1 + 0.4):2 with boxxyerror lc variable, \
     "" index "bars" using (0):1:(bar(length($3))) with labels left, \
     "" index "bars" using ((dumb ? -1.25 * column : -0.01 * top)):1:4 with labels right textcolor rgb INK, \
     "" index "bars" using (top + (dumb ? 2 * column : 0.02 * top)):1:5 with labels left textcolor rgb INK, \
     "" index "baseline" using 1:(0.6):2 with labels center textcolor rgb INK, \
     "" index "limit" using (dumb ? top : $1):(bottom - 1.2):2 with labels right textcolor rgb GREY
