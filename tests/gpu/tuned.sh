#!/bin/sh
# Is step 7's `best` ever slower than another of its variants by more than 2 %? Times all of them at random shapes.
#   SHAPES=100   how many       SEED=1   which       (n and k from 1 to 32768, n*k up to 2^29, all three types)
# Short measurements jitter: a shape where it looks slower is measured again, longer, before it counts. What was
# measured is left in build/tuned/. `--list` prints the shapes and stops. Last line: "N passed, N failed". Exit status:
# 0, 1 when any failed, 2 when an argument is wrong, 3 without a GPU.
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
for number in SHAPES="${SHAPES:-100}" SEED="${SEED:-1}"; do
    case ${number#*=} in
    '' | *[!0-9]* | ??????????*) echo "test-tuned: ${number%%=*}: '${number#*=}' is not a number below 10^9" >&2; exit \
        2 ;;
    esac
done

# "dtype n k" a line. Three of five are f16. Of every four, two have rows of whole 16 bytes, one has odd ones.
shapes() {
    awk -v count="${SHAPES:-100}" -v seed="${SEED:-1}" '
        function uniform() { state = state * 16807 % 2147483647; return state / 2147483647 } # the same in every awk
        function side() { return int(exp(uniform() * log(32768)) + 0.5) }
        BEGIN {
            split("f16 bf16 f16 f32 f16", type, " ")
            state = seed % 2147483646 + 1
            for (i = 0; i < 20; i++) uniform() # near seeds begin alike
            for (i = 0; i < count; i++) {
                do {
                    n = side()
                    k = side()
                    if (i % 4 < 2) k = k < 8 ? 8 : k - k % 8
                    if (i % 4 == 2 && k % 2 == 0) k--
                } while (n * k > 2 ^ 29)
                print type[i % 5 + 1], n, k
            }
        }'
}
if [ "${1:-}" = --list ]; then
    shapes
    exit
fi

need_gpu test-tuned
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" all >&2
folder=build/tuned
rm -rf "$folder"
mkdir -p "$folder"
passed=0 failed=0 nth=0

# time_them SECONDS CSV [OPTION]...: runs step 7 at $dtype, $n, $k into a new CSV.
time_them() {
    seconds=$1 csv=$2
    shift 2
    rm -f "$csv"
    ./step07/run --dtype "$dtype" --n "$n" --k "$k" --time "$seconds" --no-baseline --tune-file "$folder/gemv.tune" \
        --csv "$csv" "$@" >"$folder/out" 2>"$folder/err" </dev/null
}

# compare CSV: "US OTHERS": best's microseconds, and every variant that beats it by more than 2 %, as name=us. The
# US are missing where best was not timed.
compare() {
    awk -F , '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["op"] == "gemv" && $at["ms_median"] + 0 > 0 { ms[$at["variant"]] = $at["ms_median"] }
        END {
            if (!("best" in ms)) { print "missing"; exit }
            line = sprintf("%.3f", ms["best"] * 1e3)
            for (v in ms) if (ms["best"] > 1.02 * ms[v]) line = line sprintf(" %s=%.3f", v, ms[v] * 1e3)
            print line
        }' "$1"
}

lose() {
    echo "FAIL $dtype $n x $k: $1"
    failed=$((failed + 1))
}

shapes >"$folder/shapes"
while read -r dtype n k; do
    nth=$((nth + 1))
    status=0
    time_them 0.05 "$folder/shape.csv" || status=$?
    if [ "$status" != 0 ]; then
        lose "exit status $status: $(tail -n 1 "$folder/err")"
        continue
    fi
    found=$(compare "$folder/shape.csv")
    if [ "$found" = missing ]; then
        lose "best was not timed: $(grep '^best ' "$folder/out")"
        continue
    fi
    verdict="best takes ${found%% *} us"
    if [ "${found#* }" != "$found" ]; then # somebody looks faster: both again, and longer
        set -- --variant best
        for other in ${found#* }; do set -- "$@" --variant "${other%=*}"; done
        time_them 0.5 "$folder/again.csv" "$@" || status=$?
        if [ "$status" != 0 ]; then
            lose "measured again: exit status $status: $(tail -n 1 "$folder/err")"
            continue
        fi
        verdict="$verdict, beaten at first by ${found#* }"
        found=$(compare "$folder/again.csv")
        cat "$folder/again.csv" >>"$folder/all_again.csv"
    fi
    if [ "${found#* }" != "$found" ]; then
        lose "best takes ${found%% *} us, ${found#* }"
    else
        passed=$((passed + 1))
    fi
    cat "$folder/shape.csv" >>"$folder/all.csv"
    echo "test-tuned: $nth/$(wc -l <"$folder/shapes") $dtype $n x $k: $verdict" >&2
done <"$folder/shapes"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
