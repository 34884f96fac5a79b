#!/bin/sh
# Fuzzes the readers of a program's bytes, PTX and fat binaries, under AddressSanitizer and UndefinedBehaviorSanitizer,
# and runs random programs (tests/random), from a seed that the clock gives, in the simulator and in a plain model.
# FUZZ_SECONDS (600) each; what it finds and its own corpus are in build/fuzz.
#
#   fuzz.sh [programs] [ptx] [fatbin]     (default: all)
#
# With clang and its libFuzzer (Debian: clang libclang-rt-14-dev or libclang-rt-dev), else with gcc and
# tests/fuzz/replay.c, which replays tests/fuzz/corpus and mutations of it. FUZZ_CC names the compiler; FUZZ_CC=gcc asks
# for the replay. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${FUZZ_SECONDS:-600}
out=build/fuzz
mkdir -p "$out" || exit 1
trap 'exit 130' INT TERM
passed=0 failed=0
case $seconds in '' | *[!0-9]*) echo "fuzz: FUZZ_SECONDS=$seconds is not a number" >&2; exit 2 ;; esac

targets=${*:-programs ptx fatbin}
for target in $targets; do
    case $target in programs | ptx | fatbin) ;; *) echo "fuzz: no target '$target'" >&2; exit 2 ;; esac
done
flags="-std=c11 -D_GNU_SOURCE -g -O1 -Isrc -fno-strict-aliasing -fno-sanitize-recover=all"
compiler=${FUZZ_CC:-clang}
echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n > 9; }' >"$out/try.c"
if [ "$compiler" != gcc ] &&
    "$compiler" -fsanitize=fuzzer,address,undefined -o "$out/try" "$out/try.c" >"$out/try.log" 2>&1
then
    engine=libFuzzer sanitizers=fuzzer,address,undefined
else
    engine=replay compiler=gcc sanitizers=address,undefined
    echo "skipped: no clang with libFuzzer here: the corpus and mutations of it are replayed"
fi
rm -f "$out/try" "$out/try.c"

# ended NAME STATUS LOG INPUTS
ended() {
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
        echo "ok $1: $4"
    else
        failed=$((failed + 1))
        echo "FAIL $1: exit status $2; the end of $3:"
        tail -n 40 "$3" | sed 's/^/    /'
    fi
}

# fuzz NAME SOURCES...: tests/fuzz/fuzz_NAME.c
fuzz() {
    name=$1 log=$out/$1.log program=$out/$engine.$1
    shift
    mkdir -p "$out/$name"
    [ $engine = libFuzzer ] || set -- "$@" tests/fuzz/replay.c
    # shellcheck disable=SC2086 # words
    if ! "$compiler" $flags -fsanitize=$sanitizers "tests/fuzz/fuzz_$name.c" "$@" -lm -o "$program" >"$log" 2>&1; then
        ended "$name does not build" 1 "$log" ''
        return
    fi
    if [ $engine = libFuzzer ]; then
        dictionary=
        [ ! -e "tests/fuzz/$name.dict" ] || dictionary=-dict=tests/fuzz/$name.dict
        # shellcheck disable=SC2086 # a word or none
        "$program" $dictionary -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$out/$name-" "$out/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1
    else
        timeout $((seconds + 60)) "$program" "tests/fuzz/corpus/$name" >"$log" 2>&1
    fi
    ended "$name ($engine)" $? "$log" \
        "$(sed -n 's/^stat::number_of_executed_units: *\([0-9]*\)/\1 inputs/; /^[0-9]* inputs$/p' "$log")"
}

for target in $targets; do
    case $target in
    ptx) fuzz ptx src/ptx/*.c src/base/arena.c ;;
    fatbin) fuzz fatbin src/ptx/fatbin.c ;;
    programs)
        RANDOM_SEED=$(($(date +%s) * 1000000)) RANDOM_SECONDS=$seconds \
            build/tests/exec/test_random >$out/programs.log 2>&1
        ended programs $? $out/programs.log \
            "$(sed -n 's/^\([0-9]* programs from seed [0-9]*\) on$/\1/p' $out/programs.log)"
        ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
