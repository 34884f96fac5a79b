#!/bin/sh
# Step 8, end to end in the simulator: tests/knn has a correct search and several with one fault each; then every method of
# the step on the check list; records from files, and optdigits, whose published accuracies must be reproduced (from
# KNN_DATA, else data/; skipped if neither has it). Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
CUDASIM_LIB=$PWD/cudasim/build/libcudart.so.13
export CUDASIM_LIB
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
run=step08_knn/run

# expect NAME STATUS PATTERN ARGUMENTS...: the exit status, and a line of the output (an extended expression).
expect() {
    name=$1 status=$2 pattern=$3
    shift 3
    "$run" --sim "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" = "$status" ] && grep -Eq -e "$pattern" "$work/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: status $got, wanted $status and a line like '$pattern':"
        head -n 30 "$work/out" | sed 's/^/    /'
    fi
}

# refused NAME MESSAGE ARGUMENTS...: exit status 2 and this line alone.
refused() {
    name=$1 message=$2
    shift 2
    "$run" --sim "$@" >"$work/out" 2>&1
    same "$name" "2 $message" "$? $(cat "$work/out")"
}

# same NAME WANTED GOT
same() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: '$3', wanted '$2'"
    fi
}

# --- the checking itself ---
run=build/tests/knn/run
expect 'a right search' 0 '^plain .* exact$' --method plain --m 5 --n 60 --d 20 --k 9
expect 'a product rounded on its own' 1 '^fuses_nothing: .* of 45 neighbours are wrong; query' \
    --method fuses_nothing --m 5 --n 60 --d 20 --k 9
expect 'sums the other way round' 1 '^descends: .* neighbours are wrong' --method descends --m 5 --n 60 --d 20 --k 9
expect 'two out of order' 1 'query 0, place 1: out of order: point [0-9]* at .* after point' --method turns_two --m 5 --n 60
expect 'a neighbour too many' 1 '1 words changed .* after the end of the indices' --method writes_past --m 5 --n 60
expect 'a write in front' 1 '1 words changed .* 1 floats before the distances' --method writes_before --m 5 --n 60
expect 'a point that is changed' 1 'the points were changed' --method spoils_points --m 5 --n 60
expect 'a write behind the queries' 1 'after the end of the queries' --method spoils_queries --m 5 --n 60
expect 'a query without an answer' 1 'query 4, place 0: .* is no point' --method leaves_a_row --m 5 --n 60
expect 'a write behind the workspace' 1 'after the end of the workspace' --method overruns --m 5 --n 60
expect 'inputs are put back after a fault' 1 '^plain .* exact$' --method spoils_points --method plain --m 5 --n 60
expect 'what has no device' 2 'skipped: needs what no device has' --method nowhere
expect 'what refuses' 2 '^up_to_8 +skipped: takes k up to 8' --method up_to_8 --k 9
expect 'the paper own is no fault' 0 '^own .* 0 of 45 are not the nearest, 0 distances below 0$' \
    --method own --m 5 --n 60 --d 20 --k 9
expect 'the list: right' 0 '^plain +[0-9]+ passed, 0 failed$' --method plain --sweep check --every 3 --max-size 300
expect 'the list: ties' 1 '^last_of_equals +[0-9]+ passed, [1-9]' --method last_of_equals --sweep check --max-size 300
expect 'the list: the last point' 1 '^forgets_last +[0-9]+ passed, [1-9]' \
    --method forgets_last --sweep check --every 3 --max-size 300
expect 'the list: the paper own has bounds' 1 '^own_wrong +[0-9]+ passed, [1-9]' \
    --method own_wrong --method own --sweep check --every 3 --max-size 300
same 'the list: and keeps to them' 1 "$(grep -Ec '^own +[0-9]+ passed, 0 failed$' "$work/out")"
expect 'the list: little workspace' 0 '^up_to_8 +[0-9]+ passed, 0 failed, [0-9]+ refused$' \
    --method up_to_8 --sweep check --every 3 --max-size 300

