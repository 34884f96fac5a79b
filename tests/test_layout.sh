#!/bin/sh
# scripts/check_layout.py on a small tree that is correct, and with one fault at a time. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
check=$PWD/scripts/check_layout.py
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
cd "$work" || exit 1

put() { # FILE LINE...
    mkdir -p "$(dirname "tree/$1")"
    file=tree/$1
    shift
    printf '%s\n' "$@" >"$file"
}
lines() { # FILE COUNT: that many lines
    mkdir -p "$(dirname "tree/$1")"
    yes 'int x;' | head -n "$2" >"tree/$1"
}
# The tree that is right: each include that may be, sizes at their limits.
right() {
    rm -rf tree
    put common/base/array.h '#include <stdio.h>'
    put common/base/stats.c '#include "base/array.h"' '/* #include "gpu/device.h" */'
    put common/gpu/device.h '  #  include "base/array.h"'
    put common/tensor/matrix.h '#include "gpu/device.h"' '#include "base/array.h"'
    put common/tensor/types/f16.cu '#include "tensor/matrix.h"'
    put common/ptx/mma.cuh '#include "ptx/sm90.cuh"'
    put common/ptx/sm90.cuh ''
    i=26
    while [ $i -gt 2 ]; do i=$((i - 1)) && put step02_smem/tile$i.cu ''; done
    put step02_smem/README.md 'The note.'
    put step02_smem/run 'no source: make puts it there, and it counts for nothing'
    lines common/base/record.c 700
    lines common/base/long.c 701
    echo '/* long: one table */' >>tree/common/base/long.c
    put step01_naive/best.h '#include "tensor/matrix.h"' '#include "ptx/mma.cuh"'
    put step02_smem/step.c '#include "tile.h"' '#include "../step01_naive/best.h"'
    put step02_smem/tile.h ''
    rm tree/step02_smem/tile2.cu tree/step02_smem/tile3.cu
}

# expect NAME STATUS LINE: the exit status, and all that is said ("": nothing); the next tree is the right one.
expect() {
    python3 "$check" tree >out 2>&1
    status=$?
    if [ $status = "$2" ] && [ "$(cat out)" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $1: status $status, wanted $2 and '$3':"
        sed 's/^/    /' out
    fi
    right
}

right
expect 'the right tree' 0 ''
put common/readers/rows.c '' '#include "tensor/matrix.h"'
expect 'an include against the arrows' 1 \
    'common/readers/rows.c:2: "tensor/matrix.h" is against the arrows: readers may include base'
put common/readers/rows.c '#include <tensor/matrix.h>'
expect 'in angle brackets' 1 'common/readers/rows.c:1: "tensor/matrix.h" is against the arrows: readers may include base'
put common/gpu/device.h '#include "tensor/matrix.h"'
expect 'and so a circle' 1 'common/gpu/device.h:1: "tensor/matrix.h" is against the arrows: gpu may include base
a circle of folders: common/gpu -> common/tensor -> common/gpu'
put common/readers/rows.c '#include "../../step02_smem/tile.h"'
expect 'of a step' 1 \
    'common/readers/rows.c:1: "../../step02_smem/tile.h" is against the arrows: readers may include base'
put common/tensor/matrix.c '#include "matrix.h"'
expect 'an include without its folder' 1 \
    'common/tensor/matrix.c:1: "matrix.h" does not name its folder, as in "tensor/matrix.h"'
put common/tensor/matrix.c '#include "../gpu/device.h"'
expect 'by way of the folder above' 1 \
    'common/tensor/matrix.c:1: "../gpu/device.h" does not name its folder, as in "tensor/matrix.h"'
put common/tensor/matrix.c '#include "tensor/none.h"'
expect 'a missing file' 1 'common/tensor/matrix.c:1: "tensor/none.h" is not there'
put step01_naive/step.c '#include "../step02_smem/tile.h"'
expect 'a later step, and so a circle' 1 'step01_naive/step.c:1: "../step02_smem/tile.h" is of a later step
a circle of folders: step01_naive -> step02_smem -> step01_naive'
put cudasim/machine/machine.h ''
put step01_naive/step.c '#include "../cudasim/machine/machine.h"'
expect 'the simulator in a step' 1 \
    'step01_naive/step.c:1: "../cudasim/machine/machine.h" is neither of common/ nor of a step'
put tests/case.h ''
put step01_naive/step.c '#include "../tests/case.h"'
expect 'a test in a step' 1 'step01_naive/step.c:1: "../tests/case.h" is neither of common/ nor of a step'
put step02_smem/tile.h '#include "parts/part.h"'
put step02_smem/parts/part.h '#include "../tile.h"'
rm tree/step02_smem/tile4.cu
expect 'a circle that no arrow forbids' 1 'a circle of folders: step02_smem -> step02_smem/parts -> step02_smem'
lines common/base/record.c 701
expect '701 lines' 1 'common/base/record.c: 701 lines, more than 700, and no line `/* long: why */`'
lines common/base/record.c 701
echo '/* long: */' >>tree/common/base/record.c
expect 'long without a reason' 1 'common/base/record.c: 702 lines, more than 700, and no line `/* long: why */`'
put step02_smem/tile2.cu ''
expect '26 files' 1 'step02_smem: 26 files, more than 25'
put common/conv/conv.h '#include "base/array.h"'
expect 'a module without arrows' 1 'common/conv: no module that ARROWS in scripts/check_layout.py lists
common/conv/conv.h:1: "base/array.h" is against the arrows: conv may include nothing'
put common/stray.h ''
expect 'a file in no module' 1 "common/stray.h: a file of common/ belongs into a module's folder"
rm -r tree/common
expect 'no tree at all' 2 'check_layout: tree has no folder common'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
