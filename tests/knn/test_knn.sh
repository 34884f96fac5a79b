#!/bin/sh
# Step 8, end to end in the simulator: tests/knn has a correct search and several with one fault each; then every method
# of the step on the check list; records from files, and optdigits, whose published accuracies must be reproduced (from
# KNN_DATA, else data/; skipped if neither has it). Last line: "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
program=step08_knn/run

# refused NAME MESSAGE ARGUMENTS...: exit status 2 and this line alone.
refused() {
    name=$1 message=$2
    shift 2
    run "$program" --sim "$@"
    same "$name" "2 $message" "$status $(cat "$work/out")"
}

# --- the checking itself ---
program=build/tests/knn/run
expect 'a right search' 0 '^plain .* exact$' --method plain --m 5 --n 60 --d 20 --k 9
expect 'a product rounded on its own' 1 '^fuses_nothing: .* of 45 neighbours are wrong; query' \
    --method fuses_nothing --m 5 --n 60 --d 20 --k 9
expect 'sums the other way round' 1 '^descends: .* neighbours are wrong' --method descends --m 5 --n 60 --d 20 --k 9
expect 'two out of order' 1 'query 0, place 1: out of order: point [0-9]* at .* after point' --method turns_two --m 5 \
    --n 60
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
expect 'the list: right' 0 '^plain +[0-9]+ passed, 0 failed$' --method plain --sweep check --every 9 --max-size 300
expect 'the list: ties' 1 '^last_of_equals +[0-9]+ passed, [1-9]' \
    --method last_of_equals --sweep check --every 4 --max-size 300
expect 'the list: the last point' 1 '^forgets_last +[0-9]+ passed, [1-9]' \
    --method forgets_last --sweep check --every 9 --max-size 300
expect 'the list: the paper own has bounds' 1 '^own_wrong +[0-9]+ passed, [1-9]' \
    --method own_wrong --method own --sweep check --every 9 --max-size 300
same 'the list: and keeps to them' 1 "$(grep -Ec '^own +[0-9]+ passed, 0 failed$' "$work/out")"
expect 'the list: little workspace' 0 '^up_to_8 +[0-9]+ passed, 0 failed, [0-9]+ refused$' \
    --method up_to_8 --sweep check --every 3 --max-size 300

# --- the step ---
program=step08_knn/run
expect 'the default run' 0 '^direct\+radix .* exact$'
same 'every method, its time and that it is exact' '' "$(sed 1,3d "$work/out" | grep -v -E \
    -e '^gemm_cublas\+[a-z]+ +skipped: cuBLAS does not run in the simulator$' \
    -e '^gemm_(ladder|maps)\+[a-z]+ +[0-9.]+ s  0 of 500 are not the nearest, 0 distances below 0$' \
    -e '^[a-z_]+(\+[a-z]+)? +[0-9.]+ s  exact(, .*)?$')"
expect 'auto says T1, T2 and what it chose' 0 \
    'T1 = [0-9.]* ms by k passes, T2 = [0-9.]* ms .*; chosen: (kpass|bitonic)$' \
    --method direct+auto --verbose
expect 'the list of methods' 0 '^bf_garcia ' --list
same 'all of them' '' "$(for d in gemm_cublas gemm_ladder direct; do for s in kpass bitonic auto warpselect radix; do
    grep -q "^$d+$s " "$work/out" || echo "$d+$s"; done; done
    for m in bf_garcia one_kernel screen+radix fused exact_tc best gemm_maps+radix; do
        grep -q "^$m " "$work/out" || echo "$m"; done)"
expect 'the list of methods, verbose' 0 \
    '^ +256 threads per block, [0-9]+ registers per thread, [0-9]+ bytes of shared memory per block$' --list --verbose
expect 'warpselect says what it takes' 2 'skipped: takes k up to 256' --method direct+warpselect --k 257
expect 'one_kernel, too' 2 'skipped: takes k up to 64' --method one_kernel --k 65
expect 'points split among blocks' 0 '^one_kernel .* exact$' --method one_kernel --m 3 --n 10000 --d 3 --k 64
expect 'and several tiles for each' 0 '^one_kernel .* exact$' --method one_kernel --m 3 --n 40000 --d 3 --k 64 \
    --no-check