# --- the step ---
run=step08_knn/run
expect 'the default run' 0 '^direct\+radix .* exact$'
same 'every method, its time and that it is exact' '' "$(sed 1,3d "$work/out" | grep -v -E \
    -e '^gemm_cublas\+[a-z]+ +skipped: cuBLAS does not run in the simulator$' \
    -e '^gemm_ladder\+[a-z]+ +[0-9.]+ s  0 of 500 are not the nearest, 0 distances below 0$' \
    -e '^[a-z_]+(\+[a-z]+)? +[0-9.]+ s  exact(, .*)?$')"
expect 'auto says T1, T2 and what it chose' 0 'T1 = [0-9.]* ms by k passes, T2 = [0-9.]* ms .*; chosen: (kpass|bitonic)$' \
    --method direct+auto --verbose
expect 'the list of methods' 0 '^bf_garcia ' --list
same 'all of them' '' "$(for d in gemm_cublas gemm_ladder direct; do for s in kpass bitonic auto warpselect radix; do
    grep -q "^$d+$s " "$work/out" || echo "$d+$s"; done; done
    for m in bf_garcia one_kernel screen+radix fused exact_tc best; do grep -q "^$m " "$work/out" || echo "$m"; done)"
expect 'the list of methods, verbose' 0 '^ +256 threads per block, [0-9]+ registers per thread, [0-9]+ bytes of shared memory per block$' --list --verbose
expect 'help' 0 '^  --k-sweep A:B ' --help
same 'help is silent on what a GEMM has' '' "$(grep -E -e '--(lda|alpha|dtype|size) ' "$work/out")"
expect 'warpselect says what it takes' 2 'skipped: takes k up to 256' --method direct+warpselect --k 257
expect 'one_kernel, too' 2 'skipped: takes k up to 64' --method one_kernel --k 65
expect 'points split among blocks' 0 '^one_kernel .* exact$' --method one_kernel --m 3 --n 10000 --d 3 --k 64
expect 'and several tiles for each' 0 '^one_kernel .* exact$' --method one_kernel --m 3 --n 40000 --d 3 --k 64 --no-check
expect 'a screen drops what is far' 0 '^screen.radix .* exact, 9\.[0-9] candidates per query, 0 ' \
    --method screen+radix --m 5 --n 2000 --d 64 --k 9
expect 'and nothing where all are near' 0 '^screen.radix .* exact, 2000\.0 candidates per query, 0 ' \
    --method screen+radix --m 5 --n 2000 --d 0 --k 9
expect 'best takes any k' 0 '^best .* exact$' --method best --m 3 --k 1025
expect 'by what is left' 0 '^ +by direct\+radix$' --method best --m 3 --k 1025 --verbose
expect 'best refuses only where memory is short' 2 'k 25: needs [0-9.]* MB, may take' --method best --memory-limit 5K
same 'best takes every problem of the list' 0 "$("$run" --sim --method best --sweep check --every 20 2>&1 |
    grep -c -e refused -e '[1-9][0-9]* failed')"
expect 'a GPU without cp.async' 0 'skipped: cp.async needs compute capability 8.0' --sim-device sm_75 --m 3
expect 'little memory' 0 '^direct\+bitonic .* exact$' --method direct+bitonic --memory-limit 350K
expect 'too little memory for a method' 2 '^direct\+bitonic +skipped: needs [0-9.]* MB$' \
    --method direct+bitonic --memory-limit 308K
expect 'cancellation is counted' 0 ' of 240 are not the nearest' --method gemm_ladder+radix --m 12 --n 500 --k 20
expect 'a row for the files' 0 exact --method direct+radix --m 3 --csv "$work/csv"
same 'what it says' 'direct+radix,knn,f32,n,3,2048,25,32,1,0,warm,sim' "$(sed -n 2p "$work/csv" | cut -d , -f 2-13)"
"$run" --sim --method direct+radix --m 3 --csv "$work/csv" --resume >"$work/out" 2>&1
same 'resumed' '0 2' "$? $(($(wc -l <"$work/csv")))"
awk -F , -v OFS=, 'NR > 1 { $20 = "torch 2.9 addmm+topk" } { print }' "$work/csv" >"$work/beside"
"$run" --sim --method direct+radix --m 3 --csv "$work/beside" --resume >"$work/out" 2>&1
same 'a row beside PyTorch is no plain one' '0 3' "$? $(($(wc -l <"$work/beside")))"

