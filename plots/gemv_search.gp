# The autotuner's search at three sizes: how much slower every candidate is than the best. Across: threads per row;
# down: 16-byte loads in flight per thread; n: rows per block, of several the fastest.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
columns = scale(1); last = scale(2)

set title "The autotuner's search: how much slower than the best"
set xrange [-1.5 : columns * (dumb ? 1.3 : 1.27)]
set yrange [last - 2.3 : 0]
set border 0
unset xtics
unset ytics
set style fill solid 1.0 noborder
set lmargin at screen 0.012
if (!dumb) { set bmargin at screen 0.06 }
medium = TERMINAL eq "png" ? ",20" : ",26"
set label "threads per row" at (columns - 1) / 2, last - 1.0 center textcolor rgb INK
set label (dumb ? "loads" : "16-byte loads in flight per thread") at -1.35, last / 2 center \
    rotate by (dumb ? 0 : 90) textcolor rgb INK
box = dumb ? NaN : 0
cell(text) = text[strstrt(text, " ") + 1 : *]
frame(x, which) = x == which ? box : NaN
plot DATA index "boxes" using ($1 + box):2:($1 - 0.49):($1 + 0.49):($2 - 0.47):($2 + 0.47):3 with boxxyerror lc rgb \
    variable, \
     "" index "boxes" using ($1 + frame($6, 1)):2:($1 - 0.47):($1 + 0.47):($2 - 0.43):($2 + 0.43) with boxxyerror lc \
         rgb "#E69F00" \
         lw 1.2 fs empty, \
     "" index "boxes" using ($1 + frame($6, 2)):2:($1 - 0.47):($1 + 0.47):($2 - 0.43):($2 + 0.43) with boxxyerror lc \
         rgb "#009E73" \
         lw 1.2 fs empty, \
     "" index "boxes" using ($1 + frame($7, 1)):2:($1 - 0.49):($1 + 0.49):($2 - 0.47):($2 + 0.47) with boxxyerror lc \
         rgb "black" \
         lw 2 fs empty, \
     "" index "boxes" using ($1 + box):2:4:5 with labels center font small textcolor rgb variable, \
     "" index "boxes" using (dumb ? $1 : NaN):2:(cell(strcol(4))) with labels center, \
     "" index "columns" using 1:(last - 0.3):2 with labels center textcolor rgb INK, \
     "" index "rows" using (-0.62):1:2 with labels right textcolor rgb INK, \
     "" index "panels" using (columns - 0.4):($1 + 1.5):2 with labels left textcolor rgb INK, \
     "" index "panels" using (columns - 0.4):($1 + 0.5):3 with labels left textcolor rgb INK, \
     "" index "panels" using (columns - 0.4):($1 - 0.5):4 with labels left font (dumb ? "" : medium) textcolor rgb \
         INK, \
     "" index "panels" using (columns - 0.4):($1 - 1.5):5 with labels left font (dumb ? "" : medium) textcolor rgb \
         INK, \
     "" index "key" using ((columns - 1) / 2):(last - 1.8):2 with labels center font (dumb ? "" : medium) textcolor \
         rgb INK
