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
# by KERNEL M N K OPTION...: the same, and the kernel is among them.
by() {
    kernel=$1
    shift
    computes "$@"
    grep -q -e "$kernel" "$work/kernels" || { cat "$work/kernels" >"$work/out" && false; }
    counted $? "$name: by $kernel"
}

# An H200 has 132 multiprocessors. Short k: C small and narrow, and large; whole float4 and not; k of several copies.
by sgemm_words 1 1 1
by sgemm_words 17000 1 2 --beta 2
by sgemm_words 300 37 9 --lda 11 --ldb 39 --ldc 41 --beta 2
by 'sgemm_short<true>' 191 708 1 --beta 2
by 'sgemm_short<false>' 1004 135 3 --lda 5 --ldb 137 --ldc 139 --beta 2
by 'sgemm_short<true>' 600 900 36
by sgemm_short 500 300 0 --beta 2
# Thin: few rows, few columns; whole float4 and not; k among the warps of a block, and among blocks.
by 'sgemm_strips<2, true>' 1 4244 36 --beta 2
by 'sgemm_strips<2, false>' 2 151 64
by 'sgemm_strips<8, false>' 7 2139 385 --lda 387 --ldb 2141 --ldc 2143 --beta 2
by 'sgemm_strips<8, true>' 5 11616 41
by 'sgemm_strips<16, true>' 10 4400 2000 --beta 2
by 'sgemm_strips<16, false>' 9 9775 385
by 'sgemm_dots<1' 1000 1 1000 --beta 2
by 'sgemm_dots<1' 300 1 500 --lda 501 --ldb 3 --ldc 2
by 'sgemm_dots<1' 1 1 20001
by 'sgemm_dots<8, true>' 1 272 130 --beta 2
by 'sgemm_dots<8, true>' 1 32 16824
by 'sgemm_dots<8, false>' 1 309 193 --lda 195 --ldb 310 --ldc 311 --beta 2
# Tiles, whole and divided. An A100 has 108 multiprocessors, which smaller problems fill; its tiles are the same. B in
# whole float4 and not, C the same. The large ones go without the simulator's checks, for time's sake.
device=sm_80
by 'sgemm_whole_tiles<tile_shape<32, 32.*, false, false>' 1 114 60
by 'sgemm_whole_tiles<tile_shape<32, 32.*, true, false>' 1 116 54 --beta 2
by 'sgemm_best<tile_shape<32, 32.*, false, false>' 148 63 366 --beta 2
by 'sgemm_best<tile_shape<32, 32.*, true, false>' 25 440 380 --ldc 441
# 56 tiles among 216 workers: several parts of a tile, which end anywhere.
by 'sgemm_best<tile_shape<32, 32.*, false, false>' 1770 10 1177 --beta 2
by 'sgemm_whole_tiles<tile_shape<32, 128.*, false, false>' 9 7190 76 --beta 2
by 'sgemm_whole_tiles<tile_shape<32, 128.*, true, false>' 9 9468 44
by 'sgemm_whole_tiles<tile_shape<64, 32.*, false, false>' 3513 9 132
by 'sgemm_whole_tiles<tile_shape<64, 32.*, true, false>' 5304 4 131 --beta 2
by 'sgemm_whole_tiles<tile_shape<64, 64.*, false, false>' 35 4587 178 --beta 2
by 'sgemm_best<tile_shape<64, 64.*, false, false>' 1773 34 533
by 'sgemm_whole_tiles<tile_shape<64, 64.*, true, false>' 3590 36 201
by 'sgemm_best<tile_shape<64, 64.*, true, false>' 901 36 1200 --beta 2
by 'sgemm_whole_tiles<tile_shape<64, 128, 32.*, true, false>' 116 3468 145 --beta 2
by 'sgemm_best<tile_shape<64, 128, 32.*, true, false>' 43 3472 452
by 'sgemm_whole_tiles<tile_shape<64, 128, 32.*, false, false>' 34 8837 121 --beta 2
by 'sgemm_best<tile_shape<64, 128, 32.*, false, false>' 34 3939 451
by 'sgemm_whole_tiles<tile_shape<64, 128, 16.*, false, false>' 7200 75 78
by 'sgemm_best<tile_shape<64, 128, 16.*, false, false>' 68 9683 87 --beta 2
by 'sgemm_whole_tiles<tile_shape<64, 128, 16.*, true, true>' 5580 164 61 --beta 2
by 'sgemm_best<tile_shape<64, 128, 16.*, true, true>' 1069 828 82
by 'sgemm_whole_tiles<tile_shape<64, 128, 16.*, true, false>' 5681 144 61 --ldc 145
by 'sgemm_best<tile_shape<64, 128, 16.*, true, false>' 116 6932 83 --ldc 6933 --beta 2
by 'sgemm_whole_tiles<tile_shape<128, 64.*, false, false>' 6971 35 68 --beta 2
by 'sgemm_best<tile_shape<128, 64.*, false, false>' 6984 34 136
by 'sgemm_whole_tiles<tile_shape<128, 64.*, true, true>' 7022 40 65
by 'sgemm_best<tile_shape<128, 64.*, true, true>' 6945 44 133 --beta 2
by 'sgemm_whole_tiles<tile_shape<128, 64.*, true, false>' 10977 36 45 --ldc 37 --beta 2
by 'sgemm_best<tile_shape<128, 64.*, true, false>' 7054 48 129 --ldc 49
by 'sgemm_whole_tiles<tile_shape<96, 256.*, true, false>' 2578 964 38 --beta 2 --no-check
by 'sgemm_best<tile_shape<96, 256.*, true, false>' 88 10624 245 --ldc 10625 --no-check
by 'sgemm_whole_tiles<tile_shape<256, 96.*, true, false>' 8326 276 41 --no-check
by 'sgemm_best<tile_shape<256, 96.*, true, false>' 2807 260 329 --beta 2 --no-check
by 'sgemm_whole_tiles<tile_shape<128, 256.*, true, false>' 470 5552 64 --ldc 5553 --no-check
by 'sgemm_best<tile_shape<128, 256.*, true, false>' 214 4552 813 --ldc 4553 --beta 2 --no-check
by align_rows 7413 9 1853 --beta 2 --no-check
# 72 multiprocessors, and 99 KB of shared memory, where the largest tile has no way to C but the direct one.
device=sm_86
by 'sgemm_whole_tiles<tile_shape<128, 256.*, true, true>' 1828 916 61 --ldc 917 --beta 2 --no-check
by 'sgemm_best<tile_shape<128, 256.*, true, true>' 510 1436 753 --ldc 1437 --no-check
# Three blocks of this tile are to share a multiprocessor, but there is room for two: 37 tiles have three workers each.
by 'sgemm_best<tile_shape<128, 64.*, true, true>' 4708 48 130 --beta 2 --no-check
grep -q ',111x1x1,' "$work/csv"
counted $? "4708 48 130: workers that find room"
nm -C build/obj/step05_doublebuffer/best/best.cu.o | sed -n 's/.* t void \(sgemm_[a-z_]*<.*>\)([^)]*)$/\1/p' |
    sort -u >"$work/kernels"
sort -u "$work/all" | comm -13 - "$work/kernels" >"$work/out"
[ "$(wc -l <"$work/kernels")" = 47 ] && ! [ -s "$work/out" ]
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

# More workers than multiprocessors have room for (120 on 72, 284 on 142), who wait for those before them.
device=sm_86
by 'sgemm_best<tile_shape<32, 32' 624 33 1500
device=sm_89
by 'sgemm_best<tile_shape<32, 32' 752 33 3000 --no-check

ended
