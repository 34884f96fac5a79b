#!/bin/sh
# The simulator's counters: against what Nsight Compute recorded on a GPU, and the ways to ask for them.
set -u
. "$(dirname "$0")/../case.sh"
unset CUDASIM_LIB

# ---- the recorded counts ----
run python3 -B tests/steps/sim_counters.py plots/data/nvidia-h200/counters.csv
grep '^skipped' "$work/out"
added 'the recorded counts'

# ---- the speed of light, which no recorded time is below ----
for gpu in nvidia-h200 nvidia-h100; do
    CUDASIM_CEILINGS=$gpu run python3 -B tests/steps/floors.py plots/data/$gpu/sgemm.csv
    added "floors, $gpu"
done

# ---- small and odd shapes (tests/counted) ----
ends tests/counted/compare.py 0 "" python3 -B tests/counted/compare.py

# ---- what is printed ----
lacks() {
    ! said "$2"
    counted $? "$1"
}
step=step03_regblock/run
small="--variant tile4x4 --size 64"
# shellcheck disable=SC2086 # words
{
    ends 'a table' 0 \
        '^    sectors loaded  *1,024  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum$' \
        $step --counters $small
    ends 'of the variant' 0 '^tile4x4, m 64, n 64, k 64: void sgemm_regblock<64, 64, 16, 4, 4>\(sgemm_problem\)$' \
        $step --sim --counters=table $small
    ends 'that says what PTX is not' 0 'ptxas merges' $step --counters $small
    ends 'at least so long' 0 '^    no faster than  *[0-9]*\.[0-9]*$' $step --counters $small
    ends 'of another GPU' 0 'ceilings from the data sheet of an NVIDIA A100, ' \
        $step --sim-device sm_80 --counters $small
    ends 'no counters' 0 '^tile4x4 ' $step --sim $small
    lacks 'no counters are printed then' 'sectors'
    ends 'lines' 0 '__syncthreads\(\);$' $step --counters=lines $small
    ends 'and what they count' 0 \
        '^ *[0-9,]* 32.00  *1,024 .* c_reg|^ *[0-9,]* [0-9.]*  *512 .* As\[r\]\[c\] = ' \
        $step --counters=lines $small
    ends 'a file' 0 '^tile4x4 ' $step --counters-csv "$work/a.csv" $small
    lacks 'which is all' 'sectors'
    ends 'its rows' 0 '^"tile4x4","m 64, n 64, k 64",.*,FFMA,.*,262144,inst$' cat "$work/a.csv"
    line 'a file that cannot be' 2 '^cudasim: /nowhere/a.csv cannot be written: No such file or directory$' \
        $step --counters-csv /nowhere/a.csv $small
    ends 'a metric' 0 \
        '^FFMA: FP32 multiply-adds, of threads; in Nsight Compute smsp__sass_thread_inst_' $step --explain ffma
    line 'no metric' 2 "^cudasim: no metric is called 'flops' \(" $step --explain flops
    line 'a metric mistyped' 2 "did you mean 'FFMA'\? " $step --explain ffam
    line 'a metric on a full disk' 2 "^cudasim: the standard output cannot be written: " \
        sh -c "$step --explain ffma >/dev/full"
    ends 'several kernels and variants' 0 '^coalesced, ' step01_naive/run --counters --size 64
    ends 'a search' 0 '^direct' step08_knn/run --counters --m 20 --n 100 --d 4 --k 3 --method direct+bitonic
}

ends 'side by side' 0 '^sectors loaded  *1,024$' python3 -B scripts/simulator/sim_counters.py "$work/a.csv"

ended
