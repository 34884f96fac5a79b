# shellcheck shell=sh
# What the scripts about GPUs share. To be sourced in the project's root (`. scripts/gpu.sh`).

# Numbers have a decimal point, and text is sorted by its bytes, whatever the user's locale.
LC_ALL=C
export LC_ALL

# gpu_name, gpu_slug: the first GPU's name, and the name of its folder in plots/data/: NVIDIA H200, nvidia-h200; the one
# that common/gpu/devices.csv gives it, or else made of the name.
gpu_name() { nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1; }
gpu_slug() { report slug "$(gpu_name)"; }

# begin PROGRAM: makes the folder $work, which is gone at its end, and knows $folder, the one of this GPU's recordings.
begin() {
    work=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX") || exit 2
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' HUP INT TERM
    folder=plots/data/$(gpu_slug)
}

# put FILE: makes it what stdin says, as a whole or, on a full disk, not at all; status 2.
put() {
    if { mkdir -p "${1%/*}" && cat >"$1.new" && mv "$1.new" "$1"; } 2>/dev/null; then return; fi
    rm -f "$1.new" 2>/dev/null
    echo "$(basename "$0" .sh): cannot write $1" >&2
    exit 2
}

# name_origin: what a recorded row says of where it comes from (report/record/__init__.py), in the environment. After
# make, to which CC is the compiler.
name_origin() {
    DEVICE=$(gpu_name) DATE=$(date -u +%Y-%m-%d)
    CC=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
    DRIVER=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
    CUDA=$(sed -n 's/^CUDA_VERSION := //p' build/config.mk 2>/dev/null) || :
    export DEVICE CC DRIVER CUDA DATE
}

# recorded_in STEP: the file its measurements go to; one per operation.
recorded_in() {
    case $1 in
    step06*) echo tensorcore.csv ;;
    step07*) echo gemv.csv ;;
    step08*) echo knn.csv ;;
    step09*) echo conv.csv ;;
    step0*) echo sgemm.csv ;;
    *) echo "${1%%_*}.csv" ;; # of a family that no table knows yet
    esac
}

# has_rows CSV: it contains more than a header.
has_rows() { [ -f "$1" ] && [ -r "$1" ] && [ "$(wc -l <"$1")" -ge 2 ]; }

# need_python PROGRAM: ends it with status 2 where there is no python3 that report/ runs on.
need_python() {
    python3 -c 'import sqlite3, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
        { echo "$1: python3 (3.9 or newer, with sqlite3) is missing; type: make deps" >&2; exit 2; }
}

# need_folder PROGRAM FOLDER: makes it; ends the program with status 2 where it cannot be written.
need_folder() {
    { mkdir -p "$2" && [ -w "$2" ]; } 2>/dev/null || { echo "$1: cannot write to the folder $2" >&2; exit 2; }
}

# report COMMAND [ARGUMENT]...: report/README.md lists the commands. From any folder where root is set, else from the
# project's. Without bytecode, which would lie among the sources.
report() { PYTHONPATH=${root:-.} python3 -B -m report "$@"; }

# need_gpu PROGRAM: ends it with status 3 where there is none.
need_gpu() {
    nvidia-smi -L 2>/dev/null | grep -q '^GPU ' || { echo "$1: no GPU here (nvidia-smi lists none)" >&2; exit 3; }
}

# need_tool PROGRAM TOOL PACKAGE: looks on PATH and in the CUDA Toolkit; ends the program with status 2 where it is not.
need_tool() {
    cuda=$(sed -n 's/^CUDA_DIR := //p' build/config.mk 2>/dev/null || :)
    PATH=$PATH:$cuda/bin:${CUDA_HOME:-/usr/local/cuda}/bin:$PWD/build/cuda/bin
    command -v "$2" >/dev/null || { echo "$1: $2 is missing; it comes with the CUDA Toolkit (package $3)" >&2; exit 2; }
}

# need_sass PROGRAM: the tools that list machine code, also those that `make deps WHEELS=1` brings.
need_sass() {
    for tool in cuobjdump nvdisasm; do need_tool "$1" $tool "cuda-$tool-13-0; or type: make deps WHEELS=1"; done
}

# need_step PROGRAM VARIABLE STEP...: ends it with status 2 where one of the steps does not exist, built or not.
need_step() {
    program=$1 variable=$2
    shift 2
    for step; do
        for file in "$step/run" "$step/step.c" "$step"_*/step.c; do if [ -e "$file" ]; then continue 2; fi; done
        echo "$program: there is no step '$step', e.g. $variable=step04" >&2
        exit 2
    done
}

# build_steps STEP...: builds these steps, or all where none is named.
build_steps() {
    targets=
    for step; do targets="$targets ${step%%_*}"; done
    # shellcheck disable=SC2086 # several targets
    MAKEFLAGS='' make --no-print-directory -j"$(nproc)" ${targets:-all} >&2
}

# profiled WHAT COMMAND...: a command that has ncu log to $work/log; what its program says is in $work/out. Where ncu
# fails, so does the script.
profiled() {
    what=$1 status=0
    shift
    : >"$work/log"
    "$@" >"$work/out" || status=$?
    [ "$status" != 0 ] || return 0
    echo "$what: ncu failed (exit status $status): $(grep '==ERROR==' "$work/log" | head -n 1)" >&2
    exit "$status"
}

# skipped WHAT: does $work/out say that something was left out? Says why.
skipped() {
    reason=$(sed -n 's/.*  skipped: //p' "$work/out" | head -n 1)
    [ -n "$reason" ] && echo "$1: skipped: $reason" >&2
}

# ncu_step STEP VARIANT SIZE [NCU'S OPTION]...: Nsight Compute on a step, all variants where VARIANT is empty.
# The first launch of each of the steps' kernels, which are called sgemm_...; the harness's own (fill, reference,
# compare) are left out. At the clocks the GPU runs at: timings belong to `run`, not to a profiler.
ncu_step() (
    step=$1 variant=$2 size=$3
    shift 3
    metrics=$(sed 's/#.*//; s/ //g; /^$/d' scripts/metrics.txt | tr '\n' ',')
    type=
    # Where that is not the step's default.
    case $step in step06* | step09*) type=$(report type "$step" "$variant") ;; esac
    sizes="--size $size --no-baseline --warm"
    case $step in
    step08*) sizes= ;; # it has another shape, the paper's
    step09*) sizes="--no-baseline --warm" ;; # and a layer
    esac
    # shellcheck disable=SC2086 # several words, or none
    exec ncu --kernel-name-base function --kernel-id '::regex:^(sgemm|hgemm|gemm|gemv|knn|conv|winograd)_:1' \
        --clock-control none --metrics "${metrics%,}" "$@" \
        "./$step/run" $sizes --time 0.01 ${variant:+--variant "$variant"} $type
)
