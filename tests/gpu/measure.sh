#!/bin/sh
# What only a GPU can show of the measuring half: every step timed at small sizes, recorded, resumed, cold and warm, with
# beta != 0, and the errors that need a device. Prints "ok NAME" or "FAIL NAME: ..." and, last, "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# check NAME COMMAND...: the command must succeed.
check() {
    name=$1
    shift
    if "$@" >"$work/why" 2>&1; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "FAIL $name: $(tail -n 3 "$work/why" "$work/out" "$work/err" 2>/dev/null | tr '\n' ' ')"
        failed=$((failed + 1))
    fi
}

# exits STATUS COMMAND...: runs it; its output is kept in out and err.
exits() {
    want=$1
    shift
    status=0
    "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = "$want" ]
}
# refuses STATUS TEXT COMMAND...: one line on stderr that says TEXT.
refuses() {
    want=$1 text=$2
    shift 2
    exits "$want" "$@" && [ "$(wc -l <"$work/err")" = 1 ] && grep -q -- "$text" "$work/err"
}
# column NAME: that column of every row of the CSV.
column() { awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i; next } { print $c }' "$work/a.csv"; }
rows() { tail -n +2 "$work/a.csv" | wc -l; }
modes_are() { [ "$(column mode | sort -u)" = "$1" ]; }
complete() { [ "$(rows)" = "$1" ] && ! column ms_median | grep -qv '[0-9]' && [ "$(column ratio | grep -c '[0-9]')" = "$1" ]; }

for run in step0[1-6]/run; do
    step=$(dirname "$run")
    rm -f "$work/a.csv" "$work/a.json"
    variants=$("./$run" --list | wc -l)
    check "$step is timed and recorded" exits 0 "./$run" --size 64 --time 0.02 --csv "$work/a.csv" --json "$work/a.json"
    check "$step: a complete row a variant" complete "$variants"
    check "$step: short kernels in graphs" modes_are graph
    check "$step: as many JSON lines" [ "$(wc -l <"$work/a.json")" = "$variants" ]
    check "$step is resumed" exits 0 "./$run" --size 64 --time 0.02 --csv "$work/a.csv" --resume
    check "$step: nothing was measured again" [ "$(rows)" = "$variants" ]
    check "$step: alpha and beta, padded rows" exits 0 "./$run" --m 130 --n 257 --k 65 --lda 70 --ldb 260 --ldc 300 \
        --alpha -0.5 --beta 2 --time 0.02
    check "$step: warm" exits 0 "./$run" --size 256 --warm --time 0.02
    check "$step: no baseline" exits 0 "./$run" --size 100 --no-baseline --time 0.02
    check "$step: nothing to time" exits 0 "./$run" --m 0 --n 5 --k 5
    check "$step: its occupancy is listed" exits 0 "./$run" --list --verbose
done

rm -f "$work/a.csv"
check "long kernels between events" exits 0 "./$run" --size 2048 --time 0.05 --csv "$work/a.csv"
check "their mode is events" modes_are events
check "too large a problem is refused" refuses 2 "GB are free" "./$run" --size 1000000
check "a device that is not there" refuses 2 "--device 99" "./$run" --size 64 --device 99
check "hidden devices" refuses 3 "CUDA_VISIBLE_DEVICES" env CUDA_VISIBLE_DEVICES= "./$run" --size 64
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
