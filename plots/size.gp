# TFLOP/s against size: each step's best variant and the baseline.
TITLE = "Square SGEMM, best variant of each step (hollow: size no power of two)"
XLABEL = "m = n = k"
YLABEL = "TFLOP/s, FP32"
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
