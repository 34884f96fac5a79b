#!/bin/sh
# help: fit the estimates by which step 6's best chooses its kernel to this GPU (MINUTES=9, SHAPES=8, FORCE=1 anew)
# Times every plan (step06_tensorcore/tune/plans.c) at SHAPES shapes of each of step 6's sets (plots/random_sets.csv, by
# the seeds for tuning), for a few tokens and for 1 x 1 layers, into build/tune/GPU/. What is there is not timed again,
# and after MINUTES nothing is begun: the same command continues. Then constants are fitted to all that is there and put
# into the cache folder, where best reads them: tensorcore.costs, with those of other GPUs.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu tune
need_python tune
for number in MINUTES="${MINUTES:-9}" SHAPES="${SHAPES:-8}"; do
    case ${number#*=} in
    '' | 0* | *[!0-9]*) echo "tune: ${number%%=*} is '${number#*=}', not a whole number from 1 on" >&2; exit 2 ;;
    esac
done
case ${XDG_CACHE_HOME:-} in
/*) costs=$XDG_CACHE_HOME/kernel-ladder/tensorcore.costs ;;
*) costs=${HOME:?tune: there is no home folder}/.cache/kernel-ladder/tensorcore.costs ;;
esac
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" build/tune/run >&2
begin tune
folder=build/tune/$(gpu_slug)
[ -z "${FORCE:-}" ] || rm -rf "$folder"
need_folder tune "$folder"

clusters='1x1 2x1 1x2 2x2 2x4' # blocks one above the other by side by side

# A line a run: the name of what it leaves, the shape of its clusters, whether by swapped tiles, and its options. Of
# every kind of set one, then the next of every kind.
runs() {
    problems | while read -r name options; do
        for cluster in $clusters; do
            for swapped in 0 1; do echo "$name.$cluster.$swapped $cluster $swapped $options"; done
        done
    done
}
problems() {
    shapes=${SHAPES:-8}
    grep '^step06,' plots/random_sets.csv | awk -F, -v OFS=, '{ print (NR - 1) % 4, $0 }' | sort -s -n -t , -k 1,1 |
        while IFS=, read -r _ _ dtype layout spread max multiple _ seed _; do
            echo "$seed.$shapes --dtype $dtype --layout $layout --sweep random --spread $spread --max $max" \
                "--multiple $multiple --count $shapes --seed $seed"
        done
    awk -F, '$1 == "16-bit few rows" && $4 == "f16" { print "tokens." $6 "." $7, "--m", $6, "--n", $7, "--k", $8 }' \
        plots/random_shapes.csv
    for layer in 200704,64,64 200704,128,128 50176,256,256 12544,512,512 3136,2048,512 784,256,256 196,512,512; do
        echo "$layer" | awk -F, '{ print "layer." $1 "." $2, "--m", $1, "--n", $2, "--k", $3 }' # 1 x 1, of step 9
    done
}

# timed NAME CLUSTER SWAPPED OPTION...: into $folder/NAME.csv, each plan's line behind its microseconds.
timed() {
    name=$1 cluster=$2 swapped=$3 status=0
    shift 3
    rm -f "$work/plans" "$work/csv"
    WITHIN=1.5 CLUSTER=$cluster SWAPPED=$swapped PLANS=$work/plans build/tune/run "$@" --no-baseline --time 0.02 \
        --csv "$work/csv" >"$work/out" 2>"$work/err" </dev/null || status=$?
    if [ "$status" != 0 ]; then # 1: a plan's result is wrong, and it is not timed; others are
        echo "tune: $*: exit status $status: $(cat "$work/out" "$work/err" | tail -n 1)" >&2
        [ "$status" = 1 ] || exit "$status"
    fi
    touch "$work/plans" "$work/csv" # where nothing fits
    awk -F, 'NR == FNR { plan[$1, $2, $3, $4, $5, $6] = $0; next }
        $14 > 0 && (($2, $4, $5, $6, $7, $8) in plan) { print $14 * 1000 "," plan[$2, $4, $5, $6, $7, $8] }' \
        "$work/plans" "$work/csv" | put "$folder/$name.csv"
}

runs >"$work/runs"
began=$(date +%s) left=0
while read -r name cluster swapped options; do
    [ ! -e "$folder/$name.csv" ] || continue
    now=$(date +%s)
    if [ $((now - began)) -ge $((${MINUTES:-9} * 60)) ]; then left=$((left + 1)) && continue; fi
    # shellcheck disable=SC2086 # several options
    timed "$name" "$cluster" "$swapped" $options
    echo "tune: $name: $(grep -c . "$folder/$name.csv") times in $(($(date +%s) - now)) s" >&2
done <"$work/runs"
[ "$left" = 0 ] || echo "tune: $left of $(wc -l <"$work/runs") runs are not timed yet; the same command continues" >&2

# All plans of a problem one after the other: the best of them is what the fit compares with.
while read -r name _; do
    [ ! -e "$folder/$name.csv" ] || cat "$folder/$name.csv"
done <"$work/runs" | sort -s -t , -k 3,10 >"$work/times"
build/tune/run --fit "$work/times" "$work/fitted"
gpu=$(head -n 1 "$work/fitted" | cut -f 1)
{
    printf '# kernel-ladder: GPU, constant of an estimate (costs.h of step 6), value; tabs between. By make tune.\n'
    awk -F '\t' -v gpu="$gpu" '!/^#/ && $1 != gpu' "$costs" 2>/dev/null || :
    cat "$work/fitted"
} >"$work/costs"
put "$costs" <"$work/costs"
cp "$costs" "$folder/tensorcore.costs"
echo "$costs: written"
