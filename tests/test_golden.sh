#!/bin/sh
# scripts/golden.sh and report/record/golden.py, on a made-up GPU with tools that print what Nsight Compute and
# compute-sanitizer would.
name=golden
. "$(dirname "$0")/script_case.sh"

machine() {
    rm -rf plots/data build tests step01 "$tmp/made"
    mkdir -p "$tmp/made" build/cudasim/tests/counted build/cudasim/tests/programs build/cudasim/tests/faulty tests/counted cudasim/tests/faulty step01_naive
    ln -s step01_naive step01
    printf 'CUDA_VERSION := 13.0\n' >build/config.mk
    cp "$root/tests/counted/metrics.txt" tests/counted/
    printf '# runs\nstep01 --size 64\nscan\n' >tests/counted/shapes.txt
    cat >"$tmp/made/nvidia-smi" <<'END'
#!/bin/sh
case $* in
-L) echo "GPU 0: made up" ;;
*gpu=name*) echo "Made-Up GPU (2)" ;;
*compute_cap*) echo 9.0 ;;
*driver*) echo 580.1 ;;
esac
END
    # Counts pattern n as n wavefronts, a kernel of the other runs as two launches of 7 sectors, of which each executes 8
    # barriers and 150 FFMA; takes no metric REFUSED.
    cat >"$tmp/made/ncu" <<'END'
#!/bin/sh
if [ "$1" = --query-metrics ]; then
    for m in l1tex__data_pipe_lsu_wavefronts_mem_shared l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld \
        l1tex__t_sectors_pipe_lsu_mem_global_op_ld \
        sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts l1tex__other; do
        echo "$m   Counter   what it is"
    done
    exit
fi
if [ "$1" = --import ] && [ -n "${SILENT:-}" ]; then exit 1; fi
if [ "$1" = --import ]; then
    [ -e "$2" ] || exit 1
    printf '"ID","Kernel Name","sass__inst_executed_per_opcode"\n"","","inst"\n'
    for id in 0 1; do printf '"%s","k","158 (BAR: 8; MEMBAR: 9; FFMA: 150)"\n' $id; done
    exit
fi
while [ "$1" != --metrics ]; do
    if [ "$1" = --export ]; then echo report >"$2.ncu-rep"; fi
    shift
