#!/bin/sh
# help: record the error of tf32x3, TF32 and FP32 against K on this GPU
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu errors
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" build/tests/tensorcore/run >&2
begin errors
csv=$folder/tensorcore_error.csv
build/tests/tensorcore/run errors --csv "$work/csv"
put "$csv" <"$work/csv"
echo "errors: recorded in $csv; draw it with make plots" >&2
