#!/bin/sh
# Step 6's best in the simulator where multistage computes: problems of which tiles are divided along K, all or those
# of the last wave, and problems of which none is; every type and layout, rows on and off 16 bytes. Ends with "N passed,
# N failed".
set -u
. "$(dirname "$0")/../case.sh"

# divides M N K OPTION...: best's result is right, nothing is found, and there are more blocks than tiles of C.
# keeps ...: as many.
computes() {
    name="$*" m=$2 n=$3 k=$4 compare=$1
    shift 4
    ./step06/run --sim --variant best --m "$m" --n "$n" --k "$k" "$@" --counters-csv "$work/csv" >"$work/out" 2>&1 &&
        grep -q '^best .* [01]\.[0-9]*$' "$work/out" &&
        sed -n 's/.*gemm_multistage<.*(gemm_layout)[01], [a-z]*, \([0-9]*\), \([0-9]*\), .*",\([0-9]*\)x1x1,.*/\1 \2 \3/p' \
            "$work/csv" | sort -u >"$work/kernels" &&
        read -r bm bn blocks <"$work/kernels" &&
        [ "$blocks" "$compare" $(((m + bm - 1) / bm * ((n + bn - 1) / bn))) ]
    counted $? "$name"
}
divides() { computes -gt "$@"; }
keeps() { computes -eq "$@"; }

divides 100 100 3001 --beta 2
divides 100 99 3000 --lda 3008 --ldb 3008 --beta 2
divides 16 1000 1000 --lda 1008 --ldb 1008 --ldc 1001
divides 1 300 2000 --layout nn --ldc 301 --beta 1
divides 1000 3 900 --layout nn --dtype bf16 --misalign 3
divides 140 141 1000 --layout nn --dtype bf16 --out f32 --ldb 152 --beta -0.5
divides 33 500 2000 --dtype s8 --ldc 501 --beta 2
divides 65 65 1111 --dtype s8
divides 20 500 2001 --dtype tf32 --beta 1
divides 64 63 1200 --dtype tf32 --layout nn
divides 130 1 4000 --dtype tf32 --layout nn --misalign 1
# Parts of unequal length, the last one short. A tile of K, less and nothing, which nobody divides.
divides 17 19 515 --misalign 1
keeps 100 1100 64 --ldc 1101
keeps 70 65 33 --beta 2
keeps 257 129 0 --lda 8 --ldb 8 --ldc 131 --beta 2
# More tiles than multiprocessors: one wave of whole tiles, then the parts of the others, which wait for one another.
divides 465 580 1361 --lda 1368 --ldb 1368 --ldc 581 --sim-device sm_86
# Less shared memory, and so room for fewer blocks.
divides 100 100 3001 --sim-device sm_86
divides 100 100 2000 --layout nn --lda 2000 --ldb 104 --sim-device sm_80

ended
