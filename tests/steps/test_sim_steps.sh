#!/bin/sh
# Every step in the simulator: a part of the check list, the sweeps at small sizes, what --list says, every GPU it can
# stand for, the records, the exit statuses; and kernels with planted faults, which must be found. With KL_TEST_ALL=1
# (make test-all) more of the check list, on every GPU and in every instruction set, and larger products. Ends with
# "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
unset CUDASIM_LIB
all=${KL_TEST_ALL:-}

# on_device DIR DEVICE OPTION...: every variant that --list names either passes there or says why it is skipped.
on_device() {
    dir=$1 device=$2
    shift 2
    "$dir/run" --sim-device "$device" --list >"$work/list" 2>&1
    run "$dir/run" --sim-device "$device" "$@"
    check "${dir%%_*} $* on $device: every variant passes, or is skipped and says why" eval \
        '[ "$status" = 0 ] && said "(simulated) ($device, " && awk -v said="$work/out" '"'"'
            BEGIN { while ((getline line < said) > 0) { split(line, word, " "); how[word[1]] = line } }
            /^[a-z]/ {
                listed++
                if (how[$1] ~ / skipped: [^ ]/) next
                if (how[$1] ~ /  [0-9.]+ s  /) ran++; else { print $1 " neither ran nor was skipped"; bad = 1 }
            }
            END { exit bad || !listed || !ran }'"'"' "$work/list"'
}

# has_size DIR: its problems are named by --size, as GEMM's are. A family that has none, and is not named below, is run
# at its own default.
has_size() { "$1/run" --help | grep -q '^  --size'; }

# checked DIR: every variant on a few shapes, of which most divide no tile; the simulator's checks find nothing, nor
# leaks.
checked() {
    case $1 in
    step07_*) shapes='--n 1 --k 1|--n 33 --k 130|--n 257 --k 65|--n 64 --k 1024|--n 300 --k 77 --alpha 2 --beta 3' ;;
    step08_*)
        shapes='--m 1 --n 70 --d 3 --k 5|--m 5 --n 700 --d 40 --k 96|--m 33 --n 257 --d 17 --k 1'
        shapes="$shapes|--m 2 --n 1100 --d 8 --k 300|--m 16 --n 300 --d 64 --k 64"
        ;;
    step09_*)
        shapes='--n 1 --c 1 --h 1 --k 1 --r 1|--n 2 --c 3 --h 17 --w 13 --k 70 --stride 2 --bias'
        shapes="$shapes|--n 3 --c 9 --h 6 --k 130 --pad 3 --dilation 2 --alpha 2 --beta 3|--n 130 --c 5 --h 3 --k 65"
        shapes="$shapes|--n 1 --c 64 --h 12 --k 64 --r 1 --misalign 3"
        shapes="$shapes|--layout nhwc --n 3 --c 12 --h 7 --k 70 --stride 2 --alpha 2 --beta 3 --bias"
        for type in f16 bf16; do
            shapes="$shapes|--layout nhwc --dtype $type --n 3 --c 40 --h 7 --k 136 --dilation 2 --beta 3 --bias"
        done
        ;;
    *)
        shapes='--size 64|--m 1 --n 200 --k 70|--m 33 --n 65 --k 17|--m 200 --n 130 --k 131'
        shapes="$shapes|--m 129 --n 127 --k 66 --alpha 2 --beta 3"
        has_size "$1" || shapes=
        ;;
    esac
    echo "$shapes" | tr '|' '\n' >"$work/shapes"
    while read -r shape; do
        # shellcheck disable=SC2086 # several options
        run "$1/run" --leak-check $shape </dev/null
        check "${1%%_*} $shape: nothing is found" eval '[ "$status" = 0 ] && ! said "^cudasim: "'
    done <"$work/shapes"
}

