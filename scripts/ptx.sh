#!/bin/sh
# help: write the PTX and SASS of a step's kernels to build/ptx: STEP=step05; without STEP, of all
# The PTX of compute_90a, compiled anew with line numbers, and the SASS of what make builds.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_step ptx STEP ${STEP:-}
nvcc=$(sed -n 's/^CUDA_NVCC := //p' build/config.mk)
includes=$(sed -n 's/^CPPFLAGS := //p' scripts/make/build.mk)
if (need_sass ptx) 2>build/ptx.missing; then
    need_sass ptx
    cuobjdump=cuobjdump
    build_steps ${STEP:-}
else
    cuobjdump=
fi
export nvcc includes cuobjdump
# shellcheck disable=SC2016 # the inner shell's
find step[0-9][0-9]_* -path "${STEP:-step}*" -name '*.cu' -print0 | xargs -0 -P "$(nproc)" -I{} sh -c '
    kernel=${1%.cu}
    mkdir -p "build/ptx/${kernel%/*}"
    "$nvcc" $includes -O3 -lineinfo -arch=compute_90a -ptx -o "build/ptx/$kernel.ptx" "$1" || exit 255
    [ -z "$cuobjdump" ] || [ ! -e "build/obj/$1.o" ] ||
        "$cuobjdump" -sass "build/obj/$1.o" >"build/ptx/$kernel.sass"' sh {}
if [ -n "$cuobjdump" ]; then echo "build/ptx: the PTX of compute_90a, and SASS"; else
    echo "build/ptx: the PTX of compute_90a; no SASS:"
    cat build/ptx.missing
fi
rm -f build/ptx.missing
