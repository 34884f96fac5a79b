#!/bin/sh
# Draws the figures of recorded measurements: scripts/plots.sh [--term png,svg|dumb] [--out DIR] [--device GPU | CSV]
# GPU is a folder of plots/data: nvidia-h100; its figures go to build/plots/GPU, others to build/plots, or to DIR.
# CSV holds the FP32 GEMM steps' measurements. From beside it come GEMV's figures, plots/gemv_*.gp (gemv.csv and
# gemv_search.csv), and the tensor cores', plots/tensorcore_*.gp (tensorcore.csv, and tf32x3's error:
# tensorcore_error.csv), and step 8's, plots/knn_*.gp (knn.csv and knn_rates.csv). Those of
# several GPUs, plots/gpus_*.gp, have the folders beside it, too.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/gpu.sh"

say() { printf 'plots: %s\n' "$1" >&2; }
usage() {
    say "$1 (usage: scripts/plots.sh [--term png,svg|dumb] [--out DIR] [--device GPU | CSV])"
    exit 2
}

terms=png,svg out= csv= device=
while [ $# -gt 0 ]; do
    case $1 in
        --term | --out | --device)
            [ $# -ge 2 ] || usage "$1 needs a value"
            case $1 in --term) terms=$2 ;; --out) out=$2 ;; *) device=$2 ;; esac
            shift
            ;;
        --term=*) terms=${1#*=} ;;
        --out=*) out=${1#*=} ;;
        --device=*) device=${1#*=} ;;
        --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
        -*) usage "unknown option $1" ;;
        *) [ -z "$csv" ] || usage "one CSV at a time, not also $1"; csv=$1 ;;
    esac
    shift
done
terms=$(printf %s "$terms" | tr , ' ')
for term in $terms; do
    case $term in png | svg | dumb) ;; *) usage "unknown terminal $term" ;; esac
done
[ -n "$terms" ] || usage "--term names no terminal"
if [ -n "$device" ]; then
    [ -z "$csv" ] || usage "a device or a CSV, not both"
    there=$(for folder in "$root"/plots/data/*/; do basename "$folder"; done | paste -s -d ' ')
    [ -d "$root/plots/data/$device" ] || usage "nothing is recorded of '$device', only of: $there"
    csv=$root/plots/data/$device/sgemm.csv
fi
out=${out:-$root/build/plots${device:+/$device}}
command -v gnuplot >/dev/null || { say "gnuplot is missing: apt-get install gnuplot-nox"; exit 2; }
need_python plots

# Whose measurements: those asked for, else this machine's GPU's, else the H200's, else the first there are.
# A file of a header alone is none.
if [ -z "$csv" ]; then
    for folder in "$root/plots/data/$(gpu_slug)" "$root/plots/data/nvidia-h200" "$root"/plots/data/*; do
        csv=$folder/sgemm.csv
        if has_rows "$csv" || has_rows "$folder/gemv.csv" || has_rows "$folder/tensorcore.csv" ||
            has_rows "$folder/knn.csv"; then
            break
        fi
    done
    given=
elif [ -z "$device" ]; then
    given=1
else
    given= # of a device there may be some files and not others
fi
case $csv in -*) csv=./$csv ;; esac
gemv=$(dirname "$csv")/gemv.csv
tensor=$(dirname "$csv")/tensorcore.csv
knn=$(dirname "$csv")/knn.csv
short() { # a file's name in messages
    short=${1#"$root/"}
    printf %s "${short#./}"
}
if [ ! -r "$csv" ] || [ -d "$csv" ]; then
    if [ -n "$given" ] || { ! has_rows "$gemv" && ! has_rows "$tensor" && ! has_rows "$knn"; }; then
        say "no recorded measurements to draw (no file $(short "$csv")): \`make bench\` records them"
        exit 1
    fi
fi

need_folder plots "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "$out/.work.XXXXXX" 2>/dev/null) || { say "cannot write to the folder $out"; exit 2; }
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

colour() { # an SVG gets its colours of a dark screen
    awk 'FNR == NR { css = css $0 "\n"; next } { print } /^<desc>/ && !done { print "<style>\n" css "</style>"; done = 1 }' \
        "$root/plots/dark.css" "$1" >"$1.new"
    mv "$1.new" "$1"
}

columns=100
if [ -t 1 ]; then columns=$(tput cols 2>/dev/null || echo 100); fi
[ "$columns" -ge 80 ] || columns=80
[ "$columns" -le 130 ] || columns=130
gap=0.052
case " $terms " in *' dumb '*) gap=0.045 ;; esac

status=0
report figures --dir "$work" --gap "$gap" "$csv" >"$work/figures" || status=$?
[ "$status" = 0 ] || exit "$status"
figures=$(cat "$work/figures")

GNUPLOT_LIB=$root/plots # where the figures find style.gp
export GNUPLOT_LIB
# complete FILE: gnuplot does not say when a disk is full.
complete() { tail -c 12 "$1" | grep -aqE '</svg>|IEND'; }
made= drawn=0
before= # the caption that stands above, in the terminal
for figure in $figures; do
    if [ -f "$work/$figure.why" ]; then
        say "$figure: $(cat "$work/$figure.why")"
        continue
    fi
    caption=$(cat "$work/$figure.caption")
    for term in $terms; do
        if [ "$term" = dumb ] && [ "$before" != "$caption" ]; then
            [ -z "$before" ] || echo
            fold -s -w "$columns" "$work/$figure.caption" | sed 's/ *$//'
            before=$caption
        fi
        LC_ALL=C.UTF-8 gnuplot -c "$root/plots/$figure.gp" "$work/$figure.dat" "$work/$figure" \
            "$caption" "$term" "$columns" "$(cat "$work/$figure.baseline")" ||
            { say "gnuplot failed on plots/$figure.gp"; exit 3; }
        drawn=$((drawn + 1))
        if [ "$term" = dumb ]; then # without gnuplot's form feeds, blank lines and blanks at the ends
            echo
            tr -d '\f' <"$work/$figure.dumb" | sed 's/ *$//' | sed '/./,$!d'
        else
            { [ "$term" != svg ] || colour "$work/$figure.svg" 2>/dev/null; } && complete "$work/$figure.$term" || { say "$figure.$term was cut short: is the disk of $out full?"; exit 3; }
            made="$made $figure.$term"
        fi
    done
done
for figure in "$root"/plots/*.gp; do # an older figure would pass for one of these
    for term in $terms; do
        [ "$term" = dumb ] || rm -f "$out/$(basename "$figure" .gp).$term"
    done
done
for figure in $made; do
    mv "$work/$figure" "$out/"
    printf '%s\n' "${out#"$PWD/"}/$figure"
done
[ "$drawn" -gt 0 ] || exit 1
