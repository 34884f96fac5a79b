#!/bin/sh
# help: write each kernel's PTX (and its SASS, with cuobjdump) to build/ptx
# The PTX of compute_90a, compiled anew with line numbers, and the SASS of what `make` built (cuobjdump comes with the CUDA
# Toolkit, not with its Python wheels). Exit status: 0, or that of a compiler that failed.
set -eu
cd "$(dirname "$0")/.."
nvcc=$(sed -n 's/^CUDA_NVCC := //p' build/config.mk) toolkit=$(sed -n 's/^CUDA_DIR := //p' build/config.mk)
cuobjdump=$toolkit/bin/cuobjdump
[ -x "$cuobjdump" ] || cuobjdump=$(command -v cuobjdump) || cuobjdump=
export nvcc cuobjdump
# shellcheck disable=SC2016 # the inner shell's
find step[0-9][0-9]_* -name '*.cu' | xargs -P "$(nproc 2>/dev/null || echo 1)" -I{} sh -c '
    kernel=${1%.cu}
    mkdir -p "build/ptx/${kernel%/*}"
    "$nvcc" -Icommon -O3 -lineinfo -arch=compute_90a -ptx -o "build/ptx/$kernel.ptx" "$1" || exit 255
    [ -z "$cuobjdump" ] || [ ! -e "build/obj/$1.o" ] || "$cuobjdump" -sass "build/obj/$1.o" >"build/ptx/$kernel.sass"' sh {}
if [ -n "$cuobjdump" ]; then echo "build/ptx: the PTX of compute_90a, and SASS"; else
    echo "build/ptx: the PTX of compute_90a; no SASS without cuobjdump"
fi
