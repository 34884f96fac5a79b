#!/bin/sh
# Every configuration of step 9's best in f16 and bf16 in the simulator, on three blocks: whole tiles, whole tiles and
# parts, parts alone; each way that x and f come to the tiles, and y of any layout and alignment. Ends with
# "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"

# computes SAYS VARIANTS OPTION...: all variants give the right result, and each launch says this.
computes() {
    says=$1 variants=$2
    shift 2
    # shellcheck disable=SC2046,SC2086 # several words
    build/tests/conv_half/run --sim $(printf -- ' --variant %s' $variants) "$@" >"$work/out" 2>&1 &&
        ! grep -q skipped "$work/out" && ! grep '^by ' "$work/out" | grep -qvx "by $says" &&
        [ "$(grep -cx "by $says" "$work/out")" = $((2 * $(echo "$variants" | wc -w))) ]
    counted $? "$variants, $says: $*"
}

# bulk LOADER EXACT OPTION...: the same by all tiles with bulk stores, of which these exact ones have parts, too.
bulk() {
    loader=$1 of=$2
    shift 2
    computes "$loader, whole," 'wide square tall flat' "$@"
    computes "$loader, \(whole\|both\|parts\)," "$of" "$@"
}

# Sums that cost little, so that small problems have parts, whatever the shipped constants are.
export XDG_CACHE_HOME="$work"
mkdir -p "$work/kernel-ladder"
printf 'H200 (simulated)\t%s\t%s\n' sums 100 meet 200 each_part 4 >"$work/kernel-ladder/tensorcore.costs"

any='square_any tall_any flat_any small_any' pair='wide square exact_128'
halos='halo_64 halo_128'
exact='exact_64 exact_128' # and one that takes no pieces
for dtype in f16 bf16; do
    set -- --dtype $dtype --layout nhwc
    # Each tile in both types: several waves, rows of 16 and 8 bytes, pairs of blocks, mma.sync.
    computes 'pieces of 16, \(whole\|both\|parts\),' "$any" "$@" --n 3 --c 24 --h 11 --k 131 --bias --beta -1
    bulk 'pieces of 8' "$exact" "$@" --n 2 --c 20 --h 13 --k 72 --s 2 --dilation 2
    PAIRS=1 computes 'tiles 16, \(whole\|both\|parts\),' "$pair" "$@" --n 3 --c 72 --h 11 --k 200 --r 1 --bias --beta 2
    # Halos, with all filters in shared memory, several tiles a block, and with a ring of filters.
    computes 'halos 16, whole,' "$halos" "$@" --n 3 --c 40 --h 21 --w 30 --k 56 --bias --alpha -2 --beta 0.5
    PAIRS=1 computes 'halos 16, whole,' "$halos" "$@" --n 3 --c 136 --h 17 --w 20 --k 264 --r 2 --s 3
    computes 'pieces of 16, mma,' mma "$@" --n 2 --c 72 --h 9 --k 70 --bias --beta 0.5
    # How operands come to the tiles is the same code for both types, and tried of either (with KL_TEST_ALL, of both).
    if [ $dtype = f16 ] || [ -n "${KL_TEST_ALL:-}" ]; then
        # Several waves; sums of fewer steps than stages, of more, of one; pieces of 8 bytes.
        bulk 'pieces of 16' "$exact" "$@" --n 3 --c 72 --h 12 --k 136 --bias --beta 0.5
        computes 'pieces of 8, \(whole\|both\|parts\), x f' "$any" "$@" --n 2 --c 3 --h 23 --k 65 --r 7 --stride 2 \
            --bias
        bulk 'tiles 16' "$exact exact_192" "$@" --n 3 --c 128 --h 11 --k 192 --r 1 --bias --beta 2
        bulk 'tiles 16' "$exact exact_192" "$@" --n 3 --c 72 --h 11 --k 200 --r 1 --bias --beta 2
        computes 'tiles 16, \(whole\|both\),' "$any" "$@" --n 3 --c 72 --h 11 --k 203 --r 1 --beta 2
        # A place's windows by TMA: across images, and where a tap's channels are several.
        bulk 'windows 16' "$exact exact_192" "$@" --n 3 --c 64 --h 12 --k 192 --bias --beta 0.5
        computes 'windows 16, \(whole\|both\),' "$any" "$@" --n 3 --c 64 --h 11 --k 131 --r 1 --stride 2 --beta -1
        computes 'windows 16, parts,' "$any" "$@" --n 1 --c 192 --h 7 --k 50 --bias --alpha -0.5 --beta 2
        # Where a tap's last channels are zeros, by pairs, of which the second block may have no place.
        PAIRS=1 computes 'windows 16, \(whole\|parts\),' "$pair" "$@" --n 3 --c 152 --h 11 --k 200 --bias --beta 0.5
        # Halos of slices that have a part of their channels, of two slices whose filters stay, of nine taps in a row.
        computes 'halos 16, whole,' "$halos" "$@" --n 2 --c 72 --h 30 --w 9 --k 200 --dilation 2 --pad 3 --beta 1
        PAIRS=1 computes 'halos 16, whole,' "$halos" "$@" --n 5 --c 128 --h 25 --w 17 --k 64 --bias
        computes 'halos 16, whole,' halo_128 "$@" --n 3 --c 64 --h 17 --w 30 --k 128 --r 1 --s 9 --pad 4
        # Pixels of 16 and of 32 channels; what is copied first; no halo where a place's neighbour is two pixels on.
        computes 'halos 16, whole,' "$halos" "$@" --n 1 --c 16 --h 50 --w 20 --k 32 --r 4 --beta 2
        computes 'halos 16, whole,' "$halos" "$@" --n 1 --c 24 --h 50 --w 20 --k 136 --r 5 --s 2 --pad 1 --bias
        computes 'halos 16, whole, x f' "$halos" "$@" --n 2 --c 27 --h 19 --k 64
        computes 'halos 16, whole, x f' "$halos" "$@" --n 2 --c 3 --h 19 --k 64 --r 7
        # One tap: all places in patches without gaps, or, if they are no multiple of 8, each image on its own.
        computes 'halos 16, whole,' "$halos" "$@" --n 6 --c 40 --h 18 --w 14 --k 40 --r 1 --bias --beta 1
        computes 'halos 16, whole,' halo_128 "$@" --n 3 --c 136 --h 9 --k 200 --r 1
        ends 'no halos of a stride of 2' 2 'skipped: there is no such plan' build/tests/conv_half/run --sim \
            --variant halo_64 "$@" --c 64 --h 9 --k 64 --stride 2
        ends 'no places' 0 '^mma .*; verified' build/tests/conv_half/run --sim --variant mma "$@" --c 8 --h 2 \
            --k 8 --r 5 --pad 0
        # Parts behind whole tiles, with a bias, which only one part may add. Planes.
        computes 'pieces of 16, both,' "square_any small_any flat_any" "$@" --c 136 --h 25 --n 1 --k 64 --bias
        computes 'pieces of 16, both,' tall_any "$@" --c 136 --h 22 --n 1 --k 64 --bias
        computes 'pieces of 16, \(whole\|both\|parts\), x f' "$any" --dtype $dtype --n 3 --c 13 --h 13 --k 70 \
            --bias --beta 0.5
        computes 'pieces of 8, mma, x f' mma --dtype $dtype --n 2 --c 3 --h 9 --k 70 --bias --beta 0.5
        # Steps of parts of taps, parts of one tile, operands off 16 bytes ...
        bulk 'pieces of 16' "$exact" "$@" --n 3 --c 24 --h 11 --k 200 --stride 2 --alpha 2
        computes 'windows 16, [a-z]*, x f' "$any" --dtype $dtype --n 2 --c 59 --h 11 --k 70 --bias --beta 0.5
        computes 'pieces of 8, parts, f' "$any" "$@" --c 52 --h 6 --n 1 --k 31 --r 5
        computes 'pieces of 16, parts, x f' "$any" --dtype $dtype --n 1 --c 130 --h 7 --k 50 --bias --beta 2
        computes 'pieces of 16, \(whole\|both\|parts\), x f' "$any" "$@" --misalign 3 --n 2 --c 24 --h 9 --k 64 --beta 1
    fi
    # ... everything that moves windows, tiles in parts, operands off 8 bytes.
    if [ $dtype = bf16 ] || [ -n "${KL_TEST_ALL:-}" ]; then
        bulk 'windows 16' "$exact" "$@" --n 3 --c 128 --h 15 --w 9 --k 136 --r 5 --s 2 \
            --stride 2 --stride-w 1 --dilation 1 --dilation-w 3 --pad 3 --pad-w 1
        PAIRS=1 computes 'windows 16, \(whole\|parts\),' "$pair" "$@" --n 1 --c 248 --h 15 --w 9 --k 264 --r 2 \
            --s 3 --stride 2 --pad 2 --alpha 2
        computes 'pieces of 16, parts,' "$any" "$@" --c 200 --h 7 --n 1 --k 50 --bias --alpha -0.5 --beta 2
        computes 'tiles 16, parts,' "$any" "$@" --c 1000 --h 7 --n 1 --k 33 --r 1 --bias
        computes 'tiles 16, \(whole\|both\), x' "$any" --dtype $dtype --n 2 --c 40 --h 11 --k 70 --r 1
        computes 'pieces of 8, \(whole\|both\|parts\), f' "$any" "$@" --misalign 4 --n 2 --c 24 --h 9 --k 64
    fi
