#!/bin/sh
# Tests the scripts that turn recorded measurements into figures and notes, on measurements made up here. They run in a
# copy of scripts/ and plots/, so that nothing in the working tree is written.
# shellcheck disable=SC2317 # the cases are called by name
set -u
LC_ALL=C
export LC_ALL
unset NOTES_CSV BENCH_STEPS
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/test_scripts.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
copy=$tmp/repo
mkdir -p "$copy/plots" "$tmp/bin"
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

# measurements STEP.VARIANT=TFLOPS...: a CSV with each at eight shapes; cuBLAS runs at 50 TFLOP/s, the peak is 66.9
measurements() {
    head -n 1 "$tmp/header"
    for kernel; do
        echo "$kernel"
    done | awk -F '[.=]' '{
        shapes = split("256 1000 4096 8192 2048x1024 4096x1024 8192x1024 16384x1024", shape, " ")
        for (i = 1; i <= shapes; i++) {
            k = split(shape[i], side, "x") == 2 ? side[2] : side[1]
            flops = 2 * side[1] * side[1] * k
            printf "%s,%s,gemm,f32,nn,%d,%d,%d,,1,0,cold,events,%.6f,%.6f,%.6f,%.1f,10,%.9g,cublas,%.6f,%.4f,%.4f,%.4f," \
                "0.01,1980,650,NVIDIA H200,9.0,580.159.04,13.0,2026-11-21\n", $1, $2, side[1], side[1], k,
                flops / $3 / 1e9, flops / $3 / 1.01e9, flops / $3 / 0.99e9, $3 * 1000, $3 / 66.9, flops / 50e9,
                $3 / 50, $3 / 50 - 0.002, $3 / 50 + 0.003
        }
    }'
}
sed -n '/define RECORD_HEADER/,/[^\\]$/s/.*"\(.*\)".*/\1/p' "$root/common/base/record.h" | tr -d '\n' >"$tmp/header"
echo >>"$tmp/header"
measurements step01_naive.uncoalesced=1 step01_naive.coalesced=6 step02_smem.tile32=9 step03_regblock.tile4x4=20 \
    step03_regblock.tile8x8_256t=30 step04_vectorized.lds128=36 step04_vectorized.lds128_2x2=40 \
    step05_doublebuffer.cp_async=45 step05_doublebuffer.warp_tiled=52 >"$tmp/good.csv"
figures="progression size article roofline gemv_ladder gemv_size gemv_search tensorcore_ladder tensorcore_size"
# GEMV's, beside it; tests/test_gemv_scripts.sh has more of them.
{
    cat "$tmp/header"
    echo "step07_gemv,tree,gemv,f16,n,1,4096,4096,,1,0,cold,graph,0.01,0.01,0.01,3355,3357,0.7,cublasGemmEx,0.012,1.2,1.1,1.3,\
0.01,,,NVIDIA H200,9.0,580.159.04,13.0,2026-11-21"
} >"$tmp/gemv.csv"
{
    awk "$(cat scripts/records.awk scripts/gemv.awk) BEGIN { print SEARCH_HEADER }"
    echo "step07_gemv,autotuned,f16,4096,4096,cold,graph,n2 r32 u4 v1,2,32,4,1,8.5,NVIDIA H200,9.0,580.159.04,13.0,2026-11-21"
} >"$tmp/gemv_search.csv"

# The tensor cores'; tests/test_tensorcore_scripts.sh has more of them.
{
    cat "$tmp/header"
    echo "step06_tensorcore,persistent,gemm,f16,tn,4096,4096,4096,,1,0,cold,events,0.18,0.18,0.18,763549.0,500,0.71,cublasLt #1,\
0.185,1.03,1.02,1.04,0.01,1500,699,NVIDIA H200,9.0,580.159.04,13.0,2026-11-21"
} >"$tmp/tensorcore.csv"

# ---- the tables the scripts lean on

header_is_the_harness_s() {
    awk "$(cat scripts/records.awk) BEGIN { print HEADER }" >"$tmp/out"
    cmp "$tmp/out" "$tmp/header"
}
intensity_unique() {
    sort plots/intensity.csv | cut -d, -f1,2 | uniq -d >"$tmp/out"
    [ ! -s "$tmp/out" ] || { cat "$tmp/out"; return 1; }
}
intensity_follows_the_tiles() { # BM * BN / (2 * (BM + BN))
    awk -F, 'NR > 1 && NF != 6 { print; bad = 1 }
        NR > 1 && $3 != "" && ($3 * $4 / (2 * ($3 + $4)) / $5 - 1) ^ 2 > 1e-9 { print; bad = 1 }
        END { exit bad }' plots/intensity.csv
}
intensity_names_what_is_recorded() { # a variant that somebody tries needs no row
    recorded=$root/plots/data/nvidia-h200/sgemm.csv
    [ -f "$recorded" ] || return 0
    for kernel in $(awk -F, 'NR > 1 && !seen[$1, $2]++ { print $1 "," $2 }' "$recorded"); do
        grep -q "^$kernel," plots/intensity.csv || { echo "plots/intensity.csv lacks $kernel"; return 1; }
    done
}
devices_slugs() { # a slug is its name's
    tail -n +2 plots/devices.csv | while IFS=, read -r slug name _; do
        made=$(printf %s "$name" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9][^a-z0-9]*/-/g')
        [ "$slug" = "$made" ] || { echo "$slug is not $made"; return 1; }
    done
}

# ---- plots