expect 'a screen drops what is far' 0 '^screen.radix .* exact, 9\.[0-9] candidates per query, 0 ' \
    --method screen+radix --m 5 --n 2000 --d 64 --k 9
expect 'and nothing where all are near' 0 '^screen.radix .* exact, 2000\.0 candidates per query, 0 ' \
    --method screen+radix --m 5 --n 2000 --d 0 --k 9
expect 'best takes any k' 0 '^best .* exact$' --method best --m 3 --k 1025
expect 'by what is left' 0 '^ +by direct\+radix$' --method best --m 3 --k 1025 --verbose
expect 'best refuses only where memory is short' 2 'k 25: needs [0-9.]* GB, may take' --method best --n 2000000000
same 'best takes every problem of the list' 0 "$("$program" --sim --method best --sweep check --every 20 2>&1 |
    grep -c -e refused -e '[1-9][0-9]* failed')"
expect 'a GPU without cp.async' 0 'skipped: cp.async needs compute capability 8.0' --sim-device sm_75 --m 3
expect 'cancellation is counted' 0 ' of 240 are not the nearest' --method gemm_ladder+radix --m 12 --n 500 --k 20

# --- prepared points ---
expect 'one query of prepared points' 0 '^exact_tc .* exact, 5[0-9]\.[0-9] candidates per query, 0 queries' \
    --queries-at-once 1 --method exact_tc --n 40000 --d 70
expect 'in the launches of its own' 0 'knn_one<false>' --queries-at-once 1 --method best --counters
expect 'several, by the tensor cores' 0 'knn_screen<.*, false>' --queries-at-once 3 --method best --counters --d 300
expect 'best prepares nothing for a GPU without wgmma' 0 '^best .* exact$' --queries-at-once 1 --method best \
    --sim-device sm_80
expect 'who cannot prepare says so' 2 'skipped: prepares nothing$' --queries-at-once 1 --method fused
refused 'how many they are is said once' "step08_knn: --m: contradicts --queries-at-once" --queries-at-once 2 --m 3
every=7
[ -z "${KL_TEST_ALL:-}" ] || every=1
run "$program" --sim --sweep check --method exact_tc --queries-at-once 1 --every $every
added 'one query of a problem'
run "$program" --sim --sweep check --method best --queries-at-once 3 --every 9
added 'few queries'
expect 'a row for prepared points' 0 exact --queries-at-once 1 --method best --csv "$work/prepared"
same 'which is a case of its own' 'best,knn,f32,prepared,1,2048,25,32,1,0,cold,sim' \
    "$(sed -n 2p "$work/prepared" | cut -d , -f 2-13)"

# --- from host memory to host memory, in pieces ---
for more in "" --pageable; do
    every=19 # of both ways the same problems with KL_TEST_ALL alone
    [ -z "$more" ] || [ -n "${KL_TEST_ALL:-}" ] || every=57
    # shellcheck disable=SC2086 # one word or none
    run "$program" --sim --sweep check --every $every --transfers --pieces 3 $more --method best \
        --method gemm_ladder+radix
    added "copied in pieces $more"
done
expect 'more queries than points' 0 '^fused .* exact$' --transfers --pieces 5 --method fused --m 70 --n 31 --d 9
program=build/tests/knn/run
expect 'what the host gets is checked' 1 'query 0, place 1: out of order' --transfers --pieces 2 --method turns_two \
    --m 5 --n 4 --k 3
expect 'also where pieces are merged' 1 'neighbours are wrong' --transfers --pieces 2 --method forgets_last --m 5 --n 60
program=step08_knn/run

