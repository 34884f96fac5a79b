#!/bin/sh
# The simulator's counters: against what Nsight Compute recorded on an H200, and the ways to ask for them.
set -u
. "$(dirname "$0")/case.sh"
unset CUDASIM_LIB

# ---- the recorded counts ----
compared=
while read -r step variant options; do
    compared="$compared $step,$variant, "
    # shellcheck disable=SC2086 # words
    run python3 tests/sim_counters.py plots/data/nvidia-h200/counters.csv "$step" "$variant" $options
    if [ "$status" = 77 ]; then cat "$work/out"; else counted "$status" "$step $variant"; fi
done <<'VARIANTS'
step01_naive uncoalesced
step01_naive coalesced
step02_smem tile32
step03_regblock tile4x4
step03_regblock tile8x16_128t
step03_regblock tile8x8_256t
step04_vectorized lds128
step04_vectorized lds128_2x2
step04_vectorized coalesced_store
step05_doublebuffer register_prefetch
step05_doublebuffer cp_async
step05_doublebuffer warp_tiles
step05_doublebuffer rasterized
step05_doublebuffer spread_copies
step05_doublebuffer serpentine
step06_tensorcore mma_s8_tile --dtype s8
step06_tensorcore wmma
step06_tensorcore mma_sync
step06_tensorcore ldmatrix
step06_tensorcore swizzle
step06_tensorcore stages
step06_tensorcore warp_64x64
step06_tensorcore fragments
step06_tensorcore interleaved
step06_tensorcore pointers
step06_tensorcore rasterized
step06_tensorcore tma
step06_tensorcore wgmma
step06_tensorcore warp_specialised
step06_tensorcore persistent_grid
step06_tensorcore ping_pong
step06_tensorcore cluster
step06_tensorcore three_products --dtype tf32x3
VARIANTS
# What is recorded beside: of variants that are gone, or that one small problem says nothing of.
for recorded in $(sed 1d plots/data/nvidia-h200/counters.csv | cut -d , -f 1,2 | sort -u); do
    case $compared in *" $recorded, "*) continue ;; esac
    echo "skipped $(echo "$recorded" | tr , ' '): recorded, not compared"
done

# ---- small and odd shapes (tests/counted) ----
ends tests/counted/compare.py 0 "" python3 -B tests/counted/compare.py

# ---- what is printed ----
lacks() {
    ! said "$2"
    counted $? "$1"
}
# refuses NAME PATTERN COMMAND...: exit status 2, and one line.
refuses() {
    what=$1 line=$2
    shift 2
    ends "$what" 2 "$line" "$@"
    check "$what: one line" lines 1
}
step=step03_regblock/run
small="--variant tile4x4 --size 64"
# shellcheck disable=SC2086 # words
{
    ends 'a table' 0 \
        '^    sectors loaded  *1,024  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum$' \
        $step --counters $small
    ends 'of the variant' 0 '^tile4x4, m 64, n 64, k 64: void sgemm_regblock<64, 64, 16, 4, 4>\(sgemm_problem\)$' \
        $step --sim --counters=table $small
    ends 'that says what PTX is not' 0 'ptxas merges' $step --counters $small
    ends 'no counters' 0 '^tile4x4 ' $step --sim $small
    lacks 'no counters are printed then' 'sectors'
    ends 'lines' 0 '__syncthreads\(\);$' $step --counters=lines $small
    ends 'and what they count' 0 \
        '^ *[0-9,]* 32.00  *1,024 .* c_reg|^ *[0-9,]* [0-9.]*  *512  *[0-9,]*  *[0-9,]*  *36 ' \
        $step --counters=lines $small
    ends 'a file' 0 '^tile4x4 ' $step --counters-csv "$work/a.csv" $small
    lacks 'which is all' 'sectors'
    ends 'its rows' 0 '^"tile4x4","m 64, n 64, k 64",.*,FFMA,.*,262144,inst$' cat "$work/a.csv"
    refuses 'an unknown form' \
        "^step03_regblock: --counters: 'all' is unknown \(known: table, lines\)$" $step --counters=all
    refuses 'a file that cannot be' '^cudasim: /nowhere/a.csv cannot be written: No such file or directory$' \
        $step --counters-csv /nowhere/a.csv $small
    refuses 'the same file twice' "the --csv file too$" $step --csv "$work/b" --counters-csv "$work/b" $small
    ends 'a metric' 0 \
        '^FFMA: FP32 multiply-adds, of threads; in Nsight Compute smsp__sass_thread_inst_' $step --explain ffma
    refuses 'no metric' "^cudasim: no metric is called 'flops'" $step --explain flops
    ends 'several kernels and variants' 0 '^coalesced, ' step01_naive/run --counters --size 64
    ends 'a search' 0 '^direct' step08_knn/run --counters --m 20 --n 100 --d 4 --k 3 --method direct+bitonic
}

# ---- machine code beside the counts, as cuobjdump lists it ----
cat >"$work/sass" <<'LISTING'
	code for sm_90a
		Function : _Z14sgemm_regblockILi64ELi64ELi16ELi4ELi4EEv13sgemm_problem
        /*0000*/                   LDG.E R3, desc[UR4][R2.64] ;
        /*0010*/              @P0  LDS.128 R4, [R0+UR4] ;
        /*0020*/                   LDS R4, [R0+UR4+0x40] ;
        /*0030*/             @!PT  LDS RZ, [RZ] ;
        /*0040*/                   FFMA R1, R4, R5, R1 ;
        /*0050*/                   FFMA R1, R4, R6, R1 ;
        /*0060*/                   STL [R1], R6 ;
        /*0070*/                   NOP ;
		Function : _Z5otherv
        /*0000*/                   FFMA R1, R4, R5, R1 ;
	code for sm_100a
		Function : _Z14sgemm_regblockILi64ELi64ELi16ELi4ELi4EEv13sgemm_problem
        /*0000*/                   FFMA R1, R4, R5, R1 ;
LISTING
machine_code() { ends "$1" 0 "$2" python3 -B scripts/sim_counters.py "$work/a.csv" "$work/sass"; }
machine_code 'a heading' '^In the machine code for sm_100a and sm_90a, as ptxas made it: instructions, however often'
machine_code 'multiply-adds of the first code' '^FFMA  *2$'
machine_code 'loads by width' '^LDS.128  *1$'
machine_code 'what never executes is none' '^LDS.32  *1$'
machine_code 'spills' '^STL \(spilled or indexed\)  *1$'
machine_code 'all' '^all instructions  *6$'
ends 'no listing' 0 '^sectors loaded  *1,024$' python3 -B scripts/sim_counters.py "$work/a.csv"
lacks 'and no machine code' 'machine code'

ended
