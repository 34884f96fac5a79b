# What the figures of several GPUs share: a ratio at each shape, a line a GPU. They set TITLE and RATIO, and call this.
call "style.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
top = scale(1); last = scale(2)

set title TITLE
set xrange [0.5 : last * 1.1 + 0.9]
set yrange [(dumb ? -0.1 * top : 0) : top]
unset xtics
set ytics top > 20 ? 10 : top > 8 ? 2 : top > 1.5 ? 0.5 : 0.25
set ylabel RATIO offset 1
set arrow from 0.5, 0 to last + 0.3, 0 nohead lc rgb INK
set arrow from 0.5, 1 to last + 0.3, 1 nohead lt 9 dt 2
if (!dumb) {
    set bmargin at screen 0.3 # for the shapes, aslant
    set xtics rotate by 35 right font small scale 0
    shapes = "using 1:(0):xtic(2) with dots lc rgb 'white'"
} else { # there is room for every fourth
    shapes = "every 4 using 1:(-0.06 * top):2 with labels textcolor rgb INK"
}
plot DATA index "ticks" @shapes, \
     "" index "labels" using 5:6:($1 - 0.1 - $5):($2 - $6) with vectors nohead lc rgb FAINT dt 3 lw 0.7, \
     "" index "lines" using 1:2:(mark($3)):3 with linespoints lc variable pt variable ps 1.5 * point, \
     "" index "labels" using 1:2:(mark($4)):4 with points lc variable pt variable ps 1.5 * point, \
     "" index "labels" using ($1 + 0.02 * last):2:3 with labels left textcolor rgb INK
