# KDD Cup 1999: share of the attacks detected (above) and of normal records taken for attacks (below, on a scale of its
# own) against k, means of the samples; the test's records from the same file on the left, from “corrected” on the right.
TITLE = "KDD Cup 1999: attacks detected, and false alarms, against k"
XLABEL = "k"
YLABEL = "share of the records"
call "lines.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