# Every method over the list, of which `make test` takes a tenth.
every=10
[ -z "${KL_TEST_ALL:-}" ] || every=4
"$run" --sim --sweep check --every $every >"$work/out" 2>&1
status=$?
tail -n 1 "$work/out"
counts=$(tail -n 1 "$work/out" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p')
if [ -n "$counts" ] && [ "$status" = "$((${counts#* } != 0))" ]; then
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
else
    failed=$((failed + 1))
fi
[ "$status" = 0 ] || grep -v passed "$work/out" | head -n 20

# --- records ---
refused 'a file that is not there' "$work/none: No such file or directory" --train "$work/none" --test x
printf '1,2,a\n3,4,b\n1,3,a\n' >"$work/train.csv"
printf '1,2.5,a\n3,3,b\n9,9,c\n' >"$work/test.csv"
refused 'k larger than what there is' \
    "step08_knn: $work/train.csv: k = 5, and there are 3 training records" --train "$work/train.csv" --test "$work/test.csv"
refused 'k of a sweep larger than what there is' \
    "step08_knn: $work/train.csv: k = 4, and there are 3 training records" \
    --train "$work/train.csv" --test "$work/test.csv" --k-sweep 1:4
printf '1,2,a\n3,4,a\n' >"$work/one.csv"
printf '1,2,a\n3,4\n' >"$work/ragged.csv"
expect 'a ragged row' 2 "^$work/ragged.csv:2: " --train "$work/ragged.csv" --test "$work/test.csv"
printf '1\n2\n' >"$work/two.csv"
expect 'another number of columns' 2 ': 1 column, but .* has 3$' --train "$work/train.csv" --test "$work/two.csv" --k 1
expect 'memory that does not do' 2 'needs [0-9.]* MB, may take' \
    --train "$work/train.csv" --test "$work/test.csv" --k 1 --memory-limit 50
refused 'a file that cannot be written' "$work/no/file: No such file or directory" \
    --train "$work/train.csv" --test "$work/test.csv" --k 1 --out "$work/no/file"
expect 'votes' 0 '^accuracy +66.67 %: 2 of 3' --train "$work/train.csv" --test "$work/test.csv" --k 1 --verify \
    --out "$work/labels" --out-indices "$work/indices" --out-distances "$work/distances"
same 'labels' 'label a b b ' "$(tr '\n' ' ' <"$work/labels")"
same 'neighbours' '0 1 1 ' "$(tr '\n' ' ' <"$work/indices")"
same 'distances' '0.25 1 61 ' "$(tr '\n' ' ' <"$work/distances")"
expect 'counters of records' 0 '^direct\+radix, m 3, n 3, d 2, k 1: knn_direct\(' --method direct+radix \
    --train "$work/train.csv" --test "$work/test.csv" --k 1 --counters
expect 'verified' 0 '^direct\+radix +the same neighbours and distances as the CPU.s$' --method direct+radix \
    --train "$work/train.csv" --test "$work/test.csv" --k 3 --verify
expect 'a tie goes to the smallest label' 0 '^accuracy +33.33 %' --train "$work/train.csv" --test "$work/test.csv" --k 3
expect 'without labels' 0 '^seconds: read ' --train "$work/train.csv" --split 0.6 --labels none --symbolic 3 --k 1
awk 'BEGIN { for (i = 0; i < 40000; i++) { for (j = 0; j < 15; j++) printf "%d,", i * (j + 7) % 50; print i % 3 } }' \
    >"$work/tiles.csv"
head -n 40 "$work/tiles.csv" >"$work/points.csv"
expect 'queries in several tiles' 0 "^bf_garcia +the same neighbours and distances as the CPU's$" --method bf_garcia \
    --train "$work/points.csv" --test "$work/tiles.csv" --k 3 --verify --out-distances "$work/distances"
same 'and all of them come back' 40000 "$(($(wc -l <"$work/distances")))"
expect 'copies are shown apart' 0 \
    '^seconds: .*, copy in [0-9.]*, search [0-9.]*, copy out .*; queries in, search and results out took [0-9.]* ' \
    --method bf_garcia --train "$work/points.csv" --test "$work/points.csv" --k 3
expect 'detection' 0 'b' --train "$work/train.csv" --test "$work/test.csv" --k 1 --positive b
printf '4097.625,a\n4097.375,b\n4096.125,c\n' >"$work/far.csv"
printf '4096.625,a\n' >"$work/near.csv"
awk 'BEGIN { for (i = 0; i < 9000; i++) print i % 100 "," int(i / 100) ",label" i }' >"$work/many.csv"
printf '7,3,label307\n99,89,label8999\n0,0,label0\n50,41,label4150\n' >"$work/few.csv"
expect 'more classes than counters' 0 '^accuracy +100.00 %: 4 of 4' --train "$work/many.csv" --test "$work/few.csv" \
    --k 1
expect 'negative distances are counted' 0 '^gemm_ladder.radix +1 distances below 0$' --method gemm_ladder+radix \
    --train "$work/far.csv" --test "$work/near.csv" --k 3 --out-indices "$work/indices"
same 'and their neighbours are in order' '0,1,2' "$(cat "$work/indices")"
expect 'which the exact ones have not' 0 '^accuracy' --method direct+kpass \
    --train "$work/far.csv" --test "$work/near.csv" --k 3 --out-indices "$work/indices"
same 'but the nearest' '2,1,0' "$(cat "$work/indices")"
gzip -c "$work/train.csv" >"$work/train.csv.gz"
expect 'the best method' 0 '^best +by exact_tc$' --verbose --train "$work/train.csv" --test "$work/test.csv" --k 1
expect 'the best method without wgmma' 0 '^best +by fused$' --verbose --sim-device sm_80 --train "$work/train.csv" \
    --test "$work/test.csv" --k 1
expect 'the best method without cp.async' 0 '^best +by direct\+radix$' --verbose --sim-device sm_75 --train "$work/train.csv" \
    --test "$work/test.csv" --k 1
expect 'compressed' 0 '^accuracy +66.67 %' --train "$work/train.csv.gz" --test "$work/test.csv" --k 1
"$run" --sim --train "$work/train.csv" --test "$work/test.csv" --k 1 >/dev/full 2>"$work/out"
same 'standard output that takes nothing' '2 step08_knn: standard output cannot be written' "$? $(cat "$work/out")"

# --- what is written, and where ---
few="--train $work/train.csv --test $work/test.csv --k 1"
# shellcheck disable=SC2086 # several words
{
expect 'the method named first is written' 0 "^$work/labels: the labels that direct.kpass predicts$" \
    --train "$work/far.csv" --test "$work/near.csv" --k 3 --method direct+kpass --method gemm_ladder+radix \
    --out "$work/labels" --out-indices "$work/indices"
same 'an exact one' '2,1,0' "$(cat "$work/indices")"
same 'which runs first' 'direct+kpass, gemm_ladder+radix,' "$(sed -n 's/ k 3$//p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
same 'and the others are compared with it' 1 "$(grep -c '^gemm_ladder+radix .* of direct+kpass.s; query' "$work/out")"
expect 'an inexact one' 0 "^$work/indices: the neighbours that gemm_ladder.radix finds$" --train "$work/far.csv" \
    --test "$work/near.csv" --k 3 --method gemm_ladder+radix --method direct+kpass --out-indices "$work/indices"
same 'where it was named first' '0,1,2' "$(cat "$work/indices")"
expect 'without a name the last exact one' 0 '^best, k 1$' --sim-device sm_80 $few
expect 'best, and another' 0 '^direct\+radix, k 1$' $few --method best --method direct+radix
same 'both' 2 "$(grep -c ', k 1$' "$work/out")"
"$run" --sim $few --out-indices /dev/stdout 2>&1 | cat >"$work/out"
same 'into a pipe' 3 "$(grep -c '^[0-9]$' "$work/out")"
{
    echo in front
    "$run" --sim $few --out-indices /dev/stdout
    echo behind
} >"$work/out" 2>&1
same 'into standard output, a file' 'in front 3 behind' \
    "$(head -n 1 "$work/out") $(grep -c '^[0-9]$' "$work/out") $(tail -n 1 "$work/out")"
{
    echo in front
    "$run" --sim --method direct+radix --m 3 --csv /dev/stdout
    echo behind
} >"$work/out" 2>&1
same 'measurements, too' 'in front 1 1 1 behind' "$(head -n 1 "$work/out") $(grep -c '^step,variant,' "$work/out") $(
    grep -c '^step08_knn,direct+radix,knn,' "$work/out") $(grep -c ' exact$' "$work/out") $(tail -n 1 "$work/out")"
}