expect 'a row for the files' 0 exact --method direct+radix --m 3 --csv "$work/csv"
same 'what it says' 'direct+radix,knn,f32,n,3,2048,25,32,1,0,warm,sim' "$(sed -n 2p "$work/csv" | cut -d , -f 2-13)"
"$program" --sim --method direct+radix --m 3 --csv "$work/csv" --resume >"$work/out" 2>&1
same 'resumed' '0 2' "$? $(($(wc -l <"$work/csv")))"
awk -F , -v OFS=, 'NR > 1 { $20 = "torch 2.9 addmm+topk" } { print }' "$work/csv" >"$work/beside"
"$program" --sim --method direct+radix --m 3 --csv "$work/beside" --resume >"$work/out" 2>&1
same 'a row beside PyTorch is no plain one' '0 3' "$? $(($(wc -l <"$work/beside")))"

# Every method over the list, of which `make test` takes a part.
every=29
[ -z "${KL_TEST_ALL:-}" ] || every=4
run "$program" --sim --sweep check --every $every
tail -n 1 "$work/out"
added 'every method'

# --- records ---
refused 'a file that is not there' "$work/none: No such file or directory" --train "$work/none" --test x
printf '1,2,a\n3,4,b\n1,3,a\n' >"$work/train.csv"
printf '1,2.5,a\n3,3,b\n9,9,c\n' >"$work/test.csv"
few="--train $work/train.csv --test $work/test.csv --k 1"
refused 'k larger than what there is' "$work/train.csv: k = 5, and there are 3 training records" \
    --train "$work/train.csv" --test "$work/test.csv"
printf '1\n2\n' >"$work/two.csv"
printf '1,2\n3,4\n9,9\n' >"$work/train.plain"
refused 'another number of columns' "$work/two.csv: 1 coordinates, but $work/train.plain has 2" \
    --train "$work/train.plain" --test "$work/two.csv" --k 1 --labels none
