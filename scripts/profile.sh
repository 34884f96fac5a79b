#!/bin/sh
# The counters that explain a GEMM (scripts/metrics.txt), from Nsight Compute: profile.sh STEP [VARIANT] [SIZE]
# One launch of each kernel; scripts/gpu.sh says which.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
step=${1:-} variant=${2:-} size=${3:-4096}
[ -n "$step" ] || { echo "profile: STEP is not set, e.g. make profile STEP=step04" >&2; exit 2; }
ls "$step"_*/step.c >/dev/null 2>&1 || { echo "profile: there is no step '$step', e.g. STEP=step04" >&2; exit 2; }
need_gpu profile
need_tool profile ncu nsight-compute
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" "$step" >&2
ncu_step "$step" "$variant" "$size"
