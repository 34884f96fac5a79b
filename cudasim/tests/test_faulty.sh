#!/bin/sh
# Kernels with one fault each (tests/faulty): the checks name it as its kind, at the lines that say "// FAULT kind"; of
# those named ok_... they say nothing. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CUDASIM_DEVICE CUDASIM_THREADS CUDASIM_ISA CUDASIM_WATCHDOG CUDASIM_LIB CUDASIM_CHECK LD_PRELOAD
passed=0 failed=0

fail() { # NAME WHY
    echo "FAIL $1: $2"
    sed 's/^/    /' "$work/out" | cut -c 1-300 | head -n 12
    failed=$((failed + 1))
}

for source in tests/faulty/memory.cu tests/faulty/shared.cu tests/faulty/global.cu tests/faulty/threads.cu \
    tests/faulty/barriers.cu tests/faulty/waits.cu tests/faulty/cluster.cu tests/faulty/wgmma.cu \
    tests/faulty/tensor.cu tests/faulty/operand.cu tests/faulty/lanes.cu tests/faulty/unwritten.cu; do
    base=$(basename "$source") program=build/tests/faulty/$(basename "$source" .cu)
    # kernel, line, kind of each marker
    awk '/__global__/ { sub(/.*void /, ""); sub(/\(.*/, ""); name = $0 }
         /\/\/ FAULT / {
             sub(/.*\/\/ FAULT /, "")
             for (n = split($0, kinds, / and /); n > 0; n--) print name "\t" FNR "\t" kinds[n]
         }' "$source" >"$work/marks"
    for name in $(./cudasim "$program"); do
        timeout 60 ./cudasim "$program" "$name" >"$work/out" 2>&1
        status=$?
        awk -v n="$name" '$1 == n' "$work/marks" >"$work/mine"
        case $name in
        ok_*)
            if [ $status = 0 ] && ! grep -q '^cudasim: ' "$work/out"; then
                passed=$((passed + 1))
            else
                fail "$name" "status $status"
            fi
            continue
            ;;
        esac
        why=
        [ $status = 1 ] || why="exit status $status"
        [ -s "$work/mine" ] || why="no marker"
        while IFS="$(printf '\t')" read -r _ line kind; do
            grep -q "^cudasim: $kind\( in kernel\)\?[: ]" "$work/out" || why="nothing of the kind '$kind'"
            grep -q "$base:${line}[: )]" "$work/out" || why="nothing about line $line"
        done <"$work/mine"
        # ... and no other kind.
        others=$(grep -c '^cudasim: ' "$work/out")
        expected=$(cut -f 3 "$work/mine" | sort -u |
            while read -r kind; do grep "^cudasim: $kind" "$work/out"; done | wc -l)
        [ "$others" = $((expected + 1)) ] || why=${why:-"other findings"}
        if [ -z "$why" ]; then passed=$((passed + 1)); else fail "$name" "$why"; fi
    done
done
# What would order the two sides of a race, by who they are.
wanted() { # PROGRAM KERNEL TEXT
    ./cudasim "build/tests/faulty/$1" "$2" >"$work/out" 2>&1
    if grep -q "nothing orders it after the [a-z]* by .*thread ([0-9,]*) of block ([0-9,]*) ($3): " "$work/out" &&
        [ "$(grep -c 'nothing orders it after the' "$work/out")" = "$(grep -c "($3): " "$work/out")" ]
    then passed=$((passed + 1)); else fail "$2" "it does not say '$3', or something else"; fi
}
wanted shared exchange_no_syncwarp 'a lane of the same warp: __syncwarp or a barrier'
wanted shared two_writers 'another warp: a barrier'
wanted cluster cluster_no_barrier "another block of the cluster: the cluster's barrier"
wanted tensor stores_to_one_place 'another block: a flag with fences, or another launch'
wanted global last_block_no_second_fence 'another block: no fence here since the flag was read; the other side has one'
wanted global last_block_narrow_fence 'another block: no fence and flag there since; this side has both'
# What the host copies though nothing has written it.
copied() { # NAME STATUS ARGUMENT...
    name=$1 wanted_status=$2
    shift 2
    ./cudasim "$@" >"$work/out" 2>&1
    status=$?
    said=$(grep -c '^cudasim: uninitialised: a copy of 128 bytes .* takes with it 64 .* from byte 64 of' "$work/out")
    [ $status = "$wanted_status" ] && [ "$said" = "$wanted_status" ] && passed=$((passed + 1)) && return
    fail "$name" "exit status $status"
}
copied strict 1 --strict build/tests/faulty/copied
copied strict_whole 0 --strict build/tests/faulty/copied whole
copied not_strict 0 build/tests/faulty/copied
# What is not freed.
./cudasim --leak-check build/tests/faulty/leak >"$work/out" 2>&1
status=$?
if [ $status = 1 ] && grep -q "^cudasim: leak: 4096 bytes .* have not been freed" "$work/out" &&
    grep -q "^cudasim: 1 finding" "$work/out"
then passed=$((passed + 1)); else fail leak "exit status $status"; fi
if ./cudasim build/tests/faulty/leak >"$work/out" 2>&1 && ! grep -q . "$work/out"; then
    passed=$((passed + 1))
else
    fail leak "without --leak-check it is one as well"
fi
if CUDASIM_CHECK=0 ./cudasim --leak-check build/tests/faulty/leak >"$work/out" 2>&1 && ! grep -q . "$work/out"; then
    passed=$((passed + 1))
else
    fail leak "found though nothing is checked"
fi
# What compute-sanitizer is recorded to say of them is what the README has.
if python3 -B tests/golden.py --table tests/faulty/nvidia-h200/faults.csv >"$work/out" &&
    grep -qF -x -f "$work/out" tests/faulty/README.md &&
    [ "$(grep -cxF -f "$work/out" tests/faulty/README.md)" -ge "$(grep -c . "$work/out")" ]
then
    passed=$((passed + 1))
else
    fail README "not: python3 tests/golden.py --table tests/faulty/nvidia-h200/faults.csv"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
