# What the figures share: arguments, terminal, type, colours. python3 -m report figures calls each figure as
#   gnuplot -c FIGURE.gp DATA OUT CAPTION TERMINAL COLUMNS
# DATA: what report/figures made of the measurements, in named blocks; OUT: the path without its ending; TERMINAL: png,
# svg, dumb (text, COLUMNS wide) or page (an SVG for the notes, COLUMNS pixels high).
if (ARGC < 5) { print "draw the figures with scripts/plots.sh"; exit status 2 }
DATA = ARG1; OUT = ARG2; CAPTION = ARG3; TERMINAL = ARG4
set encoding utf8
dumb = TERMINAL eq "dumb"
# The numbers of the block "scale".
set table $scale
plot DATA index "scale" using 1:2:3:4:5:6 with table
unset table
scale(i) = real(word($scale[1], i))
SLIDE = TERMINAL ne "page"

# Read on a projector: large type, thick lines; on a page of the notes type that a telephone shows. Not enhanced: names
# have underscores.
if (TERMINAL eq "png") { set terminal pngcairo size 1920,1080 noenhanced font "sans-serif,26" linewidth 3 }
if (TERMINAL eq "svg") {
    set terminal svg size 1920,1080 dynamic noenhanced font "sans-serif,34" linewidth 3 background "#ffffff"
}
if (!SLIDE) { set terminal svg size 720,ARG5 + 0 fixed noenhanced font "sans-serif,20" linewidth 2 background \
    "#ffffff" }
if (dumb) { set terminal dumb size ARG5 + 0,36 noenhanced mono }
set output OUT.".".(SLIDE ? TERMINAL : "svg")
big = TERMINAL eq "png" ? ",32" : SLIDE ? ",42" : ",22"
small = TERMINAL eq "png" ? ",17" : SLIDE ? ",23" : ",15"
point = TERMINAL eq "svg" ? 0.36 : SLIDE ? 1.0 : 0.5 # the terminals' units differ

# Okabe and Ito's colours, told apart with any colour vision. A step's line type is its number; 8 is for numbers that
# are not ours, 9 for the baseline.
OKABE_ITO = "#CC79A7 #E69F00 #56B4E9 #009E73 #0072B2 #D55E00 #F0E442 #888888 #000000"
do for [i = 1:9] { set linetype i lc rgb word(OKABE_ITO, i) }
mark(series) = dumb ? series : int(word("5 7 9 13 5 11 9 7 7", int(series)))
INK = "#222222"
GREY = "#777777"
GRID = "#E0E0E0"

unset key
set tics nomirror out scale (TERMINAL eq "png" ? 1 : 0.6) textcolor rgb INK
set title font big textcolor rgb INK
set border 2 lc rgb INK
if (!dumb) {
    # A long caption needs two lines.
    cut = strlen(CAPTION) > 150 ? 150 : 0
    while (cut > 0 && CAPTION[cut : cut] ne " ") { cut = cut - 1 }
    set label 1000 CAPTION[cut + 1 : *] at screen 0.012,0.025 left font small textcolor rgb "#555555"
    set label 1001 CAPTION[1 : cut] at screen 0.012,0.055 left font small textcolor rgb "#555555"
    set lmargin at screen 0.105
    set rmargin at screen 0.99
    set bmargin at screen 0.185
    set tmargin at screen 0.87
}
