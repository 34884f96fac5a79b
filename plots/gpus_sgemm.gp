# The SGEMM ladder's best variant on each GPU, at every shape that is recorded.
TITLE = "SGEMM on each GPU: the fastest variant against cuBLAS"
RATIO = "cuBLAS's time / ours"
call "gpus.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
