# The speed-up of exact_tc over the others, against n: a panel per dimension; both axes logarithmic.
TITLE = ARG6.", 1200 queries, k = 25: speed-up"
XLABEL = "n points"
YLABEL = "times as fast as the other"
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
