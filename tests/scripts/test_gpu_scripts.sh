#!/bin/sh
# The scripts that judge step 7 on a GPU, scripts/cold.sh and tests/gpu/tuned.sh, with a fake GPU, a fake profiler and a
# fake step; and scripts/tune.sh with a fake of what it times. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../script_case.sh"
unset SHAPES SEED COLD_SHAPES COLD_VARIANTS
run() { status=0 && "$@" >"$work/out" 2>"$work/err" || status=$?; }
said() { grep -q -e "$1" "$work/out"; }
complained() { [ "$(wc -l <"$work/err")" = 1 ] && grep -q -e "$1" "$work/err"; }
mkdir -p tests/gpu step07_gemv
cp "$root/tests/gpu/tuned.sh" tests/gpu
ln -s step07_gemv step07
printf 'CUDA_DIR := /nonexistent\nCUDA_VERSION := 13.0\n' >build/config.mk

fake_gpu "$work/gpu" 'NVIDIA Made-Up, 1'
# Runs what it is to profile, and has counted FAKE_LAUNCHES launches: the early half of them warm, the others with
# FAKE_SHARE percent of the matrix, the last with a little less.
fake "$work/gpu/ncu" <<'END'
[ -z "${FAKE_NCU_STATUS:-}" ] || status=$FAKE_NCU_STATUS
echo "$*" >>"$FAKE_LOG.ncu"
while [ $# != 0 ]; do
    case $1 in --log-file) log=$2 ;; */run) break ;; esac
    shift
done
if [ -n "${status:-}" ]; then
    echo "==ERROR== made up" >"$log"
    exit "$status"
fi
"$@" || exit
while [ $# != 0 ]; do
    case $1 in --dtype) dtype=$2 ;; --n) n=$2 ;; --k) k=$2 ;; esac
    shift
done
case $dtype in f32) bytes=$((n * k * 4)) ;; *) bytes=$((n * k * 2)) ;; esac
launches=${FAKE_LAUNCHES:-9}
{
    printf '%s\n' '==PROF== Connected' '"ID","Kernel Name","Block Size","dram__bytes_read.sum"' '"","","","byte"'
    for i in $(seq "$launches"); do
        share=${FAKE_SHARE:-100}
        [ "$i" != "$launches" ] || share=$((share - 1))
        [ "$i" -gt $((launches / 2)) ] || share=10
        echo "\"$i\",\"gemv_direct\",\"(64, 1, 1)\",\"$((bytes * share / 100))\""
    done
    echo '==PROF== Disconnected'
} >"$log"
END
# Times three variants, at one shape or at --count: FAKE says how best does.
fake step07_gemv/run <<'END'
echo "$*" >>"$FAKE_LOG.run"
csv='' only='' count=1
while [ $# != 0 ]; do
    case $1 in
    --csv) csv=$2 ;;
    --dtype) dtype=$2 ;;
    --n) n=$2 ;;
    --k) k=$2 ;;
    --count) count=$2 ;;
    --time) seconds=$2 ;;
    --variant) only="$only $2" ;;
    esac
    shift
done
ms=0.00101
case $FAKE:$seconds:$dtype in
crash:*:f32) echo "made up" >&2; exit 3 ;;
wrong:*) ms='' ;;
skipped:*) echo "streaming 1 1  skipped: made up" ;;
jitter:0.05:* | slow:*:f32) ms=0.00103 ;;
esac
[ -n "$csv" ] || exit 0
[ -e "$csv" ] || head -n 1 "$FAKE_HEADER" >"$csv"
for i in $(seq "$count"); do
    for row in read_ceiling:read:0.0001 naive:gemv:0.5 streaming:gemv:0.001 best:gemv:$ms; do
        variant=${row%%:*} ms=${row##*:} op=${row#*:}
        case " ${only:-$variant} " in *" $variant "*) ;; *) continue ;; esac
        [ -z "$ms" ] ||
            echo "step07_gemv,$variant,${op%:*},$dtype,n,1,${n:-$i},${k:-9},,1,0,cold,graph,$ms,\
1,1,1,1,1,,,,,,,,,made up,9.0,1,13.0,"
    done
done >>"$csv"
END
FAKE_HEADER=$recorded/sgemm.csv FAKE_LOG=$work/log FAKE=good
export FAKE_HEADER FAKE_LOG FAKE
with_gpu() { env PATH="$work/gpu:$PATH" "$@"; }