plots_draws_all() {
    status 0 scripts/plots.sh --out "$tmp/a" "$tmp/good.csv" || return 1
    [ ! -s "$tmp/err" ] || { cat "$tmp/err"; return 1; }
    for figure in $figures; do
        [ "$(head -c 4 "$tmp/a/$figure.png" | tail -c 3)" = PNG ] || { echo "$figure.png is no PNG"; return 1; }
        holds "$tmp/a/$figure.svg" "Recorded measurements: NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21" &&
            holds "$tmp/a/$figure.svg" "</svg>" || return 1
    done
    [ "$(find "$tmp/a" -type f | wc -l)" -eq 18 ] && [ "$(find "$tmp/a" -type d | wc -l)" -eq 1 ]
}
plots_says_what_it_measured() {
    scripts/plots.sh --term svg --out "$tmp/b" "$tmp/good.csv" >/dev/null || return 1
    holds "$tmp/b/progression.svg" "52.0 (104.0 %)" && holds "$tmp/b/progression.svg" "cuBLAS 50.0" &&
        holds "$tmp/b/size.svg" "step05 warp_tiled" && holds "$tmp/b/article.svg" "97.5 %" &&
        holds "$tmp/b/article.svg" "step05 warp_tiled, mean 104.0 %" &&
        holds "$tmp/b/roofline.svg" "FP32 peak: 66.9 TFLOP/s" && holds "$tmp/b/roofline.svg" "DRAM: 4.80 TB/s" &&
        holds "$tmp/b/roofline.svg" "above the DRAM roof" && [ ! -e "$tmp/b/size.png" ]
}
plots_dumb() {
    status 0 scripts/plots.sh --term dumb --out "$tmp/c" "$tmp/good.csv" && prints "NVIDIA H200" &&
        prints "warp_tiled ####" && prints "52.0 (104.0 %)" && prints "step05 warp_tiled" && prints "FP32 peak: 66.9" ||
        return 1
    awk 'length($0) > 100 || / $/ { print; bad = 1 } END { exit bad }' "$tmp/out" || return 1
    # The bars' texts are whole and begin in one column, right of the baseline's line.
    [ "$(awk '/^[^#|]*#+[# ]*\|.*[0-9] \([0-9.]* %\)$/ { match($0, /[0-9.]+ \([0-9.]+ %\)$/); print RSTART }
        /Tensor cores at/ { exit }' "$tmp/out" |
        sort | uniq -c | awk '{ print $1 }')" = 9 ]
}
plots_texts_and_the_baseline() { # a text that would cross the baseline's line stands in its bar
    scripts/plots.sh --term svg --out "$tmp/m" "$tmp/good.csv" >/dev/null || return 1
    for text in '30.0 (60.0 34 start' '36.0 (72.0 255 end' '40.0 (80.0 255 end' '45.0 (90.0 255 end' '52.0 (104.0 255 end'; do
        # shellcheck disable=SC2086 # four words
        set -- $text
        grep -B1 -F "$1 $2" "$tmp/m/progression.svg" | grep -q "fill=\"rgb($3,.*text-anchor=\"$4\"" ||
            { echo "not $text"; return 1; }
    done
}
plots_no_rows() {
    mkdir -p "$tmp/void"
    cp "$tmp/header" "$tmp/void/none.csv"
    status 1 scripts/plots.sh --out "$tmp/d" "$tmp/void/none.csv" && one_line && says "make bench"
}
plots_no_file() {
    status 1 scripts/plots.sh --out "$tmp/d" "$tmp/absent.csv" && one_line && says absent.csv && says "make bench"
}
plots_nothing_recorded() { status 1 scripts/plots.sh --out "$tmp/d" && one_line && says "make bench"; }
plots_without_4096() {
    grep -v ',4096,4096,4096,' "$tmp/good.csv" >"$tmp/without.csv"
    mkdir -p "$tmp/e"
    echo old >"$tmp/e/progression.svg"
    status 0 scripts/plots.sh --term svg --out "$tmp/e" "$tmp/without.csv" && says "progression: no measurement" &&
        says "roofline: no measurement" && says "make bench" && [ "$(wc -l <"$tmp/err")" -eq 2 ] &&
        [ -s "$tmp/e/size.svg" ] && [ -s "$tmp/e/article.svg" ] && [ ! -e "$tmp/e/progression.svg" ]
}
plots_only_4096() {
    { cat "$tmp/header"; grep ',4096,4096,4096,' "$tmp/good.csv"; } >"$tmp/only.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/f" "$tmp/only.csv" && one_line && says "article: no measurement" &&
        [ -s "$tmp/f/size.svg" ] && [ -s "$tmp/f/roofline.svg" ]
}
plots_no_baseline() {
    awk -F, -v OFS=, 'NR > 1 { $20 = $21 = $22 = $23 = $24 = "" } { print }' "$tmp/good.csv" >"$tmp/alone.csv"
    status 0 scripts/plots.sh --term svg,dumb --out "$tmp/g" "$tmp/alone.csv" && one_line && says "article: no measurement"
}
plots_errors() { # beside the measurements; nothing of the simulator's
    mkdir -p "$tmp/errors"
    cp "$tmp/good.csv" "$tmp/errors/"
    {
        echo "variant,dtype,values,m,n,k,error_max,error_mean,device,cc,driver,cuda,date"
        for values in signed positive; do
            for k in 1 2 4 8; do
                echo "tf32x3,tf32x3,$values,256,256,$k,2e-7,1e-8,NVIDIA H200,9.0,580.1,13.0,2026-11-20"
                echo "multistage,tf32,$values,256,256,$k,1e-3,5e-4,NVIDIA H200,9.0,580.1,13.0,2026-11-20"
                echo "warp_tiled,f32,$values,256,256,$k,1e-7,$([ $k = 1 ] && echo 0 || echo 2e-8),NVIDIA H200,9.0,580.1,13.0,2026-11-20"
            done
        done
        echo "tf32x3,tf32x3,signed,40,40,16,2e-7,1e-8,H200 (simulated),9.0,none,13.0,2026-11-20"
    } >"$tmp/errors/tensorcore_error.csv"
    status 0 scripts/plots.sh --out "$tmp/errors/out" "$tmp/errors/good.csv" &&
        [ -s "$tmp/errors/out/tensorcore_error.png" ] && holds "$tmp/errors/out/tensorcore_error.svg" "2^-12" &&
        holds "$tmp/errors/out/tensorcore_error.svg" "NVIDIA H200, driver 580.1, CUDA 13.0, 2026-11-20. |c" ||
        return 1
    grep '40,40' "$tmp/errors/tensorcore_error.csv" | sed '1i\
variant,dtype,values,m,n,k,error_max,error_mean,device,cc,driver,cuda,date' >"$tmp/errors/simulated"
    mv "$tmp/errors/simulated" "$tmp/errors/tensorcore_error.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/errors/out" "$tmp/errors/good.csv" &&
        [ ! -e "$tmp/errors/out/tensorcore_error.svg" ]
}
plots_torn_line() {
    { cat "$tmp/good.csv"; echo step05_doublebuffer,warp_tiled,gemm; } >"$tmp/torn.csv"
    status 2 scripts/plots.sh --out "$tmp/h" "$tmp/torn.csv" && one_line && says "torn.csv: line 74 has 3 fields, not 32"
}
plots_wrong_header() {
    echo a,b,c >"$tmp/wrong.csv"
    status 2 scripts/plots.sh --out "$tmp/h" "$tmp/wrong.csv" && one_line && says "wrong.csv: line 1"
}
plots_quoted_field() {
    sed 's/NVIDIA H200/"NVIDIA ""H200"", 141 GB"/' "$tmp/good.csv" >"$tmp/quoted.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/i" "$tmp/quoted.csv" && one_line && says "roofline: no DRAM bandwidth" &&
        holds "$tmp/i/size.svg" '141 GB, driver'
}
plots_unknown_device() {
    sed 's/NVIDIA H200/Tesla T4/' "$tmp/good.csv" >"$tmp/t4.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/l" "$tmp/t4.csv" && one_line &&
        says "no DRAM bandwidth of Tesla T4" && says "add a row tesla-t4,Tesla T4,GB/s,GFLOP/s" &&
        says "to plots/devices.csv"
}
plots_two_devices() {
    sed '9s/NVIDIA H200/Tesla T4/' "$tmp/good.csv" >"$tmp/two.csv"
    status 2 scripts/plots.sh --out "$tmp/h" "$tmp/two.csv" && one_line && says "one device a file"
}
plots_ignores_other_cases() { # warm caches, beta, sustained load; of two of a kind the later counts
    line=$(grep 'warp_tiled,.*,4096,4096,4096,' "$tmp/good.csv")
    { cat "$tmp/good.csv"
        echo "$line" | sed 's/cold/warm/; s/52000.0/99000.0/'
        echo "$line" | sed 's/,1,0,cold/,1,1,cold/; s/52000.0/99000.0/'
        echo "$line" | sed 's/events/sustained/; s/52000.0/99000.0/'
        echo "$line" | sed 's/52000.0/53000.0/'; } >"$tmp/cases.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/j" "$tmp/cases.csv" && holds "$tmp/j/progression.svg" "53.0 (104.0 %)"
}
plots_chooses_the_csv() { # the GPU's own, else the H200's, else the first
    mkdir -p plots/data/aaa plots/data/tesla-t4 "$tmp/gpu"
    sed 's/NVIDIA H200/First One/' "$tmp/good.csv" >plots/data/aaa/sgemm.csv
    sed 's/NVIDIA H200/Tesla T4/' "$tmp/good.csv" >plots/data/tesla-t4/sgemm.csv
    printf '#!/bin/sh\necho "Tesla T4"\n' >"$tmp/gpu/nvidia-smi"
    chmod +x "$tmp/gpu/nvidia-smi"
    scripts/plots.sh --term svg --out "$tmp/k" >/dev/null 2>&1
    holds "$tmp/k/size.svg" "First One" >/dev/null || { echo "not the first"; return 1; }
    mkdir -p plots/data/nvidia-h200
    cp "$tmp/good.csv" plots/data/nvidia-h200/sgemm.csv
    scripts/plots.sh --term svg --out "$tmp/k" >/dev/null 2>&1
    holds "$tmp/k/size.svg" "NVIDIA H200" >/dev/null || { echo "not the H200's"; return 1; }
    PATH=$tmp/gpu:$PATH scripts/plots.sh --term svg --out "$tmp/k" >/dev/null 2>&1
    holds "$tmp/k/size.svg" "Tesla T4" >/dev/null || { echo "not the GPU's own"; return 1; }
    cp "$tmp/header" plots/data/tesla-t4/sgemm.csv # as of a run that failed
    PATH=$tmp/gpu:$PATH status 0 scripts/plots.sh --term svg --out "$tmp/k" || return 1
    holds "$tmp/k/size.svg" "NVIDIA H200" >/dev/null || { echo "a header alone was chosen"; return 1; }
}
plots_bad_arguments() {
    status 2 scripts/plots.sh --term pdf && one_line && says pdf && status 2 scripts/plots.sh --nope && one_line &&
        says --nope && status 2 scripts/plots.sh --out && one_line && status 2 scripts/plots.sh a b && one_line
}