# The GPUs that the simulator can stand for.
run step01_naive/run --sim-device none
devices=$(sed -n 's/.*(known: \(.*\)).*/\1/p' "$work/out" | tr -d ,)
check "the known devices are named" eval '[ -n "$devices" ]'

for dir in step[0-9][0-9]_*; do
    step=${dir%%_*} size="--size 96" small="--size 48"
    case $step in # how much of the list: steps 6 and 7 have it once for each type
    step06) every=${all:+5} every=${every:-29} ;;
    step07) every=${all:+1} every=${every:-13} ;;
    step08) every=2 size="--m 5 --n 700 --d 20 --k 96" small="--m 5 --n 300 --d 20 --k 40" ;;
    step09) # sums of 24 x 2 x 2 products
        every=${all:+1} every=${every:-7}
        size="--n 1 --c 24 --h 9 --k 20 --r 2" small=$size
        ;;
    *)
        every=${all:+1} every=${every:-3}
        has_size "$dir" || size='' small=''
        ;;
    esac
    if [ "$step" != step08 ] || [ -n "$all" ]; then # tests/knn has it, with the checks
        run "$dir/run" --sim --no-check --sweep check --every $every
        added "$step: the check list"
    fi
    checked "$dir"
    run "$dir/run" --sim --list --verbose
    check "$step: --list --verbose gives registers and occupancy" eval \
        '[ "$status" = 0 ] && said "(simulated)" && said "registers per thread" && said "% occupancy"'
    csv=$work/$step.csv
    article=128 # its least sides; a sweep without a shape is refused
    [ "$step" != step07 ] || article=1024
    sweeps="square:128 article:$article odd:256"
    case $step in
    step08) sweeps= ;; # its only list is the one above
    step09) sweeps="square:16 networks:16 odd:23" ;;
    esac
    [ -n "$size" ] || sweeps=
    for sweep in $sweeps; do
        run "$dir/run" --sim --no-check --sweep "${sweep%:*}" --max-size "${sweep#*:}" --csv "$csv"
        check "$step: --sweep ${sweep%:*} up to ${sweep#*:}" eval '[ "$status" = 0 ]'
    done
    if "$dir/run" --help | grep -q '^  --spread'; then
        count=5 most=64
        [ "$step" != step09 ] || [ -n "$all" ] || count=1 most=24
        run "$dir/run" --sim --sweep random --max $most --count $count --csv "$csv"
        check "$step: --sweep random" eval '[ "$status" = 0 ]'
    fi
    # shellcheck disable=SC2086 # several options
    run "$dir/run" --sim $size --csv "$csv"
    check "$step: a row a variant, in mode sim, without a time" eval \
        '[ "$status" = 0 ] && awk -F, -v size="$size" '"'"'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
            $c["mode"] != "sim" || $c["ms_median"] != "" || $c["device"] !~ /simulated/ { bad = 1 }
            $c["op"] != "knn" && ($c["max_err_bound_share"] == "" || $c["max_err_bound_share"] > 1) { bad = 1 }
            size == "" || $c["k"] == 96 { rows++ }
            END { exit bad || !rows }'"'"' "$csv"'
    run "$dir/run" --sim --size 0
    check "$step: --size 0 is refused or done" eval '[ "$status" = 0 ] || [ "$status" = 2 ]'
    run "$dir/run" --sim-device sm_99
    check "$step: an unknown device is refused" eval \
        '[ "$status" = 2 ] && said "sm_99" && [ "$(wc -l <"$work/out")" = 1 ]'
    ends "$step: no simulator: exit 3 and make sim" 3 'make sim' env CUDASIM_LIB="$work/nowhere" "$dir/run" --sim
    for device in $devices; do
        # shellcheck disable=SC2086 # several options
        on_device "$dir" "$device" $small
        [ "$step" != step06 ] || on_device "$dir" "$device" $small --dtype s8
        [ "$step" != step09 ] || on_device "$dir" "$device" $small --layout nhwc
        [ -n "$all" ] || continue
        run "$dir/run" --sim-device "$device" --no-check --sweep check --every 29
        added "$step: every 29th problem on $device"
    done
    for isa in ${all:+baseline v3 v4}; do
        run env CUDASIM_LIB=cudasim/build/all/libcudart.so.13 CUDASIM_ISA=$isa CUDASIM_THREADS=1 "$dir/run" --sim \
            --no-check --sweep check --every 17
        said "this processor does not have it" || added "$step: every 17th problem, $isa, one thread"
    done
