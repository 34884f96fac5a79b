# shellcheck shell=sh
# Shared by the tests of scripts, beside case.sh. Makes in $copy, which becomes the current folder, a copy of scripts/,
# report/, plots/ (without recorded data) and the table of GPUs, so that nothing is written to the working tree.
# shellcheck source=case.sh
. "$(dirname "$0")/../case.sh"
LC_ALL=C
export LC_ALL
unset NOTES_CSV BENCH_STEPS SWEEPS MINUTES FORCE DEMO_SIZE PARTS NS DS KS SEEDS CPU_METHODS RATE_METHODS KNN_DATA
recorded=$root/tests/report/data # a part of what was recorded on an H200
tmp=$work
copy="$tmp/a repo" # with a blank, as a folder may have
mkdir -p "$copy/plots" "$copy/build" "$copy/common/gpu"
cp -R "$root/scripts" "$root/report" "$copy/"
cp "$root"/plots/*.gp "$root"/plots/*.css "$root"/plots/*.csv "$copy/plots/"
cp "$root/common/gpu/devices.csv" "$copy/common/gpu/"
hide_gpu
cd "$copy" || exit 1
head -n 1 "$recorded/sgemm.csv" >"$tmp/header"

# status N COMMAND...: the command exits with N; its output is in $tmp/out and $tmp/err
status() {
    want=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" -eq "$want" ] || { echo "exit status $got, not $want: $*"; cat "$tmp/out" "$tmp/err"; return 1; }
}
one_line() { lines "$tmp/err" 1; }
says() { holds "$tmp/err" "$1"; }
prints() { holds "$tmp/out" "$1"; }
holds() { grep -qF -e "$2" "$1" || { echo "$1 lacks: $2"; cat "$1"; return 1; }; }
same() { [ "$1" = "$2" ] || { printf '%s\n' "not the same:" "$1" "--" "$2"; return 1; }; }
lines() { [ "$(wc -l <"$1")" -eq "$2" ] || { echo "$1: not $2 lines"; cat "$1"; return 1; }; }
