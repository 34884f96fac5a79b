#!/bin/sh
# tests/golden.py on a made-up GPU, with tools that print what Nsight Compute and compute-sanitizer would. Ends with "N
# passed, N failed".
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/golden.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
mkdir -p "$tmp/made" "$tmp/tree/build/tests/counted" "$tmp/tree/tests/faulty"
cd "$tmp/tree" || exit 1
cp "$root/tests/golden.py" tests/
printf 'CUDA_VERSION := 13.0\n' >build/toolkit.mk
printf '#!/bin/sh\necho "Made-Up GPU (2), 9.0, 580.1"\n' >"$tmp/made/nvidia-smi"
cat >"$tmp/made/ncu" <<'END'
#!/bin/sh
# Counts pattern n as n wavefronts; takes no metric REFUSED, and loses the pattern LOST.
if [ "$1" = --query-metrics ]; then
    for m in l1tex__data_pipe_lsu_wavefronts_mem_shared l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld \
        l1tex__t_sectors_pipe_lsu_mem_global_op_ld l1tex__t_set_conflicts_pipe_lsu_mem_global_op_ld \
        sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts l1tex__other; do
        echo "$m   Counter   what it is"
    done
    exit
fi
while [ "$1" != --metrics ]; do shift; done
metrics=$2 log=$4
shift 5
case $metrics in *"${REFUSED:-none}"*) echo '==ERROR== no such metric' >"$log"; exit 9 ;; esac
columns() { for m in $(echo "$metrics" | tr , ' '); do printf ',"%s"' "${1:-$m}"; done; echo; }
{
    printf '==PROF== Connected\n"ID"'
    columns
    printf '""'
    columns inst
    n=$1
    while [ "$n" -lt "$2" ] && [ "$n" -lt 70 ]; do
        if [ "$n" != "${LOST:-none}" ]; then
            printf '"%s"' "$n"
            for m in $(echo "$metrics" | tr , ' '); do
                case $m in launch__*) printf ',"%s"' $((32768 + 16 * n)) ;; *) printf ',"%s"' "$n" ;; esac
            done
            echo
        fi
        n=$((n + 1))
    done
} >"$log"
END
cat >"$tmp/made/compute-sanitizer" <<'END'
#!/bin/sh
while [ $# -gt 2 ]; do shift; done
echo "========= COMPUTE-SANITIZER"
case $2 in
wild)
    echo "========= Invalid __global__ write of size 4 bytes"
    echo "=========     at wild(int *, int)+0x10 in tiny.cu:2"
    echo "========= ERROR SUMMARY: 1 error" ;;
esac
case $2 in ok_* | quiet) echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" ;; esac
END
cat >tests/faulty/tiny.cu <<'END'
__global__ void wild(int *g, int n) {
    g[n] = 1; // FAULT illegal address
}
__global__ void quiet(int *g, int n) {
    g[0] = 1; // FAULT race
}
__global__ void ok_all(int *g, int n) {
}
__global__ void ok_dead(int *g, int n) {}
END
for program in shared copies global lines; do
    cat >build/tests/counted/$program <<'END'
#!/bin/sh
i=0
while [ $i -lt 70 ]; do
    case $0$1 in
    *copies--list) echo "$i,copy_4,stride $i, or so,ffffffff,0 4 8,5 6" ;;
    *--list) echo "$i,load_4,stride $i, or so,ffffffff,0 4 8" ;;
    *) echo "$i,$((9 * i))" ;;
    esac
    i=$((i + 1))
done
END
done
chmod +x "$tmp/made"/* build/tests/counted/*

# golden NAME STATUS [NAME=VALUE]... [PART]: with these tools it exits so; what it says is in $tmp/said.
golden() {
    name=$1 want=$2
    shift 2
    parts= settings=
    for word; do case $word in *=*) settings="$settings $word" ;; *) parts="$parts $word" ;; esac; done
    rm -rf tests/counted tests/faulty/made-up-gpu-2 build/golden
    # shellcheck disable=SC2086 # words
    env PATH="$tmp/made:$PATH" $settings python3 -B tests/golden.py $parts >"$tmp/said" 2>&1
    check "$name" [ $? = "$want" ]
}
check() { # NAME COMMAND...
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name:"
        cat "$tmp/said"
    fi
}
holds() { check "$1 has $2" grep -qF -e "$2" "$1"; }
lines() { check "$1 has $2 lines" [ "$(wc -l <"$1")" = "$2" ]; }
counted=tests/counted/made-up-gpu-2 faulty=tests/faulty/made-up-gpu-2/faults.csv

golden 'all is recorded' 0
check 'a file for each program' [ "$(echo $counted/*)" = "$(for p in copies global lines shared; do
    printf '%s ' $counted/patterns_$p.csv; done | sed 's/ $//')" ]
lines $counted/patterns_shared.csv 71
heading=pattern,kind,name,mask,offsets,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
heading=$heading,sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum,device,
holds $counted/patterns_shared.csv "$heading"
holds $counted/patterns_shared.csv '63,load_4,"stride 63, or so",ffffffff,0 4 8,63,63,Made-Up GPU (2),9.0,580.1,13.0,2'
holds $counted/patterns_lines.csv ',clocks,device'
holds $counted/patterns_copies.csv ',offsets,from,sm__sass'
holds $counted/patterns_copies.csv ',0 4 8,5 6,63,Made-Up'
holds $counted/patterns_global.csv '69,load_4,"stride 69, or so",ffffffff,0 4 8,69,Made-Up'
holds $faulty 'tiny,wild,illegal address,memcheck,yes,yes,Invalid __global__ write of size 4 bytes,Made-Up'
holds $faulty 'tiny,quiet,race,racecheck,no,no,,Made-Up'
holds $faulty 'tiny,ok_all,ok,racecheck,yes,,,Made-Up'
lines $faulty 5
golden 'one part alone' 0 faults
check 'is all that is recorded' [ ! -e $counted ]
golden 'a lost pattern is said' 1 LOST=61 patterns
holds "$tmp/said" 'golden: shared: pattern 61 is missing'
lines $counted/patterns_shared.csv 70
golden 'an ncu that reads nothing' 1 REFUSED=l1tex patterns
holds "$tmp/said" 'golden: ncu reads no counters here'
golden 'a part that is none' 2 pattern
holds "$tmp/said" "there is no part 'pattern'"
printf '#!/bin/sh\nexit 9\n' >"$tmp/made/nvidia-smi"
golden 'no GPU' 3
lines "$tmp/said" 1
sed 1q $faulty >"$tmp/empty" 2>/dev/null
check 'a table of nothing' \
    [ "$(python3 -B tests/golden.py --table "$tmp/empty" 2>&1)" = "golden: $tmp/empty has no rows" ]
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
