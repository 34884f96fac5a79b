#!/bin/sh
# Everything the project does, small. With a GPU: runs every step, prints one table, draws the figures of this machine.
# Without: runs every step in the simulator, prints one table, then the recorded table and its figures. DEMO_SIZE (4096,
# in the simulator 512): m = n = k.
set -eu
cd "$(dirname "$0")/.."
csv=build/demo/sgemm.csv

# table CSV SIZE: the ladder at SIZE^3, cold caches.
table() {
    awk -F, -v size="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["m"] == size && $c["n"] == size && $c["k"] == size && $c["alpha"] == 1 && $c["beta"] == 0 &&
            $c["cache"] == "cold" {
            if (!rows++) {
                printf "%s, %d^3, FP32, cold L2\n\n", $c["device"], size
                printf "%-20s %-20s %10s %10s %10s\n", "step", "variant", "ms", "TFLOP/s", "vs cuBLAS"
            }
            ratio = $c["ratio"] == "" ? "-" : sprintf("%.1f %%", 100 * $c["ratio"])
            printf "%-20s %-20s %10.3f %10.2f %10s\n", $c["step"], $c["variant"], $c["ms_median"], $c["gflops"] / 1000,
                ratio
        }
        END { if (!rows) print "(no measurement at this size)" }' "$1"
}

figures() { sh scripts/plots.sh "$1" || echo "No figures this time, for the reason above."; }

# run_steps OPTION...: every step that is built, recorded in $csv afresh.
run_steps() {
    mkdir -p build/demo
    rm -f "$csv"
    for step in step[0-9][0-9]_*/; do
        step=${step%/}
        [ -x "$step/run" ] || continue
        echo "== ${step%%_*}/run $*"
        "./$step/run" "$@" --csv "$csv"
        echo
    done
}

# simulated CSV: what was run in the simulator.
simulated() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["mode"] == "sim" {
            if (!rows++) {
                printf "%s, FP32, every element: integers to the bit, others within their bound\n\n", $c["device"]
                printf "%-20s %-20s %16s %22s\n", "step", "variant", "m x n x k", "worst error, of bound"
            }
            shape = $c["m"] "x" $c["n"] "x" $c["k"]
            printf "%-20s %-20s %16s %22.3f\n", $c["step"], $c["variant"], shape, $c["max_err_bound_share"]
        }
        END { if (!rows) print "(nothing was run)" }' "$1"
}

if nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    size=${DEMO_SIZE:-4096}
    run_steps --size "$size" --time 0.2
    echo "== All steps on this GPU"
    table "$csv" "$size"
    echo
    echo "== Figures"
    figures "$csv"
else
    echo "There is no GPU here (nvidia-smi lists none), so the kernels run in the simulator, on this machine's CPU."
    echo "On a machine with an NVIDIA GPU and its driver the same command, make demo, runs and times them on the GPU."
    echo
    run_steps --sim --size "${DEMO_SIZE:-512}"
    echo "== All steps in the simulator"
    simulated "$csv"
    recorded=plots/data/nvidia-h200/sgemm.csv
    echo
    if [ -e "$recorded" ]; then
        echo "== Recorded earlier on an H200 ($recorded), not measured here"
        table "$recorded" 4096
        echo
        echo "== Figures of that recorded run"
        figures "$recorded"
    else
        echo "There is no recorded run ($recorded): make bench records one on a machine with a GPU."
    fi
fi
