#!/bin/sh
# The simulator's counters: against what Nsight Compute recorded on an H200, and the ways to ask for them.
set -u
cd "$(dirname "$0")/.." || exit 1
unset CUDASIM_DEVICE CUDASIM_ISA CUDASIM_COUNTERS CUDASIM_COUNTERS_CSV CUDASIM_EXPLAIN CUDASIM_LIB LD_PRELOAD
work=$(mktemp -d "${TMPDIR:-/tmp}/sim_counters.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAIL $1"
    sed 's/^/    /' "$work/out" "$work/err" 2>/dev/null
}

# ---- the recorded counts ----
compared=
while read -r step variant options; do
    : >"$work/err"
    compared="$compared $step,$variant, "
    # shellcheck disable=SC2086 # words
    python3 tests/sim_counters.py plots/data/nvidia-h200/counters.csv "$step" "$variant" $options >"$work/out" 2>&1
    case $? in
    0) good ;;
    77) cat "$work/out" ;;
    *) bad "$step $variant" ;;
    esac
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
    case $compared in *" $recorded, "*) ;; *) echo "skipped $(echo "$recorded" | tr , ' '): recorded, not compared" ;; esac
done

# ---- small and odd shapes (tests/counted) ----
: >"$work/err"
if python3 -B tests/counted/compare.py >"$work/out" 2>&1; then good; else bad "tests/counted/compare.py"; fi

# ---- what is printed ----
# expect NAME STATUS PATTERN COMMAND...: its output (or its one line of errors) has the pattern.
expect() {
    name=$1 want=$2 pattern=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ "$got" -eq "$want" ] && cat "$work/out" "$work/err" | grep -q -e "$pattern" &&
        { [ "$want" -eq 0 ] || [ "$(wc -l <"$work/err")" -eq 1 ]; }; then
        good
    else
        bad "$name: exit status $got"
    fi
}
lacks() {
    if grep -q -e "$2" "$work/out"; then bad "$1"; else good; fi
}
step=step03_regblock/run
small="--variant tile4x4 --size 64"
# shellcheck disable=SC2086 # words
{
    expect 'a table' 0 '^    sectors loaded  *1,024  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum$' $step --counters $small
    expect 'of the variant' 0 '^tile4x4, m 64, n 64, k 64: void sgemm_regblock<64, 64, 16, 4, 4>(sgemm_problem)$' \
        $step --sim --counters=table $small
    expect 'that says what PTX is not' 0 'ptxas merges' $step --counters $small
    expect 'no counters' 0 '^tile4x4 ' $step --sim $small
    lacks 'no counters are printed then' 'sectors'
    expect 'lines' 0 '__syncthreads();$' $step --counters=lines $small
    expect 'and what they count' 0 '^ *[0-9,]* 32.00  *1,024 .* c_reg\|^ *[0-9,]* [0-9.]*  *512  *[0-9,]*  *[0-9,]*  *36 ' \
        $step --counters=lines $small
    expect 'a file' 0 '^tile4x4 ' $step --counters-csv "$work/a.csv" $small
    lacks 'which is all' 'sectors'
    expect 'its rows' 0 '^"tile4x4","m 64, n 64, k 64",.*,FFMA,.*,262144,inst$' cat "$work/a.csv"
    expect 'an unknown form' 2 "^step03_regblock: --counters: 'all' is unknown (known: table, lines)$" $step --counters=all
    expect 'a file that cannot be' 2 '^cudasim: /nowhere/a.csv cannot be written: No such file or directory$' \
        $step --counters-csv /nowhere/a.csv $small
    expect 'the same file twice' 2 "the --csv file too$" $step --csv "$work/b" --counters-csv "$work/b" $small
    expect 'a metric' 0 '^FFMA: FP32 multiply-adds, of threads; in Nsight Compute smsp__sass_thread_inst_' $step --explain ffma
    expect 'no metric' 2 "^cudasim: no metric is called 'flops'" $step --explain flops
    expect 'several kernels and variants' 0 '^coalesced, ' step01_naive/run --counters --size 64
    expect 'a search' 0 '^direct' step08_knn/run --counters --m 20 --n 100 --d 4 --k 3 --method direct+bitonic
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
machine_code() { expect "$1" 0 "$2" python3 -B scripts/sim_counters.py "$work/a.csv" "$work/sass"; }
machine_code 'a heading' '^In the machine code for sm_100a and sm_90a, as ptxas made it: instructions, however often'
machine_code 'multiply-adds of the first code' '^FFMA  *2$'
machine_code 'loads by width' '^LDS.128  *1$'
machine_code 'what never executes is none' '^LDS.32  *1$'
machine_code 'spills' '^STL (spilled or indexed)  *1$'
machine_code 'all' '^all instructions  *6$'
expect 'no listing' 0 '^sectors loaded  *1,024$' python3 -B scripts/sim_counters.py "$work/a.csv"
lacks 'and no machine code' 'machine code'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
