#!/bin/sh
# A GEMM step of all types and layouts, end to end in the simulator: tests/gemm has a correct kernel and several with
# one fault each. Last line: "N passed, N failed".
set -u
program=build/tests/gemm/run
. "$(dirname "$0")/../case.sh"

# What is right passes, and each fault is found, in every type that can have it.
for kind in 'f16 f16' 'f16 f32' 'bf16 bf16' 'bf16 f32' 'tf32 f32' 's8 s32' 'f32 f32' 'tf32x3 f32'; do
    t=${kind% *} out=${kind#* }
    for layout in nn tn; do
        say="$t $layout, C $out"
        set -- --dtype "$t" --out "$out" --layout $layout --m 37 --n 50 --k 67
        expect "a right kernel, $say" 0 '^plain +37 +50 +67 ' --variant plain "$@" --alpha 2 --beta -3
        expect "padded rows, $say" 0 '^plain +37 +50 +67 ' --variant plain "$@" --lda 71 --ldb 73 --ldc 57 --beta 2
        expect "misaligned operands, $say" 0 '^plain +37 +50 +67 ' --variant plain "$@" --misalign 3 --beta 2
        expect "a dropped product, $say" 1 'exact pass: .* of 1850 elements wrong' --variant drops_last "$@"
        expect "a dropped remainder, $say" 1 'exact pass: .* of 1850 elements wrong' --variant drops_round "$@"
        expect "the other layout, $say" 1 'exact pass: .* of 1521 elements wrong' --variant other_layout \
            --dtype "$t" --out "$out" --layout $layout --size 39
        expect "rows of B taken for tight, $say" 1 'exact pass: .* of 1850 elements wrong' --variant forgets_ldb "$@" \
            --ldb 73
        expect "a write behind C, $say" 1 '0 (elements|floats) after the end of C' --variant writes_past "$@"
        expect "a write between rows, $say" 1 'at row 0, column 50 of C' --variant writes_padding "$@" --ldc 51
        expect "a changed A, $say" 1 'at row 0, column 0 of A' --variant writes_a "$@"
        expect "a workspace, $say" 0 '^by_workspace +37 +50 +67 ' --variant by_workspace "$@" --lda 71 --beta 2
        expect "a write behind the workspace, $say" 1 ' 0 floats after the end of the workspace' \
            --variant writes_past_workspace "$@"
        expect "an element not written, $say" 1 'first at row 36, column 49' --variant skips_corner "$@"
        if [ "$t" != s8 ]; then # in whole numbers there is no NaN, and nothing comes of what is multiplied by 0
            expect "C is read with beta 0, $say" 1 'got nan' --variant reads_c "$@"
            expect "what an earlier launch may have left is read, $say" 1 'got nan' --variant reads_workspace "$@"
            expect "A is read with alpha 0, $say" 1 'got nan' --variant reads_a "$@" --alpha 0
        fi
    done
done

# Arithmetic that is too short for the type, at the sizes where it shows: VARIANT OPTIONS.
while read -r variant options; do
    for layout in nn tn; do
        # shellcheck disable=SC2086 # several options
        expect "$variant $options, $layout" 1 'random pass' --variant "$variant" --layout $layout --dtype $options
    done
done <<'RUNS'
short_sum f16 --out f32 --size 64
short_sum f16 --size 64
short_sum bf16 --size 64
short_sum s8 --size 64
saturates s8 --size 64
rounds_operands tf32 --m 60 --n 60 --k 2
drops_small tf32x3 --m 60 --n 60 --k 2
rounds_operands tf32x3 --m 60 --n 60 --k 2
rounds_operands f32 --size 64
rounds_operands f16 --out f32 --size 30
rounds_twice f16 --size 30
RUNS

# Corners.
expect 'A is not read with alpha 0' 0 '^plain' --variant plain --size 30 --alpha 0 --beta 2
expect 'nothing to compute' 0 'nothing to time; verified' --variant plain --m 0 --n 5 --k 5
expect 'no product' 0 '^plain' --variant plain --m 7 --n 9 --k 0 --beta 2 --dtype s8
expect 'infinite sums' 0 '^plain' --variant plain --size 40 --alpha 1e6
expect 'large whole scalars' 0 '^plain' --variant plain --size 40 --dtype s8 --alpha -65536 --beta 65536
expect 'what has no device' 2 'nowhere .*skipped: needs what no device has' --variant nowhere
expect 'what takes other types' 2 'only_s8 .*skipped: takes s8 and tn' --variant only_s8 --size 20
expect 'what takes this type' 0 '^only_s8 .* s ' --variant only_s8 --size 20 --dtype s8
expect 'a note' 0 '^    rows of C do not begin on 16 bytes$' --variant plain --size 20 --dtype f16
expect 'no note' 0 '^plain' --variant plain --size 24 --dtype f16
same 'no note' '' "$(grep '16 bytes' "$work/out")"

# The command line.
expect 'what it computes' 0 '^C = 1\*A\*B \+ 0\*C in bf16 nn, C in f32$' --variant plain --size 20 --dtype bf16 \
    --out f32 --layout nn
expect 'defaults' 0 '^C = 1\*A\*B \+ 0\*C in f16 tn, C in f16$' --variant plain --size 20
expect 'a list' 0 '^only_s8 +takes s8 and tn' --list

# What it shows.
expect 'a show' 0 '^as it should be on sm_90$' --show right
expect 'a show says what it is' 0 '^shows what is right$' --show right
expect 'a show runs no variant' 0 'right' --show right
same 'a show runs no variant' '' "$(grep plain "$work/out")"
expect 'a show on another device' 0 '^as it should be on sm_75$' --show right --sim-device sm_75
expect 'a show that is wrong' 1 '^not as it should be$' --show wrong
expect 'a show that this device has not' 2 '^skipped: needs what no device has$' --show nowhere
expect 'a list of shows' 0 '^--show wrong +shows what is wrong$' --list

# The check list: all kinds, and what is asked for of them.
expect 'the check list' 0 '^plain +[0-9]+ passed, 0 failed$' --variant plain --sweep check --every 13
expect 'the check list of one type' 0 '^plain +[0-9]+ passed, 0 failed$' --variant plain --sweep check --every 3 \
    --dtype bf16 --out f32 --layout nn --max-size 130
expect 'the check list of what takes s8 alone' 0 '^only_s8 +[1-9][0-9]* passed, 0 failed, [1-9][0-9]* refused$' \
    --variant only_s8 --sweep check --every 13
expect 'the check list finds faults' 1 '^forgets_ldb +[0-9]+ passed, [1-9]' --variant forgets_ldb --sweep check \
    --every 13
expect 'the check list says where' 1 '^drops_round \(tf32 nn, C f32, ld [0-9]+ [0-9]+ [0-9]+, [0-9]+ elements off' \
    --variant drops_round --sweep check --every 13 --dtype tf32 --layout nn

expect 'the check list with a workspace' 0 '^by_workspace +[0-9]+ passed, 0 failed$' --variant by_workspace \
    --sweep check --every 29
expect 'variants share a workspace' 0 '^by_workspace +20 ' --variant plain --variant by_workspace --size 20
expect 'no workspace where there is no A' 0 '^by_workspace +20 ' --variant by_workspace --m 20 --n 20 --k 0 --beta 2

# Files.
for t in f16 s8; do
    expect "the odd sweep, $t" 0 '^plain' --variant plain --sweep odd --max-size 300 --dtype $t --csv "$work/csv"
done
expect 'f16, C in f32' 0 '^plain' --variant plain --size 20 --out f32 --csv "$work/csv"
same 'rows say what they are' 'f16 tn,f16>f32 tn,s8 tn,' \
    "$(awk -F, 'NR > 1 { print $4 " " $5 }' "$work/csv" | sort -u | tr '\n' ',')"
rows=$(wc -l <"$work/csv")
expect 'resumed' 0 'simulated in' --variant plain --size 20 --out f32 --csv "$work/csv" --resume
same 'a resumed run adds no row' "$rows" "$(wc -l <"$work/csv")"
expect 'another type is another case' 0 'simulated in' --variant plain --size 20 --csv "$work/csv" --resume
same 'another type adds a row' "$((rows + 1))" "$(wc -l <"$work/csv")"

# What the simulator shows on a terminal while a kernel takes more than a second: a larger one on a faster machine.
columns=$(CUDASIM_THREADS=1 python3 - "$program" <<'END'
import os, pty, re, sys

def shown_by(size):
    seen = b""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], [sys.argv[1], "--sim", "--variant", "plain", "--size", size])
    try:
        while data := os.read(fd, 4096):
            seen += data
    except OSError:  # its end, on Linux
        os.waitpid(pid, 0)
    return [line for line in re.split(rb"\r\033\[K|\r?\n", seen) if line.startswith(b"simulating ")]

shown = next(filter(None, map(shown_by, ("700", "1400", "2800"))), [])
told = any(re.search(rb" [0-9]+ %, about [0-9]+ s left$", line) for line in shown)
print("as wanted" if told and max(map(len, shown)) < 80 else shown[-3:])
END
)
same 'the progress of a long kernel: a share, the time left, less than 80 columns' 'as wanted' "$columns"

ended