done
same_bits '^by.*both' build/tests/conv_half/run --sim --variant square_any --variant small_any --layout nhwc \
    --dtype f16 --c 136 --h 25 --n 1 --k 64 --bias
# Without wgmma, and as it is chosen with it.
# shellcheck disable=SC2016 # eval expands it
for how in 'sm_80 f16 nhwc' 'sm_80 bf16 nchw' 'sm_90 f16 nchw' 'sm_90 bf16 nhwc'; do
    # shellcheck disable=SC2086 # three words
    set -- $how
    run step09_conv/run --sim-device "$1" --variant best --dtype "$2" --layout "$3" --sweep check
    check "best's check list, $how" eval '[ "$status" = 0 ] && said "^best .* 0 failed"'
done
# Where a place's neighbours are pixels apart, and where they are not.
for of in 'half_halo< --stride 1' 'half_[te] --stride 2'; do
    # shellcheck disable=SC2086 # an option
    ends "3 x 3 by ${of%% *}" 0 "^best, .*: void conv_half<.*${of%% *}" ./step09/run --sim --counters \
        --variant best --dtype bf16 --layout nhwc --n 10 --c 16 --h 64 --k 32 ${of#* }
done
# One tap, no pixel left out: a product of matrices, which step 6 computes, but for a bias or a stride.
for of in 'gemm_' 'conv_half --bias' 'conv_half --stride 2'; do
    # shellcheck disable=SC2086 # an option
    ends "1 x 1 by ${of%% *}${of#"${of%% *}"}" 0 "^best, .*: void ${of%% *}" step09_conv/run --sim --counters \
        --variant best --dtype f16 --layout nhwc --n 1 --c 64 --h 8 --k 64 --r 1 ${of#"${of%% *}"}
done

ended
