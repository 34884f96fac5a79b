#!/bin/sh
# Step 6's best in the simulator where multistage computes: problems of which tiles are divided along K, all or those
# of the last wave, and problems of which none is; every type and layout, rows on and off 16 bytes. And a C of few rows
# or columns. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"

# divides M N K OPTION...: best's result is right, nothing is found, and there are more blocks than tiles of C.
# keeps ...: as many.
computes() {
    name="$*" divided=$1 m=$2 n=$3 k=$4
    shift 4
    # a GPU without wgmma, unless the options name another
    ./step06/run --sim-device sm_80 --variant best --m "$m" --n "$n" --k "$k" "$@" --counters-csv "$work/csv" \
        >"$work/out" 2>&1 &&
        grep -q '^best .* [01]\.[0-9]*$' "$work/out" &&
        grep 'gemm_multistage<' "$work/csv" |
            sed -n 's/.*(gemm_layout)[01], [a-z]*, \([0-9]*\), \([0-9]*\), .*",\([0-9]*\)x1x1,.*/\1 \2 \3/p' |
            sort -u >"$work/kernels" &&
        read -r bm bn blocks <"$work/kernels" &&
        tiles_m=$(((m + bm - 1) / bm)) tiles_n=$(((n + bn - 1) / bn)) &&
        [ "$divided" = $((blocks > tiles_m * tiles_n)) ]
    counted $? "$name"
}
# thin KERNEL M N K OPTION...: computed by that kernel of thin.cu or little.cu.
mkdir -p "$work/cheap/kernel-ladder"
printf 'H200 (simulated)\tthin\t0.2\n' >"$work/cheap/kernel-ladder/tensorcore.costs"
thin() { # for whom these are cheap
    name="$*" kernel=$1 m=$2 n=$3 k=$4
    shift 4
    XDG_CACHE_HOME=$work/cheap ./step06/run --sim --variant best --m "$m" --n "$n" --k "$k" "$@" \
        --counters-csv "$work/csv" >"$work/out" 2>&1 &&
        grep -q '^best .* [01]\.[0-9]*$' "$work/out" && grep -q "$kernel" "$work/csv"
    counted $? "$name"
}
divides() { computes 1 "$@"; }
keeps() { computes 0 "$@"; }

divides 100 100 3001 --beta 2
divides 100 99 3000 --lda 3008 --ldb 3008 --beta 2
divides 18 1000 1000 --lda 1008 --ldb 1008 --ldc 1001
divides 2 300 2000 --layout nn --ldc 301 --beta 1
divides 1000 19 900 --layout nn --dtype bf16 --misalign 3
divides 140 141 1000 --layout nn --dtype bf16 --out f32 --ldb 152 --beta -0.5
divides 33 500 2000 --dtype s8 --ldc 501 --beta 2
divides 65 65 1111 --dtype s8
divides 20 500 2001 --dtype tf32 --beta 1
divides 64 63 1200 --dtype tf32 --layout nn
divides 130 1 4000 --dtype tf32 --layout nn --misalign 1
# Parts of unequal length, the last one short. A tile of K, less and nothing, which nobody divides.
divides 17 19 515 --misalign 1
keeps 100 1100 64 --ldc 1101
keeps 70 65 31 --dtype tf32 --beta 2
keeps 257 129 0 --dtype s8 --lda 16 --ldb 16 --ldc 131 --beta 2
# More tiles than multiprocessors: one wave of whole tiles, then the parts of the others, which wait for one another
# (for whom this is cheap).
mkdir -p "$work/meet/kernel-ladder"
printf 'A10 (simulated)\t%s\t%s\n' stage_meet 300 stage_sums 40 alone 0.4 >"$work/meet/kernel-ladder/tensorcore.costs"
export XDG_CACHE_HOME="$work/meet"
divides 465 580 1361 --lda 1368 --ldb 1368 --ldc 581 --sim-device sm_86
unset XDG_CACHE_HOME
# Less shared memory, and so room for fewer blocks.
divides 100 100 3001 --sim-device sm_86
divides 100 100 2000 --layout nn --lda 2000 --ldb 104 --sim-device sm_80

# Long columns of a few: by persistent, in parts, since thin loads a row of B by single elements.
./step06/run --sim --variant best --dtype bf16 --layout nn --m 24 --n 8 --k 1672 >"$work/out" 2>&1
check 'few columns of a long K in nn' 'said "^best .*0\.[0-9]*$" && ! said "by multistage"'

# One column is the same in both layouts: the same kernel, the same blocks.
column() {
    for layout in tn nn; do
        ./step06/run --sim --variant best --layout $layout --n 1 "$@" --counters-csv "$work/csv" >"$work/out" 2>&1 &&
            grep -q '^best .* 0\.[0-9]*$' "$work/out" && ! grep -q transposed "$work/out" &&
            sed -n 's/^"best","[^"]*",\("[^"]*",[^,]*,[^,]*\),.*/\1/p' "$work/csv" | sort -u >"$work/$layout" &&
            [ -s "$work/$layout" ] || return 1
    done
    cmp -s "$work/tn" "$work/nn"
}
for problem in '--m 18 --k 7323' '--m 300 --k 1000 --dtype tf32' '--m 33 --k 65 --dtype bf16 --misalign 1 --beta 2'; do
    # shellcheck disable=SC2086 # several words
    check "one column: $problem" 'column $problem'