done
metrics=$2
while [ "$1" != --log-file ]; do shift; done
log=$2 program=$3
shift 3
case $metrics in *"${REFUSED:-none}"*) echo '==ERROR== no such metric' >"$log"; exit 9 ;; esac
row() { # ID KERNEL VALUE DYNAMIC
    printf '"%s","%s","(32, 1, 1)","(1, 1, 1)"' "$1" "$2"
    for m in $(echo "$metrics" | tr , ' '); do
        case $m in launch__*) printf ',"%s"' "$4" ;; *) printf ',"%s"' "$3" ;; esac
    done
    echo
}
{
    printf '==PROF== Connected\n"ID","Kernel Name","Block Size","Grid Size"'
    for m in $(echo "$metrics" | tr , ' '); do printf ',"%s"' "$m"; done
    printf '\n"","","",""'
    for m in $(echo "$metrics" | tr , ' '); do printf ',"inst"'; done
    echo
    case $program in
    *counted*)
        n=$1 id=0
        while [ "$n" -lt "$2" ] && [ "$n" -lt 70 ]; do
            [ "$n" = "${LOST:-none}" ] || row $id k "$n" $((32768 + 16 * n))
            n=$((n + 1)) id=$((id + 1))
        done ;;
    *)
        row 0 'void k<(int)8, (bool)1>(int)' 7 0
        row 1 'void k<(int)8, (bool)1>(int)' 7 0 ;;
    esac
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
    cat >cudasim/tests/faulty/tiny.cu <<'END'
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
    printf '#!/bin/sh\n[ "$CC" = gcc ]\n' >"$tmp/made/make" # which must not take the compute capability for a compiler
    export CC=gcc
    for program in shared copies global lines; do
        cat >build/cudasim/tests/counted/$program <<'END'
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
    chmod +x "$tmp/made"/* build/cudasim/tests/counted/*
    PATH=$tmp/made:$PATH
    out=plots/data/made-up-gpu-2
}
records() {
    machine
    status 0 scripts/golden.sh || return 1
    same "$(ls $out)" "faults.csv
patterns_copies.csv
patterns_global.csv
patterns_lines.csv
patterns_shared.csv
shapes.csv" &&
        lines $out/patterns_shared.csv 71 &&
        holds $out/patterns_shared.csv 'pattern,kind,name,mask,offsets,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum,device,' &&
        holds $out/patterns_shared.csv '63,load_4,"stride 63, or so",ffffffff,0 4 8,63,63,Made-Up GPU (2),9.0,580.1,13.0,2' &&
        holds $out/patterns_lines.csv ',clocks,device' &&
        holds $out/patterns_copies.csv ',offsets,from,sm__sass' && holds $out/patterns_copies.csv ',0 4 8,5 6,63,Made-Up' &&
        holds $out/patterns_global.csv '69,load_4,"stride 69, or so",ffffffff,0 4 8,69,Made-Up' &&
        holds $out/shapes.csv 'step01 --size 64,"void k<8, true>(int)",1x1x1,32x1x1,2,14,14,14,16,0,0,0,0,0,Made-Up' && lines $out/shapes.csv 3 &&
        holds $out/shapes.csv ',sass__inst_executed_per_opcode.BAR,sass__inst_executed_per_opcode.STSM,'
}
refuses() { # an ncu that does not know machine instructions by name counts the others
    machine
    export REFUSED=per_opcode
    PARTS=shapes status 0 scripts/golden.sh && holds $out/shapes.csv ',1x1x1,32x1x1,2,14,14,14,,,,,,,Made-Up'
}
unnamed() { # what ncu does not say of the machine's instructions stays empty
    machine
    export SILENT=1
    PARTS=shapes status 0 scripts/golden.sh &&
        holds $out/shapes.csv 'step01 --size 64,"void k<8, true>(int)",1x1x1,32x1x1,2,14,14,14,,,,,,,Made-Up'
}
judges() {
    machine
    PARTS=faults status 0 scripts/golden.sh && same "$(ls $out)" faults.csv || return 1
    holds $out/faults.csv 'tiny,wild,illegal address,memcheck,yes,yes,Invalid __global__ write of size 4 bytes,Made-Up' &&
        holds $out/faults.csv 'tiny,quiet,race,racecheck,no,no,,Made-Up' &&
        holds $out/faults.csv 'tiny,ok_all,ok,racecheck,yes,,,Made-Up' && lines $out/faults.csv 5
}
unbuilt() { # in a clone in which nothing has been built, not even what the Makefile notes of the toolkit
    machine
    rm build/config.mk
    PARTS=faults status 0 scripts/golden.sh && lines $out/faults.csv 5
}
incomplete() { # a pattern that ncu did not count is said, and the others are kept
    machine
    export LOST=61
    PARTS=patterns status 1 scripts/golden.sh && says 'golden: shared: 1 patterns are missing' && lines $out/patterns_shared.csv 70
}
reads_nothing() {
    machine
    export REFUSED=l1tex
    PARTS=patterns status 1 scripts/golden.sh && says 'golden: ncu reads no counters here'
}
needs() {
    status 3 scripts/golden.sh && one_line && says 'no GPU here' || return 1
    PARTS=pattern status 2 scripts/golden.sh && one_line && says "there is no part 'pattern'" || return 1
    machine
    rm "$tmp/made/compute-sanitizer"
    ! command -v compute-sanitizer >/dev/null || return 0 # this machine has one
    CUDA_HOME=/nonexistent status 2 scripts/golden.sh && one_line && says 'compute-sanitizer is missing'
}

for each in records unnamed refuses judges unbuilt incomplete reads_nothing needs; do check $each; done
ended
