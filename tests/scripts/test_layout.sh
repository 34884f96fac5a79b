#!/bin/sh
# scripts/check_layout.py on a small tree that is correct, and with one fault at a time. Last line: "N passed, N
# failed". CC names the compiler of the objects whose calls are checked (gcc).
set -u
. "$(dirname "$0")/../case.sh"
check=$root/scripts/check_layout.py
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
object() { # FILE.c LINE...: the source, and its object
    put "$@"
    case $1 in cudasim/*) built=cudasim/build/obj/${1#cudasim/} ;; *) built=build/obj/$1 ;; esac
    mkdir -p "tree/$(dirname "$built")"
    # shellcheck disable=SC2086 # it may have arguments
    (cd tree && ${CC:-gcc} -c "$1" -o "$built${suffix-}.o") || exit 1
}
# The tree that is right: each include and call that may be, sizes at their limits.
make_right() {
    put common/base/array.h '#include <stdio.h>'
    put common/base/stats.c '#include "base/array.h"' '/* #include "gpu/device.h" */'
    put common/gpu/device.h '  #  include "base/array.h"'
    put common/tensor/matrix.h '#include "gpu/device.h"' '#include "base/array.h"'
    put common/tensor/types/f16.cu '#include "tensor/matrix.h"'
    put common/ptx/mma.cuh '#include "ptx/sm90.cuh"'
    put common/ptx/sm90.cuh ''
    repeat 23 'put step02_smem/tile$i.cu ""'
    put step02_smem/README.md 'The note: no source.'
    put step02_smem/step.mk '# What make does for it counts for nothing.'
    put step02_smem/tile23.h ''
    put step02_smem/run 'no source: make puts it there, and it counts for nothing'
    lines common/base/record.c 600
    lines common/base/long.c 601
    echo '/* long: one table */' >>tree/common/base/long.c
    put step01_naive/best.h '#include "tensor/matrix.h"' '#include "ptx/mma.cuh"'
    put step02_smem/step.c '#include "tile.h"' '#include "../step01_naive/best.h"'
    put step02_smem/tile.h ''
    put cudasim/src/ptx/lex.h '#include <stdbool.h>'
    put cudasim/src/machine/machine.h '#include "machine/block.h"' '#include "ptx/lex.h"'
    put cudasim/src/machine/block.h ''
    put cudasim/README.md 'No source.'
    put cudasim/include/banks.h ''
    put cudasim/tests/case.h ''
    object cudasim/src/ptx/lex.c 'int lex(void) { return 1; }'
    object cudasim/src/machine/block.c 'int lex(void);' 'int block(void) { return lex(); }'
    object cudasim/src/machine/machine.c 'int block(void);' 'int machine(void) { return block(); }'
    suffix=.v3 object cudasim/src/exec/add.c 'int machine(void);' 'int add(void) { return machine(); }'
    mv tree right
}
right() {
    rm -rf tree
    cp -a right tree
}

# expect NAME STATUS LINE: the exit status, and all that is said ("": nothing); the next tree is the right one.
expect() {
    run python3 "$check" tree
    same "$1" "$2 $3" "$status $(cat out)"
    right
}

# fault NAME MESSAGE FILE LINE...: these are its lines, and the message is of the first that has any.
fault() {
    name=$1 message=$2
    shift 2
    put "$@"
    expect "$name" 1 "$1:$(grep -n . "tree/$1" | head -n 1 | cut -d: -f1): $message"
}
# repeat COUNT COMMAND: with $i from 1 on.
repeat() { i=0 && while [ $i -lt "$1" ]; do i=$((i + 1)) && eval "$2"; done; }

make_right
right
expect 'the right tree' 0 ''
against='is against the arrows: readers may include base'
fault 'an include against the arrows' "\"tensor/matrix.h\" $against" \
    common/readers/rows.c '' '#include "tensor/matrix.h"'