# --- the folder of a GPU's recordings ---
# folder_is NAME FOLDER: the folder of the GPU that nvidia-smi calls NAME.
folder_is() { [ "$(with_gpu env FAKE_NAME="$1" sh -c '. scripts/gpu.sh && gpu_slug')" = "$2" ]; }
check "a GPU that the table knows" 'folder_is "NVIDIA H100 80GB HBM3" nvidia-h100 &&
    folder_is "NVIDIA H200" nvidia-h200'
check "a GPU that it does not" 'folder_is "NVIDIA  H200 (MIG 1g)" nvidia-h200-mig-1g && folder_is "-Tesla T4-" tesla-t4'

# --- cold.sh ---
csv=plots/data/nvidia-made-up-1/gemv_dram.csv
mkdir "$work/no_ncu"
cp "$work/gpu/nvidia-smi" "$work/gpu/make" "$work/no_ncu"
if ! env PATH=/usr/bin:/bin sh -c 'command -v ncu' >/dev/null; then
    run env PATH="$work/no_ncu:/usr/bin:/bin" CUDA_HOME=/nonexistent sh scripts/cold.sh
    check "cold without ncu: one line, exit 2" '[ "$status" = 2 ] && complained "ncu is missing.*nsight-compute"'
fi
header=step,variant,dtype,n,k,launches,matrix_bytes,dram_bytes_median,dram_bytes_min,dram_bytes_max,
header=${header}share_median,share_min,device,cc,driver,cuda,date
run with_gpu sh scripts/cold.sh
check "cold succeeds where all of the matrix is read" '[ "$status" = 0 ]'
check "cold: a line a shape and variant" '[ "$(wc -l <"$work/out")" = 14 ] && [ "$(grep -c "^ok" "$work/out")" = 14 ]'
check "cold: its progress is on stderr" '[ "$(grep -c "^cold: [a-z]* f[0-9]* [0-9]* x [0-9]*$" "$work/err")" = 14 ]'
check "cold: a row a shape and variant, after a header" '[ "$(wc -l <"$csv")" = 15 ] &&
    [ "$(head -n 1 "$csv")" = "$header" ]'
all=1073741824
row=step07_gemv,best,f32,16384,16384,5,$all,$all,1063004405,$all,1.0000,0.9900,'"NVIDIA Made-Up, 1"',9.0,580.1,13.0,
check "cold: a row" 'grep -qF "$row" "$csv"'
check "cold leaves one file" '[ "$(ls plots/data/nvidia-made-up-1)" = gemv_dram.csv ]'
check "cold profiles what it has run before, with the same tune file" \
    '[ "$(sort "$work/log.run" | uniq -c | grep -c "^ *2 .*--tune-file build/cold/gemv.tune")" = 14 ]'
check "cold leaves the caches and the graphs to the program" \
    '[ "$(grep -c -e "--graph-profiling node --cache-control none --clock-control none" "$work/log.ncu")" = 14 ]'
run with_gpu env FAKE_SHARE=97 COLD_SHAPES=f16:300:500 COLD_VARIANTS=streaming sh scripts/cold.sh
check "cold fails where 97 % is read, and records that" '[ "$status" = 1 ] && [ "$(wc -l <"$csv")" = 2 ] &&
    said "^FAIL streaming f16 300 x 500: 97.0 % of the matrix came from DRAM (at least 96.0 %), 5 launches$"'
cp "$csv" "$work/before"
run with_gpu env FAKE_LAUNCHES=4 sh scripts/cold.sh
check "cold with too few launches: exit 2" \
    '[ "$status" = 2 ] && grep -q "streaming f16 1024 x 1024: ncu saw 4 launches, too few" "$work/err"'
run with_gpu env FAKE_NCU_STATUS=5 sh scripts/cold.sh
check "cold ends with ncu's status" \
    '[ "$status" = 5 ] && grep -q "ncu failed (exit status 5): ==ERROR== made up$" "$work/err"'
run with_gpu env FAKE=crash COLD_SHAPES=f32:3:4 sh scripts/cold.sh
check "cold ends with run's status" '[ "$status" = 3 ] && grep -q "f32 3 x 4: run failed (exit status 3)" "$work/err"'
check "cold that fails keeps the old file" 'cmp -s "$csv" "$work/before"'
run with_gpu env FAKE=skipped sh scripts/cold.sh
check "cold passes over what is skipped" '[ "$(grep -c "skipped: made up$" "$work/err")" = 14 ]'
check "cold that counts nothing: exit 1, and the old file stays" '[ "$status" = 1 ] && cmp -s "$csv" "$work/before"'

