# The fastest exact search on each GPU, at every shape that is recorded.
TITLE = "Nearest neighbours on each GPU: the fastest exact method against PyTorch"
XLABEL = ""
YLABEL = "PyTorch's time / ours"
SLANT = 1
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