fault 'in angle brackets' "\"tensor/matrix.h\" $against" common/readers/rows.c '#include <tensor/matrix.h>'
put common/gpu/device.h '#include "tensor/matrix.h"'
expect 'and so a circle' 1 'common/gpu/device.h:1: "tensor/matrix.h" is against the arrows: gpu may include base
a circle of folders: common/gpu -> common/tensor -> common/gpu'
fault 'of a step' "\"../../step02_smem/tile.h\" $against" common/readers/rows.c '#include "../../step02_smem/tile.h"'
fault 'an include without its folder' '"matrix.h" does not name its folder, as in "tensor/matrix.h"' \
    common/tensor/matrix.c '#include "matrix.h"'
fault 'by way of the folder above' '"../gpu/device.h" does not name its folder, as in "tensor/matrix.h"' \
    common/tensor/matrix.c '#include "../gpu/device.h"'
fault 'a missing file' '"tensor/none.h" is not there' common/tensor/matrix.c '#include "tensor/none.h"'
put step01_naive/step.c '#include "../step02_smem/tile.h"'
expect 'a later step, and so a circle' 1 'step01_naive/step.c:1: "../step02_smem/tile.h" is of a later step
a circle of folders: step01_naive -> step02_smem -> step01_naive'
fault 'the simulator in a step' '"../cudasim/src/machine/machine.h" is of the inside of cudasim' \
    step01_naive/step.c '#include "../cudasim/src/machine/machine.h"'
put tests/case.h ''
fault 'a test in a step' '"../tests/case.h" is neither of common/ nor of a step' \
    step01_naive/step.c '#include "../tests/case.h"'
put step02_smem/tile.h '#include "parts/part.h"'
put step02_smem/parts/part.h '#include "../tile.h"'
rm tree/step02_smem/tile4.cu
expect 'a circle that no arrow forbids' 1 'a circle of folders: step02_smem -> step02_smem/parts -> step02_smem'
lines common/base/record.c 601
expect '601 lines' 1 'common/base/record.c: 601 lines, more than 600, and no line `/* long: why */`'
lines common/base/record.c 601
echo '/* long: */' >>tree/common/base/record.c
expect 'long without a reason' 1 'common/base/record.c: 602 lines, more than 600, and no line `/* long: why */`'
put step02_smem/tile25.cu ''
expect '26 files' 1 'step02_smem: 26 files, more than 25'
put step02_smem/tile25.cu ''
put step02_smem/README.md 'The note.' '<!-- long: one kernel a file -->'
expect 'with a reason' 0 ''
put step02_smem/tile25.cu ''
put step02_smem/README.md 'The note.' '<!-- long: -->'
expect 'with a reason that says nothing' 1 'step02_smem: 26 files, more than 25'
put common/fft/fft.h '#include "base/array.h"'
expect 'a module without arrows' 1 'common/fft: no module that ARROWS in scripts/check_layout.py lists
common/fft/fft.h:1: "base/array.h" is against the arrows: fft may include nothing'
put common/stray.h ''
expect 'a file in no module' 1 "common/stray.h: a file of common/ belongs into a module's folder"
object common/base/stats.c 'int records(void);' 'int stats(void) { return records(); }'
object common/base/records.c 'int stats(void);' 'int records(void) { return stats(); }'
expect 'files of common/ that call one another' 1 \
    'a circle of calls: common/base/records.c -> common/base/stats.c -> common/base/records.c'
object common/base/stats.c 'int device(void);' 'int stats(void) { return device(); }'
object common/gpu/device.c 'int stats(void);' 'int device(void) { return stats(); }'
expect 'such files of two folders' 1 \
    'a circle of calls: common/base/stats.c -> common/gpu/device.c -> common/base/stats.c'
object common/base/stats.c 'int records(void);' 'int stats(void) { return records(); }'
object common/base/records.c 'int device(void);' 'int records(void) { return device(); }'
object common/gpu/device.c 'int device(void) { return 1; }'
expect 'files that call others in one direction' 0 ''