# --- labels in files of their own ---
printf '\0\0\10\3\0\0\0\3\0\0\0\1\0\0\0\2\1\2\3\4\11\11' >"$work/train.idx3"
printf '\0\0\10\1\0\0\0\3\0\1\1' >"$work/train.idx1"
printf '\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\2\1\3\10\10' >"$work/test.idx3"
printf 'zero\none\n' >"$work/test.words"
printf '0\n0\n' >"$work/test.csv1"
idx="--train $work/train.idx3 --test $work/test.idx3 --k 1"
# shellcheck disable=SC2086 # several words
{
refused 'a pixel is no label' \
    "$work/train.idx3: an idx file of images holds no labels: name their file with --train-labels, or say --labels none" $idx
expect 'no labels' 0 '^seconds: ' $idx --labels none
expect 'labels of their own' 0 '^accuracy +50.00 %: 1 of 2' $idx --train-labels "$work/train.idx1" \
    --test-labels "$work/test.csv1" --verify
expect 'no labels of the test' 0 '^the test records have no labels: ' $idx --train-labels "$work/train.idx1" \
    --out "$work/labels"
same 'predictions' 'label 0 1 ' "$(tr '\n' ' ' <"$work/labels")"
same 'and no accuracy' 0 "$(grep -c '^accuracy' "$work/out")"
expect 'split with their labels' 0 '^accuracy +[0-9.]+ %: . of 1' --train "$work/train.idx3" \
    --train-labels "$work/train.idx1" --split 0.6 --k 1
refused 'too few labels' "$work/test.idx3: 2 columns: a file of labels has one" $idx --train-labels "$work/test.idx3"
refused 'labels of other records' "$work/test.csv1: 2 labels, but $work/train.idx3 has 3 records" $idx \
    --train-labels "$work/test.csv1"
printf 'label\na\nb\nc\n' >"$work/heading"
refused 'a heading' \
    "$work/heading: 4 labels, but $work/train.idx3 has 3 records (if the first line is a heading: --header yes)" $idx \
    --train-labels "$work/heading"
expect 'a heading that is said' 0 '^seconds: ' $idx --train-labels "$work/heading" --header yes
expect 'test labels that training lacks' 0 '^zero .*not in training' $idx --train-labels "$work/train.idx1" \
    --test-labels "$work/test.words"
refused 'a sweep without truth' \
    'step08_knn: --k-sweep: the test records have no labels to compare predictions with (--test-labels)' \
    --train "$work/train.idx3" --test "$work/test.idx3" --train-labels "$work/train.idx1" --k-sweep 1:2
expect 'one class' 0 "warning: $work/one.csv: only one class: every training record has the label .a.$" \
    --train "$work/one.csv" --test "$work/test.csv" --k 1
printf '1,2.5\n3,3\n9,9\n' >"$work/unlabelled.csv"
expect 'a test file with one column fewer' 0 '^the test records have no labels: ' --train "$work/train.csv" \
    --test "$work/unlabelled.csv" --k 1 --out "$work/labels"
same 'is classified' 'label a b b ' "$(tr '\n' ' ' <"$work/labels")"
}

