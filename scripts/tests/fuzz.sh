#!/bin/sh
# help: fuzz the readers of data files (FUZZ_SECONDS=600 each); the simulator: make -C cudasim fuzz
# Fuzzes the readers of untrusted files, the data files of step 8, under AddressSanitizer and
# UndefinedBehaviorSanitizer. FUZZ_SECONDS (600) each; what it finds and its own corpus are in build/fuzz.
#
#   fuzz.sh [csv] [npy]     (default: all)
#
# With clang and its libFuzzer (Debian: clang libclang-rt-14-dev or libclang-rt-dev), else with gcc and
# cudasim/tests/fuzz/replay.c, which replays tests/fuzz/corpus and mutations of it. FUZZ_CC names the compiler;
# FUZZ_CC=gcc asks for the replay. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${FUZZ_SECONDS:-600}
out=build/fuzz
mkdir -p "$out" || exit 1
trap 'exit 130' INT TERM
passed=0 failed=0
case $seconds in '' | *[!0-9]*) echo "fuzz: FUZZ_SECONDS=$seconds is not a number" >&2; exit 2 ;; esac

targets=${*:-csv npy}
for target in $targets; do
    [ -e "tests/fuzz/fuzz_$target.c" ] || { echo "fuzz: no target '$target'" >&2; exit 2; }
done
flags="-std=c11 -D_GNU_SOURCE -g -O1 -Icommon \
    -fno-strict-aliasing -fno-sanitize-recover=all"
compiler=${FUZZ_CC:-clang}
echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n > 9; }' >"$out/try.c"
if [ "$compiler" != gcc ] && "$compiler" -fsanitize=fuzzer,address,undefined -o "$out/try" "$out/try.c" \
    >"$out/try.log" 2>&1
then
    engine=libFuzzer sanitizers=fuzzer,address,undefined
else
    engine=replay compiler=gcc sanitizers=address,undefined
    echo "skipped: no clang with libFuzzer here: the corpus and mutations of it are replayed"
fi
rm -f "$out/try" "$out/try.c"

# objects NAMES...: of common, made once for all targets of data files; their names in $objects
objects() {
    objects=
    for part; do
        object=$out/$engine.$(basename "$part").o
        # shellcheck disable=SC2086 # words
        "$compiler" $flags -fsanitize="$sanitizers" -c "common/$part.c" -o "$object" || exit 1
        objects="$objects $object"
    done
}

# fuzz NAME SOURCES...: tests/fuzz/fuzz_NAME.c
fuzz() {
    name=$1
    shift
    log=$out/$name.log
    mkdir -p "$out/$name"
    if [ $engine = libFuzzer ]; then
        # shellcheck disable=SC2086 # words
        "$compiler" $flags -fsanitize=$sanitizers "tests/fuzz/fuzz_$name.c" "$@" -lm -o "$out/fuzz_$name" \
            >"$log" 2>&1 || { echo "FAIL $name: it does not build"; cat "$log"; failed=$((failed + 1)); return; }
        dictionary=
        [ ! -e "tests/fuzz/$name.dict" ] || dictionary=-dict=tests/fuzz/$name.dict
        # shellcheck disable=SC2086 # a word or none
        "$out/fuzz_$name" $dictionary -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$out/$name-" "$out/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1
    else
        # shellcheck disable=SC2086 # words
        gcc $flags -fsanitize=$sanitizers "tests/fuzz/fuzz_$name.c" cudasim/tests/fuzz/replay.c "$@" -lm \
            -o "$out/replay_$name" >"$log" 2>&1 ||
            { echo "FAIL $name: it does not build"; cat "$log"; failed=$((failed + 1)); return; }
        timeout $((seconds + 60)) "$out/replay_$name" "tests/fuzz/corpus/$name" >"$log" 2>&1
    fi
    status=$?
    if [ "$status" = 0 ]; then
        passed=$((passed + 1))
        said=$(sed -n 's/^stat::number_of_executed_units: *\([0-9]*\)/\1 inputs/; /^[0-9]* inputs$/p' "$log")
        echo "ok $name ($engine): $said"
    else
        failed=$((failed + 1))
        echo "FAIL $name ($engine): exit status $status; the end of $log:"
        tail -n 40 "$log" | sed 's/^/    /'
    fi
}

objects=
for target in $targets; do
    [ -n "$objects" ] || objects base/parallel readers/classes readers/scaling readers/table
    # shellcheck disable=SC2086 # words
    fuzz "$target" $objects
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
