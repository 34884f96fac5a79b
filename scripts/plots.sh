#!/bin/sh
# Draws the figures of plots/ from recorded measurements: scripts/plots.sh [--term png,svg|dumb] [--out DIR] [CSV]
set -eu
LC_ALL=C
export LC_ALL
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/gpu.sh"

say() { printf 'plots: %s\n' "$1" >&2; }
usage() {
    say "$1 (usage: scripts/plots.sh [--term png,svg|dumb] [--out DIR] [CSV])"
    exit 2
}

terms=png,svg out=$root/build/plots csv=
while [ $# -gt 0 ]; do
    case $1 in
        --term | --out)
            [ $# -ge 2 ] || usage "$1 needs a value"
            if [ "$1" = --term ]; then terms=$2; else out=$2; fi
            shift
            ;;
        --term=*) terms=${1#*=} ;;
        --out=*) out=${1#*=} ;;
        --help) sed -n '2s/^# //p' "$0"; exit 0 ;;
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
command -v gnuplot >/dev/null || { say "gnuplot is missing: apt-get install gnuplot-nox"; exit 2; }

# Whose measurements: those asked for, else this machine's GPU's, else the H200's, else the first there are.
# A file of a header alone is none.
if [ -z "$csv" ]; then
    for csv in "$root/plots/data/$(gpu_slug)/sgemm.csv" "$root/plots/data/nvidia-h200/sgemm.csv" \
        "$root"/plots/data/*/sgemm.csv; do
        if has_rows "$csv"; then break; fi
    done
fi
if [ ! -r "$csv" ] || [ -d "$csv" ]; then
    say "no recorded measurements to draw (no file ${csv#"$root/"}): \`make bench\` records them"
    exit 1
fi
case $csv in /*) ;; *) csv=./$csv ;; esac # awk takes a=b for an assignment
name=${csv#"$root/"}
name=${name#./}

mkdir -p "$out" 2>/dev/null || { say "cannot make the folder $out"; exit 2; }
out=$(cd "$out" && pwd)
work=$(mktemp -d "$out/.work.XXXXXX") || { say "cannot write to $out"; exit 2; }
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

columns=100
if [ -t 1 ]; then columns=$(tput cols 2>/dev/null || echo 100); fi
[ "$columns" -ge 80 ] || columns=80
[ "$columns" -le 130 ] || columns=130
gap=0.052
case " $terms " in *' dumb '*) gap=0.045 ;; esac

DATA_NAME=$name awk -v dir="$work" -v gap="$gap" -f "$root/scripts/records.awk" -f "$root/scripts/figures.awk" \
    input=devices "$root/plots/devices.csv" input=ladder "$root/plots/intensity.csv" input=rows "$csv" || exit 2
if [ ! -f "$work/caption" ]; then
    say "no recorded measurements in $name, nothing to draw: \`make bench\` records them"
    exit 1
fi

case " $terms " in *' dumb '*) fold -s -w "$columns" "$work/caption" | sed 's/ *$//' ;; esac

GNUPLOT_LIB=$root/plots # where the figures find style.gp
export GNUPLOT_LIB
drawn=0
for figure in progression size article roofline; do
    if [ -f "$work/$figure.why" ]; then
        say "$figure: $(cat "$work/$figure.why")"
    fi
    for term in $terms; do
        [ "$term" = dumb ] || rm -f "$out/$figure.$term" # an older figure would pass for this one
        [ ! -f "$work/$figure.why" ] || continue
        LC_ALL=C.UTF-8 gnuplot -c "$root/plots/$figure.gp" "$work/$figure.dat" "$work/$figure" \
            "$(cat "$work/caption")" "$term" "$columns" "$(cat "$work/baseline")" ||
            { say "gnuplot failed on plots/$figure.gp"; exit 3; }
        drawn=$((drawn + 1))
        if [ "$term" = dumb ]; then # without gnuplot's form feeds, blank lines and blanks at the ends
            echo
            tr -d '\f' <"$work/$figure.dumb" | sed 's/ *$//' | sed '/./,$!d'
        else
            mv "$work/$figure.$term" "$out/"
            printf '%s\n' "${out#"$PWD/"}/$figure.$term"
        fi
    done
done
[ "$drawn" -gt 0 ] || exit 1