# --- training records that are encoded and copied in parts ---
row() { printf %64s '' | tr ' ' "$1"; }
{
    printf '\0\0\10\2\0\0\234\100\0\0\0\100'
    yes '0123456789 some text that no row of 64 bytes begins alike for long' | head -c $((39998 * 64))
    row y
    row z
} >"$work/parts"
{
    printf '\0\0\10\2\0\0\0\3\0\0\0\100'
    row z
    row y
    tail -c +13 "$work/parts" | head -c 64
} >"$work/queries"
expect 'points in parts' 0 '^bf_garcia, k 1$' --train "$work/parts" --test "$work/queries" --labels none --k 1 \
    --method bf_garcia --out-indices "$work/indices" --out-distances "$work/distances"
same 'all of them arrive' '39999 39998 0 0 0 0 ' "$(cat "$work/indices" "$work/distances" | tr '\n' ' ')"

# --- groups of labels ---
printf 'a,none\nb,attack\n' >"$work/map"
refused 'a map that lacks a label' "$work/map: it has no class for the label 'c'" --train "$work/train.csv" \
    --test "$work/test.csv" --k 1 --classes-map "$work/map" --verify
refused 'a label that is not there' '--positive x: no such label' --train "$work/train.csv" --test "$work/test.csv" \
    --k 1 --positive x
