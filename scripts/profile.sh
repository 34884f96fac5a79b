#!/bin/sh
# The counters that explain a GEMM (scripts/metrics.txt), from Nsight Compute: profile.sh STEP [VARIANT] [SIZE]
# One launch of each kernel; scripts/gpu.sh says which.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
step=${1:-} variant=${2:-} size=${3:-4096}
need_step profile STEP "$step"
need_gpu profile
need_tool profile ncu nsight-compute
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" "$step" >&2
ncu_step "$step" "$variant" "$size"
