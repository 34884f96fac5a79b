#!/bin/sh
# How a step gets to the simulator, and what it does there: the step of tests/gemm on machines that are made up
# (tests/gemm/machine.c). test_device.c has the other machines' lines. Last line: "N passed, N failed".
set -u
program=build/tests/gemm/run
. "$(dirname "$0")/../case.sh"
real=$CUDASIM_LIB awkward="$work/a folder: it has blanks"
unset CUDA_VISIBLE_DEVICES
tool=${CUDASIM_NVDISASM:-$(PATH=$PATH:$root/build/cuda/bin:/usr/local/cuda/bin command -v nvdisasm)}
export CUDASIM_NVDISASM=/nowhere # no predicted times but below
mkdir "$awkward"
cp "$real" "$awkward/libsim.so"
ln -s "$real" "$work/libsim.so"
echo 'int nothing = 1;' >"$work/other.c"
${CC:-cc} -shared -fPIC -o "$work/libother.so" "$work/other.c" || exit 1
python3 -B -m report header sgemm >"$work/old.csv"
cp "$work/old.csv" "$work/header"
sentence=": the kernels run in the simulator on this machine's CPU (results are real, times are not a GPU's)"
missing=': make sim builds it'
nothing='preload unset, device unset, marker unset'

# on MACHINE STATUS SAID LEFT VARIABLE=VALUE... -- ARGUMENT...: how the step ends there, all that it says on stderr (a
# pattern of the shell), and how it ran.
on() {
    name="$*" machine=$1 wanted=$2 text=$3 left=$4
    shift 4
    set -- env FAKE_MACHINE="$machine" SAY_LEFT=1 "$@"
    n=$#
    while [ "$n" -gt 0 ]; do # without the --
        [ "$1" = -- ] || set -- "$@" "$1"
        [ "$1" != -- ] || set -- "$@" "$root/$program"
        shift
        n=$((n - 1))
    done
    status=0
    (cd "$work" && timeout 60 "$@" >out 2>err </dev/null) || status=$?
    # shellcheck disable=SC2254 # a pattern
    case $(cat "$work/err") in $text) ok=0 ;; *) ok=1 ;; esac
    [ "$status" = "$wanted" ] && [ $ok = 0 ] && { [ -z "$left" ] || grep -qxF "left: $left" "$work/out"; }
    counted $? "$name: exit status $status"
}
# right: what every run takes.
right='--variant plain --size 20 --dtype f32 --layout nn'

