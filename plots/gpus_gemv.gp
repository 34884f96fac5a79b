# GEMV's best variant on each GPU, at every shape that is recorded.
TITLE = "GEMV on each GPU: the fastest variant against cuBLAS, f16"
RATIO = "cuBLAS's time / ours"
call "gpus.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
