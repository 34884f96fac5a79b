#!/bin/sh
# Tests what the scripts do with the tensor cores' recorded measurements: recording them, figures, notes, demo, compare,
# counters; on measurements made up here, in a copy of scripts/ and plots/.
# shellcheck disable=SC2317 # the cases are called by name
set -u
LC_ALL=C
export LC_ALL
unset NOTES_CSV BENCH_STEPS SWEEPS DTYPES LAYOUTS SIZES MINUTES FORCE DEMO_SIZE
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/test_tensorcore_scripts.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
copy=$tmp/repo
mkdir -p "$copy/plots" "$copy/build" "$tmp/bin"
cp -R "$root/scripts" "$copy/scripts"
cp "$root"/plots/*.gp "$root"/plots/*.csv "$copy/plots/"
printf '#!/bin/sh\nexit 9\n' >"$tmp/bin/nvidia-smi" # no GPU, whatever the machine has
chmod +x "$tmp/bin/nvidia-smi"
PATH=$tmp/bin:$PATH
cd "$copy" || exit 1

passed=0 failed=0
check() { # check NAME: runs the case of that name
    if ("$1") >"$tmp/log" 2>&1; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1"
        sed 's/^/    /' "$tmp/log"
    fi
}

# status N COMMAND...: the command exits with N; its output is in $tmp/out and $tmp/err
status() {
    want=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" -eq "$want" ] || { echo "exit status $got, not $want: $*"; cat "$tmp/out" "$tmp/err"; return 1; }
}
one_line() { [ "$(wc -l <"$tmp/err")" -eq 1 ] || { echo "not one line:"; cat "$tmp/err"; return 1; }; }
says() { grep -qF -e "$1" "$tmp/err" || { echo "stderr lacks: $1"; cat "$tmp/err"; return 1; }; }
prints() { grep -qF -e "$1" "$tmp/out" || { echo "stdout lacks: $1"; cat "$tmp/out"; return 1; }; }
holds() { grep -qF -e "$2" "$1" || { echo "$1 lacks: $2"; cat "$1"; return 1; }; }
same() { [ "$1" = "$2" ] || { printf '%s\n' "not the same:" "$1" "--" "$2"; return 1; }; }

# ---- measurements, made up

sed -n '/define RECORD_HEADER/,/[^\\]$/s/.*"\(.*\)".*/\1/p' "$root/common/base/record.h" | tr -d '\n' >"$tmp/header"
echo >>"$tmp/header"
# Reads lines `variant dtype layout m n k mode TFLOP/s cuBLAS|- peak MHz W`, writes rows.
rows() {
    awk '{
        flops = 2 * $4 * $5 * $6
        printf "step06_tensorcore,%s,gemm,%s,%s,%d,%d,%d,,1,0,cold,%s,%.9g,%.9g,%.9g,%.9g,100,%.9g,", $1, $2, $3, $4, $5,
            $6, $7, flops / $8 / 1e9, flops / $8 / 1.01e9, flops / $8 / 0.99e9, $8 * 1000, $8 / $10
        if ($9 == "-") printf ",,,,,"
        else printf "%s,%.9g,%.9g,%.9g,%.9g,", $2 == "tf32x3" ? "cublas" : "cublasLt #3", flops / $9 / 1e9, $8 / $9,
            $8 / $9 - 0.01, $8 / $9 + 0.02
        print "0.01," $11 "," $12 ",NVIDIA H200,9.0,580.159.04,13.0,2026-11-21"
    }'
}
good=$tmp/data/tensorcore.csv
mkdir -p "$tmp/data"
{
    cat "$tmp/header"
    rows <<'END'
mma_s8_tile s8 tn 4096 4096 4096 events 12 1200 2000 1980 300
wmma f16 tn 4096 4096 4096 events 200 1000 1000 1980 500
multistage f16 tn 4096 4096 4096 events 480 960 1000 1900 600
persistent f16 tn 4096 4096 4096 events 840 800 1000 1700 690
persistent f16 tn 4096 4096 4096 sustained 650 640 1000 1386 699
persistent f16 tn 1024 1024 1024 graph 150 160 1000 1980 400
multistage f16 tn 1024 1024 1024 graph 100 160 1000 1980 400
persistent f16 nn 4096 4096 4096 events 760 760 1000 1700 690
persistent bf16 tn 8192 8192 8192 events 850 800 1000 1500 699
persistent bf16 tn 8192 8192 8192 sustained 700 680 1000 1300 700
persistent s8 tn 4096 4096 4096 events 1100 1200 2000 1700 690
tf32x3 tf32x3 tn 4096 4096 4096 events 100 50 166 1980 690
persistent f16>f32 tn 4096 4096 4096 events 830 800 1000 1700 690
multistage f16 tn 4095 4097 4100 events 400 700 1000 1900 600
persistent f16 tn 4095 4097 4100 events 400 700 1000 1900 600
persistent f16 tn 4096 4104 4104 events 800 790 1000 1900 600
persistent f16 tn 1000 1000 1000 graph 120 150 1000 1900 400
END
} >"$good"
# Of all this no figure or table may show anything.
{
    sed -n 5p "$good" | sed 's/,cold,/,warm,/; s/840000/990000/'
    sed -n 5p "$good" | sed 's/,1,0,cold/,1,1,cold/; s/840000/990000/'
    echo "step06_tensorcore,persistent,gemm,f16,tn,4096,4096,4096,,1,0,cold,sim,,,,,,,,,,,,0.1,,,H200 (simulated),9.0,none,13.0,2027-01-01"
} >"$tmp/others"
gemm_row="step05_doublebuffer,warp_tiled,gemm,f32,nn,4096,4096,4096,,1,0,cold,events,2.6,2.6,2.6,52861.0,10,0.78,cublas,\
2.7,1.0385,1.03,1.04,0.01,1980,650,NVIDIA H200,9.0,580.159.04,13.0,2026-11-20"
{ cat "$tmp/header"; echo "$gemm_row"; } >"$tmp/data/sgemm.csv"

