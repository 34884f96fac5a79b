#!/bin/sh
# Everything the project does, small. With a GPU: runs every step, prints one table, draws the figures of this machine.
# Without: runs every step in the simulator, prints one table, then the recorded tables and their figures. DEMO_SIZE
# (4096, in the simulator 512): m = n = k.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
folder=build/demo

# table CSV SIZE: the ladder at SIZE^3, cold caches.
table() {
    awk -F, -v size="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["op"] == "gemm" && $c["m"] == size && $c["n"] == size && $c["k"] == size && $c["alpha"] == 1 &&
            $c["beta"] == 0 && $c["cache"] == "cold" {
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

# gemv_table CSV SIZE: the GEMVs of a SIZE x SIZE matrix in f16, cold caches, in CUDA graphs.
gemv_table() {
    awk -F, -v size="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["n"] != size || $c["k"] != size || $c["dtype"] != "f16" || $c["cache"] != "cold" || $c["mode"] != "graph" ||
            $c["alpha"] != 1 || $c["beta"] != 0 { next }
        $c["op"] == "read" { ceiling = $c["gbps"]; next }
        $c["op"] == "gemv" {
            if (!rows++) {
                printf "%s, n x k = %d x %d, f16, cold L2\n\n", $c["device"], size, size
                printf "%-20s %-20s %10s %10s %10s %10s\n", "step", "variant", "us", "GB/s", "of ceiling", "vs cuBLAS"
            }
            share = ceiling > 0 ? sprintf("%.1f %%", 100 * $c["gbps"] / ceiling) : "-"
            ratio = $c["ratio"] == "" ? "-" : sprintf("%.1f %%", 100 * $c["ratio"])
            printf "%-20s %-20s %10.2f %10.0f %10s %10s\n", $c["step"], $c["variant"], 1000 * $c["ms_median"],
                $c["gbps"], share, ratio
        }
        END { if (!rows) print "(no measurement at this size)" }' "$1"
}

# tensor_table CSV SIZE: the tensor cores' ladder at SIZE^3, each variant in the type that it stands for, cold caches.
tensor_table() {
    awk -F, -v size="$2" '
        NR == FNR { type[$1, $2] = $3; next }
        FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["op"] == "gemm" && $c["m"] == size && $c["n"] == size && $c["k"] == size && $c["alpha"] == 1 &&
            $c["beta"] == 0 && $c["cache"] == "cold" && $c["mode"] != "sustained" && $c["layout"] == "tn" {
            stands = ($c["step"], $c["variant"]) in type ? type[$c["step"], $c["variant"]] : "f16"
            if ($c["dtype"] != stands) next
            if (!rows++) {
                printf "%s, %d^3, B column by column, cold L2\n\n", $c["device"], size
                printf "%-20s %-20s %10s %10s %10s  %s\n", "step", "variant", "ms", "TFLOP/s", "vs cuBLAS", "type"
            }
            ratio = $c["ratio"] == "" ? "-" : sprintf("%.1f %%", 100 * $c["ratio"])
            printf "%-20s %-20s %10.3f %10.2f %10s  %s\n", $c["step"], $c["variant"], $c["ms_median"],
                $c["gflops"] / 1000, ratio, $c["dtype"]
        }
        END { if (!rows) print "(no measurement at this size)" }' plots/tensorcore_ladder.csv "$1"
}

# knn_table CSV: the searches, of whatever shape.
knn_table() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["op"] == "knn" {
            shape = $c["m"] " queries, " $c["n"] " points, d " $c["d"] ", k " $c["k"]
            if (shape != last) {
                printf "%s%s, %s\n\n", rows++ ? "\n" : "", $c["device"], shape
                printf "%-20s %-24s %10s %10s\n", "step", "method", "ms", "vs " ($c["baseline"] == "" ? "-" : $c["baseline"])
                last = shape
            }
            ratio = $c["ratio"] == "" ? "-" : sprintf("%.1f %%", 100 * $c["ratio"])
            printf "%-20s %-24s %10.3f %10s\n", $c["step"], $c["variant"], $c["ms_median"], ratio
        }
        END { if (!rows) print "(no search was measured)" }' "$1"
}

# tables FOLDER SIZE: what is recorded there.
tables() {
    table "$1/sgemm.csv" "$2"
    if [ -e "$1/tensorcore.csv" ]; then
        echo
        tensor_table "$1/tensorcore.csv" "$2"
    fi
    if [ -e "$1/gemv.csv" ]; then
        echo
        gemv_table "$1/gemv.csv" "$2"
    fi
    [ -e "$1/knn.csv" ] || return 0
    echo
    knn_table "$1/knn.csv"
}

figures() { sh scripts/plots.sh "$1" || echo "No figures this time, for the reason above."; }

# run_steps OPTION...: every step that is built, recorded in $folder afresh.
run_steps() {
    mkdir -p "$folder"
    rm -f "$folder"/*.csv
    for step in step[0-9][0-9]_*/; do
        step=${step%/}
        [ -x "$step/run" ] || continue
        options=$*
        case $step in step08*) options=$(echo "$*" | sed 's/ *--size [0-9]*//') ;; esac # of the paper's shape
        echo "== ${step%%_*}/run $options"
        # shellcheck disable=SC2086 # several words
        "./$step/run" $options --csv "$folder/$(recorded_in "$step")"
        # Two of step 6's variants take none but a type of their own.
        case $step in step06*) own="mma_s8_tile:s8 tf32x3:tf32x3" ;; *) own= ;; esac
        for each in $own; do
            "./$step/run" "$@" --variant "${each%:*}" --dtype "${each#*:}" --csv "$folder/$(recorded_in "$step")"
        done
        echo
    done
}

# simulated CSV...: what was run in the simulator.
simulated() {
    awk -F, '
        FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["mode"] == "sim" {
            if (!rows++) {
                printf "%s, every element: integers to the bit, others within their bound\n\n", $c["device"]
                printf "%-20s %-20s %-6s %15s %22s\n", "step", "variant", "type", "m x n x k", "worst error, of bound"
            }
            if ($c["op"] == "knn") {
                shape = $c["m"] "x" $c["n"] "x" $c["d"]
                printf "%-20s %-22s %-4s %15s %22s\n", $c["step"], $c["variant"], $c["dtype"], shape, "k = " $c["k"]
                searches++
                next
            }
            shape = ($c["op"] == "gemm" ? $c["m"] "x" : "") $c["n"] "x" $c["k"]
            vectors += $c["op"] != "gemm"
            printf "%-20s %-20s %-6s %15s %22.3f\n", $c["step"], $c["variant"], $c["dtype"], shape,
                $c["max_err_bound_share"]
        }
        END {
            if (!rows) print "(nothing was run)"
            if (vectors) print "\nOf a matrix times a vector, the shape is n x k."
            if (searches) print "Of a search it is m queries x n points x d coordinates; neighbours and distances are exact," \
                "\nbut those by GEMM, whose distances cancel."
        }' "$@"
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
    set --
    for file in sgemm tensorcore gemv knn; do if [ -e "$folder/$file.csv" ]; then set -- "$@" "$folder/$file.csv"; fi; done
    simulated "$@" </dev/null
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
