#!/bin/sh
# Is step 7's `best` ever slower than another of its variants by more than 2 %? Times all of them at random shapes.
#   SHAPES=100   how many of each type       SEED=1   which       (n and k from 1 to 23170, so that n*k is up to 2^29)
# Short measurements jitter: a shape where it looks slower is measured again, longer, before it counts. What was
# measured is left in build/tuned/. Last line: "N passed, N failed". Exit status: 0, 1 when any failed, 2 when an
# argument is wrong, 3 without a GPU.
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
need_gpu test-tuned
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" all >&2
folder=build/tuned
rm -rf "$folder"
mkdir -p "$folder"

# time_them SECONDS CSV OPTION...: adds the rows of a run of step 7, which ends this where it fails.
time_them() {
    seconds=$1 csv=$2
    shift 2
    ./step07/run --time "$seconds" --no-baseline --tune-file "$folder/gemv.tune" --csv "$folder/$csv" "$@" \
        >"$folder/out" 2>"$folder/err" </dev/null && return
    status=$?
    echo "test-tuned: $*: exit status $status: $(tail -n 1 "$folder/err")" >&2
    exit $status
}

# slower CSV: "DTYPE N K US OTHER=US..." of each shape where best was not timed or others beat it, and how many others.
slower() {
    python3 - "$folder/$1" <<'END'
import csv, sys
shapes, good = {}, 0
for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
    if row["op"] == "gemv" and row["ms_median"]:
        shapes.setdefault((row["dtype"], row["n"], row["k"]), {})[row["variant"]] = 1e3 * float(row["ms_median"])
for shape, us in shapes.items():
    best = us.get("best", float("inf"))
    others = [f"{name}={one:.3f}" for name, one in us.items() if best > 1.02 * one]
    good += not others
    if others:
        print(*shape, f"{best:.3f}", *others)
print("good", good)
END
}

for dtype in f16 bf16 f32; do
    time_them 0.05 all.csv --dtype $dtype --sweep random --spread log --max 23170 --count "${SHAPES:-100}" \
        --seed "${SEED:-1}"
done
slower all.csv >"$folder/slower"
grep -v ^good "$folder/slower" | while read -r dtype n k us others; do
    echo "test-tuned: $dtype $n x $k: best takes $us us, beaten at first by $others" >&2
    set -- --variant best
    for other in $others; do set -- "$@" --variant "${other%=*}"; done
    time_them 0.5 again.csv --dtype "$dtype" --n "$n" --k "$k" "$@"
done
passed=$(sed -n 's/^good //p' "$folder/slower") failed=0
if [ -e "$folder/again.csv" ]; then
    slower again.csv >"$folder/again"
    sed -n '/^good/!s/^\([^ ]*\) \([^ ]*\) \([^ ]*\) \([^ ]*\) /FAIL \1 \2 x \3: best takes \4 us, /p' "$folder/again"
    passed=$((passed + $(sed -n 's/^good //p' "$folder/again"))) failed=$(grep -vc ^good "$folder/again" || :)
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
