#!/bin/sh
# Traces of the steps' kernels: their format and counts, a step's options, and the recorded pipelines.
# KL_TEST_ALL=1: the longest of those, too. Last line: "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
unset CUDASIM_LIB
# right NAME WHAT FILE...: by the program that knows of this.
right() {
    name=$1
    shift
    case $1 in format | counts) checker=cudasim/tests/trace.py ;; *) checker=tests/steps/sim_trace.py ;; esac
    ends "$name" 0 '' python3 -B $checker "$@"
}
json=$work/trace.json

# ---- what it holds: every block, and the counters of the same run ----
while read -r step variant options; do
    # shellcheck disable=SC2086 # words
    ends "$step $variant" 0 "^$variant " "$step/run" --variant "$variant" $options --no-baseline --trace "$json" \
        --trace-blocks 1000000 --counters-csv "$work/counters.csv"
    right "$step $variant: its format" format "$json"
    right "$step $variant: its counts" counts "$json" "$work/counters.csv"
done <<VARIANTS
step01_naive coalesced --m 70 --n 33 --k 9
step02_smem tile32 --size 96
step03_regblock tile4x4 --m 100 --n 70 --k 33
step06_tensorcore ldmatrix --size 128
step07_gemv shuffle --size 200
$(sed -n '2,$s/^[^,]*,\([^,]*\),\([^,]*\),.*/\1 \2 --m 256 --n 256 --k 512/p' docs/counted/pipelines.csv)
VARIANTS

# ---- a step's options ----
small='step01_naive/run --variant coalesced --no-baseline --size'
ends 'what is left out is said' 0 \
    'leaves out 2 blocks \(--trace-blocks or CUDASIM_TRACE_BLOCKS .*: 2\); 1 launch like one' $small 64 --trace "$json"
ends 'a path that cannot be written' 2 "^cudasim: .* cannot be written: No such file or directory$" \
    $small 32 --trace "$work/none/trace.json"

# ---- the same in the model's time, where there is nvdisasm: it must end with a time ----
while read -r step variant; do
    rm -f "$json"
    ends "$step $variant is predicted" 0 '' "$step/run" --predict --trace "$json" --variant "$variant" --size 512
    ms=$(sed -n "s/^$variant .* \\([.0-9]*\\) ms.*/\\1/p" "$work/out")
    [ -s "$json" ] || continue
    ends "$step $variant, predicted: its bars" 0 '' python3 -B scripts/simulator/timeline.py "$json" "$work/bars.csv"
    right "$step $variant, predicted, fills and multiplies" pipeline "$work/bars.csv"
    ends "$step $variant, predicted: some of its microseconds" 0 '' awk -F, -v ms="$ms" '
        NR > 1 && $5 > last { last = $5 }
        END { exit !(last > ms * 1e5 && last < ms * 1e6) }' "$work/bars.csv"
done <<VARIANTS
step05_doublebuffer cp_async
step06_tensorcore stages
step06_tensorcore ping_pong
step06_tensorcore cluster
VARIANTS
ends 'tensor cores are predicted at the boost clock' 0 'C in f16, predicted at the boost clock, which power may' \
    step06_tensorcore/run --predict --variant tma --size 512
ends 'nothing is counted where nothing runs' 2 \
    '^step01_naive: --counters: contradicts --predict, which runs no kernel' $small 64 --predict --counters
ends 'what runs is counted' 0 '' $small 64 --sim --predict --counters
ends 'one block is predicted' 2 '^step01_naive: .*--trace-blocks' $small 64 --predict --trace "$json" --trace-blocks 2

# ---- the recorded pipelines are today's, and are pipelines ----
cuda=$(sed -n 's/^CUDA_VERSION := //p' build/config.mk)
sed 1d docs/counted/pipelines.csv >"$work/runs"
while IFS=, read -r image step variant compiler options _; do
    right "$image fills and multiplies" pipeline "docs/counted/$image.csv"
    [ "$image" != pipeline_pingpong ] || [ -n "${KL_TEST_ALL:-}" ] || continue # 10 seconds of one core
    # shellcheck disable=SC2086 # words
    ends "$image" 0 "^$variant " "$step/run" --trace "$json" --trace-blocks 1 --variant "$variant" $options \
        --no-baseline --no-check
    ends "$image: its bars" 0 '' python3 -B scripts/simulator/timeline.py "$json" "$work/bars.csv"
    how=exactly
    [ "$compiler" = "$cuda" ] || how=roughly
    right "$image is current" current "$work/bars.csv" "docs/counted/$image.csv" $how
done <"$work/runs"
ends 'nothing to draw' 1 '^timeline: the kernel copies nothing asynchronously' \
    sh -c "$small 32 --trace '$json' >/dev/null 2>&1; python3 -B scripts/simulator/timeline.py '$json' '$work/bars.csv'"

ended
