#!/bin/sh
# Step 8 by several ranks of Open MPI: the same answers, bit for bit, as alone, and one sentence where one fails.
# In the simulator or, with SIM= and RANKS="2 4", on GPUs. Last line: "N passed, N failed[, N skipped]".
# shellcheck disable=SC2016,SC2086 # several words
set -u
. "$(dirname "$0")/../case.sh"
. scripts/knn/mpi.sh
sim=${SIM---sim} program=$root/step08_knn/run skipped=
every=40 most=1500 methods=
[ -z "${KL_TEST_ALL:-}" ] || every=5
# On a GPU a start takes seconds, as each rank makes a context: there are few of them, and what they do is told.
[ -n "$sim" ] || { every=30 most=20000 methods='--method gemm_cublas+radix --method fused --method best'; }
exec 3>&2
began=$(date +%s)

# A build without MPI: the library is not beside the program.
mkdir "$work/alone"
cp "$program" "$work/alone/"
line 'without MPI' 2 '^mpirun: this program was built without MPI' \
    env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$work/alone/run" $sim
[ -z "$sim" ] || ends 'a missed neighbour among points that no host has' 1 'points are nearer than its last neighbour' \
    build/tests/knn/run --sim --method forgets_last --generate --m 40 --n 60 --k 9
if [ ! -e build/step08/ranks.so ]; then
    skipped=1
    echo 'no Open MPI here: nothing else is tested (apt-get install libopenmpi-dev openmpi-bin)'
    ended
    exit
fi

# by R ARGUMENT...: of step 8; three as if each were on a host of its own
by() (
    number=$1
    shift
    [ -n "$sim" ] || echo "ranks, after $(($(date +%s) - began)) s: $number do $*" >&3
    [ -n "$sim" ] || HANGS_AFTER=${HANGS_AFTER:-60}
    [ "$number" != 3 ] || set -- env OMPI_COMM_WORLD_LOCAL_SIZE=1 "$program" $sim "$@"
    [ "$number" = 3 ] || set -- "$program" $sim "$@"
    ranks "$number" "$@" 3>&-
)
hangs() (HANGS_AFTER=1 && ranks 2 sleep 60)
ends 'what hangs is ended' 124 '^mpirun: ended, as 2 ranks took more than 1 s: sleep 60$' hangs

# Records: 1003 rows of 7 coordinates as .npy, the last quarter of them with one that is no number in another file.
awk 'BEGIN { srand(1); for (i = 0; i < 1003; i++) { for (j = 0; j < 7; j++) printf "%s%d", j ? "," : "", rand() * 40
    print "" } }' >"$work/train.csv"
head -n 41 "$work/train.csv" | tr 0-4 5-9 >"$work/test.csv"
python3 - "$work" <<'END'
import struct
import sys
cells = [float(x) for line in open(sys.argv[1] + "/train.csv") for x in line.split(",")]
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1003, 7), }".ljust(117) + b"\n"
for name in "train", "nan":
    with open(f"{sys.argv[1]}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(cells)}f", *cells))
    cells[900 * 7 + 3] = float("nan")
END
files="--test $work/test.csv --labels none --k 9"
ours="--out-indices $work/got.i --out-distances $work/got.d"
"$program" $sim --train "$work/train.npy" $files --out-indices "$work/want.i" --out-distances "$work/want.d" >/dev/null
"$program" $sim --train "$work/train.npy" $files --normalize zscore,minmax --out-indices "$work/scaled.i" >/dev/null

numbers=${RANKS:-1 3 4}
for number in $numbers; do
    for divide in points queries; do
        # test_knn.sh has all of them by one rank; in the simulator others take one division each.
        case $sim$number$divide${KL_TEST_ALL:-} in *1points* | *1queries* | --sim3queries | --sim4points) ;; *)
            ends "$number ranks, $divide: every method, every problem" 0 ' passed, 0 failed' \
                by "$number" --sweep check --every $every --max-size $most --divide $divide $methods ;;
        esac
        [ -n "$sim" ] || [ "$divide $number" = "points ${numbers##* }" ] || continue
        ends "$number ranks, $divide: more of them than points or queries" 0 'best .* exact' \
            by "$number" --m 2 --n 2 --d 5 --k 2 --divide $divide --method best --method direct+radix
        where="; $divide divided over $number ranks on [0-9]* GPUs*, "
        [ "$number" != 1 ] || where=
        ends "$number ranks, $divide: generated on the device" 0 "^best .* exact.*$where" \
            by "$number" --m 21 --n 3001 --d 70 --k 12 --divide $divide --generate --method best
        run by "$number" --train "$work/train.npy" $files --divide $divide $ours
        check "$number ranks, $divide: records" 'cmp -s $work/want.i $work/got.i && cmp -s $work/want.d $work/got.d'
    done
    [ -n "$sim" ] || [ "$number" = "${numbers##* }" ] || continue
    run by "$number" --train "$work/train.npy" $files --normalize zscore,minmax --divide points $ours
    check "$number ranks: scaled records" cmp -s "$work/scaled.i" "$work/got.i"
    [ "$number" != 1 ] || continue
    line "$number ranks: an option that none knows" 2 '^step08_knn: --bad' by "$number" --bad
    run by "$number" --train "$work/nan.npy" $files --out-indices "$work/none.i"
    same "$number ranks: a row that only one of them reads" "2 1" \
        "$status $(grep -c 'nan.npy: row 901: column 4: nan is not a finite number$' "$work/out")"
    same "$number ranks: and nothing of a result is left" '' "$(ls -d "$work"/none.* 2>/dev/null)"
done
ended
