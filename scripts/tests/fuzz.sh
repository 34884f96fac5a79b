#!/bin/sh
# help: fuzz the readers of data files (FUZZ_SECONDS=600 each); the simulator: make -C cudasim fuzz
# fuzz.sh [csv] [npy] (default: all), under AddressSanitizer and UndefinedBehaviorSanitizer; last "N passed, N failed".
set -u
. "$(dirname "$0")/../../tests/case.sh"
seconds=${FUZZ_SECONDS:-600}
out=build/fuzz
mkdir -p "$out" || exit 1
case $seconds in '' | *[!0-9]*) echo "fuzz: FUZZ_SECONDS=$seconds is not a number" >&2; exit 2 ;; esac
[ $# != 0 ] || set -- csv npy
for target; do [ -e "tests/fuzz/fuzz_$target.c" ] || { echo "fuzz: no target '$target'" >&2; exit 2; }; done

compiler=${FUZZ_CC:-clang} engine=libFuzzer sanitizers=fuzzer,address,undefined replay=
echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n > 9; }' >"$work/try.c"
if [ "$compiler" = gcc ] || ! "$compiler" -fsanitize=$sanitizers -o "$work/try" "$work/try.c" 2>/dev/null; then
    compiler=gcc engine=replay sanitizers=address,undefined replay=cudasim/tests/fuzz/replay.c
    echo "skipped: no clang with libFuzzer here: the corpus and mutations of it are replayed"
fi
for target; do
    log=$out/$target.log program=$out/$engine.$target dictionary=
    mkdir -p "$out/$target"
    [ ! -e "tests/fuzz/$target.dict" ] || dictionary=-dict=tests/fuzz/$target.dict
    # shellcheck disable=SC2086 # a word or none
    run "$compiler" -std=c11 -D_GNU_SOURCE -g -O1 -Icommon -fno-strict-aliasing -fno-sanitize-recover=all \
        -fsanitize=$sanitizers "tests/fuzz/fuzz_$target.c" common/base/parallel.c common/readers/classes.c \
        common/readers/scaling.c common/readers/table.c $replay -lm -o "$program"
    if [ "$status" != 0 ]; then
        counted 1 "$target: it does not build"
        continue
    fi
    if [ $engine = libFuzzer ]; then
        # shellcheck disable=SC2086 # a word or none
        run "$program" $dictionary -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$out/$target-" "$out/$target" "tests/fuzz/corpus/$target"
    else
        run timeout $((seconds + 60)) "$program" "tests/fuzz/corpus/$target"
    fi
    cp "$work/out" "$log"
    counted "$status" "$target ($engine): exit status $status; the end of $log:"
    [ "$status" != 0 ] || echo "ok $target ($engine): $(
        sed -n 's/^stat::number_of_executed_units: *\([0-9]*\)/\1 inputs/; /^[0-9]* inputs$/p' "$log")"
done
ended
