#!/bin/sh
# A GEMV step, end to end in the simulator: tests/gemv has a correct kernel and several with one fault each.
# Last line: "N passed, N failed".
set -u
program=build/tests/gemv/run
. "$(dirname "$0")/../case.sh"

for t in f16 bf16 f32; do
    expect "a right kernel, $t" 0 '^plain +100 +33 ' --variant plain --n 100 --k 33 --dtype $t --alpha 2 --beta -0.5
    expect "a dropped product, $t" 1 'exact pass: .* of 100 elements wrong \('$t', n 100, k 33' \
        --variant drops_last --n 100 --k 33 --dtype $t
    expect "a write behind y, $t" 1 '0 (elements|floats) after the end of y' --variant writes_past --size 20 --dtype $t
done
expect 'y is read with beta 0' 1 'got nan' --variant reads_y --size 30
expect 'A is read with alpha 0' 1 'got nan' --variant reads_a --size 30 --alpha 0
expect 'A is not read with alpha 0' 0 '^plain' --variant plain --size 30 --alpha 0 --beta 2
expect 'products rounded to 16 bits' 1 'random pass: ' --variant rounds_products --size 500 --dtype bf16
expect 'what has no device' 2 'skipped: needs what no device has' --variant nowhere
expect 'the candidate that fits' 0 'tuned: n64 r1 u1 v1' --variant tuned --verbose --size 40
expect 'a candidate by its name, which does not fit' 2 'tuned .*skipped: no candidate fits' --variant tuned --size 40 \
    --candidate 'n1 r1 u1 v1'
expect 'a candidate that there is not' 2 '^test_gemv: --candidate n64: no variant chosen has it' --variant tuned \
    --candidate n64
expect 'nothing to compute' 0 'nothing to time; verified' --variant plain --n 0 --k 5
expect 'no product' 0 '^plain' --variant plain --n 7 --k 0 --beta 2
expect 'padded rows' 0 '^plain' --variant plain --size 30 --lda 37
expect 'a chain' 0 '^plain +70 +70 ' --graph --variant plain --size 70
expect 'a chain that is none' 0 '^tuned +70 +33 ' --graph --variant tuned --n 70 --k 33
expect 'a wrong chain' 1 'link 0' --graph --variant drops_last --size 70
expect 'a list' 0 '^tuned ' --list
expect 'a list of candidates' 0 'n64 r1 u1 v1: 64 threads per block' --list --verbose --variant tuned
expect 'the check list' 0 '^plain +[0-9]+ passed, 0 failed$' --variant plain --sweep check --every 7
expect 'the check list of candidates' 0 '^tuned .*0 failed, of 2 candidates, each on its share' \
    --variant tuned --sweep check
expect 'the check list finds faults' 1 '^reads_a +[0-9]+ passed, [1-9]' --variant reads_a --sweep check --every 3
for sweep in square article odd; do
    expect "the $sweep sweep" 0 '^plain' --variant plain --sweep $sweep --csv "$work/csv"
done
same 'rows say what they are' '' "$(awk -F, 'NR > 1 && ($3 != "gemv" || $4 != "f16" || $6 != 1 || $13 != "sim" ||
    $14 != "")' "$work/csv")"
rows=$(wc -l <"$work/csv")
expect 'resumed' 0 'simulated in' --variant plain --sweep square --csv "$work/csv" --resume
same 'a resumed sweep adds no row' "$rows" "$(wc -l <"$work/csv")"
# Killed in a sweep, whatever it is doing: rows are whole, and it is continued.
"$program" --sim --variant plain --sweep square --csv "$work/cut" >/dev/null 2>&1 &
while kill -0 $! 2>/dev/null && [ "$(cat "$work/cut" 2>/dev/null | wc -l)" -lt 3 ]; do :; done
kill -9 $!
wait $! 2>/dev/null
same 'a killed sweep leaves whole rows' "$(sed -n 1p "$work/cut" | tr -cd , | wc -c)" \
    "$(awk -F, 'END { print NF - 1 }' "$work/cut")"
