# A search's time against k for each way to select, both axes logarithmic; where the paper's two cross is marked.
TITLE = "1200 queries, 16384 points, d = 32: milliseconds against k"
XLABEL = "k"
YLABEL = "ms"
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
