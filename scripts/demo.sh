#!/bin/sh
# Shows everything the project does, in small. Without a GPU every step runs in the simulator, and the tables and
# figures are the recorded ones. DEMO_SIZE (4096, in the simulator 512): m = n = k.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_python demo
folder=build/demo
need_folder demo $folder

drawn="none this time, for the reason above"
figures() { if sh scripts/plots.sh "$1"; then drawn="build/plots, e.g. build/plots/progression.svg"; fi; }

ran=0
# run_steps OPTION...: every step that is built, recorded in $folder afresh.
run_steps() {
    rm -f "$folder"/*.csv
    for step in step[0-9][0-9]_*/; do
        step=${step%/}
        [ -x "$step/run" ] || continue
        options=$*
        case $step in step0[1-7]*) ;; *) options=$(echo "$*" | sed 's/ *--size [0-9]*//') ;; esac # own shapes
        echo "== ${step%%_*}/run $options"
        # shellcheck disable=SC2086 # several words
        "./$step/run" $options --csv "$folder/$(recorded_in "$step")"
        # Of step 6, what is for other types than f16.
        case $step in step06*) own="mma_s8_tile:s8 three_products:tf32x3" ;; *) own= ;; esac
        for each in $own; do
            "./$step/run" "$@" --variant "${each%:*}" --dtype "${each#*:}" --csv "$folder/$(recorded_in "$step")"
        done
        ran=$((ran + 1))
        echo
    done
}

# tables FOLDER SIZE: what is recorded there.
tables() {
    size=$2
    set -- "$1"
    for file in sgemm tensorcore gemv knn conv; do if [ -e "$1/$file.csv" ]; then set -- "$@" "$1/$file.csv"; fi; done
    shift
    if [ $# = 0 ]; then echo "(nothing was run)"; else report demo --size "$size" "$@"; fi
}

if nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    size=${DEMO_SIZE:-4096}
    run_steps --size "$size" --time 0.2
    echo "== All steps on this GPU"
    tables "$folder" "$size"
    echo
    echo "== Figures"
    figures "$folder/sgemm.csv"
else
    echo "There is no GPU here (nvidia-smi lists none), so the kernels run in the simulator, on this machine's CPU."
    echo "On a machine with an NVIDIA GPU and its driver the same command, make demo, runs and times them on the GPU."
    echo
    run_steps --sim --size "${DEMO_SIZE:-512}"
    echo "== All steps in the simulator"
    tables "$folder" 4096
    recorded=plots/data/nvidia-h200/sgemm.csv
    echo
    if [ -e "$recorded" ]; then
        echo "== Recorded earlier on an H200 ($recorded), not measured here"
        tables "$(dirname "$recorded")" 4096
        echo
        echo "== Figures of that recorded run"
        figures "$recorded"
    else
        echo "There is no recorded run ($recorded): make bench records one on a machine with a GPU."
    fi
fi
echo
echo "== Done"
echo "passed:   $ran steps, every element of every result checked"
echo "figures:  $drawn"
echo "next:     ./step04/run --help; the first lesson: step01_naive/README.md; an exercise: make ex NAME=01"
