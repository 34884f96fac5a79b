#!/bin/sh
# toolkit.sh: the CUDA Toolkit 13 or newer, and this processor's instruction sets, as assignments for make.
#
# CUDA_HOME or NVCC name a toolkit; else it is that of the nvcc on PATH, or lies in a usual place. Prints CUDA_DIR,
# CUDA_NVCC, CUDA_LIB, CUDART and CUDA_VERSION, or missing: one sentence about what is not there; and isas and isa,
# x86-64's levels that the simulator has code for, and the best that this machine has.
set -eu
rejected=

# toolkit_of NVCC: the folder it belongs to; nvcc may be a link or a wrapper, so ask it.
toolkit_of() {
    top=$("$1" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
    [ -n "$top" ] && cd "$top" 2>/dev/null && pwd
}
# try DIR [NVCC]: prints what is in it and succeeds if it is complete.
try() {
    nvcc=${2:-$1/bin/nvcc}
    [ -x "$nvcc" ] || return 1
    version=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
    case $version in
    '') rejected="$nvcc --version names no CUDA release" && return 1 ;;
    ?.* | 1[0-2].*) rejected="$nvcc is CUDA $version, older than 13.0" && return 1 ;;
    esac
    for lib in "$1/lib64" "$1/lib" "$1"/targets/*/lib; do
        for cudart in "$lib/libcudart.so" "$lib"/libcudart.so.*; do
            if [ ! -e "$cudart" ] || [ ! -e "$1/include/cuda_runtime_api.h" ]; then continue; fi
            printf '%s := %s\n' CUDA_DIR "$1" CUDA_NVCC "$nvcc" CUDA_LIB "$lib" CUDART "$cudart" CUDA_VERSION "$version"
            return 0
        done
    done
    rejected="$nvcc has no libcudart.so or cuda_runtime_api.h beside it"
    return 1
}
find_toolkit() {
    if [ -n "${NVCC:-}" ]; then
        found=$(command -v "$NVCC") || { rejected="NVCC=$NVCC cannot be run" && return 1; }
        try "${CUDA_HOME:-$(toolkit_of "$found")}" "$found"
    elif [ -n "${CUDA_HOME:-}" ]; then
        rejected="CUDA_HOME=$CUDA_HOME has no bin/nvcc"
        try "$CUDA_HOME"
    else
        if found=$(command -v nvcc) && try "$(toolkit_of "$found")" "$found"; then return; fi
        for place in /usr/local/cuda /usr/local/cuda-13* /opt/cuda; do if try "$place"; then return; fi; done
        return 1
    fi
}
find_toolkit || echo "missing := ${rejected:-there is no CUDA Toolkit 13 here}: set CUDA_HOME to the folder of one"

isas=baseline isa=baseline
if [ "$(uname -m)" = x86_64 ]; then
    isas="v4 v3 baseline"
    flags=" $(grep -m 1 '^flags' /proc/cpuinfo) "
    has() { for flag; do case $flags in *" $flag "*) ;; *) return 1 ;; esac; done; }
    if has avx2 fma bmi1 bmi2 f16c abm movbe; then isa=v3; fi
    if [ $isa = v3 ] && has avx512f avx512bw avx512cd avx512dq avx512vl; then isa=v4; fi
fi
echo "isas := $isas"
echo "isa := $isa"
