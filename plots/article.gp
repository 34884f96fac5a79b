# The SGEMM article's four shapes (K = 1024): each step's best variant as a share of the baseline.
TITLE = "The article's shapes, K = 1024: best variant of each step against ".ARG6
XLABEL = "M = N"
YLABEL = "% of ".ARG6
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