# ---- notes

# Two notes in the copy, as a newcomer would write them.
notes_start() {
    NOTES_CSV=$tmp/good.csv
    export NOTES_CSV
    mkdir -p step05_doublebuffer
    cat >README.md <<'END'
# Ladder
<!-- table: ladder -->
<!-- end -->
It reaches <!-- value: step05 warp_tiled 4096 4096 4096 tflops -->9<!-- end --> TFLOP/s, <!-- value: step05 warp_tiled 4096 4096 4096 percent %.0f %% -->1<!-- end -->;
<!-- ratio: step05 warp_tiled step01 coalesced 4096 4096 4096 -->x<!-- end --> times; <!-- value: step05 warp_tiled 7 7 7 ms_median -->?<!-- end -->.
```
<!-- table: an example -->
```
<!-- table: article -->
<!-- end -->
END
    for table in 'step step05' 'square step05_doublebuffer' 'odd step05' 'speedup step05'; do
        printf '<!-- table: %s -->\nold\n<!-- end -->\n' "$table"
    done >step05_doublebuffer/README.md
}
notes_writes() {
    notes_start
    status 0 scripts/notes.sh || return 1
    holds README.md '| step05_doublebuffer | `warp_tiled` | 2.643 | 52.0 | 77.7 % | 1.040 (1.038..1.043) |' &&
        holds README.md '| step04_vectorized | `coalesced_store` | – | – | – | – |' &&
        holds README.md '| cuBLAS | | 2.749 | 50.0 | 74.7 % | 1 |' &&
        holds README.md '-->52.0<!-- end --> TFLOP/s' && holds README.md '-->104 %<!-- end -->' &&
        holds README.md '-->8.67<!-- end --> times' && holds README.md '-->not measured<!-- end -->' &&
        holds README.md '<!-- table: an example -->' && holds README.md '| 16384 | 0.120 (0.118..0.123) |' &&
        holds README.md ' **1.040** |' &&
        holds README.md '<sub>Recorded on NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21;' || return 1
    note=step05_doublebuffer/README.md
    holds $note '| `cp_async` | 3.054 | 45.0 | 67.3 % | 0.900 (0.898..0.903) | 45.0 | 0.900 (0.898..0.903) |' &&
        holds $note '| 8192 | – | 45.0 (0.90) | 52.0 (1.04) |' &&
        holds $note '| 1000 × 1000 × 1000 | – | 45.0 (0.90) | 52.0 (1.04) |' &&
        holds $note "1.30 times step04's best, \`lds128_2x2\` (40.0)" &&
        holds $note '`warp_tiled` runs at 1.16 times `cp_async`' && ! grep -q '^old' $note
}
notes_idempotent() {
    notes_start
    scripts/notes.sh >/dev/null || return 1
    cat README.md step05_doublebuffer/README.md >"$tmp/once"
    status 0 scripts/notes.sh || return 1
    [ "$(cat "$tmp/out")" = "notes: nothing to change, they hold what $tmp/good.csv does" ] && cat README.md step05_doublebuffer/README.md | cmp - "$tmp/once" &&
        status 0 scripts/notes.sh --check
}
notes_check_names_the_stale() {
    notes_start
    scripts/notes.sh >/dev/null || return 1
    sed 's/>52.0</>53.0</' README.md >"$tmp/stale"
    cp "$tmp/stale" README.md
    status 1 scripts/notes.sh --check && one_line && says "README.md" && ! grep -q step05_ "$tmp/err" &&
        cmp README.md "$tmp/stale"
}
notes_draws_the_bars() {
    notes_start
    printf '<!-- table: bars -->\n<!-- end -->\n' >README.md
    status 0 scripts/notes.sh && status 0 scripts/notes.sh --check &&
        holds README.md ' cuBLAS 50.0 |   TFLOP/s (% of cuBLAS)' &&
        holds README.md 'step01_naive        uncoalesced       # ' && holds README.md '|   1.0 (2.0 %)' &&
        holds README.md '                    lds128_2x2        ########################## ' &&
        holds README.md '                    coalesced_store        ' && holds README.md '|   –' &&
        holds README.md 'warp_tiled        #################################|#  52.0 (104.0 %)' &&
        holds README.md '<sub>Recorded on NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21;' || return 1
    # Every variant in order, the mark in one column, no line of the chart longer than 96 columns.
    sed -n '/^```$/,/^```$/p' README.md >"$tmp/chart"
    [ "$(sed '1,2d; s/^step[a-z0-9_]*//; s/^ *//; s/ .*//; /^`/d' "$tmp/chart")" = \
        "$(sed '1d' plots/intensity.csv | cut -d, -f2)" ] &&
        [ "$(awk 'index($0, "|") { print index($0, "|") }' "$tmp/chart" | sort -u | wc -l)" -eq 1 ] &&
        awk 'length($0) > 96 { print; bad = 1 } END { exit bad }' "$tmp/chart" || return 1
    # Without a baseline there is no mark, without measurements no bar.
    awk -F, -v OFS=, 'NR > 1 { $20 = $21 = $22 = $23 = $24 = "" } { print }' "$tmp/good.csv" >"$tmp/lone.csv"
    NOTES_CSV=$tmp/lone.csv status 0 scripts/notes.sh && ! grep -q '|' README.md && holds README.md '#   52.0' &&
        NOTES_CSV=$tmp/header status 0 scripts/notes.sh && ! grep -q '[|#]' README.md &&
        holds README.md 'stream_k ' && holds README.md 'Not measured yet.'
}
# refuses LINE MESSAGE: with LINE in the last note, exit status 2, one line, nothing written
refuses() {
    notes_start
    printf '%s\n' "$1" >>step05_doublebuffer/README.md
    cat README.md step05_doublebuffer/README.md >"$tmp/before"
    status 2 scripts/notes.sh && one_line && says "$2" && says "step05_doublebuffer/README.md:13" || return 1
    cat README.md step05_doublebuffer/README.md | cmp - "$tmp/before"
}
notes_unknown_table() { refuses '<!-- table: laddder -->' "unknown table laddder"; }
notes_missing_end() { refuses '<!-- table: ladder -->' "no <!-- end -->"; }
notes_missing_inline_end() { refuses 'It is <!-- value: step05 warp_tiled 4096 4096 4096 tflops -->3.' "no <!-- end -->"; }
notes_unknown_field() { refuses '<!-- value: step05 warp_tiled 1 1 1 speed --><!-- end -->' "unknown field speed"; }
notes_unknown_step() { refuses '<!-- table: step step99 -->' "unknown step step99"; }
notes_unknown_variant() { refuses '<!-- value: step05 warp 1 1 1 ratio --><!-- end -->' "unknown variant warp"; }
notes_bad_format() { refuses '<!-- value: step05 cp_async 1 1 1 ratio %s%n --><!-- end -->' "format"; }
notes_empty_csv() {
    notes_start
    NOTES_CSV=$tmp/header
    status 0 scripts/notes.sh && holds README.md '| step05_doublebuffer | `warp_tiled` | – | – | – | – |' &&
        holds README.md "Not measured yet." && holds README.md '-->not measured<!-- end --> TFLOP/s'
}
notes_no_csv() {
    notes_start
    NOTES_CSV=$tmp/absent.csv
    status 2 scripts/notes.sh && one_line && says "make bench"
}

