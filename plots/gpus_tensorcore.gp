# The tensor cores' best variants on each GPU, at every shape that is recorded.
TITLE = "Tensor cores on each GPU: best against cuBLAS"
RATIO = "cuBLAS's time / ours"
call "gpus.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
