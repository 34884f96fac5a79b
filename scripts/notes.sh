#!/bin/sh
# Refreshes the tables and figures in the notes from recorded measurements: scripts/notes.sh [--check]
#
# In README.md and every step's README.md (STEP may be short: step05), rewritten from
# plots/data/nvidia-h200/sgemm.csv or $NOTES_CSV:
#   <!-- table: ladder | bars | step STEP | square STEP | article | odd STEP | speedup STEP | counters STEP |
#               sass STEP -->                          (bars: the ladder as a chart of text)
#                                                      on a line of its own, up to
#   <!-- end -->                                       on another
#   <!-- value: STEP VARIANT M N K FIELD [FORMAT] -->53.1<!-- end -->    in a line; FIELD: a CSV column, tflops, percent
#                                                      (100 * ratio) or peak_percent; FORMAT: as for printf
#   <!-- ratio: STEP1 VARIANT1 STEP2 VARIANT2 M N K [FORMAT] -->1.9<!-- end -->    how many times as fast 1 is as 2
#   <!-- counter: STEP VARIANT METRIC[/DIVISOR]... [percent] [FORMAT] -->3.2<!-- end -->    METRIC: of
#                                                      scripts/metrics.txt; DIVISOR: another or a number, 1e9;
#                                                      percent: times 100
#   <!-- sass: STEP VARIANT FIELD[/DIVISOR]... [percent] [FORMAT] -->91.9<!-- end -->    FIELD: a column of sass.csv
# and of GEMV, whose DTYPE is f16 where none is named:
#   <!-- table: gemv STEP N K [DTYPE] | gemv-shapes STEP [DTYPE] | gemv-article STEP | gemv-warm STEP |
#               gemv-chain STEP | gemv-dram STEP | gemv-tuned STEP [DTYPE] -->
#   <!-- gemv: STEP VARIANT N K FIELD [DTYPE] [MODE] [CACHE] [chain] [FORMAT] -->3.2<!-- end -->    VARIANT: also cublas
#                                                      or read_ceiling; FIELD: a CSV column, us, ceiling_percent,
#                                                      percent (100 * ratio) or peak_percent; MODE: graph, pdl, events;
#                                                      CACHE: cold, warm; chain: in a chain
#   <!-- gemv-ratio: STEP VARIANT1 VARIANT2 N K [DTYPE] [MODE] [CACHE] [chain] [FORMAT] -->1.9<!-- end -->    how many
#                                                      times as fast 1 is as 2; words of one alone: autotuned/pdl
# and of the tensor cores, whose DTYPE is the one that the variant stands for on the ladder (of cublas: f16) and whose
# LAYOUT is tn, where none is named:
#   <!-- table: tensor-ladder STEP | tensor-bars STEP | tensor-sizes STEP DTYPE LAYOUT | tensor-summary STEP |
#               tensor-sustained STEP | tensor-odd STEP [DTYPE] [LAYOUT] | tensor-counters STEP -->
#   <!-- tensor: STEP VARIANT M N K FIELD [DTYPE] [LAYOUT] [sustained] [FORMAT] -->762<!-- end -->    VARIANT: also
#                                                      cublas; FIELD: a CSV column, us, tflops, percent (100 * ratio)
#                                                      or peak_percent
#   <!-- tensor-ratio: STEP VARIANT1 VARIANT2 M N K [DTYPE] [LAYOUT] [sustained] [FORMAT] -->1.9<!-- end -->    how many
#                                                      times as fast 1 is as 2; words of one alone: persistent/nn
#   <!-- tensor-limit: STEP tflops|clock [FORMAT] -->762<!-- end -->    the power-limited peak of f16: at the clock of
#                                                      the sustained run (scripts/tensorcore.awk: tensor_limit)
# and of step 8, the paper's three experiments:
#   <!-- table: knn-paper STEP | knn-select STEP | knn-rates STEP | knn-torch STEP -->
# Counters come from counters.csv beside the measurements, machine code from plots/data/sass.csv, GEMV from gemv.csv,
# gemv_search.csv and gemv_dram.csv, the tensor cores from tensorcore.csv, step 8 from knn.csv and knn_rates.csv beside
# the measurements.
# --check writes nothing and exits 1 naming the notes that differ.
set -eu
LC_ALL=C
export LC_ALL
root=$(cd "$(dirname "$0")/.." && pwd)
here=$(pwd)

say() { printf 'notes: %s\n' "$1" >&2; }

check=
case ${1-} in
    --check) check=1; shift ;;
    --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
[ $# -eq 0 ] || { say "unknown argument $1 (usage: scripts/notes.sh [--check])"; exit 2; }

csv=${NOTES_CSV:-$root/plots/data/nvidia-h200/sgemm.csv}
case $csv in /*) ;; *) csv=$here/$csv ;; esac
name=${csv#"$root/"}
if [ ! -f "$csv" ] || [ ! -r "$csv" ]; then
    say "no recorded measurements (no file $name): \`make bench\` records them"
    exit 2
fi
cd "$root"
set --
counters=$(dirname "$csv")/counters.csv
if [ -f "$counters" ]; then set -- "$@" input=counters "${counters#"$root/"}"; fi
for kind in gemv gemv_search gemv_dram tensorcore knn knn_rates; do
    file=$(dirname "$csv")/$kind.csv
    if [ -f "$file" ]; then set -- "$@" input=$kind "${file#"$root/"}"; fi
done
if [ -f plots/data/sass.csv ]; then set -- "$@" input=sass plots/data/sass.csv; fi

work=$(mktemp -d "${TMPDIR:-/tmp}/notes.XXXXXX")
trap 'rm -rf "$work" README.md.new.$$ step[0-9][0-9]_*/README.md.new.$$' EXIT
trap 'exit 130' INT TERM

# All notes first, so that an error in the last one leaves the first one alone.
for note in README.md step[0-9][0-9]_*/README.md; do
    [ -f "$note" ] || continue
    mkdir -p "$work/$(dirname "$note")"
    DATA_NAME=$name NOTE_NAME=$note awk -f scripts/records.awk -f scripts/notes.awk -f scripts/gemv.awk \
        -f scripts/gemv_notes.awk -f scripts/tensorcore.awk -f scripts/tensorcore_notes.awk \
        -f scripts/knn.awk -f scripts/knn_notes.awk \
        input=ladder plots/intensity.csv input=gemv_ladder plots/gemv_ladder.csv \
        input=tensorcore_ladder plots/tensorcore_ladder.csv input=metrics scripts/metrics.txt input=rows "$csv" "$@" \
        input=note "./$note" >"$work/$note" || exit 2
done
differs=0
for note in README.md step[0-9][0-9]_*/README.md; do
    if [ ! -f "$note" ] || cmp -s "$note" "$work/$note"; then continue; fi
    differs=1
    if [ -n "$check" ]; then
        say "$note is not what $name holds: run scripts/notes.sh"
    else
        cp -p "$note" "$note.new.$$" # keeps its mode
        cat "$work/$note" >"$note.new.$$"
        mv "$note.new.$$" "$note"
        printf '%s\n' "$note"
    fi
done
[ -z "$check" ] || exit "$differs"
[ "$differs" = 1 ] || echo "notes: nothing to change, they hold what $name does"