# ---- counters and machine code: their markers

# What notes_start wrote, with counters beside the measurements, machine code, and lines that use them.
facts_start() {
    notes_start
    mkdir -p "$tmp/facts" plots/data
    cp "$tmp/good.csv" "$tmp/facts/sgemm.csv"
    NOTES_CSV=$tmp/facts/sgemm.csv
    {
        awk -v header=1 -f scripts/records.awk -f scripts/counters.awk
        while read -r variant metric value; do
            echo "step05_doublebuffer,$variant,4096,4096,4096,$metric,$value,,NVIDIA H200,9.0,580.1,13.0,2026-11-20"
        done <<'END'
warp_tiled l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum 400
warp_tiled l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum 3200
warp_tiled sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum 300
warp_tiled sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum 1200
warp_tiled sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum 100
warp_tiled sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum 1600
warp_tiled dram__bytes_read.sum 427710000
warp_tiled l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum 3000000
warp_tiled l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum 467000
warp_tiled smsp__issue_active.avg.pct_of_peak_sustained_active 91.25
warp_tiled sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active 84
warp_tiled sm__warps_active.avg.pct_of_peak_sustained_active 12.5
warp_tiled smsp__average_warps_issue_stalled_wait_per_issue_active.ratio 0.6
warp_tiled smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio 1.25
warp_tiled smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio
cp_async dram__bytes_read.sum 0
END
    } >"$tmp/facts/counters.csv"
    {
        awk -v header=1 -f scripts/records.awk -f scripts/sass.awk
        echo step05_doublebuffer,warp_tiled,sm_90a,217,2264,2048,1882,0,0,96,0,12,0,1,107,13.0.88
        echo step05_doublebuffer,cp_async,sm_90a,127,,,,,,,,,,,,13.0.88
    } >plots/data/sass.csv
    cat >>README.md <<'END'
<!-- counter: step05 warp_tiled dram__bytes_read.sum -->?<!-- end -->, <!-- counter: step05 warp_tiled dram__bytes_read.sum/1e9 %.1f GB -->?<!-- end -->,
<!-- counter: step05 warp_tiled l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum/l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum/2 -->?<!-- end -->;
<!-- counter: step05 warp_tiled lts__t_sectors_op_read.sum -->3<!-- end -->, <!-- counter: step05 warp_tiled dram__bytes_read.sum/lts__t_sectors_op_read.sum -->3<!-- end -->, <!-- counter: step01 coalesced dram__bytes_read.sum %.1f -->3<!-- end -->.
R <!-- sass: step05 warp_tiled ffma_reuse/ffma percent -->?<!-- end -->, <!-- sass: step05 warp_tiled ffma/loop_instructions percent %.0f %% -->?<!-- end -->, <!-- sass: step05 warp_tiled registers -->?<!-- end -->, <!-- sass: step05 warp_tiled nvcc -->?<!-- end -->, <!-- sass: step05 cp_async ffma -->?<!-- end -->, <!-- sass: step05 warp_tiled ffma/lds32 -->?<!-- end -->
END
    for table in counters sass; do
        printf '<!-- table: %s step05 -->\nold\n<!-- end -->\n' "$table"
    done >>step05_doublebuffer/README.md
}
facts_end() { rm -f plots/data/sass.csv; }
notes_facts() {
    facts_start
    status 0 scripts/notes.sh && status 0 scripts/notes.sh --check
    result=$?
    facts_end
    [ "$result" = 0 ] || return 1
    holds README.md '-->427710000<!-- end -->, ' && holds README.md '-->0.4 GB<!-- end -->' &&
        holds README.md '/2 -->0.0778<!-- end -->;' && holds README.md 'sum -->not measured<!-- end -->, ' &&
        holds README.md 'lts__t_sectors_op_read.sum -->not measured<!-- end -->, ' &&
        holds README.md '%.1f -->not measured<!-- end -->.' && holds README.md 'percent -->91.9<!-- end -->' &&
        holds README.md '-->90 %<!-- end -->' && holds README.md '-->217<!-- end -->' &&
        holds README.md '-->13.0.88<!-- end -->' && holds README.md 'ffma -->not measured<!-- end -->' &&
        holds README.md 'lds32 -->not measured<!-- end -->' || return 1
    note=step05_doublebuffer/README.md
    holds $note '| `warp_tiled` | 8.00 | 0.43 | 3.47 | 91.2 % | 84.0 % | 12.5 % | mio_throttle (1.25) |' &&
        holds $note '| `cp_async` | – | 0.00 | – | – | – | – | – |' &&
        holds $note '| `register_prefetch` | – | – | – | – | – | – | – |' &&
        holds $note '<sub>Counted on NVIDIA H200, driver 580.1, CUDA 13.0, 2026-11-20 by Nsight Compute: each kernel once, at 4096 × 4096 × 4096.</sub>' &&
        holds $note '| `warp_tiled` | 217 | 2264 | 2048 (91.9 %) | 0 / 0 / 96 | 0 | 12 | 1 |' &&
        holds $note '| `cp_async` | 127 | – | – | – / – / – | – | – | – |' &&
        holds $note "<sub>The main loop's machine code for sm_90a by nvcc 13.0.88.</sub>"
}
notes_facts_not_recorded() {
    facts_start
    facts_end
    rm "$tmp/facts/counters.csv"
    status 0 scripts/notes.sh && [ "$(grep -c '<sub>Not measured yet.</sub>' step05_doublebuffer/README.md)" = 2 ] &&
        holds README.md 'registers -->not measured<!-- end -->' && ! grep -q '[?]<!-- end' README.md
}
notes_facts_two_devices() {
    facts_start
    facts_end
    sed '3s/NVIDIA H200/Tesla T4/' "$tmp/facts/counters.csv" >"$tmp/facts/two.csv"
    mv "$tmp/facts/two.csv" "$tmp/facts/counters.csv"
    status 2 scripts/notes.sh && one_line && says "one device a file"
}
notes_facts_torn() {
    facts_start
    facts_end
    echo step05_doublebuffer,warp >>"$tmp/facts/counters.csv"
    status 2 scripts/notes.sh && one_line && says "counters.csv: line 18 has 2 fields, not 13"
}
notes_unknown_metric() { refuses '<!-- counter: step05 cp_async dram__bites.sum --><!-- end -->' "unknown metric dram__bites.sum"; }
notes_unknown_divisor() { refuses '<!-- sass: step05 cp_async ffma/lds512 --><!-- end -->' "unknown field lds512"; }
notes_zero_divisor() { refuses '<!-- sass: step05 cp_async ffma/0 --><!-- end -->' "unknown field 0"; }
notes_fact_unknown_step() { refuses '<!-- sass: step99 cp_async ffma --><!-- end -->' "unknown step step99"; }
notes_fact_unknown_variant() { refuses '<!-- counter: step05 cp dram__bytes.sum --><!-- end -->' "unknown variant cp"; }
notes_fact_bad_format() { refuses '<!-- sass: step05 cp_async ffma percentage --><!-- end -->' "format"; }
notes_fact_no_field() { refuses '<!-- sass: step05 cp_async --><!-- end -->' "the marker reads sass: STEP VARIANT FIELD"; }
notes_fact_missing_end() { refuses 'It is <!-- counter: step05 cp_async dram__bytes.sum -->3.' "no <!-- end -->"; }

