# The SGEMM ladder's best variant on each GPU, at every shape that is recorded.
TITLE = "SGEMM on each GPU: the fastest variant against cuBLAS"
XLABEL = ""
YLABEL = "cuBLAS's time / ours"
SLANT = 1
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
