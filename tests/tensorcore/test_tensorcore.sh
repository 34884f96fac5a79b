#!/bin/sh
# tf32x3 in the simulator beyond step 6's check list: infinities, NaNs and extreme magnitudes, tiles of both widths, and
# errors against K beside TF32's and FP32's. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"

# tried NAME COMMAND...: it succeeds.
tried() {
    name=$1
    shift
    run "$@"
    counted "$status" "$name"
}

program=build/tests/tensorcore/run
tried 'special values' "$program" special --sim
tried 'the same bits where tiles are divided along K' "$program" again --sim

# The rungs in f16, whose rows begin and end on 16 bytes: less than a tile, tiles that are not whole, K that ends within
# a tile, is shorter than the ring and goes round it; what lies between rows stays as it was. More tiles than
# multiprocessors are for those whose blocks take several, the last two of them on tiles of their own (with KL_TEST_ALL
# for all).
a_tile_a_block='wmma mma_sync mma_k8 ldmatrix swizzle stages warp_64x64 fragments interleaved pointers rasterized
    tma wgmma'
persistent='warp_specialised persistent_grid ping_pong cluster cooperative tma_store best'
rungs="$a_tile_a_block $persistent"
computes() { # VARIANT... -- OPTION...: all of these give a result
    variants=
    while [ "$1" != -- ]; do variants="$variants $1" && shift; done
    shift
    # shellcheck disable=SC2046,SC2086 # several words
    ./step06/run --sim $(printf -- ' --variant %s' $variants) "$@" >"$work/rows" 2>&1 || { cat "$work/rows"; return 1; }
    for variant in $variants; do
        grep -q "^$variant .* 0\.[0-9]*$" "$work/rows" || { echo "no result of $variant"; cat "$work/rows"; return 1; }
    done
}
for shape in '--m 1 --n 8 --k 8' '--m 129 --n 136 --k 72 --lda 80 --ldb 144 --ldc 144 --beta 1' \
    '--m 257 --n 72 --k 648 --alpha -0.5 --beta 2' '--m 1544 --n 1416 --k 72'; do
    case $shape in *1544*) [ -n "${KL_TEST_ALL:-}" ] || rungs=${persistent%cooperative*}tma_store ;; esac
    # shellcheck disable=SC2086 # several words
    tried "f16, $shape" computes $rungs -- $shape
    [ "$rungs" = "$a_tile_a_block $persistent" ] || continue
    # shellcheck disable=SC2086 # several words
    tried "f16 nn, $shape" computes mn_major best -- $shape --layout nn
done
tried 'f16, more tiles of 128 x 256 than multiprocessors' computes cooperative best -- --m 2056 --n 2184 --k 72
# shellcheck disable=SC2086 # several words
tried 'without products the rungs of mma.sync scale C' computes ${a_tile_a_block%%tma*} best -- --m 40 --n 64 --k 0 \
    --lda 8 --ldb 8 --beta 2
for refused in 'takes rows that begin and end on 16 bytes:--m 64 --n 64 --k 60' \
    'takes rows that:--m 64 --n 64 --k 64 --ldc 66' 'takes f16 in tn, and C in f16:--size 64 --dtype bf16' \
    'takes f16 in tn:--size 64 --layout nn' 'takes f16 in tn:--size 64 --out f32'; do
    # shellcheck disable=SC2086 # several words
    tried "19 refuse: $refused" eval './step06/run --sim ${refused#*:} >"$work/rows" &&
        [ "$(grep -c "skipped: ${refused%%:*}" "$work/rows")" = 19 ] && grep -q "^best .* 0\.[0-9]*$" "$work/rows"'
done
tried 'rows of B, of n, that end within 16 bytes' eval './step06/run --sim --layout nn --m 64 --n 60 --k 64 \
    --variant mn_major --variant best >"$work/rows" && grep -q "skipped: takes rows that begin" "$work/rows"'
tried 'tf32x3 in registers' computes three_products best -- --dtype tf32x3 --m 300 --n 260 --k 204 --beta 1

# So many tiles that they are 256 columns wide; rows of clusters in several groups; no whole cluster; unaligned rows.
# Each in one layout, with KL_TEST_ALL in both.
for layout in tn nn; do
    for shape in 'tn --m 255 --n 8701 --k 69 --beta 1' 'nn --m 3000 --n 900 --k 33' \
        'nn --m 129 --n 8704 --k 1 --alpha -0.5' 'tn --m 4400 --n 513 --k 47 --lda 49 --ldc 515 --beta 2'; do
        [ "${shape%% *}" = $layout ] || [ -n "${KL_TEST_ALL:-}" ] || continue
        shape=${shape#* }
        # shellcheck disable=SC2086 # several options
        tried "$layout, $shape" ./step06/run --sim --variant best --dtype tf32x3 --layout "$layout" $shape
    done
done

# Split in two, an operand loses at most 2^-23; FP32's own sums lose more at a large K.
tried 'errors' "$program" errors --sim --size 24 --max-k 256 --csv "$work/csv"
tried 'errors: a row a variant, kind of values and K' [ "$(wc -l <"$work/csv")" = 55 ]
tried 'errors: tf32x3 stays beside FP32, TF32 far from both' awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    $c["dtype"] == "tf32x3" && $c["error_max"] > 5e-7 { bad = 1 }
    $c["dtype"] == "tf32x3" && $c["k"] >= 128 { x3 += $c["error_mean"] }
    $c["dtype"] == "f32" && $c["k"] >= 128 { f32 += $c["error_mean"] }
    $c["dtype"] == "tf32" && $c["error_max"] < 1e-4 { bad = 1 }
    END { exit bad || !(x3 < f32) }' "$work/csv"
tried 'errors: a second run adds its rows' eval \
    '"$program" errors --sim --size 8 --max-k 1 --csv "$work/csv" && [ "$(grep -c ^variant "$work/csv")" = 1 ]'
tried 'on another GPU there is nothing to try' eval \
    'CUDASIM_DEVICE=sm_80 "$program" special --sim >"$work/out" && grep -q "^0 passed, 0 failed, 1 skipped" "$work/out"'
tried 'no such command' eval '! "$program" nonsense'

ended