# ---- counters and machine code: recording them

# ncu's own lines, two launches (sums are added, launch__ the largest, else the mean), thousands separators, a quote
# inside a name, a metric this GPU does not count, and one not printed.
ncu_log() {
    cat <<'END'
==PROF== Connected to process 7 (/tmp/run)
==PROF== Profiling "sgemm_warp_tiled": 0%....50%....100% - 19 passes
==PROF== Disconnected from process 7
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","gpu__time_duration.sum","launch__registers_per_thread","smsp__inst_executed.sum","sm__warps_active.avg.pct_of_peak_sustained_active","lts__t_sectors_op_read.sum"
"","","","","","","","","","","","byte","ns","register/thread","inst","%","sector"
"0","7","run","localhost","void ""sgemm"", tiled<1>(gemm_problem)","1","13","(256, 1, 1)","(512, 1, 1)","0","9.0","427,710,016","2,640,128","217","3,467","12.48","n/a"
"1","7","run","localhost","the second kernel","1","13","(256, 1, 1)","(512, 1, 1)","0","9.0","1,000","2,640,128","255","33","24.96","1"
END
}
counters_parser() {
    ncu_log >"$tmp/ncu.log"
    DEVICE='A, "B"' CC=9.0 DRIVER=580.1 CUDA=13.0 DATE=2026-11-20 status 0 awk -v step=step05_doublebuffer \
        -v variant=warp_tiled -v size=4096 -f scripts/records.awk -f scripts/counters.awk \
        input=metrics scripts/metrics.txt input=ncu "$tmp/ncu.log" || return 1
    row=step05_doublebuffer,warp_tiled,4096,4096,4096
    rest='"A, ""B""",9.0,580.1,13.0,2026-11-20'
    prints "$row,dram__bytes_read.sum,427711016,byte,$rest" && prints "$row,gpu__time_duration.sum,5280256,ns,$rest" &&
        prints "$row,smsp__inst_executed.sum,3500,inst,$rest" && prints "active,18.72,%,$rest" &&
        prints "$row,launch__registers_per_thread,255,register/thread,$rest" &&
        prints "$row,lts__t_sectors_op_read.sum,,sector,$rest" && prints "$row,dram__bytes.sum,,,$rest" &&
        [ "$(wc -l <"$tmp/out")" = "$(grep -c '^[a-z]' scripts/metrics.txt)" ]
}
# parser_refuses SED MESSAGE: ncu's output changed by SED is not taken
parser_refuses() {
    ncu_log | sed "$1" >"$tmp/ncu.log"
    status 2 awk -v step=step05 -v variant=v -v size=4096 -f scripts/records.awk -f scripts/counters.awk \
        input=metrics scripts/metrics.txt input=ncu "$tmp/ncu.log" && one_line && says "$2"
}
counters_parser_refuses() {
    parser_refuses '5,$d' "ncu saw no launch" && parser_refuses 's/"2,640,128",//' "rows differ in length" &&
        parser_refuses 's/"3,467"/"3.4.6"/' "smsp__inst_executed.sum is not a number: 3.4.6"
}
metrics_named_once() {
    sed 's/#.*//; /^ *$/d' scripts/metrics.txt | sort | uniq -d >"$tmp/out"
    [ ! -s "$tmp/out" ] && ! grep -v '^#' scripts/metrics.txt | grep -q '[ ,]'
}