# What cudasim and the course include of one another.
put step01_naive/step.c '#include "banks.h"'
put cudasim/tests/ptx/test_lex.c '#include "ptx/lex.h"' '#include "case.h"' '#include "banks.h"'
put cudasim/src/machine/machine.h '#include "banks.h"'
expect 'public headers, and tests of the inside' 0 ''
fault 'a test of the course and the inside' '"../cudasim/src/ptx/lex.h" is of the inside of cudasim' \
    tests/test_sim.c '#include "../cudasim/src/ptx/lex.h"'
fault 'a test of cudasim and a step' '"../../step02_smem/tile.h" is of the course' \
    cudasim/tests/test_step.c '#include "../../step02_smem/tile.h"'
lines scripts/bench.sh 601
expect 'sizes of scripts' 1 'scripts/bench.sh: 601 lines, more than 600, and no line `/* long: why */`'
repeat 26 'put cudasim/tests/exec/test$i.c ""'
expect 'and of folders of tests' 1 'cudasim/tests/exec: 26 files, more than 25'

# The simulator's modules.
order='base -> ptx -> isa -> machine -> exec -> load -> check -> watch -> predict -> cuda'
put cudasim/src/ptx/lex.h '#include "machine/machine.h"'
expect 'an include against the order of modules, and so a circle' 1 \
    "cudasim/src/ptx/lex.h:1: \"machine/machine.h\" is against the arrows: $order
a circle of folders: cudasim/src/machine -> cudasim/src/ptx -> cudasim/src/machine"
fault 'an include of the simulator without its folder' '"block.h" does not name its folder, as in "ptx/lex.h"' \
    cudasim/src/machine/machine.h '#include "block.h"'
fault 'what steps share in the simulator' '"../../../common/base/array.h" is of the course' \
    cudasim/src/machine/machine.h '#include "../../../common/base/array.h"'
object cudasim/src/ptx/lex.c 'int block(void);' 'int lex(void) { return block(); }'
expect 'a call against the order of modules' 1 \
    "cudasim/src/ptx/lex.c: block of cudasim/src/machine/block.c is against the arrows: $order"
suffix=.v4 object cudasim/src/exec/add.c 'int open(void);' 'int machine(void);' \
    'int add(void) { return open() + machine(); }'
object cudasim/src/cuda/open.c 'int open(void) { return 1; }'
expect 'a call from one instruction set'\''s handlers' 1 \
    "cudasim/src/exec/add.c: open of cudasim/src/cuda/open.c is against the arrows: $order"
object cudasim/src/ptx/lex.c 'extern int state;' 'int lex(void) { return state; }'
object cudasim/src/machine/state.c 'int state = 1;'
expect 'a variable against the order of modules' 1 \
    "cudasim/src/ptx/lex.c: state of cudasim/src/machine/state.c is against the arrows: $order"
object cudasim/src/machine/block.c 'int machine(void);' 'int block(void) { return machine(); }'
expect 'files of a module that call one another' 1 \
    'a circle of calls: cudasim/src/machine/block.c -> cudasim/src/machine/machine.c -> cudasim/src/machine/block.c'
put cudasim/src/machine/fault.c 'int fault(void) { return 1; }'
expect 'a source that is not built' 0 'cudasim: the calls of 1 of 5 files are not checked: make sim builds them'
touch -d '1 minute' tree/cudasim/src/ptx/lex.c
expect 'one that is newer than its object' 0 'cudasim: the calls of 1 of 4 files are not checked: make sim builds them'
put cudasim/src/run/run.c ''
expect 'a folder that is no module' 1 'cudasim/src/run: no module that SIMULATOR in scripts/check_layout.py lists'
put cudasim/src/run.c ''
expect 'a file in no module of the simulator' 1 \
    "cudasim/src/run.c: a file of cudasim/src belongs into a module's folder"
repeat 23 'put cudasim/src/machine/part$i.h "" && object cudasim/src/machine/part$i.c ""'
expect '25 files, header and source counted as one' 0 ''
repeat 24 'put cudasim/src/machine/part$i.h "" && object cudasim/src/machine/part$i.c ""'
expect '26 files of a module' 1 'cudasim/src/machine: 26 files, more than 25'

rm -r tree/common
expect 'no tree at all' 2 'check_layout: tree has no folder common'

ended
