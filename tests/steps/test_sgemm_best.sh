#!/bin/sh
# Step 5's best in the simulator: shapes at which it takes each of its kernels, whole tiles and tiles divided among
# workers, a B that is copied in words, in float4 and aligned first, C stored directly and by way of shared memory. A
# kernel that no shape takes is a failure, too. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
device=sm_90

# computes M N K OPTION...: best's result is right, nothing is found, and its kernels are in $work/kernels.
computes() {
    name="$*" m=$1 n=$2 k=$3
    shift 3
    ./step05/run --sim-device "$device" --variant best --m "$m" --n "$n" --k "$k" "$@" --counters-csv "$work/csv" \
        >"$work/out" 2>&1 &&
        grep -q '^best .* 0\.[0-9]*$' "$work/out"
    counted $? "$name"
    grep -o 'sgemm_[a-z_]*<[^(]*\|sgemm_words\|align_rows' "$work/csv" | sort -u >"$work/kernels"
    cat "$work/kernels" >>"$work/all"
}
uses() { # KERNEL: the problem before was computed with it
    grep -q -e "$1" "$work/kernels" || { cat "$work/kernels" >"$work/out" && false; }
    counted $? "$name: by $1"
}

# An H200 has 132 multiprocessors. Short k: C small and narrow, and large; whole float4 and not; k of several copies.
computes 1 1 1
uses sgemm_words
computes 17000 1 2 --beta 2
uses sgemm_words
computes 300 37 9 --lda 11 --ldb 39 --ldc 41 --beta 2
uses sgemm_words
computes 191 708 1 --beta 2
uses 'sgemm_short<true>'
computes 1004 135 3 --lda 5 --ldb 137 --ldc 139 --beta 2
uses 'sgemm_short<false>'
computes 600 900 36
uses 'sgemm_short<true>'
computes 500 300 0 --beta 2
uses sgemm_short
# Thin: few rows, few columns; whole float4 and not; k among the warps of a block, and among blocks.
computes 1 4244 36 --beta 2
uses 'sgemm_strips<2, true>'
computes 1 539 376
uses 'sgemm_strips<2, false>'
computes 7 2139 385 --lda 387 --ldb 2141 --ldc 2143 --beta 2
uses 'sgemm_strips<8, false>'
computes 5 11616 41
uses 'sgemm_strips<8, true>'
computes 9 2200 1786 --beta 2
uses 'sgemm_strips<16, true>'
computes 9 2135 2327
uses 'sgemm_strips<16, false>'
computes 1000 1 1000 --beta 2
uses 'sgemm_dots<1'
computes 300 1 500 --lda 501 --ldb 3 --ldc 2
uses 'sgemm_dots<1'
computes 1 1 20001
uses 'sgemm_dots<1'
computes 1 272 130 --beta 2
uses 'sgemm_dots<8, true>'
computes 1 32 16824
uses 'sgemm_dots<8, true>'
computes 73 7 5278 --lda 5279 --ldb 9 --ldc 8 --beta 2
uses 'sgemm_dots<8, false>'
# Tiles. An A100 has 108 multiprocessors, which smaller problems fill; its tiles are the same.
device=sm_80
computes 1 1 25
computes 1 4 25
computes 1 3603 28 --ldc 3605 --beta 2
computes 1 3476 26
computes 13 7935 43 --beta 2
computes 11 6948 41
computes 10879 4 61
computes 1100 32 384 --beta 2
computes 600 31 384
computes 160 232 1022 # 40 tiles among 216 workers: many parts of a tile, which end anywhere
uses 'sgemm_best<tile_shape<32, 32'
computes 4400 13 129
computes 311 192 1200 --beta 2
computes 1782 33 513
computes 3564 40 240
computes 3564 33 240
computes 972 240 513
computes 1296 500 256 --beta 2
computes 640 2500 48
computes 640 2500 48 --ldc 2501 --beta 2
computes 384 2428 129 --beta 2
computes 384 2428 129 --ldc 2429
computes 640 2501 96 --ldb 2503 --beta 2
computes 8100 100 192
computes 8100 100 192 --ldc 101 --beta 2
computes 8100 72 129
computes 1458 768 120 --ldc 769 --beta 2
computes 1782 900 31
computes 1620 513 144
computes 4860 520 160 --no-check # for time's sake
computes 4860 520 160 --ldc 521 --no-check
computes 4860 513 32
computes 11706 68 63 --no-check # for time's sake
computes 11706 68 63 --ldc 69 --beta 2 --no-check
computes 10531 196 43 --no-check
computes 10531 196 43 --ldc 197 --no-check
computes 11180 203 45 --no-check
computes 7160 333 42 --no-check
computes 14268 76 63 --no-check
computes 7613 136 45 --no-check
computes 6229 137 106 --ldb 139 --ldc 138 --beta 2 --no-check
uses align_rows
nm -C build/obj/step05_doublebuffer/best/best.cu.o | sed -n 's/.* t void \(sgemm_[a-z_]*<.*>\)([^)]*)$/\1/p' |
    sort -u >"$work/kernels"
sort -u "$work/all" | comm -13 - "$work/kernels" >"$work/out"
[ "$(wc -l <"$work/kernels")" = 45 ] && ! [ -s "$work/out" ]
counted $? "kernels that no shape above takes"

device=sm_90
# Rows of A, B and C with padding, all off 16 bytes: what lies between them stays as it was.
computes 130 129 255 --lda 257 --ldb 131 --ldc 133 --beta 2
# Nothing to add up, nothing to store.
computes 33 129 0 --beta 2
for empty in '0 129 64' '129 0 64'; do
    # shellcheck disable=SC2086 # several numbers
    set -- $empty
    run timeout 60 ./step05/run --sim --variant best --m "$1" --n "$2" --k "$3"
    counted "$status" "$empty"
done

# The same bits whichever block is the last to leave its sums: k divided among warps, threads and blocks.
for shape in '1 61 5000' '9 500 640' '1 1 20001' '40 7 6000' '1 8 9000' '300 1 5000' '160 288 1000' '64 64 4000'; do
    # shellcheck disable=SC2086 # three numbers
    set -- $shape
    same_bits '^best .* s ' build/tests/steps/same_bits --sim --m "$1" --n "$2" --k "$3"
done

# More workers than multiprocessors have room for (114 on 72, 284 on 142), who wait for those before them. And 99 KB of
# shared memory, where a tile of 128 x 256 has no way to C but the direct one.
device=sm_86
computes 624 33 1500
uses 'sgemm_best<tile_shape<32, 32'
device=sm_89
computes 752 33 3000 --no-check
uses 'sgemm_best<tile_shape<32, 32'
device=sm_86
computes 7456 129 64 --beta 2
uses 'sgemm_whole_tiles<tile_shape<128, 256.*, true, true>'
device=sm_80
computes 8000 257 64 --no-check

ended