# A machine made up: a GPU, ncu, cuobjdump, nvcc, and a make that has nothing to do.
machine() {
    made=$tmp/machine
    mkdir -p "$made" build step01_naive step05_doublebuffer
    cat >"$made/nvidia-smi" <<'END'
#!/bin/sh
case $* in
-L) echo "GPU 0: made up" ;;
*gpu=name*) echo "Made-Up GPU (2)" ;;
*compute_cap*) echo 9.0 ;;
*driver*) echo 580.1 ;;
esac
END
    cat >"$made/ncu" <<'END'
#!/bin/sh
echo "$@" >>"$NCU_CALLS"
while [ "$1" != --log-file ]; do shift; done
cp "$NCU_LOG" "$2"
case "$* " in *"--variant odd "*) echo "odd   9  9  9  skipped: needs sm_120" ;; esac
exit "${NCU_STATUS:-0}"
END
    printf '#!/bin/sh\necho "one    the first"\necho "odd    the second"\n' >step01_naive/run
    cp step01_naive/run step05_doublebuffer/run
    printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.88"\n' >"$made/nvcc"
    cat >"$made/cuobjdump" <<'END'
#!/bin/sh
case "$*" in *-res-usage*) cat "$USAGE" ;; *) cat "$SASS" ;; esac
END
    printf '#!/bin/sh\n' >"$made/make"
    chmod +x "$made"/* step*/run
    ln -sfn step01_naive step01
    ln -sfn step05_doublebuffer step05
    printf 'CUDA_NVCC := %s\nCUDA_VERSION := 13.0\n' "$made/nvcc" >build/config.mk
    ncu_log >"$tmp/ncu.log"
    : >"$tmp/calls"
    NCU_CALLS=$tmp/calls NCU_LOG=$tmp/ncu.log PATH=$made:$PATH
    export NCU_CALLS NCU_LOG PATH
}
counters_records() {
    machine
    csv=plots/data/made-up-gpu-2/counters.csv
    status 0 scripts/counters.sh && says "step05 odd: skipped: needs sm_120" || return 1
    metrics=$(grep -c '^[a-z]' scripts/metrics.txt)
    [ "$(head -n 1 $csv)" = step,variant,m,n,k,metric,value,unit,device,cc,driver,cuda,date ] &&
        [ "$(wc -l <$csv)" = $((2 * metrics + 1)) ] && [ "$(ls plots/data/made-up-gpu-2)" = counters.csv ] &&
        holds $csv "step01_naive,one,4096,4096,4096,dram__bytes_read.sum,427711016,byte,Made-Up GPU (2),9.0,580.1,13.0,2" &&
        holds "$tmp/calls" "_:1 --clock-control none --metrics gpu__time_duration.sum,launch__registers_per_thread," &&
        holds "$tmp/calls" "./step05/run --size 4096 --no-baseline --warm --time 0.01 --variant one" || return 1
    # One step again: the other's rows stay.
    sed 's/427,710,016/5/' "$tmp/ncu.log" >"$tmp/ncu2.log"
    NCU_LOG=$tmp/ncu2.log BENCH_STEPS=step05 status 0 scripts/counters.sh &&
        [ "$(wc -l <$csv)" = $((2 * metrics + 1)) ] && holds $csv "step01_naive,one,4096,4096,4096,dram__bytes_read.sum,427" &&
        holds $csv "step05_doublebuffer,one,4096,4096,4096,dram__bytes_read.sum,1005,byte"
}
counters_fails_whole() { # nothing is replaced when a launch fails
    machine
    csv=plots/data/made-up-gpu-2/counters.csv
    mkdir -p plots/data/made-up-gpu-2
    echo kept >$csv
    echo '==ERROR== ERR_NVGPUCTRPERM - no permission' >"$tmp/ncu.log"
    NCU_STATUS=4 status 4 scripts/counters.sh && says "step01 one: ncu failed (exit status 4): ==ERROR== ERR_NVG" &&
        status 2 scripts/counters.sh && says "ncu saw no launch" &&
        BENCH_STEPS=step77 status 2 scripts/counters.sh && one_line && says "no step 'step77'" &&
        [ "$(cat $csv)" = kept ] && [ "$(ls plots/data/made-up-gpu-2)" = counters.csv ]
}
counters_needs() {
    status 3 scripts/counters.sh && one_line && says "no GPU here" || return 1
    machine
    bare && mv "$tmp/bare/ncu" "$tmp/bare/not_ncu"
    CUDA_HOME=/nonexistent PATH=$tmp/bare status 2 scripts/counters.sh && one_line && says "ncu is missing"
}
# A PATH of the machine and no more than the scripts use.
bare() {
    rm -rf "$tmp/bare" && cp -R "$made" "$tmp/bare" &&
        for tool in sh sed grep dirname basename awk cat mktemp rm mkdir mv head tr sort nproc date; do
            ln -s "$(command -v "$tool")" "$tmp/bare/$tool" || return 1
        done
}