printf '1,2,normal.\n3,4,smurf.\n1,3,normal.\n' >"$work/kdd.csv"
(cd / && exec "$OLDPWD/$run" --sim --train "$work/kdd.csv" --test "$work/kdd.csv" --k 1 --classes-map kdd) >"$work/out" 2>&1
same 'kdd from any folder' '0 1' "$? $(grep -c '^DoS  *1   100.00 %' "$work/out")"
awk 'BEGIN { for (i = 0; i < 20000; i++) print i % 200 "," int(i / 200) ",label" i }' >"$work/many.csv"
expect 'more classes than a matrix has' 0 '^label19999 ' --train "$work/many.csv" --test "$work/few.csv" --k 1 \
    --positive label307 --out "$work/labels"
same 'are written' 'label label607 label17899 label0 label8250 ' "$(tr '\n' ' ' <"$work/labels")"
refused 'rates of no groups' 'step08_knn: --rates-csv: needs --classes-map or --positive' --train "$work/train.csv" \
    --test "$work/test.csv" --k-sweep 1:2 --rates-csv "$work/rates"
echo something else >"$work/rates"
refused 'rates into another file' \
    "--rates-csv $work/rates: holds something else: its first line is not this program's header" \
    --train "$work/train.csv" --test "$work/test.csv" --k-sweep 1:2 --positive b --rates-csv "$work/rates"
rm "$work/rates"
printf 'a,none\nb,"one, two"\nc,rare\nz,never\n' >"$work/map"
for verify in --verify ''; do
    # shellcheck disable=SC2086 # a word or none
    expect "rates $verify" 0 '^   2 ' --train "$work/train.csv" --test "$work/test.csv" --k-sweep 1:2 --classes-map \
        "$work/map" --method direct+radix --method direct+kpass $verify --rates-csv "$work/rates"
done
same 'their rows' "method,k,class,train_records,test_records,class_records,accuracy,detection,false_alarms,\
neighbours_unlike_cpu,device,cc,driver,cuda,date
direct+radix,1,\"one, two\",3,3,1,0.666667,1,0,0
direct+radix,1,rare,3,3,1,0.666667,0,0,0
direct+radix,2,\"one, two\",3,3,1,0.333333,0,0,0
direct+radix,2,rare,3,3,1,0.333333,0,0,0" "$(head -n 5 "$work/rates" | sed 's/\(,[0-9]*\),[^,]*,9\.0,.*/\1/')"
same 'of both methods and runs' '17 8 4' \
    "$(($(wc -l <"$work/rates"))) $(grep -c '^direct+kpass,' "$work/rates") $(grep -c '^direct+kpass,.*,[01],,' "$work/rates")"

# --- optdigits ---
data=${KNN_DATA:-data}/optdigits
published='98.00 97.38 97.83 97.61 97.89 97.77 97.66 97.66 97.72 97.55 97.89 '
if [ -e "$data/optdigits.tra" ]; then
    for method in $("$run" --list | sed -n 's/^\([a-z_+]*\) .*/\1/p' | grep -v '^gemm_cublas'); do
        "$run" --sim --no-check --train "$data/optdigits.tra" --test "$data/optdigits.tes" --k-sweep 1:11 --method "$method" \
            >"$work/out" 2>&1
        same "optdigits, $method" "$published" "$(sed -n 's/^ *[0-9][0-9]*  *\([0-9.]*\)%$/\1/p' "$work/out" | tr '\n' ' ')"
    done
else
    echo "optdigits is not in $data: left out (make data fetches it)"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
