# GEMV's ladder: every variant's speed at 1024 x 1024 and 4096 x 4096, cold, with cuBLAS and the read ceiling as lines.
TITLE = "GEMV in FP16, cold L2: µs, GB/s (PDL: programmatic dependent launch)"
XLABEL = ""
call "bars.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