# Of kernel<false> a loop that is larger; of kernel<true> a small loop, and one in another, which alone has the FFMAs.
listing() {
    cat <<'END'
	code for sm_90a
		Function : _Z1kILb0EEv
        /*0000*/                   FFMA R1, R1, R2, R3 ;       /* 0x00000a00ff017b82 */
                                                               /* 0x000ff00000000800 */
        /*0010*/                   FFMA R1, R1, R2, R3 ;       /* 0x00000a00ff017b82 */
        /*0020*/                   FFMA R1, R1, R2, R3 ;       /* 0x00000a00ff017b82 */
        /*0030*/                   FFMA R1, R1, R2, R3 ;       /* 0x00000a00ff017b82 */
        /*0040*/              @!P0 BRA 0x0 ;                   /* 0x000000b000748947 */
        /*0050*/                   EXIT ;                      /* 0x000000b000748947 */
		Function : _Z1kILb1EEv
        /*0000*/                   FFMA R1, R1, R2.reuse, R3 ; /* 0x00000a00ff017b82 */
        /*0010*/               @P0 BRA 0x0 ;                   /* 0x000000b000748947 */
        /*0020*/                   LDG.E R9, desc[UR4][R2.64] ;
        /*0030*/                   LDGSTS.E.BYPASS.128 [R1], desc[UR4][R2.64] ;
        /*0040*/              @!PT LDS RZ, [RZ] ;
        /*0050*/                   LDS R4, [R1] ;
        /*0060*/                   LDS.U.64 R4, [R1] ;
        /*0070*/               @P1 LDS.128 R4, [R1+0x10] ;
        /*0080*/                   LDSM.16.M88.4 R4, [R1] ;
        /*0090*/               @P2 BRA 0xb0 ;
        /*00a0*/                   STS.128 [R1], R4 ;
        /*00b0*/                   FFMA R1, R1.reuse, R2, R3 ;
        /*00c0*/              @!P0 BRA P3, 0x30 ;
        /*00d0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*00e0*/                   LDGDEPBAR ;
        /*00f0*/                   FFMA R1, R1, R2, R3 ;
        /*0100*/               @P0 BRA.U !UP0, 0x30 ;
        /*0110*/                   BAR.SYNC 0x0 ;
        /*0120*/               @P0 BRA 0x20 ;
        /*0130*/                   EXIT ;
        /*0140*/                   BRA 0x140;
END
}
usage() {
    printf ' Common:\n  GLOBAL:0\n'
    printf ' Function _Z1kILb%sEEv:\n  REG:%s STACK:0 SHARED:1024 LOCAL:0\n' 0 99 1 217
}
sass_row() { # sass_row SED EXPECTED: the row of the listing changed by SED
    usage | sed "$1" >"$tmp/usage"
    listing | sed "$1" >"$tmp/listing"
    status 0 awk -v step=s -v variant=v -v arch=sm_90a -v nvcc=13.0.88 -f scripts/records.awk -f scripts/sass.awk \
        input=usage "$tmp/usage" input=sass "$tmp/listing" || return 1
    [ "$(cat "$tmp/out")" = "$2" ] || { echo "not $2:"; cat "$tmp/out"; return 1; }
}
sass_finds_the_loop() {
    sass_row '' s,v,sm_90a,217,14,2,1,1,1,1,0,1,1,1,6,13.0.88 &&
        sass_row 's/FFMA/FADD/' s,v,sm_90a,217,,,,,,,,,,,,13.0.88 &&
        sass_row '/Function : .*ILb0/,/EXIT/d; s/ILb1/IL/' s,v,sm_90a,217,14,2,1,1,1,1,0,1,1,1,6,13.0.88
}
sass_which_kernel() {
    listing | sed 's/ILb1/ILb0/' >"$tmp/listing"
    usage >"$tmp/usage"
    status 2 awk -v step=s -v variant=v -f scripts/records.awk -f scripts/sass.awk input=usage "$tmp/usage" \
        input=sass "$tmp/listing" && one_line && says "s v: 2 kernels, 0 of them with ILb1E"
}
sass_records() {
    machine
    echo kernel >step05_doublebuffer/v.cu
    usage >"$tmp/usage"
    listing >"$tmp/listing"
    echo nothing >"$tmp/empty"
    USAGE=$tmp/usage SASS=$tmp/listing status 0 scripts/sass.sh || return 1
    cp plots/data/sass.csv "$tmp/sass.csv"
    USAGE=$tmp/usage SASS=$tmp/empty status 2 scripts/sass.sh && one_line &&
        says "step05_doublebuffer/v.cu.o has no machine code for sm_90a; type: make sass ARCHS=90a" &&
        cmp plots/data/sass.csv "$tmp/sass.csv"
    result=$?
    bare && mv "$tmp/bare/cuobjdump" "$tmp/bare/not_cuobjdump"
    CUDA_HOME=/nonexistent PATH=$tmp/bare status 2 scripts/sass.sh && one_line && says "cuobjdump is missing" || result=1
    rm -f step05_doublebuffer/v.cu plots/data/sass.csv
    [ "$result" = 0 ] && [ "$(sed -n 2p "$tmp/sass.csv")" = \
        step05_doublebuffer,v,sm_90a,217,14,2,1,1,1,1,0,1,1,1,6,13.0.88 ] && [ "$(wc -l <"$tmp/sass.csv")" = 2 ] &&
        [ "$(head -n 1 "$tmp/sass.csv")" = "step,variant,arch,registers,loop_instructions,ffma,ffma_reuse,lds32,lds64,"\
"lds128,ldg,ldgsts,sts,bar,other,nvcc" ]
}
slugs_are_made_in_one_place() {
    machine
    [ "$(. scripts/gpu.sh && gpu_slug)" = made-up-gpu-2 ] &&
        for script in bench plots counters; do holds scripts/$script.sh 'gpu_slug)' || return 1; done
}

# ---- compare

compare_numbers() {
    { sed 's/^\(.*warp_tiled,.*,\)52000.0\(,.*\)$/\1 57200.0\2/; s/, 57200/,57200/' "$tmp/good.csv" | grep -v tile32 |
        awk -F, -v OFS=, '$2 == "warp_tiled" { $14 /= 1.1; $22 = "1.1440" } { print }'
        grep 'tile32,.*,256,256,256,' "$tmp/good.csv" | sed 's/cold/warm/'; } >"$tmp/new.csv"
    status 0 scripts/compare.sh "$tmp/good.csv" "$tmp/new.csv" || return 1
    grep -Eq '^step05 warp_tiled +4096x4096x4096 +52\.00 +57\.20 +1\.100 +1\.040 +1\.144$' "$tmp/out" &&
        grep -Eq '^step05 cp_async +8192x8192x8192 +45\.00 +45\.00 +1\.000 +0\.900 +0\.900$' "$tmp/out" &&
        grep -Eq '^step01 uncoalesced +4096x4096x4096 +1\.00 +1\.00 +1\.000 +0\.020 +0\.020$' "$tmp/out" &&
        prints "64 matched, 8 only in A, 1 only in B" && prints "greatest 1.100" || { cat "$tmp/out"; return 1; }
    awk 'length($0) > 100 { print; bad = 1 } END { exit bad }' "$tmp/out"
}
compare_refuses() {
    echo a,b,c >"$tmp/wrong.csv"
    : >"$tmp/void.csv"
    status 2 scripts/compare.sh "$tmp/good.csv" "$tmp/absent.csv" && one_line && says absent.csv &&
        status 2 scripts/compare.sh "$tmp/wrong.csv" "$tmp/good.csv" && one_line && says "wrong.csv: line 1" &&
        status 2 scripts/compare.sh "$tmp/good.csv" "$tmp/void.csv" && one_line && says void.csv &&
        status 2 scripts/compare.sh "$tmp/good.csv" && one_line && says usage
}