# --- tuned.sh ---
run sh tests/gpu/tuned.sh
check "test-tuned without a GPU: one line, exit 3" '[ "$status" = 3 ] && complained "no GPU"'
rm -f "$work/log.run"
tuned() { run with_gpu env SHAPES=10 FAKE="$1" sh tests/gpu/tuned.sh; }
tuned good
check "test-tuned: 1 % is no difference" '[ "$status" = 0 ] && [ "$(cat "$work/out")" = "30 passed, 0 failed" ]'
check "test-tuned: each type is run once, at shapes of its own seed" '[ "$(wc -l <"$work/log.run")" = 3 ] &&
    [ "$(grep -c -e "--sweep random --spread log --max 23170 --count 10 --seed 1$" "$work/log.run")" = 3 ]'
check "test-tuned leaves what it measured" '[ "$(grep -c ",best," build/tuned/all.csv)" = 30 ]'
rm -f "$work/log.run"
tuned jitter
check "test-tuned measures again before it complains" '[ "$status" = 0 ] && said "^30 passed, 0 failed$" &&
    [ "$(grep -c -e "--time 0.5 .*--variant best --variant streaming$" "$work/log.run")" = 30 ] &&
    [ "$(grep -c "beaten at first by streaming=1.000$" "$work/err")" = 30 ]'
tuned slow
check "test-tuned finds what is slower" '[ "$status" = 1 ] && [ "$(tail -n 1 "$work/out")" = "20 passed, 10 failed" ] &&
    [ "$(grep -c "^FAIL f32 .*: best takes 1.030 us, streaming=1.000$" "$work/out")" = 10 ]'
tuned crash
check "test-tuned ends with what fails" '[ "$status" = 3 ] && grep -q "f32 .*: exit status 3: made up$" "$work/err"'
tuned wrong
check "test-tuned wants best timed" '[ "$status" = 1 ] && said "^0 passed, 30 failed$"'

# --- tune.sh ---
mkdir -p build/tune "$work/cache/kernel-ladder"
costs=$work/cache/kernel-ladder/tensorcore.costs
# Two plans a run, of which one is not timed; and the fit writes how many times it was given.
fake build/tune/run <<'END'
if [ "$1" = --fit ]; then printf 'Made-Up, 1\tmeet\t%s\n' "$(wc -l <"$2")" >"$3"; exit; fi
echo "$CLUSTER $SWAPPED $*" >>"$FAKE_LOG.tune"
case "$FAKE $*" in crash*tokens* | crash*"--m 16 "*) echo "made up" >&2; exit 3 ;; wrong*) status=1 ;; esac
while [ "$1" != --csv ]; do shift; done
for plan in wide thin; do echo "$plan,f16,tn,1,2,3,4,5,6,0,0,1,1,0,0,128,0" >>"$PLANS"; done
{ head -n 1 "$FAKE_HEADER"; echo "plans,wide,gemm,f16,tn,1,2,3,,1,0,cold,graph,0.002"; } >"$2"
exit ${status:-0}
END
tune() { run with_gpu env XDG_CACHE_HOME="$work/cache" "$@" sh scripts/tune.sh; }
printf 'Made-Up, 1\tmeet\t1\nMade-Up, 2\tmeet\t2\n' >"$costs"
cp "$costs" "$work/before"
tune FAKE=crash
check "tune ends with the program's status, and the cache folder is as it was" \
    '[ "$status" = 3 ] && grep -q "exit status 3: made up$" "$work/err" && cmp -s "$costs" "$work/before"'
done=$(cat build/tune/nvidia-made-up-1/*.csv | wc -l)
tune FAKE=wrong
check "tune goes on where it ended, and past a wrong result" '[ "$status" = 0 ] && [ "$done" -gt 16 ] &&
    [ "$(sort "$work/log.tune" | sed "s/--csv.*//" | uniq -d | wc -l)" = 1 ]'
check "tune joins times and plans" \
    '[ "$(sort -u build/tune/nvidia-made-up-1/*.csv)" = 2,wide,f16,tn,1,2,3,4,5,6,0,0,1,1,0,0,128,0 ]'
check "tune replaces this GPU's constants alone" '[ "$(sed 1d "$costs" | tr "\t\n" " ;")" = \
    "Made-Up, 2 meet 2;Made-Up, 1 meet $(cat build/tune/nvidia-made-up-1/*.csv | wc -l);" ]'

ended