# shellcheck disable=SC2086 # several words
{
refused 'a file that cannot be written' "$work/no/file: No such file or directory" $few --out "$work/no/file"
expect 'votes' 0 '^accuracy +66.67 %: 2 of 3' $few --verify \
    --out "$work/labels" --out-indices "$work/indices" --out-distances "$work/distances"
same 'labels' 'a b b ' "$(tr '\n' ' ' <"$work/labels")"
same 'neighbours' '0 1 1 ' "$(tr '\n' ' ' <"$work/indices")"
same 'distances' '0.25 1 61 ' "$(tr '\n' ' ' <"$work/distances")"
same 'no part of a file is left' '' "$(ls -d "$work"/*part* 2>/dev/null)"
expect 'counters of records' 0 '^direct\+radix, m 3, n 3, d 2, k 1: knn_direct\(' --method direct+radix $few --counters
expect 'verified' 0 '^direct\+radix +the same neighbours and distances as the CPU.s$' --method direct+radix \
    --train "$work/train.csv" --test "$work/test.csv" --k 3 --verify
expect 'a tie goes to the smallest label' 0 '^accuracy +33.33 %' --train "$work/train.csv" --test "$work/test.csv" --k 3
expect 'a vote for each k' 0 '^   3   33.33%$' --train "$work/train.csv" --test "$work/test.csv" --k-sweep 1:3 \
    --out "$work/labels"
same 'written in a line' 'a,a,a b,a,a b,a,a ' "$(tr '\n' ' ' <"$work/labels")"
seq 10000 49999 | sed 's/.*\(.\)\(.\)$/&,\1,\2/' >"$work/tiles.csv"
expect 'many queries' 0 "^bf_garcia +the same neighbours and distances as the CPU's$" --method bf_garcia \
    --train "$work/train.csv" --test "$work/tiles.csv" --k 3 --verify --out-distances "$work/distances"
same 'and all of them come back' 40000 "$(($(wc -l <"$work/distances")))"
printf '4097.625,a\n4097.375,b\n4096.125,c\n' >"$work/far.csv"
printf '4096.625,a\n' >"$work/near.csv"
far="--train $work/far.csv --test $work/near.csv --k 3"
expect 'negative distances are counted' 0 '^gemm_ladder.radix +1 distances below 0$' --method gemm_ladder+radix \
    $far --out-indices "$work/indices"
same 'and their neighbours are in order' '0,1,2' "$(cat "$work/indices")"
expect 'which the exact ones have not' 0 '^accuracy' --method direct+kpass $far --out-indices "$work/indices"
same 'but the nearest' '2,1,0' "$(cat "$work/indices")"
expect 'those that are not the nearest are counted' 0 \
    '^gemm_ladder.radix +1 of 1 neighbours are not among the CPU.s; 0 of them are as near as its last,' \
    --method gemm_ladder+radix --train "$work/far.csv" --test "$work/near.csv" --k 1 --verify
printf '4095.625,a\n4097.625,a\n' >"$work/equals.csv"
expect 'and which of them only lost a tie' 0 '^gemm_ladder.radix +1 of 1 .*; 1 of them are as near as its last,' \
    --method gemm_ladder+radix --train "$work/equals.csv" --test "$work/near.csv" --k 1 --verify
seq 0 19999 | sed 's/^.$/0&/; s/^..$/0&/; s/^\(.*\)\(..\)$/\1,\2,label&/' >"$work/many.csv"
printf '3,07,label307\n89,99,label8999\n0,0,label000\n41,50,label4150\n' >"$work/few.csv"
expect 'more classes than counters' 0 '^accuracy +100.00 %: 4 of 4' \
    --train "$work/many.csv" --test "$work/few.csv" --k 1
expect 'the best method' 0 '^best +by exact_tc$' --verbose $few
expect 'the best method without wgmma' 0 '^best +by fused$' --verbose --sim-device sm_80 $few
expect 'the best method without cp.async' 0 '^best +by direct\+radix$' --verbose --sim-device sm_75 $few
"$program" --sim $few >/dev/full 2>"$work/out"
same 'standard output that takes nothing' '2 step08_knn: standard output cannot be written' "$? $(cat "$work/out")"

# --- what is written, and where ---
expect 'the method named first is written' 0 '^gemm_ladder.radix, k 3$' $far --method direct+kpass \
    --method gemm_ladder+radix --out-indices "$work/indices"
same 'an exact one' '2,1,0' "$(cat "$work/indices")"
same 'which runs first' 'direct+kpass, gemm_ladder+radix,' \
    "$(sed -n 's/ k 3$//p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
expect 'an inexact one' 0 '^direct.kpass, k 3$' $far --method gemm_ladder+radix --method direct+kpass \
    --out-indices "$work/indices"
same 'where it was named first' '0,1,2' "$(cat "$work/indices")"
expect 'without a name the last exact one' 0 '^best, k 1$' --sim-device sm_80 $few
echo before >"$work/kept"
expect 'a method that refuses' 2 'takes k up to 64' --method one_kernel \
    --train "$work/many.csv" --test "$work/few.csv" --k 65 --out "$work/kept"
same 'leaves what was there' before "$(cat "$work/kept")"
"$program" --sim $few --out-indices /dev/stdout 2>&1 | cat >"$work/out"
same 'into a pipe' 3 "$(grep -c '^[0-9]$' "$work/out")"
{
    echo in front
    "$program" --sim $few --out-indices /dev/stdout
    echo behind
} >"$work/out" 2>&1
same 'into standard output, a file' 'in front 3 behind' \
    "$(head -n 1 "$work/out") $(grep -c '^[0-9]$' "$work/out") $(tail -n 1 "$work/out")"
{
    echo in front
    "$program" --sim --method direct+radix --m 3 --csv /dev/stdout
    echo behind
} >"$work/out" 2>&1
same 'measurements, too' 'in front 1 1 1 behind' "$(head -n 1 "$work/out") $(grep -c '^step,variant,' "$work/out") $(
    grep -c '^step08_knn,direct+radix,knn,' "$work/out") $(grep -c ' exact$' "$work/out") $(tail -n 1 "$work/out")"