# ---- what the scripts lean on

ladder_names_the_variants() { # in step.c's order, each in a type that there is
    [ -e "$root/step06_tensorcore/step.c" ] || return 0
    sed -n '/ variants\[\] = {/,/^};/s/^    {"\([a-z0-9_]*\)".*/\1/p' "$root/step06_tensorcore/step.c" >"$tmp/variants"
    sed 1d plots/tensorcore_ladder.csv | cut -d, -f2 | diff - "$tmp/variants"
}
ladder_types() {
    ! sed 1d plots/tensorcore_ladder.csv | cut -d, -f3 | grep -qvx 'f16\|bf16\|s8\|tf32\|tf32x3'
}

# ---- notes

note=step06_tensorcore/README.md
notes_start() { # notes_start LINE...: the only note
    NOTES_CSV=$tmp/data/sgemm.csv
    export NOTES_CSV
    rm -rf step06_tensorcore README.md
    mkdir -p step06_tensorcore
    for line; do
        echo "$line"
        case $line in '<!-- table: '*) echo old; echo '<!-- end -->' ;; esac
    done >$note
}
recorded='<sub>Recorded on NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21; cold L2, medians, ratios pair by pair'
table_of_the_ladder() {
    notes_start '<!-- table: tensor-ladder step06 -->'
    status 0 scripts/notes.sh && status 0 scripts/notes.sh --check && ! grep -q '^old$' $note &&
        holds $note '| `mma_s8_tile` | s8 | 11.45 | 12.0 | 0.6 % | 0.010 (0.000..0.030) |' &&
        holds $note '| `mma_sync` | f16 | – | – | – | – |' &&
        holds $note '| `persistent` | f16 | 0.1636 | 840 | 84.0 % | 1.050 (1.040..1.070) |' &&
        holds $note '| `tf32x3` | tf32x3 | 1.374 | 100 | 60.2 % | 2.000 (1.990..2.020) |' &&
        holds $note '| cuBLAS, f16 | f16 | 0.1718 | 800 | 80.0 % | 1 |' &&
        holds $note '| cuBLAS, FP32 | tf32x3 | 2.749 | 50.0 | – | 1 |' &&
        holds $note 'at 4096³ the clock settled at 1386 MHz. At that clock the f16 peak is 700 TFLOP/s' &&
        holds $note "$recorded; 4096³" && ! grep -q warp_tiled $note
}
table_of_bars() {
    notes_start '<!-- table: tensor-bars step06 -->'
    status 0 scripts/notes.sh && holds $note ' cuBLAS 800 |  ' && holds $note 'TFLOP/s (% of cuBLAS)' &&
        holds $note '|###  840 (105.0 %)' && holds $note '|     –' && ! grep -q s8 $note &&
        awk 'length($0) > 96 && !/^</ { print; bad = 1 } END { exit bad }' $note
}
tables_of_sizes() {
    notes_start '<!-- table: tensor-sizes step06 f16 tn -->' '<!-- table: tensor-sizes step06 tf32x3 tn -->' \
        '<!-- table: tensor-summary step06 -->'
    status 0 scripts/notes.sh &&
        holds $note '| 1024 | 0.01432 | 150 | 15.0 % | 0.938 (0.927..0.958) | 100 (0.62) | 0.01342 | 160 |' &&
        holds $note '| 4096 | 0.1636 | 840 | 84.0 % | 1.050 (1.040..1.070) | 480 (0.50) | 0.1718 | 800 |' &&
        holds $note '| 2048 | – | – | – | – | – | – | – |' && holds $note "$recorded; f16 tn." &&
        holds $note "ratio to cuBLAS's FP32, median" && holds $note '| 4096 | 1.374 | 100 | 60.2 % | 2.000 (1.990..2.020) | 2.749 |' &&
        holds $note '| f16 tn, `persistent` | 150 (0.94) | – | 840 (1.05) | – | – |' &&
        holds $note '| bf16 tn, `persistent` | – | – | – | 850 (1.06) | – |' &&
        holds $note '| s8 tn, `persistent` | – | – | 1100 (0.92) | – | – |' &&
        holds $note '| tf32x3 tn, `tf32x3` | – | – | 100 (2.00) | – | – |'
}
tables_of_load_and_odd_shapes() {
    notes_start '<!-- table: tensor-sustained step06 -->' '<!-- table: tensor-odd step06 -->' '<!-- table: tensor-odd step06 f16 nn -->'
    status 0 scripts/notes.sh &&
        holds $note '| f16, 4096 | 840 | 1700 | 690 | 1.050 | 650 | 1386 | 699 | 1.016 (1.006..1.036) | 640 |' &&
        holds $note '| bf16, 8192 | 850 | 1500 | 699 | 1.062 | 700 | 1300 | 700 | 1.029 (1.019..1.049) | 680 |' &&
        holds $note '| 4095 × 4097 × 4100 | `persistent` | 0.3439 | 400 | 0.571 (0.561..0.591) | 4096 × 4104 × 4104 | 0.1725 | 1.99 |' &&
        holds $note '| 4095 × 4097 × 4100 | `multistage` | 0.3439 | 400 | 0.571 (0.561..0.591) | 4096 × 4104 × 4104 | – | – |' &&
        holds $note '| 1000 × 1000 × 1000 | `persistent` | 0.01667 | 120 | 0.800 (0.790..0.820) | 1024 × 1024 × 1024 | 0.01432 | 1.16 |' &&
        holds $note '| 8192 × 8192 × 72 | `persistent` | – | – | – | 8192 × 8192 × 128 | – | – |' && holds $note "; f16 nn."
}
values_in_a_line() {
    notes_start 'a <!-- tensor: step06 persistent 4096 4096 4096 tflops -->?<!-- end -->' \
        'b <!-- tensor: step06 persistent 4096 4096 4096 percent nn %.0f %% -->?<!-- end -->' \
        'c <!-- tensor: step06 cublas 4096 4096 4096 tflops s8 -->?<!-- end -->' \
        'd <!-- tensor: step06 persistent 4096 4096 4096 clock_mhz sustained %d -->?<!-- end -->' \
        'e <!-- tensor: step06 tf32x3 4096 4096 4096 ratio -->?<!-- end -->' \
        'f <!-- tensor: step06 persistent 1024 1024 1024 us -->?<!-- end -->' \
        'g <!-- tensor: step06 mma_s8_tile 4096 4096 4096 peak_percent -->?<!-- end -->' \
        'h <!-- tensor: step06 wgmma 4096 4096 4096 ms_median -->?<!-- end -->' \
        'i <!-- tensor-ratio: step06 persistent wmma 4096 4096 4096 -->?<!-- end -->' \
        'j <!-- tensor-ratio: step06 persistent/nn persistent 4096 4096 4096 %.3f -->?<!-- end -->' \
        'k <!-- tensor-ratio: step06 cublas cublas/sustained 4096 4096 4096 -->?<!-- end -->' \
        'l <!-- tensor-limit: step06 tflops -->?<!-- end -->' 'm <!-- tensor-limit: step06 clock %.1f -->?<!-- end -->' \
        'n <!-- tensor: step06 persistent 4096 4096 4096 tflops f16>f32 -->?<!-- end -->'
    status 0 scripts/notes.sh || return 1
    same "$(sed 's/<!-- [^e].*-->\([^<]*\)<!-- end -->/\1/' $note | tr '\n' ';')" 'a 840;b 100 %;c 1200;d 1386;e 2.00;'\
'f 14.3;g 0.6;h not measured;i 4.20;j 0.905;k 1.25;l 700;m 1386.0;n 830;'
}
# refuses LINE MESSAGE
refuses() {
    notes_start "$1"
    cp $note "$tmp/before"
    status 2 scripts/notes.sh && one_line && says "$2" && says "$note:1" && cmp $note "$tmp/before"
}
notes_refuse() {
    refuses '<!-- table: tensor-size step06 -->' "unknown table tensor-size" &&
        refuses '<!-- table: tensor-sizes step06 f16 -->' "the marker reads table: tensor-sizes STEP DTYPE LAYOUT" &&
        refuses '<!-- table: tensor-ladder step01 -->' "unknown step of tensor cores step01" &&
        refuses '<!-- table: tensor-sizes step06 f64 tn -->' "unknown type f64" &&
        refuses '<!-- table: tensor-sizes step06 f16 tt -->' "unknown layout tt" &&
        refuses '<!-- tensor: step06 persist 1 1 1 us --><!-- end -->' "unknown variant persist of step06_tensorcore" &&
        refuses '<!-- tensor: step06 wmma 1 1 1 usec --><!-- end -->' "unknown field usec" &&
        refuses '<!-- tensor: step06 wmma 1 1 1 us hot --><!-- end -->' "not a printf format" &&
        refuses '<!-- tensor: step06 wmma 1 1 1 us -->' "no <!-- end -->" &&
        refuses '<!-- tensor-ratio: step06 wmma/hot swizzle 1 1 1 --><!-- end -->' "hot is no type or layout" &&
        refuses '<!-- tensor-limit: step06 watts --><!-- end -->' "unknown field watts"
}
all_tables() {
    notes_start '<!-- table: tensor-ladder step06 -->' '<!-- table: tensor-bars step06 -->' \
        '<!-- table: tensor-sizes step06 bf16 nn -->' '<!-- table: tensor-summary step06 -->' \
        '<!-- table: tensor-sustained step06 -->' '<!-- table: tensor-odd step06 -->' '<!-- table: tensor-counters step06 -->' \
        '<!-- tensor: step06 persistent 4096 4096 4096 ratio -->?<!-- end -->' '<!-- tensor-limit: step06 clock -->?<!-- end -->'
}
notes_without_measurements() {
    mkdir -p "$tmp/none"
    cp "$tmp/header" "$tmp/none/sgemm.csv"
    all_tables
    NOTES_CSV=$tmp/none/sgemm.csv status 0 scripts/notes.sh && [ "$(grep -c 'Not measured yet.' $note)" = 7 ] &&
        holds $note '| `wmma` | f16 | – | – | – | – |' && [ "$(grep -c '>not measured<!-- end -->' $note)" = 2 ]
}
notes_take_what_counts() { # caches cold, beta 0, no simulator
    all_tables
    status 0 scripts/notes.sh && cp $note "$tmp/pure" || return 1
    mkdir -p "$tmp/mixed" && cp "$tmp"/data/*.csv "$tmp/mixed/" && cat "$tmp/others" >>"$tmp/mixed/tensorcore.csv"
    NOTES_CSV=$tmp/mixed/sgemm.csv status 0 scripts/notes.sh && cmp $note "$tmp/pure" || return 1
    # FP32's ladder shows nothing of it, even where one file holds both.
    notes_start '<!-- table: ladder -->'
    status 0 scripts/notes.sh && cp $note "$tmp/pure" && holds $note '`warp_tiled` | 2.600' || return 1
    { cat "$tmp/data/sgemm.csv"; sed 1d "$good"; } >"$tmp/mixed/sgemm.csv"
    NOTES_CSV=$tmp/mixed/sgemm.csv status 0 scripts/notes.sh && ! grep -q tensorcore $note
}
notes_damaged_files() {
    mkdir -p "$tmp/damaged"
    cp "$tmp"/data/*.csv "$tmp/damaged/"
    notes_start '<!-- table: tensor-ladder step06 -->'
    NOTES_CSV=$tmp/damaged/sgemm.csv
    echo step06_tensorcore,wmma >>"$tmp/damaged/tensorcore.csv"
    status 2 scripts/notes.sh && one_line && says "tensorcore.csv: line 19 has 2 fields, not 32" || return 1
    sed '5s/NVIDIA H200/Tesla T4/' "$good" >"$tmp/damaged/tensorcore.csv"
    status 2 scripts/notes.sh && one_line && says "one device a file"
}
notes_of_counters() { # of the same table of variants as other steps' counters
    mkdir -p "$tmp/counted"
    cp "$tmp"/data/*.csv "$tmp/counted/"
    {
        awk -v header=1 -f scripts/records.awk -f scripts/counters.awk
        while read -r metric value; do
            echo "step06_tensorcore,swizzle,4096,4096,4096,$metric,$value,,NVIDIA H200,9.0,580.1,13.0,2026-11-20"
        done <<'END'
dram__bytes_read.sum 427710000
lts__t_sectors_op_read.sum 100000000
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum 5000000
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum 0
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum 467000
smsp__issue_active.avg.pct_of_peak_sustained_active 41.25
sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active 54
sm__warps_active.avg.pct_of_peak_sustained_active 12.5
smsp__average_warps_issue_stalled_wait_per_issue_active.ratio 0.6
END
    } >"$tmp/counted/counters.csv"
    notes_start '<!-- table: tensor-counters step06 -->' \
        '<!-- counter: step06 swizzle dram__bytes_read.sum/1e9 %.2f -->?<!-- end -->'
    NOTES_CSV=$tmp/counted/sgemm.csv status 0 scripts/notes.sh &&
        holds $note '| `swizzle` | 0.43 | 3.20 | 5.00 | 0.47 | 41.2 % | 54.0 % | 12.5 % | wait (0.60) |' &&
        holds $note '| `persistent` | – | – | – | – | – | – | – | – |' && holds $note '-->0.43<!-- end -->' &&
        holds $note '<sub>Counted on NVIDIA H200, driver 580.1, CUDA 13.0, 2026-11-20 by Nsight Compute: each kernel once, at 4096 × 4096 × 4096, each'
}

# ---- figures

# digest FOLDER: what the figures draw, from there, in $tmp/digest
digest() {
    rm -rf "$tmp/digest"
    mkdir -p "$tmp/digest"
    DATA_NAME=here.csv status 0 awk -v dir="$tmp/digest" -v gap=0.05 -f scripts/records.awk -f scripts/digest.awk \
        -f scripts/tensorcore.awk -f scripts/tensorcore_figures.awk \
        input=tensorcore_ladder plots/tensorcore_ladder.csv input=tensorcore "$1/tensorcore.csv"
}
digest_of_the_ladder() {
    digest "$tmp/data" || return 1
    file=$tmp/digest/tensorcore_ladder.dat
    same "$(sed -n '/^# bars/,/^# baseline/p' "$file" | grep '^-')" '-1 3 12 "mma_s8_tile, s8" "12.0 (1.0 %)"
-2 6 200 "wmma" "200 (20.0 %)"
-3 6 480 "multistage" "480 (50.0 %)"
-4 6 840 "persistent" "840 (105.0 %)"
-5 3 100 "tf32x3, FP32" "100 (200.0 %)"' && holds "$file" '800 "cuBLAS, f16: 800"' &&
        holds "$file" '700 "peak of f16 at the sustained clock, 1.39 GHz: 700"' && holds "$file" '840 800 -5 700'
}
digest_of_the_sizes() {
    digest "$tmp/data" || return 1
    file=$tmp/digest/tensorcore_size.dat
    same "$(sed -n '/^# lines/,/^# labels/p' "$file" | grep '^[0-9]')" "1024 150 6
4096 840 6
8192 850 2
4096 1100 5
4096 100 1
1024 160 6
4096 800 6
8192 800 2
4096 1200 5
4096 50 1" && holds "$file" '"persistent s8" 5 0 4096 1100' && holds "$file" '"cuBLAS FP32" 1 1 4096 50' &&
        holds "$file" '"tf32x3" 1 0 4096 100'
}
digest_takes_what_counts() {
    mkdir -p "$tmp/mixed" && cat "$good" "$tmp/others" >"$tmp/mixed/tensorcore.csv"
    digest "$tmp/data" && cp -R "$tmp/digest" "$tmp/pure_digest" && digest "$tmp/mixed" &&
        diff -r "$tmp/digest" "$tmp/pure_digest"
}
figures_drawn() {
    status 0 scripts/plots.sh --out "$tmp/a" "$tmp/data/sgemm.csv" || return 1
    for figure in tensorcore_ladder tensorcore_size; do
        [ "$(head -c 4 "$tmp/a/$figure.png" | tail -c 3)" = PNG ] || { echo "$figure.png is no PNG"; return 1; }
        holds "$tmp/a/$figure.svg" "Recorded measurements: NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21." &&
            holds "$tmp/a/$figure.svg" "</svg>" || return 1
    done
    holds "$tmp/a/tensorcore_ladder.svg" "840 (105.0 %)" && holds "$tmp/a/tensorcore_ladder.svg" "cuBLAS, f16: 800" &&
        holds "$tmp/a/tensorcore_ladder.svg" "1.39 GHz: 700" && holds "$tmp/a/tensorcore_size.svg" "persistent bf16" &&
        holds "$tmp/a/tensorcore_size.svg" "cuBLAS FP32" && ! grep -qi warning "$tmp/err"
}
figures_in_the_terminal() {
    status 0 scripts/plots.sh --term dumb --out "$tmp/b" "$tmp/data/sgemm.csv" && prints "840 (105.0 %)" &&
        prints "persistent ####" && prints "cuBLAS, f16: 800" && prints "persistent s8" || return 1
    LC_ALL=C.UTF-8 awk '{ gsub(/[\200-\277]/, "") } length($0) > 100 || / $/ { print; bad = 1 } END { exit bad }' "$tmp/out"
}
figures_without_tensor_cores() { # one line, and the rest is drawn
    mkdir -p "$tmp/alone" "$tmp/c"
    cp "$tmp/data/sgemm.csv" "$tmp/alone/"
    echo old >"$tmp/c/tensorcore_size.svg"
    status 0 scripts/plots.sh --term svg --out "$tmp/c" "$tmp/alone/sgemm.csv" && says "no figures of tensor cores" &&
        [ "$(grep -c 'tensor cores' "$tmp/err")" = 1 ] && [ -s "$tmp/c/progression.svg" ] && [ ! -e "$tmp/c/tensorcore_size.svg" ]
}
figures_of_tensor_cores_alone() {
    mkdir -p "$tmp/only" plots/data/made-up
    cp "$good" "$tmp/only/" && cp "$tmp/header" "$tmp/only/sgemm.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/d" "$tmp/only/sgemm.csv" && [ -s "$tmp/d/tensorcore_size.svg" ] &&
        [ ! -e "$tmp/d/size.svg" ] || return 1
    cp "$good" plots/data/made-up/
    status 0 scripts/plots.sh --term svg --out "$tmp/d"
    result=$?
    rm -r plots/data
    return $result
}
figures_of_little() { # as make demo measures, on a GPU without continuous load or a baseline
    mkdir -p "$tmp/one"
    cp "$tmp/data/sgemm.csv" "$tmp/one/"
    { cat "$tmp/header"; echo 'wmma f16 tn 2048 2048 2048 events 200 - 1000 1980 500' | rows; } >"$tmp/one/tensorcore.csv"
    status 0 scripts/plots.sh --term svg,dumb --out "$tmp/f" "$tmp/one/sgemm.csv" &&
        says "tensorcore_ladder: no measurement at 4096^3, tn" && says "tensorcore_size: no measurement at square" || return 1
    { cat "$tmp/header"; echo 'persistent f16 tn 4096 4096 4096 events 200 - 1000 1980 500' | rows; } >"$tmp/one/tensorcore.csv"
    status 0 scripts/plots.sh --term svg,dumb --out "$tmp/f" "$tmp/one/sgemm.csv" && ! grep -qi 'warning' "$tmp/err" &&
        [ -s "$tmp/f/tensorcore_ladder.svg" ] && [ -s "$tmp/f/tensorcore_size.svg" ]
}

# ---- compare

compare_tensor() {
    awk -F, -v OFS=, '$13 == "sustained" { $14 /= 1.25; $17 *= 1.25 } { print }' "$good" >"$tmp/new.csv"
    status 0 scripts/compare.sh "$good" "$tmp/new.csv" && prints "17 matched, 0 only in A, 0 only in B" &&
        prints "greatest 1.250" || return 1
    for line in 'persistent +4096x4096x4096 +f16 tn +840\.00 +840\.00 +1\.000 +1\.050 +1\.050' \
        'persistent +4096x4096x4096 +f16 tn sust[a-z]*~? +650\.00 +812\.50 +1\.250 ' 'persistent +4096x4096x4096 +f16 +760' \
        'persistent +4096x4096x4096 +f16>f32 tn '; do
        grep -Eq "^step06 $line" "$tmp/out" || { echo "no line $line"; cat "$tmp/out"; return 1; }
    done
    awk 'length($0) > 100 { exit 1 }' "$tmp/out"
}

# ---- bench, demo, counters, on a machine made up

machine() {
    rm -rf "$tmp/machine" plots/data build step0*
    mkdir -p "$tmp/machine" build step01_naive step06_tensorcore
    cat >"$tmp/machine/nvidia-smi" <<'END'
#!/bin/sh
case $* in
-L) echo "GPU 0: made up" ;;
*gpu=name*) echo "Made-Up GPU" ;;
*compute_cap*) echo 9.0 ;;
*driver*) echo 580.1 ;;
esac
END
    printf '#!/bin/sh\n' >"$tmp/machine/make"
    # A minute passes a run.
    cat >"$tmp/machine/date" <<'END'
#!/bin/sh
case $1 in +%s) echo $((60 * $(wc -l <"$CALLS"))) ;; *) echo 2026-11-22 ;; esac
END
    cat >"$tmp/machine/ncu" <<'END'
#!/bin/sh
echo "$@" >>"$CALLS"
while [ "$1" != --log-file ]; do shift; done
printf '"ID","Kernel Name","dram__bytes_read.sum"\n"","","byte"\n"0","gemm","5"\n' >"$2"
END
    cat >step06_tensorcore/run <<'END'
#!/bin/sh
case $1 in --list) printf 'mma_s8_tile  a\npersistent  b\n'; exit ;; esac
echo "$@" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
sim=
while [ $# != 0 ]; do
    case $1 in --csv) csv=$2 ;; --sim) sim=1 ;; esac
    shift
done
[ -e "$csv" ] || cat "$DATA/header" >"$csv"
case $0:$sim in
*step01*:1) echo "step01_naive,one,gemm,f32,nn,96,96,96,,1,0,cold,sim,,,,,,,,,,,,0.0321,,,H200 (simulated),9.0,,13.0,2027-01-01" ;;
*:1) echo "step06_tensorcore,one,gemm,tf32x3,tn,96,96,96,,1,0,cold,sim,,,,,,,,,,,,0.0123,,,H200 (simulated),9.0,,13.0,2027-01-01" ;;
*step01*:) sed 1d "$DATA/data/sgemm.csv" ;;
*) sed 1d "$DATA/data/tensorcore.csv" ;;
esac >>"$csv"
END
    chmod +x "$tmp"/machine/* step06_tensorcore/run
    cp step06_tensorcore/run step01_naive/run
    ln -s step01_naive step01
    ln -s step06_tensorcore step06
    printf 'CUDA_VERSION := 13.0\n' >build/config.mk
    CALLS=$tmp/calls DATA=$tmp
    export CALLS DATA
    : >"$CALLS"
    PATH=$tmp/machine:$PATH
    folder=plots/data/made-up-gpu
    common="--csv $folder/tensorcore.csv --resume"
}
best="--variant multistage --variant persistent"
bench_runs() {
    machine
    BENCH_STEPS="step01 step06" status 0 scripts/bench.sh && [ "$(wc -l <"$CALLS")" = 68 ] &&
        says "bench: 1 of 68: step01 --sweep square" && says "bench: 68 of 68: step06 --dtype bf16 --layout tn --size 16384" &&
        [ "$(grep -c tensorcore.csv "$CALLS")" = 65 ] && [ "$(sort -u "$CALLS" | wc -l)" = 68 ] &&
        same "$(sed -n '4,7p;12p' "$CALLS")" "--dtype f16 --layout tn --size 4096 --time 0.5 $common
--dtype s8 --layout tn --size 4096 --time 0.5 $common
--dtype f16 --layout tn --size 1024 --time 0.5 $best $common
--dtype f16 --layout nn --size 1024 --time 0.5 $best $common
--dtype tf32 --layout nn --size 1024 --time 0.5 $best $common" &&
        holds "$CALLS" "--dtype tf32x3 --layout nn --size 16384 --time 0.5 --variant tf32x3 $common" &&
        holds "$CALLS" "--dtype f16 --layout tn --m 8192 --n 8192 --k 72 --time 0.5 $best $common" &&
        holds "$CALLS" "--dtype bf16 --layout tn --size 8192 --time 0.5 --sustained 10 --variant persistent $common" &&
        ! grep -q 's8 --layout nn' "$CALLS" && same "$(ls $folder | tr '\n' ' ')" "sgemm.csv tensorcore.csv "
}
bench_narrowed() {
    machine
    BENCH_STEPS=step06 SWEEPS=square DTYPES=bf16 LAYOUTS=nn SIZES="1024 8192" status 0 scripts/bench.sh &&
        same "$(cat "$CALLS")" "--dtype bf16 --layout nn --size 1024 --time 0.5 $best $common
--dtype bf16 --layout nn --size 8192 --time 0.5 $best $common" || return 1
    : >"$CALLS"
    BENCH_STEPS=step06 SWEEPS="odd sustained" DTYPES=f16 LAYOUTS=tn SIZES=4096 status 0 scripts/bench.sh &&
        [ "$(grep -c -e --sustained "$CALLS")" = 1 ] && [ "$(grep -c -e ' --k ' "$CALLS")" = 6 ] &&
        [ "$(wc -l <"$CALLS")" = 7 ] || return 1
    : >"$CALLS"
    BENCH_STEPS="step01 step06" SWEEPS=article status 0 scripts/bench.sh && [ "$(wc -l <"$CALLS")" = 1 ] || return 1
    : >"$CALLS"
    BENCH_STEPS=step01 SWEEPS=sustained status 0 scripts/bench.sh && [ ! -s "$CALLS" ]
}
bench_in_pieces() {
    machine
    MINUTES=3 BENCH_STEPS=step06 SWEEPS=odd LAYOUTS=tn status 0 scripts/bench.sh && [ "$(wc -l <"$CALLS")" = 3 ] &&
        says "bench: 3 minutes are over after 3 of 6 runs; the same command goes on" || return 1
    : >"$CALLS"
    MINUTES=1 FORCE=1 BENCH_STEPS=step06 SWEEPS=odd status 0 scripts/bench.sh &&
        says "after 1 of 12 runs; the same command without FORCE goes on"
}
bench_refuses() {
    machine
    for wrong in SWEEPS=even DTYPES=f32 LAYOUTS=tt SIZES=4k SIZES=0 MINUTES=x; do
        (export "${wrong?}" && status 2 scripts/bench.sh && one_line && says "'${wrong#*=}'") || return 1
    done
    [ ! -s "$CALLS" ]
}
bench_starts_afresh() {
    machine
    BENCH_STEPS="step01 step06" SWEEPS=odd LAYOUTS=tn status 0 scripts/bench.sh && cp -R $folder "$tmp/recorded" || return 1
    FORCE=1 BENCH_STEPS=step06 SWEEPS=sustained SIZES=4096 DTYPES=f16 status 0 scripts/bench.sh &&
        cmp $folder/tensorcore.csv "$good" && cmp $folder/sgemm.csv "$tmp/recorded/sgemm.csv" &&
        same "$(ls $folder | tr '\n' ' ')" "sgemm.csv tensorcore.csv " || return 1
    rm -r $folder && cp -R "$tmp/recorded" $folder
    RUN_STATUS=3 FORCE=1 BENCH_STEPS=step06 status 3 scripts/bench.sh &&
        says "bench: step06 --dtype f16 --layout tn --size 4096 --time 0.5 failed (exit status 3)" &&
        diff -r $folder "$tmp/recorded"
}
demo_with_a_gpu() {
    machine
    status 0 scripts/demo.sh && prints "NVIDIA H200, 4096^3, FP32, cold L2" &&
        prints "NVIDIA H200, 4096^3, B column by column, cold L2" &&
        grep -Eq '^step06_tensorcore +persistent +0\.164 +840\.00 +105\.0 %  f16$' "$tmp/out" &&
        grep -Eq '^step06_tensorcore +mma_s8_tile +11\.453 +12\.00 +1\.0 %  s8$' "$tmp/out" &&
        same "$(cat "$CALLS")" "--size 4096 --time 0.2 --csv build/demo/sgemm.csv
--size 4096 --time 0.2 --csv build/demo/tensorcore.csv
--size 4096 --time 0.2 --variant mma_s8_tile --dtype s8 --csv build/demo/tensorcore.csv
--size 4096 --time 0.2 --variant tf32x3 --dtype tf32x3 --csv build/demo/tensorcore.csv" &&
        ! grep -Eq '^step06_tensorcore +persistent +.* (760|650|1100)\.00' "$tmp/out"
}
demo_without_a_gpu() {
    machine
    printf '#!/bin/sh\nexit 9\n' >"$tmp/machine/nvidia-smi"
    mkdir -p plots/data/nvidia-h200
    cp "$tmp"/data/*.csv plots/data/nvidia-h200/
    status 0 scripts/demo.sh && grep -Eq '^step06_tensorcore +one +tf32x3 +96x96x96 +0\.012$' "$tmp/out" &&
        grep -Eq '^step06_tensorcore +tf32x3 +1\.374 +100\.00 +200\.0 %  tf32x3$' "$tmp/out"
    result=$?
    rm -r plots/data
    return $result
}
counters_in_each_type() {
    machine
    status 0 scripts/counters.sh && holds "$CALLS" "--variant mma_s8_tile --dtype s8" &&
        grep -q -e '--variant persistent *$' "$CALLS" && [ "$(grep -c -- --dtype "$CALLS")" = 1 ] &&
        holds $folder/counters.csv "step06_tensorcore,persistent,4096,4096,4096,dram__bytes_read.sum,5,byte"
}

for each in ladder_names_the_variants ladder_types table_of_the_ladder table_of_bars tables_of_sizes \
    tables_of_load_and_odd_shapes values_in_a_line notes_refuse notes_without_measurements notes_take_what_counts \
    notes_damaged_files notes_of_counters digest_of_the_ladder digest_of_the_sizes digest_takes_what_counts compare_tensor \
    bench_runs bench_narrowed bench_in_pieces bench_refuses bench_starts_afresh demo_with_a_gpu demo_without_a_gpu \
    counters_in_each_type; do
    check "$each"
done
if command -v gnuplot >/dev/null; then
    for each in figures_drawn figures_in_the_terminal figures_without_tensor_cores figures_of_tensor_cores_alone \
        figures_of_little; do
        check "$each"
    done
else
    echo "skipped the figures: gnuplot is missing (apt-get install gnuplot-nox)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
