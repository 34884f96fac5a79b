# The tensor cores' ladder: every variant's TFLOP/s at m = n = k = 4096, with cuBLAS and the power-limited peak as lines.
TITLE = "Tensor cores at m = n = k = 4096, f16 (others where named)"
XLABEL = "TFLOP/s (in brackets: % of ".ARG6." in that type, median of pairs)"
call "bars.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
