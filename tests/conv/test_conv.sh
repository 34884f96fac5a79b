#!/bin/sh
# A convolution step, end to end in the simulator: tests/conv has a correct kernel and several with one fault each.
# Last line: "N passed, N failed".
set -u
program=build/tests/conv/run
. "$(dirname "$0")/../case.sh"

small='--n 2 --c 3 --h 7 --w 9 --k 5'
for layout in nchw nhwc; do
    for t in f32 f16 bf16; do
        kind="--layout $layout --dtype $t"
        # shellcheck disable=SC2086 # several options
        expect "a right kernel, $t $layout" 0 '^plain +2 +3 +7 +9 +5 +3 +3 +1 ' --variant plain $small $kind --bias \
            --alpha 2 --beta -0.5
        # shellcheck disable=SC2086
        expect "a dropped tap, $t $layout" 1 'exact pass: .* elements wrong \(m 126, n 5, k 27, alpha 1' \
            --variant drops_last $small $kind
        # shellcheck disable=SC2086
        expect "a write behind y, $t $layout" 1 '0 (elements|floats) after the end of y' --variant writes_past $small \
            $kind
    done
    # shellcheck disable=SC2086
    expect "a filter turned round, $layout" 1 'first at image 0, filter 0, row 0, column 0' --variant turned $small \
        --layout $layout
done
# faulty VARIANT OPTION...: its fault shows in this layer, and a right kernel passes.
faulty() {
    variant=$1
    shift
    # shellcheck disable=SC2086
    expect "$variant $*" 1 'exact pass: ' --variant "$variant" $small "$@"
    # shellcheck disable=SC2086
    expect "a right kernel $*" 0 '^plain .* s  ' --variant plain $small "$@"
}
faulty wraps --s 5
faulty pads_one --r 5 --pad 2
faulty swaps_strides --stride 2 --stride-w 1
faulty no_dilation --dilation 2
faulty no_bias --bias
faulty scales_bias --bias --alpha 2
expect 'y is read with beta 0' 1 'got nan' --variant reads_y
expect 'x is read with alpha 0' 1 'got nan' --variant reads_x --alpha 0
expect 'x is not read with alpha 0' 0 '^plain' --variant plain --alpha 0 --beta 2 --bias
expect 'x is read in front of its images' 1 'reads 4 bytes at x\[-[0-9]+\], but x is 32 x 196' --variant reads_border
expect 'products rounded to 16 bits' 1 'random pass: ' --variant rounds_products --c 64 --dtype bf16
expect 'nothing to compute' 0 'nothing to time; verified' --variant plain --n 0
expect 'a filter larger than the image' 0 'nothing to time; verified' --variant plain --h 2 --r 5 --pad 1
expect 'no product' 0 '^plain' --variant plain --c 0 --beta 2 --bias
expect 'misaligned operands' 0 '^plain' --variant plain --misalign 3 --bias
expect 'too large' 2 '^test_conv: n\*h\*w is more than 2000000000$' --n 2000000000 --h 3
expect 'help' 0 '^  --k N .*filters, channels of y' --help
expect 'the check list' 0 '^plain +[0-9]+ passed, 0 failed$' --variant plain --sweep check --every 2
every=4
[ -z "${KL_TEST_ALL:-}" ] || every=1
for variant in reads_x wraps pads_one swaps_strides no_dilation no_bias scales_bias drops_last turned; do
    expect "the check list finds $variant" 1 "^$variant +[0-9]+ passed, [1-9]" --variant $variant --sweep check \
        --dtype f32 --every $every
done
for sweep in networks square odd random; do
    expect "the $sweep sweep" 0 '^plain' --variant plain --sweep $sweep --csv "$work/csv" --bias
done
same 'rows say what they are' '' "$(awk -F, 'NR > 1 && ($3 != "conv" || $4 != "f32" || $13 != "sim" || $14 != "" ||
    $5 !~ /^nchw [0-9]+x[0-9]+x[0-9]+x[0-9]+ [0-9]+x[0-9]+ s[0-9] p[0-9](x[0-9])? d[12] bias$/)' "$work/csv")"
same 'a layer as a product of matrices' '512 16 147' "$(awk -F, '$5 ~ /^nchw 2x3x32x32 7x7 s2 p3/ {
    print $6, $7, $8 }' "$work/csv")"
rows=$(wc -l <"$work/csv")
expect 'channels at random, up to' 2 '^test_conv: --max 20000: more than 16384$' --sweep random --max 20000
expect 'resumed' 0 'simulated in' --variant plain --sweep networks --bias --csv "$work/csv" --resume
same 'a resumed sweep adds no row' "$rows" "$(wc -l <"$work/csv")"

ended