done
run step05_doublebuffer/run --sim-device sm_75 --sweep check --every 29
check "step05 on sm_75: cp.async is skipped, and said why" eval \
    '[ "$status" = 0 ] && said "^register_prefetch .* passed, 0 failed" &&
        [ "$(grep -c "skipped: cp.async needs compute capability 8.0" "$work/out")" = 7 ]'
run step05_doublebuffer/run --sim --sweep random --max 64 --count 4 --variant best --verbose
check "step05: every other random shape has leading dimensions of its own" eval '[ "$status" = 0 ] &&
    said "^best  *21  *19  *32 " && said "^    ld 39 32 31, " && [ "$(grep -c "^    ld [0-9 ]*, 0" "$work/out")" = 4 ]'
run step05_doublebuffer/run --sim --sweep random --max 64 --count 4 --variant best --verify-only
check "step05: random shapes verified, not timed" eval '[ "$status" = 0 ] && said "^best  *4 passed, 0 failed$" &&
    [ "$(grep -c . "$work/out")" = 2 ]'
run step05_doublebuffer/run --sim --m 66 --n 70 --k 34
check "step05: rows off 16 bytes are refused by all but best" eval \
    '[ "$status" = 0 ] && [ "$(grep -c "skipped: takes rows" "$work/out")" = 7 ] && said "^best .* s  "'
# 144 tiles on 132 multiprocessors, where pieces begin and end within tiles; 150 on 72, where 72 are not divided.
for shape in "sm_90 --m 1536 --n 3072 --k 36" "sm_86 --m 1280 --n 3840 --k 52 --beta 1"; do
    # shellcheck disable=SC2086 # several options
    run step05_doublebuffer/run --variant stream_k ${all:+--variant best} --sim-device $shape
    check "step05: waves of tiles divided on $shape" eval '[ "$status" = 0 ] && said "^stream_k .* s  "'
done

run step06_tensorcore/run --sim-device sm_75 --sweep check --every 29 --dtype f16
check "step06 on sm_75: wmma runs, the others are skipped, and said why" eval \
    '[ "$status" = 0 ] && said "^wmma .* passed, 0 failed" && said "^best .* skipped: .* compute capability 8.0"'
# Many tiles, in groups of rows that no group divides.
run step06_tensorcore/run --sim-device sm_80 --variant best --m 1301 --n 523 --k 204 --ldc 525
check "step06: best over several bands of tiles" eval '[ "$status" = 0 ]'
# Tiles enough for it to take large ones, for which sm_86 has no room; K ends within a chunk.
for device in sm_80 sm_86; do
    for kind in 's8 tn' 'tf32 nn' ${all:+'f16 tn' 'f16 nn'}; do
        case "$device $kind$all" in 'sm_80 s8 tn' | 'sm_86 tf32 nn') continue ;; esac # large, small
        run step06_tensorcore/run --sim-device $device --variant best --dtype "${kind% *}" --layout "${kind#* }" \
            --m 1537 --n 1541 --k 92 --lda 96 --ldb 1552 --ldc 1544 --beta 2
        check "step06 on $device, $kind: best of many tiles" eval '[ "$status" = 0 ] && said "^best .* 0\.[0-9]*$"'
    done
