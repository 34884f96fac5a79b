#!/bin/sh
# Tests the scripts that draw, count and show: plots.sh, counters.sh, sass.sh, demo.sh; on a fake machine.
# shellcheck disable=SC2317 # the cases are called by name
set -u
. "$(dirname "$0")/../script_case.sh"

# ---- plots: what report/ digests is tested in tests/report

steps_of_the_course() { # their tables and kernels, of which the ladders are made
    rm -rf step0*
    for step in "$root"/step[0-9][0-9]_*; do
        (cd "$root" && find "${step##*/}" -name '*.c*' -type f | tar cf - -T -) | tar xf -
    done
}
plots_draws_all() {
    steps_of_the_course
    status 0 scripts/plots.sh --out "$tmp/a" "$recorded/sgemm.csv" && [ ! -s "$tmp/err" ] || return 1
    for figure in "$root"/tests/report/golden/figures/*.dat; do
        figure=$(basename "$figure" .dat)
        same "$(head -c 4 "$tmp/a/$figure.png" | tail -c 3)" PNG && holds "$tmp/a/$figure.svg" "</svg>" &&
            holds "$tmp/a/$figure.svg" ": NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-2" || return 1
    done
    [ "$(find "$tmp/a" | wc -l)" -eq 29 ] || return 1 # and the folder; nothing else is left
    # Every ink and grey that a figure has is turned on a dark screen, but what is as grey as can be.
    greys=$(cat "$tmp"/a/*.svg | grep -oE "(fill|stroke|color)=[\"'](black|rgb\( *([0-9]+), *\3, *\3\))[\"']" |
        tr "'" '"' | sort -u | grep -v -e 'fill="rgb(255,255,255)"' -e 'rgb(136, 136, 136)')
    [ -n "$greys" ] && echo "$greys" | while IFS= read -r grey; do
        for figure in "$tmp"/a/*.svg; do holds "$figure" "[$grey]" || exit 1; done
    done
}
plots_in_the_terminal() {
    status 0 scripts/plots.sh --term dumb --out "$tmp/b" "$recorded/sgemm.csv" && [ ! -s "$tmp/err" ] &&
        prints "serpentine ####" && prints "52.1 (102.0 %)" && prints "FP32 peak: 66.9" && prints "best ####" &&
        prints ": cuBLAS " && prints "k = 32 (paper: 46)" && same "$(ls "$tmp/b")" "" || return 1
    LC_ALL=C.UTF-8 sed 's/[^ -~]/x/g' "$tmp/out" | grep -E '.{101}| $' && return 1
    # The bars' texts are whole and begin in one column.
    same "$(sed '/Tensor cores at/,$d' "$tmp/out" | grep -E '####.*%\)$' | sed 's/[0-9.]* ([0-9.]* %)$//' |
        while IFS= read -r line; do echo ${#line}; done | sort -u | wc -l)" 1
}
plots_without_some() { # what cannot be drawn is said, and an older figure does not pass for it
    mkdir -p "$tmp/some" "$tmp/c"
    grep -v ',4096,4096,4096,' "$recorded/sgemm.csv" >"$tmp/some/sgemm.csv"
    echo old >"$tmp/c/progression.svg"
    status 0 scripts/plots.sh --term svg --out "$tmp/c" "$tmp/some/sgemm.csv" && says "progression: no measurement" &&
        says "no figures of GEMV" && says "make bench" && [ -s "$tmp/c/size.svg" ] && [ ! -e "$tmp/c/progression.svg" ]
}
plots_nothing() {
    mkdir -p "$tmp/void"
    cp "$tmp/header" "$tmp/void/none.csv"
    status 1 scripts/plots.sh --out "$tmp/d" "$tmp/void/none.csv" && one_line && says "make bench" &&
        status 1 scripts/plots.sh --out "$tmp/d" "$tmp/absent.csv" && one_line && says absent.csv &&
        status 1 scripts/plots.sh --out "$tmp/d" && one_line && says "make bench"
}
plots_of_an_unknown_gpu() { # needs no edit; without what is not known a dash
    mkdir -p "$tmp/unknown"
    for file in "$recorded"/*.csv; do
        sed 's/NVIDIA H200/NVIDIA Made-Up 9000/' "$file" >"$tmp/unknown/$(basename "$file")"
    done
    status 0 scripts/plots.sh --term svg,dumb --out "$tmp/e" "$tmp/unknown/sgemm.csv" && [ ! -s "$tmp/err" ] &&
        prints "DRAM: –" && prints "FP32 peak: 66.9 TFLOP/s" && holds "$tmp/e/roofline.svg" "DRAM: –" &&
        same "$(ls "$tmp/e" | wc -l)" 14
}
plots_of_a_device() { # into a folder of its own, beside another GPU's
    mkdir -p plots/data/nvidia-h100 build/plots
    cp -R "$recorded" plots/data/nvidia-h200
    cp "$root/tests/report/h100/gemv.csv" "$root/tests/report/h100/sgemm.csv" plots/data/nvidia-h100
    echo mine >build/plots/size.svg
    status 0 scripts/plots.sh --term svg --device nvidia-h100 && same "$(cat build/plots/size.svg)" mine &&
        same "$(ls build/plots)" "$(printf 'nvidia-h100\nsize.svg')" &&
        holds build/plots/nvidia-h100/size.svg ": NVIDIA H100 80GB HBM3, driver" &&
        says "no figures of tensor cores" && status 0 scripts/plots.sh --term svg --device nvidia-h200 --out "$tmp/l" &&
        holds "$tmp/l/size.svg" ": NVIDIA H200, driver" &&
        status 2 scripts/plots.sh --device nvidia-h300 && one_line &&
        says "nothing is recorded of 'nvidia-h300', only of: nvidia-h100 nvidia-h200" &&
        status 2 scripts/plots.sh --device nvidia-h100 "$recorded/sgemm.csv" && one_line
    result=$?
    rm -r plots/data build/plots
    return $result
}
plots_refuses() {
    cp -R "$recorded" "$tmp/torn" && echo step05_doublebuffer,serpentine >>"$tmp/torn/sgemm.csv"
    status 2 scripts/plots.sh --out "$tmp/h" "$tmp/torn/sgemm.csv" && one_line &&
        says "sgemm.csv:118: 2 fields, not 44" &&
        [ ! -e "$tmp/h/size.svg" ] && status 2 scripts/plots.sh --term pdf && one_line && says pdf &&
        status 2 scripts/plots.sh --nope && one_line && says --nope && status 2 scripts/plots.sh --out && one_line &&
        status 2 scripts/plots.sh a b && one_line
}
plots_on_a_full_disk() { # says so, leaves what was drawn before, and no half figure
    status 0 scripts/plots.sh --term svg --out "$tmp/m" "$recorded/sgemm.csv" && cp -R "$tmp/m" "$tmp/n" &&
        status 3 \
            sh -c "trap '' XFSZ; ulimit -f 16; exec scripts/plots.sh --term svg --out '$tmp/m' '$recorded/sgemm.csv'" &&
        one_line && says ".svg was cut short: is the disk of $tmp/m full?" && diff -r "$tmp/m" "$tmp/n"
}
cannot_write() { # one line that names the folder
    rm -rf build && touch build
    status 2 scripts/plots.sh "$recorded/sgemm.csv" && one_line &&
        says "plots: cannot write to the folder $copy/build/plots" &&
        status 2 scripts/demo.sh && one_line && says "demo: cannot write to the folder build/demo" || result=1
    rm build && mkdir build
    return ${result:-0}
}
plots_chooses_the_csv() { # the GPU's own, else the H200's, else the first
    mkdir -p plots/data/aaa plots/data/tesla-t4 "$tmp/gpu"
    sed 's/NVIDIA H200/First One/' "$recorded/sgemm.csv" >plots/data/aaa/sgemm.csv
    sed 's/NVIDIA H200/Tesla T4/' "$recorded/sgemm.csv" >plots/data/tesla-t4/sgemm.csv
    fake "$tmp/gpu/nvidia-smi" 'echo "Tesla T4"'
    # gnuplot would take longer than all else here
    fake "$tmp/gpu/gnuplot" 'for what; do [ "$what" != svg ] || echo "</svg>" >"$6.svg"; done' 'echo "$7" >"$CAPTION"'
    cp "$tmp/gpu/gnuplot" "$tmp/bin/gnuplot"
    CAPTION=$tmp/caption
    export CAPTION
    drawn_of() { # drawn_of DEVICE [PATH]
        PATH=${2:-$PATH} scripts/plots.sh --term svg --out "$tmp/k" >/dev/null 2>&1
        holds "$tmp/caption" "$1"
    }
    drawn_of "First One" && mkdir -p plots/data/nvidia-h200 && cp "$recorded/sgemm.csv" plots/data/nvidia-h200/ &&
        drawn_of "NVIDIA H200" && drawn_of "Tesla T4" "$tmp/gpu:$PATH" &&
        cp "$tmp/header" plots/data/tesla-t4/sgemm.csv &&
        drawn_of "NVIDIA H200" "$tmp/gpu:$PATH" # as of a run that failed
    result=$?
    rm -r plots/data "$tmp/bin/gnuplot"
    return $result
}
python_is_missing() {
    mkdir -p "$tmp/bare"
    for tool in sh sed tr cat dirname gnuplot; do ln -sf "$(command -v "$tool")" "$tmp/bare/$tool"; done
    PATH=$tmp/bare status 2 sh scripts/plots.sh "$recorded/sgemm.csv" && one_line &&
        says "python3 (3.9 or newer, with sqlite3)" &&
        says "make deps" && STEP=step03 PATH=$tmp/bare status 2 sh scripts/simulator/sim_counters.sh && one_line &&
        says "sim-counters: python3"
}

# ---- counters and machine code: recording them

machine() { # a GPU, ncu, cuobjdump, nvcc, and a make that has nothing to do
    made=$tmp/machine
    rm -rf "$made" plots/data build step0*
    mkdir -p build step01_naive step06_tensorcore
    cp "$root/step06_tensorcore/step.c" step06_tensorcore/
    fake_gpu "$made" 'Made-Up GPU (2)'
    fake "$made/ncu" <<'END'
echo "$@" >>"$CALLS"
while [ "$1" != --log-file ]; do shift; done
[ -z "${NCU_STATUS:-}" ] || { echo '==ERROR== ERR_NVGPUCTRPERM - no permission' >"$2"; exit "$NCU_STATUS"; }
printf '"ID","Kernel Name","dram__bytes_read.sum"\n"","","byte"\n' >"$2"
[ -z "${NCU_BYTES=427,711,016}" ] || echo "\"0\",\"gemm\",\"$NCU_BYTES\"" >>"$2"
case "$* " in *"--variant odd "*) echo "odd   9  9  9  skipped: needs sm_120" ;; esac
END
    fake step01_naive/run 'printf "mma_s8_tile  the first\nodd  the second\n"'
    fake "$made/nvcc" 'echo "Cuda compilation tools, release 13.0, V13.0.88"'
    fake "$made/cuobjdump" 'case "$*" in *-res-usage*) cat "$USAGE" ;; *) cat "$SASS" ;; esac'
    cp "$made/make" "$made/nvdisasm"
    cp step01_naive/run step06_tensorcore/run
    ln -s step01_naive step01
    ln -s step06_tensorcore step06
    printf 'CUDA_NVCC := %s\nCUDA_VERSION := 13.0\n' "$made/nvcc" >build/config.mk
    : >"$tmp/calls"
    CALLS=$tmp/calls PATH=$made:$PATH
    export CALLS
    csv=plots/data/made-up-gpu-2/counters.csv
}
counters_records() {
    machine
    status 0 scripts/counters.sh && says "step06 odd: skipped: needs sm_120" || return 1
    metrics=$(grep -c '^[a-z]' scripts/metrics.txt) made_up='Made-Up GPU (2),9.0,580.1,13.0'
    lines $csv $((2 * metrics + 1)) && same "$(ls plots/data/made-up-gpu-2)" counters.csv &&
        holds $csv "step01_naive,mma_s8_tile,4096,4096,4096,dram__bytes_read.sum,427711016,byte,$made_up,2" &&
        holds "$tmp/calls" "_:1 --clock-control none --metrics gpu__time_duration.sum,launch__registers_per_thread," &&
        grep -q 'step01/run --size 4096 --no-baseline --warm --time 0.01 --variant mma_s8_tile *$' "$tmp/calls" &&
        holds "$tmp/calls" "step06/run --size 4096 --no-baseline --warm --time 0.01 --variant mma_s8_tile --dtype s8" ||
        return 1
    # One step again: the other's rows stay.
    NCU_BYTES=5 BENCH_STEPS=step06 status 0 scripts/counters.sh && lines $csv $((2 * metrics + 1)) &&
        holds $csv "step01_naive,mma_s8_tile,4096,4096,4096,dram__bytes_read.sum,427711016," &&
        holds $csv "step06_tensorcore,mma_s8_tile,4096,4096,4096,dram__bytes_read.sum,5,byte"
}
counters_fails_whole() { # nothing is replaced when a launch fails
    machine
    mkdir -p plots/data/made-up-gpu-2
    echo kept >$csv
    NCU_STATUS=4 status 4 scripts/counters.sh &&
        says "step01 mma_s8_tile: ncu failed (exit status 4): ==ERROR== ERR_NVG" &&
        NCU_BYTES='' status 2 scripts/counters.sh && says "ncu saw no launch" &&
        BENCH_STEPS=step77 status 2 scripts/counters.sh && one_line && says "no step 'step77'" &&
        same "$(cat $csv)" kept && same "$(ls plots/data/made-up-gpu-2)" counters.csv
}
counters_needs() {
    machine
    rm "$made/ncu"
    ! env PATH=/usr/bin:/bin sh -c 'command -v ncu' >/dev/null || return 0 # this machine has one
    PATH=$made:/usr/bin:/bin CUDA_HOME=/nonexistent status 2 scripts/counters.sh && one_line && says "ncu is missing"
}
sass_records() {
    machine
    mkdir -p step05_doublebuffer plots/data
    echo kernel >step05_doublebuffer/v.cu
    printf ' Function kernel:\n  REG:99 STACK:0\n' >"$tmp/usage"
    printf 'code for sm_90a\n\tFunction : kernel\n /*0000*/ FFMA R1, R1 ;\n' >"$tmp/listing"
    printf ' /*0010*/ @P0 BRA 0x0 ;\n /*0020*/ EXIT ;\n' >>"$tmp/listing"
    echo nothing >"$tmp/empty"
    USAGE=$tmp/usage SASS=$tmp/listing status 0 scripts/sass.sh &&
        same "$(tail -n +2 plots/data/sass.csv)" step05_doublebuffer,v,sm_90a,99,2,1,0,0,0,0,0,0,0,0,1,1,0,13.0.88 &&
        cp plots/data/sass.csv "$tmp/sass.csv" || return 1
    mkdir -p step03_regblock && echo kernel >step03_regblock/w.cu && : >step03_regblock/step.c
    USAGE=$tmp/usage SASS=$tmp/listing STEP=step03 status 0 scripts/sass.sh && prints step03_regblock,w,sm_90a,99 &&
        same "$(cut -d , -f 1-4 plots/data/sass.csv | sed 1d)" "step03_regblock,w,sm_90a,99
step05_doublebuffer,v,sm_90a,99" || return 1
    rm -r step03_regblock
    cp "$tmp/sass.csv" plots/data/sass.csv
    USAGE=$tmp/usage SASS=$tmp/empty status 2 scripts/sass.sh && one_line &&
        says "step05_doublebuffer/v.cu.o has no machine code for sm_90a; type: make sass ARCHS=90a" &&
        cmp plots/data/sass.csv "$tmp/sass.csv"
}