done
# Two blocks of the thin kernel would wait for memory fifteen times.
./step06/run --sim --variant best --m 18 --n 1 --k 7323 --layout tn --counters-csv "$work/csv" >"$work/out" 2>&1
check 'one column of a long K: by a kernel that divides it' \
    'grep -q "^best .* 0\.[0-9]*$" "$work/out" && ! grep -q gemm_thin "$work/csv"'

thin gemm_little 69 29 53 --beta 2
thin gemm_little 37 45 67 --layout nn --lda 140 --ldb 51 --ldc 47 --misalign 1
thin gemm_little 21 19 15 --dtype bf16 --misalign 1
thin gemm_thin_rows 1 1030 700 --misalign 3 --beta 2
thin gemm_thin_rows 1 1030 701 --dtype bf16 --out f32
thin gemm_thin_rows 1000 1 705 --layout nn --ldb 3 --ldc 5 --beta 1
thin gemm_thin_rows 1000 1 9 --dtype bf16 --lda 11
thin gemm_thin_rows 1 1 100 --layout nn --ldb 3 --misalign 1
thin gemm_thin_rows 16 300 3000 --beta 2
thin gemm_thin_rows 9 37 1025 --dtype bf16 --ldc 39 --beta 1
thin gemm_thin_rows 300 7 2048 --dtype bf16 --out f32
thin gemm_thin_rows 140 11 500 --layout nn --ldc 12
thin gemm_thin_columns 1 1031 300 --layout nn --dtype bf16 --beta -0.5
thin gemm_thin_columns 1 37 300 --layout nn --misalign 5 --out f32
thin gemm_thin_k 300 130 1 --beta 2
thin gemm_thin_k 37 257 4 --layout nn --dtype bf16 --ldb 259 --ldc 260
thin gemm_thin_k 130 131 3 --out f32 --misalign 1
thin gemm_thin_k 6000 389 5 --ldc 391 --beta 2
thin gemm_thin_rows 1 60 0 --ldc 61 --beta 2

# Constants of the cache folder decide: these make multistage look as fast as can be. Damaged, they count for nothing.
export XDG_CACHE_HOME="$work/cache"
costs=$work/cache/kernel-ladder/tensorcore.costs
mkdir -p "$(dirname "$costs")"
says() {
    ./step06/run --sim --variant best --m 300 --n 400 --k 500 --lda 504 --ldb 504 2>"$work/err" >"$work/out" &&
        said "$1"
}
faster='by multistage: it is estimated to be faster'
check 'without a file' '! says "$faster" && [ ! -s "$work/err" ]'
for name in step alone overhead; do printf 'H200 (simulated)\t%s\t0.14\n' $name; done >"$costs"
check 'what the file says decides' 'says "$faster" && [ ! -s "$work/err" ]'
sed 's/H200/H100/' "$costs" >"$work/other" && cp "$costs" "$work/mine" && cp "$work/other" "$costs"
check "another GPU's count for nothing" '! says "$faster" && said "^best" && [ ! -s "$work/err" ]'
{ cat "$work/mine"; echo damaged; } >"$costs"
check 'a damaged file is told in one line, and the shipped constants count' \
    '! says "$faster" && said "^best" && [ "$(grep -c "tensorcore.costs: has a line that" "$work/err")" = 1 ]'

# The fit reads what was computed, and makes a file of it; its times here are made of nothing.
PLANS=$work/plans run build/tune/run --sim --sweep random --count 3 --max 100 --seed 5
awk '{ print NR * 10 "," $0 }' "$work/plans" >"$work/times"
run cudasim/cudasim build/tune/run --fit "$work/times" "$costs"
check 'the fit reads times' '[ "$status" = 0 ] && said "^fitted constants: regret .* in the mean of 3 problems"'
check 'and best takes what it writes' \
    'says "^best" && [ ! -s "$work/err" ] && grep -q "^H200 (simulated)	row_16	" "$costs"'
echo damaged >>"$work/times"
ends 'and no damaged ones' 1 '^--fit: a line makes no sense: damaged$' \
    cudasim/cudasim build/tune/run --fit "$work/times" "$work/fitted"
sed -n '/,square_any,/s/,[0-9]*,[01]$/,0,0/p' "$work/times" | head -n 1 >"$work/none"
ends 'nor a tile without columns' 1 '^--fit: no times: .*,square_any,.*,0,0$' \
    cudasim/cudasim build/tune/run --fit "$work/none" "$work/fitted"

ended