# --- labels in files of their own, and files that scripts/data.py has to convert ---
printf '1,3\n8,8\n' >"$work/test.plain"
printf 'zero\none\none\n' >"$work/train.words"
printf 'zero\ntwo\n' >"$work/test.words"
own="--train $work/train.plain --test $work/test.plain --k 1"
expect 'no labels' 0 '^best, k 1$' $own --labels none
expect 'labels of their own' 0 '^accuracy +50.00 %: 1 of 2' $own --train-labels "$work/train.words" \
    --test-labels "$work/test.words" --verify
same 'test labels that training lacks' 1 "$(grep -c '^two .*not in training' "$work/out")"
expect 'no labels of the test' 0 '^the test records have no labels: ' $own --train-labels "$work/train.words" \
    --out "$work/labels"
same 'predictions' 'zero one ' "$(tr '\n' ' ' <"$work/labels")"
same 'and no accuracy' 0 "$(grep -c '^accuracy' "$work/out")"
refused 'too few labels' "$work/test.plain: 2 columns: a file of labels has one" $own --train-labels "$work/test.plain"
refused 'labels of other records' \
    "$work/test.words: 2 labels, but $work/train.plain has 3 records (a file of labels has no heading)" $own \
    --train-labels "$work/test.words"
printf '1,2.5\n3,3\n9,9\n' >"$work/unlabelled.csv"
expect 'a test file with one column fewer' 0 '^the test records have no labels: ' --train "$work/train.csv" \
    --test "$work/unlabelled.csv" --k 1 --out "$work/labels"
same 'is classified' 'a b b ' "$(tr '\n' ' ' <"$work/labels")"
gzip -c "$work/train.csv" >"$work/train.csv.gz"
refused 'gzip' "$work/train.csv.gz: neither text nor an .npy file; convert it: python3 scripts/data.py \
$work/train.csv.gz train.npy $work/test.csv test.npy" --train "$work/train.csv.gz" --test "$work/test.csv"
printf '1,tcp,a\n' >"$work/words.csv"
refused 'words' "$work/words.csv:1: column 2: 'tcp' is not a finite number; words become numbers by: python3 \
scripts/data.py --labels none $work/words.csv train.npy $work/two.csv test.npy" --train "$work/words.csv" \
    --test "$work/two.csv" --labels none
printf '\0\0\10\1\0\0\0\2\0\1' >"$work/idx1"
refused 'labels of idx' "$work/idx1: neither text nor an .npy file; convert it: python3 scripts/data.py $work/idx1 \
labels.csv" $own --train-labels "$work/idx1"
}

# --- optdigits ---
data=${KNN_DATA:-data}/optdigits
published='98.00 97.38 97.83 97.61 97.89 97.77 97.66 97.66 97.72 97.55 97.89 '
if [ -e "$data/optdigits.tra" ]; then
    digits() { "$program" --sim --no-check --train "$data/optdigits.tra" --test "$data/optdigits.tes" "$@"; }
    accuracies() { sed -n 's/^ *[0-9][0-9]*  *\([0-9.]*\)%$/\1/p' "$work/out" | head -n 11 | tr '\n' ' '; }
    digits --k-sweep 1:15 --out-indices "$work/i" --out-distances "$work/d" >"$work/out" 2>&1
    same 'optdigits, best' "$published" "$(accuracies)"
    same "optdigits, neighbours and distances of 0.10" \
        0128e08ddb698c4ef95962eca1d7c00ae4efead4a8e498fff823ed12bef94478 \
        "$(cat "$work/i" "$work/d" | sha256sum | cut -c 1-64)"
    # Of the methods, whose selections the list above tries, `make test` has a few here.
    some='^(bf_garcia|direct\+radix|gemm_ladder\+warpselect)$'
    [ -z "${KL_TEST_ALL:-}" ] || some=.
    for method in $("$program" --list | sed -n 's/^\([a-z_+]*\) .*/\1/p' | grep -v '^gemm_cublas' | grep -E "$some"); do
        digits --k-sweep 1:11 --method "$method" >"$work/out" 2>&1
        same "optdigits, $method" "$published" "$(accuracies)"
    done
else
    echo "optdigits is not in $data: left out (make data fetches it)"
fi

ended