latency_records() {
    machine
    mkdir -p step02_smem
    ln -s step02_smem step02
    fake step02_smem/run <<'END'
echo "$@" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
echo "step02_smem $1 $2 on Made-Up GPU (2) (sm_90)"
if [ "$2" = limits ]; then
    echo "    limit                          rate      least-most       unit        peak   clocks*    MHz"
    echo "    wgmma_n8_shared           skipped: needs compute capability 9.0 exactly"
    echo "    lds_32                       127.34     127.28-127.36     B/clk        128     1.005   1972"
    echo "    launch_graph                   0.68       0.68-0.68       us             -         -      -"
    exit "${LIMITS_STATUS:-0}"
fi
echo "    memory            lines     in KiB    clocks         least-most        ns     MHz"
[ -n "${NO_ROWS:-}" ] || echo "    DRAM, few pages   16384      15360     444.0     440.0-460.5       224.2    1980"
END
    csv=plots/data/made-up-gpu-2/latency.csv
    status 0 scripts/latency.sh && same "$(tail -n +2 $csv | cut -d , -f 1-13)" \
        '"DRAM, few pages",16384,15360,444.0,440.0,460.5,224.2,1980,Made-Up GPU (2),9.0,580.1,13.0' || return 1
    same "$(tail -n +2 plots/data/made-up-gpu-2/limits.csv | cut -d , -f 1-12)" \
        "lds_32,127.34,127.28,127.36,B/clk,128,1.005,1972,Made-Up GPU (2),9.0,580.1,13.0
launch_graph,0.68,0.68,0.68,us,,,,Made-Up GPU (2),9.0,580.1,13.0" || return 1
    cp $csv "$tmp/latency.csv"
    echo kept >>$csv
    LIMITS_STATUS=1 status 1 scripts/latency.sh && says "run --show limits failed (exit status 1)" &&
        [ "$(tail -n 1 $csv)" = kept ] || return 1
    cp "$tmp/latency.csv" $csv
    RUN_STATUS=1 status 1 scripts/latency.sh && says "latency: run --show latency failed (exit status 1)" &&
        NO_ROWS=1 status 2 scripts/latency.sh && says "no latencies in it" && cmp $csv "$tmp/latency.csv"
}