# ---- the simulator's rows: no times, so no measurements

simulated() { # simulated FILE: rows as `run` writes them in the simulator, better than all others if they counted
    echo "step05_doublebuffer,warp_tiled,gemm,f32,nn,4096,4096,4096,,1,0,cold,sim,,,,,,,,,,,,0.01,,,H200 (simulated),9.0,\
none,13.0,2027-01-01" >>"$1"
}
simulated_rows_are_no_measurements() {
    cp "$tmp/good.csv" "$tmp/both.csv"
    simulated "$tmp/both.csv"
    head -n 1 "$tmp/header" >"$tmp/sim.csv"
    simulated "$tmp/sim.csv"
    status 0 scripts/compare.sh "$tmp/good.csv" "$tmp/good.csv" || return 1
    sed 1,2d "$tmp/out" >"$tmp/expected"
    status 0 scripts/compare.sh "$tmp/good.csv" "$tmp/both.csv" && ! grep -q imulated "$tmp/out" || return 1
    sed 1,2d "$tmp/out" | cmp - "$tmp/expected" || return 1
    status 0 scripts/compare.sh "$tmp/both.csv" "$tmp/sim.csv" && prints "0 matched, 72 only in A, 0 only in B" || return 1
    for file in good both sim; do # what notes.sh and plots.sh read
        mkdir -p "$tmp/$file"
        DATA_NAME=x awk -v dir="$tmp/$file" -v gap=0.05 -f scripts/records.awk -f scripts/digest.awk \
            -f scripts/figures.awk input=devices plots/devices.csv input=ladder plots/intensity.csv input=rows "$tmp/$file.csv" || return 1
        echo '<!-- table: ladder -->
<!-- end -->' | DATA_NAME=x NOTE_NAME=y awk -f scripts/records.awk -f scripts/notes.awk -f scripts/gemv.awk \
            -f scripts/gemv_notes.awk -f scripts/tensorcore.awk -f scripts/tensorcore_notes.awk -f scripts/knn.awk -f scripts/knn_notes.awk \
            input=ladder plots/intensity.csv input=rows "$tmp/$file.csv" input=note - >"$tmp/$file/note" || return 1
    done
    diff -r "$tmp/good" "$tmp/both" && [ ! -e "$tmp/sim/caption" ] && holds "$tmp/sim/note" "Not measured yet."
}

demo_without_a_gpu() { # steps and figures made up
    mkdir -p "$tmp/demo/plots/data/nvidia-h200" "$tmp/demo/step01_naive" "$tmp/demo/step05_doublebuffer"
    cp -R "$root/scripts" "$tmp/demo/"
    cp "$tmp/good.csv" "$tmp/demo/plots/data/nvidia-h200/sgemm.csv"
    printf '#!/bin/sh\necho "the figures of $1"\n' >"$tmp/demo/scripts/plots.sh"
    cat >"$tmp/demo/step01_naive/run" <<'END'
#!/bin/sh
echo "run $1 $2 $3"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
while [ "$1" != --csv ]; do shift; done
[ -e "$2" ] || cat "$RUN_HEADER" >"$2"
step=$(basename "$(dirname "$0")")
echo "$step,one,gemm,f32,nn,96,96,96,,1,0,cold,sim,,,,,,,,,,,,0.0321,,,H200 (simulated),9.0,none,13.0,2027-01-01" >>"$2"
END
    chmod +x "$tmp/demo/step01_naive/run"
    cp "$tmp/demo/step01_naive/run" "$tmp/demo/step05_doublebuffer/"
    RUN_HEADER=$tmp/header
    export RUN_HEADER
    DEMO_SIZE=96 status 0 sh "$tmp/demo/scripts/demo.sh" || return 1
    [ "$(grep -c '^run --sim --size 96$' "$tmp/out")" = 2 ] && prints "H200 (simulated), every" &&
        grep -Eq '^step01_naive +one +f32 +96x96x96 +0\.032$' "$tmp/out" &&
        grep -Eq '^step05_doublebuffer +one +f32 +96x96x96 +0\.032$' "$tmp/out" && ! grep -q 'times a vector' "$tmp/out" &&
        prints "== Recorded earlier on an H200 (" && prints "NVIDIA H200, 4096^3, FP32, cold L2" &&
        prints "the figures of plots/data/nvidia-h200/sgemm.csv" && prints "with an NVIDIA GPU and its driver" || return 1
    status 0 sh "$tmp/demo/scripts/demo.sh" && prints "run --sim --size 512" || return 1
    RUN_STATUS=1 status 1 sh "$tmp/demo/scripts/demo.sh" # a wrong result is not passed over
}

for each in header_is_the_harness_s intensity_unique intensity_follows_the_tiles intensity_names_what_is_recorded \
    devices_slugs notes_writes notes_draws_the_bars notes_idempotent notes_check_names_the_stale notes_unknown_table notes_missing_end \
    notes_missing_inline_end notes_unknown_field notes_unknown_step notes_unknown_variant notes_bad_format \
    notes_empty_csv notes_no_csv notes_facts notes_facts_not_recorded notes_facts_two_devices notes_facts_torn \
    notes_unknown_metric notes_unknown_divisor notes_zero_divisor notes_fact_unknown_step notes_fact_unknown_variant \
    notes_fact_bad_format notes_fact_no_field notes_fact_missing_end counters_parser counters_parser_refuses \
    metrics_named_once counters_records counters_fails_whole counters_needs sass_finds_the_loop sass_which_kernel \
    sass_records slugs_are_made_in_one_place compare_numbers compare_refuses simulated_rows_are_no_measurements \
    demo_without_a_gpu; do
    check "$each"
done
if command -v gnuplot >/dev/null; then
    for each in plots_draws_all plots_says_what_it_measured plots_dumb plots_texts_and_the_baseline plots_no_rows plots_no_file \
        plots_nothing_recorded plots_without_4096 plots_only_4096 plots_no_baseline plots_errors plots_torn_line \
        plots_wrong_header plots_quoted_field plots_unknown_device plots_two_devices \
        plots_ignores_other_cases plots_chooses_the_csv plots_bad_arguments; do
        check "$each"
    done
else
    echo "skipped the figures: gnuplot is missing (apt-get install gnuplot-nox)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