same 'and ends its last one' '' "$(tail -c 1 "$work/cut" | tr -d '\n')"
cp "$work/cut" "$work/part"
expect 'continued' 0 'simulated in' --variant plain --sweep square --csv "$work/cut" --resume
same 'a continued sweep keeps its rows' "$(cat "$work/part")" "$(head -n "$(wc -l <"$work/part")" "$work/cut")"
same 'and has each shape once' '64 100 128 256 300 512 ' "$(awk -F, 'NR > 1 { printf "%s ", $7 }' "$work/cut")"
# The sweep's limit knows what was recorded: here a speed at which the next shape takes more than a second.
awk -F, -v OFS=, 'NR < 3 { if (NR == 2) { $17 = 0.000015 } print }' "$work/cut" >"$work/slow"
expect 'a resumed sweep leaves out what is too slow' 0 '^plain +100 .*skipped: a launch would take more than a second' \
    --variant plain --sweep square --max-size 100 --csv "$work/slow" --resume
"$program" --sim --variant plain --size 20 >/dev/full 2>"$work/out"
same 'standard output that takes nothing' '2 test_gemv: standard output cannot be written' "$? $(cat "$work/out")"
expect 'launches that overlap' 0 '^plain +20 ' --pdl --variant plain --size 20
expect 'a GPU without that' 2 '^test_gemv: --pdl: needs sm_90' --pdl --variant plain --size 20 --sim-device sm_80

# Step 7's configurations at shapes that the check list of small problems does not have. The GPU has 40
# multiprocessors, on which the persistent ones take on 640 rows at once and no more.
build/tests/candidates/run --list | sed 's/ *$//' >"$work/names"
same 'every kind of configuration has its shapes here' ' persistent row_per_block short shuffle split unaligned' \
    "$(sed 's/^n[0-9]* r[0-9]* u[0-9]* v[0-9]* *//' "$work/names" | sort -u | tr '\n' ' ' | sed 's/ $//')"

# configurations PATTERN NAME ARGUMENTS...: all whose names match take the problem, and their results are right.
configurations() {
    pattern=$1 name=$2 wanted=0
    shift 2
    while read -r candidate; do
        if echo "$candidate" | grep -Eq -e "$pattern"; then
            set -- "$@" --variant "$candidate"
            wanted=$((wanted + 1))
        fi
    done <"$work/names"
    run build/tests/candidates/run --sim --sim-device sm_75 "$@"
    right=$(grep -c '^n[0-9].* s  [01]\.[0-9]*$' "$work/out")
    sed -i '/^n[0-9].* s  [01]\.[0-9]*$/d' "$work/out"
    check "$name: $right right of $wanted" [ "$status $right" = "0 $wanted" ]
}
types="f16 f32" # bf16 has the size and alignment of f16
[ -z "${KL_TEST_ALL:-}" ] || types="f16 bf16 f32"
for t in $types; do
    if [ $t = f32 ]; then piece=4; else piece=8; fi
    configurations 'persistent$' "three turns, the last not full, $t" --dtype $t --n 1283 --k 125 --lda 128 --beta 2
    k=$((256 * piece - 3)) # what the registers of the smallest hold of x, but for three elements
    configurations 'persistent$' "turns with all loads in flight, $t" --dtype $t --n 323 --k $k --lda $((k + 3)) \
        --alpha -0.5
    k=$((5000 * piece + piece - 1)) # twice what the largest has in flight, and more; the last elements are no piece
    configurations '(v[0-9]*|unaligned|split|shuffle|row_per_block)$' "rows of many chunks, $t" --dtype $t --n 3 \
        --k $k --lda $((k + 1))
    configurations '(unaligned|split)$' "rows of many chunks off 16 bytes, $t" --dtype $t --n 5 --k $k --beta 2
    configurations 'short$' "short rows, $t" --dtype $t --n 9001 --k 2 --beta -0.5
    configurations '^n64 .*short$' "wider rows with room between them, $t" --dtype $t --n 131 --k 183 --lda 190
done

ended
