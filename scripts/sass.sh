#!/bin/sh
# help: record the instructions of every kernel's main loop for sm_90a, without a GPU (STEP=step05 narrows it)
# plots/data/sass.csv: registers, and how many instructions of which kind (report/record/sass.py says how the loop is
# found), of steps 1 to 5, of step 2's ceilings that are made of FFMAs, and of step 9's three whose loop is step 4's.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_step sass STEP ${STEP:-}
case ${STEP:-step01} in step0[1-59]*) ;; *) echo "sass: STEP=$STEP is none of steps 1 to 5 and 9" >&2; exit 2 ;; esac
need_sass sass
need_python sass
build_steps ${STEP:-}

arch=sm_90a
csv=plots/data/sass.csv
nvcc=$(sed -n 's/^CUDA_NVCC := //p' build/config.mk)
nvcc=$("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\).*/\1/p')
begin sass

report header sass >"$work/header"
: >"$work/rows"
for kernel in $(find step0[1-59]_* -path "${STEP:-step}*" -name '*.cu' | LC_ALL=C sort); do
    case $kernel in
    */limits/ffma_limits.cu) ;;
    */show_* | */limits/*) continue ;; # no variant
    step09_*/implicit.cu | step09_*/precomputed.cu | step09_*/nhwc.cu) ;;
    step09_*) continue ;;
    esac
    object=build/obj/$kernel.o
    cuobjdump -arch "$arch" -res-usage "$object" >"$work/usage"
    cuobjdump -arch "$arch" -sass "$object" >"$work/sass"
    if ! grep -q "code for $arch" "$work/sass"; then
        echo "sass: $object has no machine code for $arch; type: make sass ARCHS=${arch#sm_}" >&2
        exit 2
    fi
    report sass "${kernel%%/*}" "$(basename "$kernel" .cu)" "$arch" "$nvcc" "$work/usage" "$work/sass" >>"$work/rows"
done
{ [ ! -e "$csv" ] || sed "1d; /^${STEP:-step}/d" "$csv"; cat "$work/rows"; } | sort -s -t , -k 1,1 |
    cat "$work/header" - | put "$csv"
cat "$work/header" "$work/rows"
echo "sass: recorded in $csv; refresh the notes with make notes" >&2
