# The fastest exact search on each GPU, at every shape that is recorded.
TITLE = "Nearest neighbours on each GPU: the fastest exact method against PyTorch"
RATIO = "PyTorch's time / ours"
call "gpus.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
