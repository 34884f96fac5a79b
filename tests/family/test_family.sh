#!/bin/sh
# A family that is just a folder (tests/family), run by the bench: everything it gets without a line of its own in
# there. Last line: "N passed, N failed".
set -u
program=build/tests/family/run
. "$(dirname "$0")/../case.sh"

expect 'its options are in the help' 0 '^ +--a X +y = a\*x \+ y' --help
expect 'a right variant' 0 '^plain +777 +[0-9.]+ s  0\.[0-9]+$' --variant plain --n 777 --a -0.5
expect 'a wrong one' 1 '^short +777 +skipped: WRONG RESULT' --variant short --n 777
expect 'a sweep, recorded' 0 '^plain +10000 ' --variant plain --sweep square --csv "$work/csv"
expect 'its rows' 0 '^plain +10000 ' --variant plain --sweep square --csv "$work/other"
same 'rows of the sweep' 3 "$(grep -c '^test_family,plain,axpy,f32,' "$work/csv")"
expect 'the check list' 1 '^7 passed, 7 failed$' --sweep check
expect 'the list' 0 '128 threads per block' --list --verbose

# Outputs that take nothing, and standard output as a file of rows.
expect 'rows on standard output' 0 '^test_family,plain,axpy,' --variant plain --n 777 --csv -
same 'and no file of that name' '' "$(ls -- - 2>/dev/null)"
expect 'a full disk' 2 '^--csv /dev/full: No space left on device$' --variant plain --n 777 --csv /dev/full
"$program" --sim --variant plain --n 777 >&- 2>"$work/out"
same 'standard output that is closed' '2 test_family: standard output cannot be written' \
    "$? $(sed 's/written: .*/written/' "$work/out")"
"$program" --sim --variant plain --n 777 --csv "$work/rows" >&- 2>"$work/out"
same 'what is printed does not get into the rows' '2 2 1' "$? $(wc -l <"$work/rows") $(grep -c '^step,' "$work/rows")"
expect 'a device that is not there' 2 '^test_family: --device 5: there is 1 GPU here, numbered from 0$' --device 5

ended
