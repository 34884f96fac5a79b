# The ladder: every variant's TFLOP/s at m = n = k = 4096, in the order the steps are read.
TITLE = "The SGEMM ladder at m = n = k = 4096"
XLABEL = "TFLOP/s, FP32 (in brackets: % of ".ARG6.", median of pairs)"
call "bars.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
