#!/bin/sh
# help: run compute-sanitizer's four tools over every step (TOOLS=, STEPS= narrow it)
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
need_gpu sanitize
need_step sanitize STEPS ${STEPS:-}
need_tool sanitize compute-sanitizer cuda-sanitizer-13-0
build_steps ${STEPS:-}
logs=build/sanitize
mkdir -p "$logs"
passed=0 failed=0

# sanitize TOOL NAME COMMAND...: a line, and the counts.
sanitize() {
    tool=$1 name=$2 options='' status=0
    log=$logs/$tool-$(echo "$name" | tr ' ' '-').log
    shift 2
    echo "sanitize: $tool $name" >&2
    if [ "$tool" = memcheck ]; then options="--leak-check full"; fi
    compute-sanitizer --tool "$tool" $options --error-exitcode 9 "$@" >"$log" 2>&1 || status=$?
    # Clean: exit status 0, and every summary (errors, leaks, hazards) there and at 0.
    if [ "$status" = 0 ] && grep -q 'SUMMARY: 0 ' "$log" && ! grep 'SUMMARY:' "$log" | grep -qv 'SUMMARY: 0 '; then
        echo "ok $tool $name"
        passed=$((passed + 1))
    else
        echo "FAIL $tool $name (exit status $status; $log): $(grep 'SUMMARY:' "$log" | tail -n 1)"
        failed=$((failed + 1))
    fi
}

for tool in ${TOOLS:-memcheck racecheck initcheck synccheck}; do
    for step in ${STEPS:-step[0-9][0-9]}; do
        # Step 7 has many times as many kernels, counting what its autotuner chooses from. Its 17 problems have rows on
        # and off 16 bytes in each type, so that every kernel runs in all three.
        every=5 size=129
        if [ "$step" = step07 ]; then every=41; fi
        # Step 6 has 14 kinds of problems (type, layout, output), with 171 problems each up to this size: two or three
        # of each kind, and some with K long enough for a ring of stages to go round.
        if [ "$step" = step06 ]; then every=63 size=600; fi
        # Step 8 has a list of its own, some 260 problems: these 16 and what follows have every kernel run.
        if [ "$step" = step08 ]; then every=17 size=2200; fi
        sanitize "$tool" "$step" "./$step/run" --sweep check --max-size $size --every $every
        case $step in
        step05) # Its blocks share a tile only where there is enough of K: at larger sizes.
            sanitize "$tool" "$step stream_k" "./$step/run" --sweep check --variant stream_k --variant best \
                --max-size 1000 --every 10
            ;;
        step07) # Its persistent kernels go round only where there are more rows than fit at once: the first problem's.
            # Under racecheck that would take minutes: 1024 x 1024, where half of them go round.
            sample="--max-size 4301 --every 400"
            if [ "$tool" = racecheck ]; then sample="--max-size 1024 --every 187"; fi
            sanitize "$tool" "$step best" "./$step/run" --sweep check --variant best $sample
            ;;
        step08) # Rows longer than what a block selects from or sorts; and votes.
            sanitize "$tool" "$step long rows" "./$step/run" --sweep check --max-size 4100 --every 23 \
                --method direct+kpass --method direct+bitonic --method direct+warpselect --method exact_tc
            sanitize "$tool" "$step one query" "./$step/run" --sweep check --max-size 4100 --every 17 \
                --method exact_tc --queries-at-once 1
            sanitize "$tool" "$step long answers" "./$step/run" --m 2 --n 4100 --d 3 --k 3000 --time 0.001 \
                --method direct+radix
            awk 'BEGIN { for (i = 0; i < 9000; i++) print i % 97 "," i % 89 "," i % 83 "," i % 10 }' >"$logs/test.csv"
            head -n 500 "$logs/test.csv" >"$logs/train.csv"
            sanitize "$tool" "$step records" "./$step/run" --train "$logs/train.csv" --test "$logs/test.csv" --k 5
            ;;
        esac
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
