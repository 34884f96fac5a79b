# The tensor cores' TFLOP/s against size: the best variant of each type, and cuBLAS (dashed, hollow).
TITLE = "Square GEMM on tensor cores, A row by row, B column by column"
XLABEL = "m = n = k"
YLABEL = "TFLOP/s (s8: TOP/s)"
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
