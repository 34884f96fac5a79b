#!/bin/sh
# Every tile of step 9's FP32 best in the simulator: whole, divided unevenly, and in parts, over the check list and
# shapes of several tiles; far taps; the same bits. Last line: "N passed, N failed".
set -u
program=build/tests/conv_best/run
. "$(dirname "$0")/../case.sh"

every=181
[ -z "${KL_TEST_ALL-}" ] || every=5
expect 'the check list' 0 '^split_6 +[0-9]+ passed, 0 failed' --sweep check --every $every
# tried FOR NAME PATTERN OPTION...: in this layout, if it is like FOR or with KL_TEST_ALL: each is enough for one.
tried() {
    # shellcheck disable=SC2254 # a pattern
    case $layout in $1) ;; *) [ -n "${KL_TEST_ALL-}" ] || return 0 ;; esac
    what=$2 shown=$3
    shift 3
    expect "$what, $layout" 0 "$shown" --layout $layout "$@"
}
for layout in nchw nhwc; do
    [ $layout = nchw ] && far_tile=6 || far_tile=5
    # Tiles that are whole in all directions and that are not in any, several images in one, y that is not aligned.
    tried '*' 'several tiles' '^split_5 .* s ' --n 3 --c 7 --h 6 --w 5 --k 133 --bias
    tried nchw 'whole tiles' '^split_5 .* s ' --n 1 --c 32 --h 16 --k 128 --r 1 --beta 2
    tried nhwc 'off alignment' '^split_5 .* s ' --n 2 --c 3 --h 8 --k 68 --misalign 1 --beta 2
    tried nchw 'images of one place' '^split_5 .* s ' --n 260 --c 2 --h 3 --k 35 --pad 0
    # More rows and columns of a filter than there are bits; an offset from one tap to another past 2^31.
    for far in 'nchw --r 1 --s 31 --w 40 --h 3' 'nhwc --r 17 --s 15 --h 8' \
        'n* --r 3 --h 3 --w 200 --dilation 20000000 --dilation-w 1 --pad 20000000 --pad-w 1'; do
        # shellcheck disable=SC2086 # several options
        tried "${far%% *}" "$far" "^split_$far_tile .* s " --variant whole_$far_tile --variant shared_$far_tile \
            --variant split_$far_tile --n 1 --c 3 --k 67 ${far#* }
    done
    expect "far taps are for one tile, $layout" 0 'skipped: is not for this layout or filter' --layout $layout \
        --variant whole_0 --variant "whole_$far_tile" --r 1 --s 31 --c 1 --k 1
done

for layout in nchw nhwc; do
    # shellcheck disable=SC2046 # several options
    same_bits '^shared_3 .* s ' $program --sim $(printf ' --variant shared_%s' 0 1 2 3 4 5 6) --layout $layout --n 3 \
        --c 13 --h 10 --k 140
done

# 200 blocks of a tile of which three fit: overlapping launches are to have two on each multiprocessor.
ends 'no more blocks than a launch has for each' 0 'blocks per SM by shared memory *2 ' \
    ./step09/run --sim --variant best --n 1 --c 19 --h 40 --k 500 --counters

ended
