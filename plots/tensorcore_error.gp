# tf32x3's error against K beside FP32's and plain TF32's: values of either sign on the left, positive ones on the
# right. Lines with points are means, dashed ones the largest of all elements.
TITLE = "FP32 from three products of TF32: error against K"
XLABEL = "K"
YLABEL = "|c - ref| / |A||B|"
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