done
run step06_tensorcore/run --sim --dtype s8 --layout nn --size 64
check "step06: s8 in nn is refused, and said why" eval '[ "$status" = 0 ] && said "^best .* skipped: takes s8 in tn"'
# best's persistent kernel, which a plan takes for whom multistage is dear, with several tiles per block: fewer steps
# along K than stages, steps that no number of stages divides.
mkdir -p "$work/kernel-ladder"
printf 'H200 (simulated)\t%s\t10\n' step any_step alone any_alone >"$work/kernel-ladder/tensorcore.costs"
for case in 'tf32 tn 1536 1536 100' 's8 tn 1024 1024 640' 'bf16 nn 1000 1000 200' \
    ${all:+'f16 nn 1536 1544 136' 'bf16 tn 2048 2048 16' 'f16 tn 2560 2496 192' 'bf16 tn 1900 2600 520' \
        's8 tn 1900 2600 400' 'f16 nn 2048 2048 456'}; do
    set -- $case
    run env XDG_CACHE_HOME="$work" step06_tensorcore/run --sim --variant best --dtype $1 --layout $2 \
        --m $3 --n $4 --k $5 --beta 2
    check "step06, $case: best of many tiles" eval \
        '[ "$status" = 0 ] && said "^best .* 0\.[0-9]*$" && ! said "by multistage"'
done
# What lies between rows of C stays as it was; a note says what is copied.
for c in '--n 60 --ldc 64' '--n 64 --ldc 66' '--n 60 --ldc 64 --out f32'; do
    # shellcheck disable=SC2086 # several options
    run step06_tensorcore/run --sim --m 64 --k 64 --beta 1 $c
    check "step06, $c: nothing is copied" eval '[ "$status" = 0 ] && said "^best " && ! said "copied"'
done
run step06_tensorcore/run --sim --m 200 --n 200 --k 501 --ldb 512 --variant best
check "step06: rows of A that do not begin on 16 bytes are copied" eval \
    '[ "$status" = 0 ] && said "^    A copied first, into rows that begin on 128 bytes"'

# The checks name reads and writes beside the operands where they happen: a column of A and a row of B too many, a word
# behind C, its padding.
ld='leading dimension'
run cudasim/cudasim build/tests/gpu/faults
passed=$((passed + $(sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' "$work/out" | tail -n 1)))
check "planted faults: accesses beside the operands are found at their lines" eval \
    '[ "$status" = 1 ] && said "[0-9]* passed, 0 failed" &&
        [ "$(grep -c "^cudasim: out-of-bounds: .*kernels.cu:[0-9]*: .*\(load<\|c\[1.*\] = \)" "$work/out")" = 4 ] &&
        said "reads 4 bytes at B\[1056\] (row 33, column 0), but B is 33 x 29, $ld 32, in kernel void gemm<" &&
        said "of block (5,0,0) writes 4 bytes at C\[1147\] (row 37, column 0), but C is 37 x 29, $ld 31"'

run sh scripts/random_shapes.sh "$work/shapes.csv"
check "the shapes of plots/random_sets.csv are those that are drawn" eval \
    '[ "$status" = 0 ] && cmp "$work/shapes.csv" plots/random_shapes.csv'
run step07_gemv/run --list --sweep article
check "the problems of a sweep are listed" eval '[ "$status" = 0 ] && said "^[a-z0-9]*,[^,]*,[0-9]*,[0-9]*,[0-9]*$"'
run step01_naive/run --sim --leak-check --size 64
check "a step frees everything" eval '[ "$status" = 0 ] && ! said "^cudasim: "'
nm -D --defined-only cudasim/build/libcudart.so.13 | awk '{ print $3 }' | sort >"$work/exports"
for program in step*/run; do
    nm -D --undefined-only "$program" | awk '$2 ~ /^(__)?cuda/ { print $2 }' | sed 's/@\([^@]\)/@@\1/' |
        sort -u >"$work/needs"
    comm -23 "$work/needs" "$work/exports" >"$work/out"
    check "the simulator has what $program imports" eval '[ -s "$work/needs" ] && [ ! -s "$work/out" ]'
done
ended
