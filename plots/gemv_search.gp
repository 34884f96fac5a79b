# The autotuner's search at three sizes: how much slower every candidate is than the best. Across: threads per row; down:
# 16-byte loads in flight per thread; n: rows per block, where several share a field. Framed: persistent or split rows.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
columns = scale(1); last = scale(2)

set title "The autotuner's search: % slower than the best"
set xrange [-0.75 : columns * (dumb ? 1.3 : 1.24)]
set yrange [last - 1.8 : 0.4]
set border 0
unset xtics
unset ytics
set style fill solid 1.0 noborder
set lmargin at screen 0.012
if (!dumb) { set bmargin at screen 0.07 }
medium = TERMINAL eq "png" ? ",20" : ",26"
tiny = TERMINAL eq "png" ? ",13" : ",17"
least = TERMINAL eq "png" ? ",11" : ",14"
below = "threads per row (".(dumb ? "P: persistent, S: split rows)" : \
    "n: rows per block; orange frame: persistent, green: split rows)")
set label below at columns / 2, last - 1.35 center textcolor rgb INK
set label (dumb ? "loads" : "16-byte loads in flight per thread") at -0.62, last / 2 center \
    rotate by (dumb ? 0 : 90) textcolor rgb INK
frame(x, which) = !dumb && x == which ? 0 : NaN
plot DATA index "boxes" using (dumb ? NaN : 0):(0):1:2:3:4:5 with boxxyerror lc rgb variable, \
     "" index "boxes" using (frame($6, 1)):(0):($1 + 0.015):($2 - 0.015):($3 + 0.04):($4 - 0.04) \
         with boxxyerror lc rgb "#E69F00" lw 1.2 fs empty, \
     "" index "boxes" using (frame($6, 2)):(0):($1 + 0.015):($2 - 0.015):($3 + 0.04):($4 - 0.04) \
         with boxxyerror lc rgb "#009E73" lw 1.2 fs empty, \
     "" index "boxes" using (frame($7, 1)):(0):1:2:3:4 with boxxyerror lc rgb "black" lw 2 fs empty, \
     "" index "texts" using (frame($6, 0) + $1):($2 + 0.2):3:5 with labels center font tiny textcolor rgb variable, \
     "" index "texts" using (frame($6, 0) + $1):($2 - 0.2):4:5 with labels center font tiny textcolor rgb variable, \
     "" index "texts" using (frame($6, 1) + $1):($2 + 0.2):3:5 with labels center font least textcolor rgb variable, \
     "" index "texts" using (frame($6, 1) + $1):($2 - 0.2):4:5 with labels center font least textcolor rgb variable, \
     "" index "cells" using (dumb ? $1 : NaN):2:3 with labels center, \
     "" index "columns" using 1:(last - 0.4):2 with labels center textcolor rgb INK, \
     "" index "rows" using (-0.12):1:2 with labels right textcolor rgb INK, \
     "" index "panels" using (columns + 0.12):($1 + 1):2 with labels left textcolor rgb INK, \
     "" index "panels" using (columns + 0.12):1:3 with labels left font (dumb ? "" : medium) textcolor rgb INK, \
     "" index "panels" using (columns + 0.12):($1 - 1):4 with labels left textcolor rgb INK
