#!/bin/sh
# Step 5's best in the simulator: shapes at which it takes each of its kernels, whole tiles and tiles divided among
# workers, a B that is copied in words, in float4 and aligned first, C stored directly and by way of shared memory. A
# kernel that no shape takes is a failure, too. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"

# computes M N K OPTION...: best's result is right, nothing is found, and its kernels are in $work/kernels.
computes() {
    name="$*" m=$1 n=$2 k=$3
    shift 3
    ./step05/run --sim --variant best --m "$m" --n "$n" --k "$k" "$@" --counters-csv "$work/csv" >"$work/out" 2>&1 &&
        grep -q '^best .* 0\.[0-9]*$' "$work/out"
    counted $? "$name"
    grep -o 'sgemm_[a-z_]*<[^(]*\|align_rows' "$work/csv" | sort -u >"$work/kernels"
    cat "$work/kernels" >>"$work/all"
}
uses() { # KERNEL: the problem before was computed with it
    grep -q -e "$1" "$work/kernels" || { cat "$work/kernels" >"$work/out" && false; }
    counted $? "$name: by $1"
}

# An H200 has 132 multiprocessors.
computes 16 16 1
computes 16 17 1
computes 16 16 400 --beta 2
computes 16 17 400 --beta 2
computes 96 736 2000 # 69 tiles among 264 workers: many parts of a tile, which end anywhere
computes 16 5000 1
computes 16 5001 1 --beta 2
computes 33 5000 1
computes 2500 65 1
computes 12000 16 1
computes 12000 17 1
computes 33 1100 1500 --beta 2
computes 1100 33 1500 --beta 2
computes 5000 48 256
computes 5000 33 256
computes 33 17000 256
computes 260 3000 256
computes 17000 16 1
computes 17000 65 1 --beta 2
uses align_rows
computes 8000 260 64 --beta 2
computes 8000 257 64 --beta 2
uses align_rows
computes 100 17000 100 --beta 2
computes 17000 129 65 --ldb 133 --ldc 131 --beta 2
uses align_rows
computes 17000 100 150
computes 17000 65 200
computes 6000 520 256 --no-check # for time's sake
computes 6000 513 256 --no-check
nm -C build/obj/step05_doublebuffer/best/best.cu.o | sed -n 's/.* t void \(sgemm_[a-z_]*<.*>\)([^)]*)$/\1/p' |
    sort -u >"$work/kernels"
sort -u "$work/all" | comm -13 - "$work/kernels" >"$work/out"
[ "$(wc -l <"$work/kernels")" = 26 ] && ! [ -s "$work/out" ]
counted $? "kernels that no shape above takes"

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

# More workers than multiprocessors have room for (114 on 72, 284 on 142), who wait for those before them. And 99 KB of
# shared memory, where a tile of 128 x 256 has no way to C but the direct one.
computes 624 33 1500 --sim-device sm_86
uses 'sgemm_best<tile_shape<32, 32'
computes 752 33 3000 --sim-device sm_89 --no-check
uses 'sgemm_best<tile_shape<32, 32'
computes 7456 129 64 --sim-device sm_86 --beta 2
uses 'sgemm_whole_tiles<tile_shape<128, 256.*, true, true>'
computes 8000 257 64 --sim-device sm_80 --no-check

ended
