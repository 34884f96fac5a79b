#!/bin/sh
# compute-sanitizer over every step's checks at small shapes: sanitize.sh
# TOOLS="memcheck racecheck" and STEPS="step01 step04" narrow it. Exit status: 0, 1 when a tool found something, 2
# without compute-sanitizer, 3 without a GPU.
set -eu
cd "$(dirname "$0")/.."
nvidia-smi -L 2>/dev/null | grep -q '^GPU ' || { echo "sanitize: no GPU here (nvidia-smi lists none)" >&2; exit 3; }
PATH=$PATH:$(sed -n 's/^CUDA_DIR := //p' build/config.mk 2>/dev/null)/bin:${CUDA_HOME:-/usr/local/cuda}/bin
command -v compute-sanitizer >/dev/null || {
    echo "sanitize: compute-sanitizer is missing; it comes with the CUDA Toolkit (package cuda-sanitizer-13-0)" >&2
    exit 2
}
MAKEFLAGS='' make -j"$(nproc)" all >&2
logs=build/sanitize
mkdir -p "$logs"
passed=0 failed=0

for tool in ${TOOLS:-memcheck racecheck initcheck synccheck}; do
    options=
    if [ "$tool" = memcheck ]; then options="--leak-check full"; fi
    for step in ${STEPS:-step[0-9][0-9]}; do
        log=$logs/$tool-$step.log
        status=0
        compute-sanitizer --tool "$tool" $options --error-exitcode 9 "./$step/run" --sweep check --max-size 129 \
            --every 5 >"$log" 2>&1 || status=$?
        # Clean: exit status 0, and every summary (errors, leaks, hazards) there and at 0.
        if [ "$status" = 0 ] && grep -q 'SUMMARY: 0 ' "$log" && ! grep 'SUMMARY:' "$log" | grep -qv 'SUMMARY: 0 '; then
            echo "ok $tool $step"
            passed=$((passed + 1))
        else
            echo "FAIL $tool $step (exit status $status; $log): $(grep 'SUMMARY:' "$log" | tail -n 1)"
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