# ---- getting there ----
# shellcheck disable=SC2086 # several options
{
on 'no driver' 0 "no NVIDIA driver here$sentence" "simulated, $nothing" -- $right
check 'its heading' said '^test_gemm on H200 (simulated) (sm_90, CUDA 13.[0-9]*)'
on 'no gpu' 0 "no NVIDIA GPU here$sentence" "simulated, $nothing" -- $right
nvidia-smi -L >/dev/null 2>&1 || on '' 0 "no NVIDIA *$sentence" "simulated, $nothing" -- $right # this machine
on 'old driver' 3 '*; --sim runs it without a GPU' "not simulated, $nothing" -- $right
check 'it prints nothing else' lines 1
for machine in 'old driver' 'no gpu' 'no driver' ''; do
    on "$machine" 0 '' "simulated, $nothing" -- --sim $right
    check 'as an H200' said 'H200 (simulated)'
done
on 'old driver' 0 '' 'simulated, preload unset, device sm_75, marker unset' -- --sim-device sm_75 $right
check 'as a T4' said 'T4 (simulated) (sm_75, '
on 'old driver' 2 "test_gemm: --sim-device: 'sm_42' is unknown (known: sm_75, sm_80, sm_86, sm_89, sm_90)" '' -- \
    --sim-device sm_42
# Underneath already, but as another GPU: it is started again.
on 'no driver' 0 '' '' LD_PRELOAD="$real" CUDASIM_DEVICE=sm_90 -- --sim-device sm_75 $right
check 'as the other one' said 'T4 (simulated) (sm_75, '
# Preloaded by hand: LD_PRELOAD stays the user's.
on 'no driver' 0 '' "simulated, preload $real, device unset, marker unset" LD_PRELOAD="$real" -- $right
on 'no driver' 0 'no NVIDIA driver*' "simulated, preload $work/libother.so, device unset, marker unset" \
    LD_PRELOAD="$work/libother.so" -- $right
on 'no driver' 0 'no NVIDIA driver*' "simulated, $nothing" CUDASIM_LIB="$awkward/libsim.so" -- $right \
    --csv "$awkward/b c.csv"
check 'the file in an awkward folder' [ -r "$awkward/b c.csv" ]
on 'no driver' 0 'no NVIDIA driver*' "simulated, $nothing" CUDASIM_LIB=libsim.so -- $right
on '' 3 "the simulator is missing (/no/such.so)$missing" '' CUDASIM_LIB=/no/such.so -- --sim --size 20
# Without CUDASIM_LIB it belongs into cudasim/build beside the program's folder.
CUDASIM_LIB=
on '' 3 "*$root/build/tests/cudasim/build/libcudart.so.13)$missing" '' -- --sim --size 20
unset CUDASIM_LIB
on '' 3 "*$root/build/tests/cudasim/build/libcudart.so.13)$missing" '' -- --sim --size 20
export CUDASIM_LIB="$real"
on 'no driver' 3 "no NVIDIA driver here$sentence
the simulator was preloaded but is missing (LD_PRELOAD=*" '' CUDASIM_LIB="$work/libother.so" -- --size 20
check 'what is no simulator is not started for ever' [ "$(wc -l <"$work/err")" = 2 ]
}

# ---- bad arguments and files are named before, what needs no device works, no file is left behind or changed ----
# STATUS|BEGINNING OF STDERR|OF STDOUT|ARGUMENTS
none='no NVIDIA driver here, and ' stays='left: not simulated'
while IFS='|' read -r wanted text begins arguments; do
    # shellcheck disable=SC2086 # several options
    on 'no driver' "$wanted" "$text*" '' CUDASIM_LIB=/no/such.so -- $arguments
    check "$arguments: one line, then '$begins'" '[ "$(wc -l <"$work/err")" = "$((wanted != 0))" ] &&
        [ "$(head -c ${#begins} "$work/out")" = "$begins" ]'
done <<RUNS
2|--csv no/such.csv: |$stays|--csv no/such.csv
2|test_gemm: --bogus: unknown option (see --help)|$stays|--bogus
0||plain                 a thread an element|--list
0||only_s8               takes s8 and tn|--list --variant only_s8
0||Usage: |--help
3|$none|$stays|--list --verbose
3|$none|$stays|--sweep check
3|$none|$stays|--size 64 --csv new.csv --resume
3|$none|$stays|--size 64 --csv old.csv
3|$none|$stays|--size 64 --csv old.csv --resume
RUNS
check 'old files are as they were, and there is no new one' \
    'cmp -s "$work/old.csv" "$work/header" && [ ! -e "$work/new.csv" ]'
for option in --help --list; do
    "$program" $option 2>"$work/err" >/dev/full
    same "$option into what takes nothing" \
        '2 test_gemm: standard output cannot be written: No space left on device' "$? $(cat "$work/err")"
done

# ---- predicted times ----
printf '#!/bin/sh\nexit 1\n' >"$work/nvdisasm"
chmod +x "$work/nvdisasm"
[ -x "$tool" ] || tool=$work/nvdisasm
# plain NVDISASM PROGRAM VARIANT: prints a run without a GPU, without the seconds; its counts go to $work/counts.csv.
plain() {
    FAKE_MACHINE='no driver' CUDASIM_NVDISASM=$1 CUDASIM_COUNTERS_CSV=$work/counts.csv \
        "$2" --size 64 --variant "$3" 2>"$work/err" |
        sed 's/ *[0-9.]* s  / s  /'
}
for each in "$program plain" 'step03/run tile4x4'; do # the second has machine code
    # shellcheck disable=SC2086 # a program and its variant
    plain /nowhere $each >"$work/without"
    mv "$work/counts.csv" "$work/without.csv"
    # shellcheck disable=SC2086
    plain "$tool" $each >"$work/out"
    check 'one column more, where there is nvdisasm' \
        'said "k    about, on an H200   simulated in" && ! grep -q about "$work/without"'
    same 'and all else as before' "$(tail -n +4 "$work/without")" \
        "$(sed -e 1,3d -e 's/ *\(-\|[0-9.]* ms +-15 %\) s  / s  /' "$work/out")"
    check 'the counts as well' cmp -s "$work/counts.csv" "$work/without.csv"
done
[ "$tool" = "$work/nvdisasm" ] || check 'a time, and how far off it may be' said '^tile4x4 .* 0.0[0-9]* ms +-15 % s  0'
[ "$tool" = "$work/nvdisasm" ] ||
    CUDASIM_NVDISASM=$tool run step03/run --sim --predict --sim-device sm_80 --size 64 --variant tile4x4
[ "$tool" = "$work/nvdisasm" ] || check "another GPU's has no band" \
    'said " about, on an A100, not validated  " && said "^tile4x4 .* 0.0[0-9]* ms  "'
[ "$tool" = "$work/nvdisasm" ] || CUDASIM_NVDISASM=$tool run step03/run --why --size 64 --variant tile4x4
[ "$tool" = "$work/nvdisasm" ] || check 'and what bounds it' said '^    until its last  *[0-9]*%  .*[a-z], [0-9]*%$'
[ "$tool" = "$work/nvdisasm" ] || CUDASIM_NVDISASM=$tool run step09/run --why --variant im2col
[ "$tool" = "$work/nvdisasm" ] ||
    check 'each of its kernels' '[ $(grep -c " blocks of .* threads: about .* us$" "$work/out") = 3 ]'
CUDASIM_NVDISASM=$tool expect 'kernels run' 0 'H200  +simulated in' --predict --size 64 --variant plain
CUDASIM_NVDISASM=$tool run "$program" --predict --size 64 --variant plain
check 'and without --sim they do not' '[ $status = 0 ] && said "about, on an H200$" && ! said simulated.in'

# ---- there ----
# shellcheck disable=SC2086 # several options
{
expect "times are not a GPU's" 0 ": results are real, times are not a GPU's$" $right --alpha 2 --beta -0.5
check 'the problem' said '^C = 2\*A\*B + -0.5\*C in f32 nn'
check 'the columns' said '  simulated in  worst error, of its bound$'
check 'a row' said '^plain  *20  *20  *20  *[0-9]\.[0-9]* s  *0\.[0-9]*$'
check 'no rate and no baseline' '! said "TFLOP\|cuBLAS"'
expect 'a row of a file' 0 '^plain ' $right --csv "$work/rows.csv"
expect 'a kernel that fails ends the run' 3 "^test_gemm faulty, .*: common/bench/[a-z]*\.c:.* \
\(cudaErrorIllegalAddress\); the kernel is at fault: the simulator's report says where" --variant faulty --size 20
expect 'the list tells of occupancy' 0 '^ +[0-9] blocks per SM: [0-9]+ of 32 warps, [0-9.]+ % occupancy$' --list \
    --verbose --sim-device sm_75
}
check 'of the GPU' said '^T4 (simulated) (sm_75)$'
check 'of registers' said '256 threads per block, [0-9]* registers per thread, 0 bytes of shared memory per block$'
check 'and of what it cannot run' said 'not on this device: needs what no device has$'
version=$("$program" --version | sed 's/.*(kernel-ladder \(.*\))/\1/')
same 'rows hold what is true' "sim,H200 (simulated),none,$version,0,True" \
    "$(python3 -c '
import csv, sys
row, = csv.DictReader(open(sys.argv[1]))
unknown = ["pairs", "ms_median", "ms_low", "ms_min", "ms_max", "gflops", "gbps", "peak_share", "baseline",
           "baseline_ms", "ratio", "ratio_min", "clock_mhz", "power_w"]
print(row["mode"], row["device"], row["driver"], row["version"], sum(row[name] != "" for name in unknown),
      0 < float(row["max_err_bound_share"]) <= 1, sep=",")' "$work/rows.csv")"

ended
