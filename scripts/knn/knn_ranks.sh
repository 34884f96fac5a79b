#!/bin/sh
# help: time step 8 by several ranks of MPI, on as many GPUs as there are, and record it (PARTS=, RANKS=, FORCE=1)
# PARTS: scaling, 10,000 queries among 4 * 10^7 points; merging, what it costs as ranks become more; billion, 10^9
# points, which takes 256 GB of GPU memory. Points are made on the GPUs, and the answers checked there, in FP64.
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
. scripts/knn/mpi.sh
need_gpu knn-ranks
need_python knn-ranks
[ -n "${BUILT:-}" ] || build_steps step08 # BUILT=1 takes what is there
[ -e build/step08/ranks.so ] || { echo "knn-ranks: step 8 was built without MPI; type: make deps step08" >&2; exit 2; }
begin knn_ranks
name_origin
csv=$folder/knn_ranks.csv
gpus=$(nvidia-smi -L | grep -c '^GPU ')
if [ -n "${FORCE:-}" ] && [ -e "$csv" ]; then mv "$csv" "$csv.old"; fi

# record RANKS DIVIDE M N D SECONDS: one run, unless there is a row of it; a run that hangs is ended.
record() {
    number=$1 divide=$2 m=$3 n=$4 d=$5
    [ ! -e "$csv" ] || ! grep -q "^[^,]*,$m,$n,$d,25,$number,[0-9]*,$divide," "$csv" || return 0
    rm -f "$work/one.csv"
    ranks "$number" step08_knn/run --m "$m" --n "$n" --d "$d" --k 25 --generate \
        --divide "$divide" --method best --time "$6" --csv "$work/one.csv" >"$work/out" 2>"$work/err" || {
        cat "$work/out" "$work/err" >&2
        echo "knn-ranks: $number ranks, $divide, $m of $n: not recorded" >&2
        return 0
    }
    tail -n 1 "$work/out"
    devices=$(sed -n 's/.* ranks on \([0-9]*\) GPU.*/\1/p' "$work/out")
    merged=$(sed -n 's/.* in \([0-9.]*\) ms$/\1/p' "$work/out")
    row=$(tail -n 1 "$work/one.csv" | cut -d , -f 14-16)
    { if [ -s "$csv" ]; then cat "$csv"; else report header knn_ranks; fi
      echo "best,$m,$n,$d,25,$number,${devices:-1},$divide,$row,$merged,$DEVICE,$CC,$DRIVER,$CUDA,$DATE"; } | put "$csv"
}

for part in ${PARTS:-scaling billion merging}; do
    case $part in
    scaling)
        for number in ${RANKS:-1 2 4 8}; do
            [ "$number" -le "$gpus" ] || continue
            record "$number" points 10000 40000000 128 2
            [ "$number" = 1 ] || record "$number" queries 10000 40000000 128 2
        done
        ;;
    billion)
        if [ "$gpus" -ge 4 ]; then record "$gpus" points 1000 1000000000 64 2; fi
        ;;
    merging) for number in ${RANKS:-1 2 4 8 16 32 64}; do record "$number" points 10000 1000000 128 0.5; done ;;
    *) echo "knn-ranks: there is no part '$part' (scaling, billion, merging)" >&2; exit 2 ;;
    esac
done
echo "knn-ranks: recorded in $csv" >&2
