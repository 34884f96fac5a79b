#!/bin/sh
# scripts/golden.sh and report/record/golden.py, on a made-up GPU with an ncu that prints what Nsight Compute
# would.
. "$(dirname "$0")/../script_case.sh"

machine() {
    rm -rf plots/data build tests step01 "$tmp/made"
    mkdir -p build tests/counted step01_naive
    ln -s step01_naive step01
    printf 'CUDA_VERSION := 13.0\n' >build/config.mk
    cp "$root/tests/counted/metrics.txt" tests/counted/
    printf '# runs\nstep01 --size 64\nscan\n' >tests/counted/shapes.txt
    fake_gpu "$tmp/made" 'Made-Up GPU (2)'
    # Counts pattern n as n wavefronts, a kernel of the other runs as two launches of 7 sectors, of which each executes
    # 8 barriers and 150 FFMA; takes no metric REFUSED.
    fake "$tmp/made/ncu" <<'END'
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
    row 0 'void k<(int)8, (bool)1>(int)' 7 0
    row 1 'void k<(int)8, (bool)1>(int)' 7 0
} >"$log"
END
    fake "$tmp/made/make" '[ "$CC" = gcc ]' # which must not take the compute capability for a compiler
    export CC=gcc
    PATH=$tmp/made:$PATH
    out=plots/data/made-up-gpu-2
}
records() {
    status 0 scripts/golden.sh || return 1
    same "$(ls $out)" shapes.csv &&
        holds $out/shapes.csv 'step01 --size 64,"void k<8, true>(int)",1x1x1,32x1x1,2,14,14,14,16,0,0,0,0,0,Made-Up' &&
        lines $out/shapes.csv 3 &&
        holds $out/shapes.csv ',sass__inst_executed_per_opcode.BAR,sass__inst_executed_per_opcode.STSM,'
}
refuses() { # an ncu that does not know machine instructions by name counts the others
    export REFUSED=per_opcode
    status 0 scripts/golden.sh && holds $out/shapes.csv ',1x1x1,32x1x1,2,14,14,14,,,,,,,Made-Up'
}
unnamed() { # what ncu does not say of the machine's instructions stays empty
    export SILENT=1
    status 0 scripts/golden.sh &&
        holds $out/shapes.csv 'step01 --size 64,"void k<8, true>(int)",1x1x1,32x1x1,2,14,14,14,,,,,,,Made-Up'
}
unbuilt() { # in a clone in which nothing has been built, not even what the Makefile notes of the toolkit
    rm build/config.mk
    status 0 scripts/golden.sh && lines $out/shapes.csv 3
}
reads_nothing() {
    export REFUSED=l1tex
    status 1 scripts/golden.sh && says 'ncu saw no launch' && [ ! -e $out/shapes.csv ]
}
needs() {
    rm "$tmp/made/ncu"
    ! command -v ncu >/dev/null || return 0 # this machine has one
    CUDA_HOME=/nonexistent status 2 scripts/golden.sh && one_line && says 'ncu is missing'
}

prepare=machine
cases records unnamed refuses unbuilt reads_nothing needs
ended
