# GEMV's ladder: every variant's speed at 1024 x 1024 and 4096 x 4096, cold, with cuBLAS and the read ceiling as lines.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
last = scale(1)
# Two panels side by side: a column of names, then twice bars and their texts. In text, in columns of letters.
columns = ARG5 - 3.0
names = dumb ? 17 / columns : 0.155
wide = (1 - names) / 2
bars = dumb ? wide - 16 / columns : 0.6 * wide
left(panel) = names + panel * wide
column = 1 / columns
bar(n) = n < 1 ? "" : "#".bar(n - 1)
length(x) = dumb ? int(x * bars / column + 0.5) : 0

set title "GEMV in FP16, cold L2: µs, GB/s (PDL: programmatic dependent launch)"
set xrange [0 : 1]
set yrange [last - 0.7 : 2.3]
set border 0
unset xtics
unset ytics
set style fill solid 1.0 noborder
if (dumb) { set lmargin 1; set rmargin 1 } else { set lmargin at screen 0.012; set bmargin at screen 0.07 }
line(panel, share) = share < 0 ? NaN : left(panel) + share * bars
# The lines' texts, above; in text a line is a column of | or :.
text = dumb ? 0 : 0.035
key(mark, i) = (dumb ? mark : "").stringcolumn(i)
plot DATA index "bars" using (dumb ? NaN : 0):2:(left($1)):(left($1) + $3 * bars):($2 - 0.4):($2 + 0.4):4 \
         with boxxyerror lc variable, \
     "" index "bars" using (left($1)):2:(bar(length($3))) with labels left, \
     "" index "bars" using (left($1) + bars + 0.015):2:5 with labels left textcolor rgb INK, \
     "" index "names" using (names - 0.01):1:2 with labels right textcolor rgb INK, \
     "" index "panels" using (left($1)):(2):2 with labels left textcolor rgb INK, \
     "" index "panels" using (dumb ? NaN : line($1, $3)):(last - 0.6):(0):(0.1 - last) with vectors nohead \
         lc rgb "#888888", \
     "" index "panels" using (dumb ? NaN : line($1, $5)):(last - 0.6):(0):(0.1 - last) with vectors nohead dt 2 \
         lc rgb "black", \
     "" index "marks" using (dumb ? line($1, $3) : NaN):2:4 with labels, \
     "" index "panels" using (dumb ? NaN : left($1)):(0.9):(0.03):(0) with vectors nohead lc rgb "#888888", \
     "" index "panels" using (dumb ? NaN : left($1)):(0.1):(0.03):(0) with vectors nohead dt 2 lc rgb "black", \
     "" index "panels" using (left($1) + text):(0.9):(key("| ", 4)) with labels left textcolor rgb GREY, \
     "" index "panels" using (left($1) + text):(0.1):(key(": ", 6)) with labels left textcolor rgb INK
