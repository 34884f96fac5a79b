# GEMV's GB/s against size: best, cuBLAS and the read ceiling, cold on the left, warm on the right.
TITLE = "GEMV in FP16: GB/s against size (PDL: programmatic dependent launch)"
XLABEL = "n of the n × n matrix A, and its bytes"
YLABEL = "GB/s"
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