# ---- demo, on steps made up

# demo_machine: run writes the recorded rows of its step, or with --sim a simulated one, and notes its arguments and
# locale.
demo_machine() {
    machine
    mkdir -p step07_gemv step08_knn
    fake step01_naive/run <<'END'
echo "$LC_ALL $(basename "$(dirname "$0")") $*" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
sim=
while [ $# != 0 ]; do
    case $1 in --csv) csv=$2 ;; --sim) sim=1 ;; esac
    shift
done
[ ! -e "$csv" ] || exit 0
head -n 1 "$RECORDED/sgemm.csv" >"$csv"
case $(basename "$csv"):$sim in
sgemm.csv:1) grep ^step01 "$RECORDED/../simulated.csv" ;;
gemv.csv:1) grep ^step07 "$RECORDED/../simulated.csv" ;;
*:1) ;;
*) sed 1d "$RECORDED/$(basename "$csv")" ;;
esac >>"$csv"
END
    for step in step06_tensorcore step07_gemv step08_knn; do cp step01_naive/run $step/; done
    fake scripts/plots.sh 'echo "the figures of $1"'
    RECORDED=$recorded
    export RECORDED
}
demo_with_a_gpu() {
    demo_machine
    LC_ALL=de_DE.UTF-8 status 0 scripts/demo.sh && prints "NVIDIA H200, 4096^3, FP32, cold L2" &&
        prints "the figures of build/demo/sgemm.csv" && prints "passed:   4 steps" && prints "figures:  build/plots" &&
        prints "next:     ./step04/run" && same "$(cat "$CALLS")" "\
C step01_naive --size 4096 --time 0.2 --csv build/demo/sgemm.csv
C step06_tensorcore --size 4096 --time 0.2 --csv build/demo/tensorcore.csv
C step06_tensorcore --size 4096 --time 0.2 --variant mma_s8_tile --dtype s8 --csv build/demo/tensorcore.csv
C step06_tensorcore --size 4096 --time 0.2 --variant three_products --dtype tf32x3 --csv build/demo/tensorcore.csv
C step07_gemv --size 4096 --time 0.2 --csv build/demo/gemv.csv
C step08_knn --time 0.2 --csv build/demo/knn.csv" && [ "$(wc -l <"$tmp/out")" -lt 70 ]
}
# ---- predicted times against recorded ones

