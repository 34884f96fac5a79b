#!/bin/sh
# Everything the project does, small. With a GPU: runs every step, prints one table, draws the figures of this machine.
# Without: lists the steps, prints the recorded table and draws its figures. DEMO_SIZE (4096): m = n = k.
set -eu
cd "$(dirname "$0")/.."
size=${DEMO_SIZE:-4096}

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

if nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    csv=build/demo/sgemm.csv
    mkdir -p build/demo
    rm -f "$csv"
    for step in step[0-9][0-9]_*/; do
        step=${step%/}
        [ -x "$step/run" ] || continue
        echo "== ${step%%_*}/run --size $size"
        "./$step/run" --size "$size" --time 0.2 --csv "$csv"
        echo
    done
    echo "== All steps on this GPU"
    table "$csv" "$size"
    echo
    echo "== Figures"
    figures "$csv"
else
    echo "There is no GPU here (nvidia-smi lists none), so nothing is measured: below are the steps and a recorded run."
    for step in step[0-9][0-9]_*/; do
        step=${step%/}
        [ -x "$step/run" ] || continue
        echo
        echo "== ${step%%_*}/run --list"
        "./$step/run" --list
    done
    csv=plots/data/nvidia-h200/sgemm.csv
    echo
    if [ -e "$csv" ]; then
        echo "== Recorded earlier ($csv), not measured here"
        table "$csv" 4096
        echo
        echo "== Figures of the recorded run"
        figures "$csv"
    else
        echo "There is no recorded run either ($csv): make bench records one on a machine with a GPU."
    fi
fi