predicting() { # steps that predict half a millisecond of `one`, nothing of `two`, and nothing at 4096
    mkdir -p plots/data/made-up cudasim/devices
    rm -rf step0*
    for step in step01 step02 step03 step04 step05; do
        mkdir $step
        fake $step/run <<'END'
[ -z "${COMPLAINT:-}" ] || echo "cudasim: no predicted time: $COMPLAINT" >&2
while [ "$1" != --size ]; do shift; done
[ "$2" = 4096 ] || ms=0.5
printf 'step,variant,ms_median\nstep01_naive,one,%s\nstep01_naive,two,\n' "${ms:-}" >"$4"
END
    done
    python3 - "$recorded/sgemm.csv" plots/data/made-up <<'END'
import csv, sys
def write(name, rows):
    out = csv.DictWriter(open(f"{sys.argv[2]}/{name}.csv", "w"), next(csv.reader(open(sys.argv[1]))))
    out.writeheader()
    out.writerows(dict(row, alpha=1, beta=0, cache="cold", clock_mhz=1980, date="2026-11-27") for row in rows)
write("sgemm", [dict(step="step01_naive", variant=v, op="gemm", layout="nn", m=n, n=n, k=n, ms_median=0.4,
                     mode="graph" if n == 512 else "events") for v in ("one", "two") for n in (512, 1024, 2048, 4096)])
write("gemv", [dict(variant=v, op="gemv", m=1, n=1024, k=1024, mode=mode, ms_median=ms)
               for v, mode, ms in (("a", "graph", 0.1), ("a", "events", 0.2), ("b", "graph", 0.1), ("c", "events", 9))])
END
}
# What has no prediction has a dash, and a size without any is no success. A launch between events takes 0.1 ms more.
predictions_are_held_against_rows() {
    predicting
    COMPLAINT='so it is' status 1 python3 -B scripts/simulator/predict_check.py --group sgemm made-up &&
        same "$(sed 's/  */ /g' "$tmp/out")" "made-up, sgemm, time 512 1024 2048 4096
step01 one +25.0 +50.0 +50.0 -
mean 25.0 50.0 50.0 -
largest 25.0 50.0 50.0 -
pairs in order - - - -" && lines "$tmp/err" 2 && says 'no predicted time: so it is' && says 'out of reach'
}
predictions_need_nvdisasm() {
    predicting
    COMPLAINT='nvdisasm is missing or cannot read it (pip)' \
        status 2 python3 -B scripts/simulator/predict_check.py --group sgemm made-up && one_line &&
        says 'predict-check: nvdisasm is missing' && says 'make deps WHEELS=1' && [ ! -s "$tmp/out" ]
}
demo_without_a_gpu() {
    demo_machine
    fake "$made/nvidia-smi" 'exit 9'
    mkdir -p plots/data/nvidia-h200 && cp "$recorded"/*.csv plots/data/nvidia-h200/
    DEMO_SIZE=96 status 0 scripts/demo.sh && prints "H200 (simulated), every element" &&
        grep -Eq '^step01_naive +one +f32 +96x96x96 +0\.032$' "$tmp/out" &&
        grep -Eq '^step07_gemv +one +f16 +96x128 +0\.012$' "$tmp/out" && prints "with an NVIDIA GPU and its driver" &&
        prints "== Recorded earlier on an H200 (" && prints "NVIDIA H200, 4096^3, FP32, cold L2" &&
        prints "the figures of plots/data/nvidia-h200/sgemm.csv" && holds "$CALLS" "step01_naive --sim --size 96 " &&
        same "$(grep -c '^NVIDIA H200' "$tmp/out")" 5 || return 1
    fake scripts/plots.sh 'exit 2' # no gnuplot
    DEMO_SIZE=96 status 0 scripts/demo.sh && prints "figures:  none this time" && prints "passed:   4 steps" || return 1
    awk '/^== Recorded/ { on = 1 } on && /^step0/ { print $1 }' "$tmp/out" >"$tmp/order" && sort -c "$tmp/order" ||
        return 1
    RUN_STATUS=1 status 1 scripts/demo.sh # a wrong result is not passed over
}

cases plots_draws_all plots_in_the_terminal plots_without_some \
    plots_nothing plots_of_an_unknown_gpu plots_of_a_device plots_refuses plots_on_a_full_disk cannot_write \
    plots_chooses_the_csv python_is_missing counters_records counters_fails_whole counters_needs sass_records \
    latency_records demo_with_a_gpu demo_without_a_gpu predictions_are_held_against_rows predictions_need_nvdisasm
ended
