#!/bin/sh
# Tests what the scripts do with GEMV's recorded measurements: recording them, figures, notes, demo, compare; on
# measurements made up here, in a copy of scripts/ and plots/.
# shellcheck disable=SC2317 # the cases are called by name
set -u
LC_ALL=C
export LC_ALL
unset NOTES_CSV BENCH_STEPS SWEEPS DTYPES LAYOUTS SIZES MINUTES FORCE DEMO_SIZE
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/test_gemv_scripts.XXXXXX") || exit 1
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
# Reads lines `variant op dtype n k cache mode us baseline_us|-`, writes rows. A chain's baseline is the graph.
rows() {
    awk '{
        bytes = ($2 == "read" ? $4 * $5 : $4 * $5 + $4 + $5) * ($3 == "f32" ? 4 : 2)
        printf "step07_gemv,%s,%s,%s,n,1,%d,%d,,%s,0,%s,%s,%.6f,%.6f,%.6f,%.1f,%.2f,%.4f,", $1, $2, $3, $4, $5,
            $2 == "gemv_chain" ? "0.0271" : "1", $6, $7, $8 / 1e3, $8 / 1.01e3, $8 / 0.99e3, 2 * $4 * $5 / $8 / 1e3,
            bytes / $8 / 1e3, bytes / $8 / 4.8e6
        if ($9 == "-") printf ",,,,,"
        else printf "%s,%.6f,%.4f,%.4f,%.4f,", $2 == "gemv_chain" ? "graph" : "cublasGemmEx", $9 / 1e3, $9 / $8,
            $9 / $8 - 0.01, $9 / $8 + 0.02
        print "0.01,1980,500,NVIDIA H200,9.0,580.159.04,13.0,2026-11-21"
    }'
}
good=$tmp/data/gemv.csv
mkdir -p "$tmp/data"
{
    cat "$tmp/header"
    rows <<'END'
read_ceiling read f16 4096 4096 cold graph 7.5 -
naive gemv f16 4096 4096 cold graph 100 10
tree gemv f16 4096 4096 cold graph 12.5 10
streaming gemv f16 4096 4096 cold graph 8.2 10
autotuned gemv f16 4096 4096 cold graph 8 10.4
autotuned gemv f16 4096 4096 cold pdl 7 10.5
read_ceiling read f16 1024 1024 cold graph 1.6 -
autotuned gemv f16 1024 1024 cold graph 2 3
autotuned gemv f16 1024 1024 cold pdl 1 3
streaming gemv f16 1024 1024 cold graph 2.5 3
naive gemv f16 1024 1024 cold events 12 5.4
tree gemv f16 1024 1024 cold events 5 6
autotuned gemv f16 1024 1024 cold events 4 6
autotuned gemv f16 4096 14336 cold graph 28 35
read_ceiling read f16 1024 1024 warm graph 1.2 -
shuffle gemv f16 1024 1024 warm graph 1.6 2.4
autotuned gemv f16 1024 1024 warm graph 1.5 2.4
read_ceiling read f16 4096 4096 warm graph 4 -
autotuned gemv f16 4096 4096 warm graph 5 6
autotuned gemv_chain f16 256 256 warm graph 2 -
autotuned gemv_chain f16 256 256 warm pdl 1 2
streaming gemv_chain f16 4096 4096 cold graph 9 -
streaming gemv_chain f16 4096 4096 cold pdl 7.5 9
read_ceiling read bf16 4096 4096 cold graph 7.5 -
autotuned gemv bf16 4096 4096 cold graph 7.9 11
END
} >"$good"
{
    awk "$(cat scripts/records.awk scripts/gemv.awk) BEGIN { print SEARCH_HEADER }"
    while read -r shape mode us name; do
        digits=$(echo "$name" | sed 's/[a-z]//g; s/ *$//; s/ /,/g') # block_n, reduce_threads, loads, rows
        echo "step07_gemv,autotuned,f16,$shape,$mode,$name,$digits,$us,NVIDIA H200,9.0,580.159.04,13.0,2026-11-21"
    done <<'END'
4096,4096 cold,graph 10.0 n2 r32 u4 v1
4096,4096 cold,graph 8.00 n2 r256 u2 v2 persistent
4096,4096 cold,graph 8.80 n1 r256 u4 v1
4096,4096 cold,graph 20.0 n4 r32 u4 v1 unaligned
4096,4096 cold,pdl 7.00 n2 r32 u4 v1
1024,1024 cold,graph 2.50 n2 r32 u4 v1
1024,1024 cold,graph 0.10 n9 r64 u2 v1
1024,1024 cold,graph 1.80 n2 r32 u4 v1
1024,1024 cold,graph 2.00 n1 r64 u2 v1
1024,1024 warm,graph 1.40 n2 r32 u4 v1
16384,16384 cold,graph 150 n1 r256 u4 v1 split
16384,16384 cold,graph 120 n1 r256 u4 v1
END
} >"$tmp/data/gemv_search.csv"
{
    awk "$(cat scripts/records.awk scripts/gemv.awk) BEGIN { print DRAM_HEADER }"
    echo "step07_gemv,autotuned,f16,4096,4096,40,33554432,33600000,33500000,33700000,1.0014,0.9984,NVIDIA H200,9.0,\
580.1,13.0,2026-11-22"
} >"$tmp/data/gemv_dram.csv"

# A GEMM's row with the same step's name but another operation, as no figure or table of GEMV may show it, and back.
gemm_row="step05_doublebuffer,warp_tiled,gemm,f32,nn,4096,4096,4096,,1,0,cold,events,2.6,2.6,2.6,52861.0,10,0.78,cublas,\
2.7,1.0385,1.03,1.04,0.01,1980,650,NVIDIA H200,9.0,580.159.04,13.0,2026-11-20"
{ cat "$tmp/header"; echo "$gemm_row"; } >"$tmp/data/sgemm.csv"

# ---- what the scripts lean on

headers_are_their_writers() { # the harness's of a search, cold.awk's of DRAM bytes
    for pair in "SEARCH_HEADER:common/gemv/gemv_step.c" "DRAM_HEADER:scripts/cold.awk"; do
        header=$(awk "$(cat scripts/records.awk scripts/gemv.awk) BEGIN { print ${pair%%:*} }")
        tr -d '\n' <"$root/${pair#*:}" | sed 's/"[ \\]*"//g' | grep -qF "\"$header" || { echo "not $header"; return 1; }
    done
}

ladder_names_the_variants() { # in step.c's order
    sed -n 's/^    {"\([a-z_]*\)".*/\1/p' "$root/step07_gemv/step.c" >"$tmp/variants"
    sed '1d; /,cublas,/d' plots/gemv_ladder.csv | cut -d, -f2 | diff - "$tmp/variants"
}
ladder_holds_the_articles_ratios() { # to two digits what its times say
    awk -F, 'NR == 1 { next } NF != 5 { print; bad = 1 } $2 == "cublas" { base = $4 } { ms[$2] = $4; ratio[$2] = $5 }
        END { for (v in ms) if (ms[v] != "" && (base / ms[v] - ratio[v]) ^ 2 > 0.006 ^ 2) { print v; bad = 1 } exit bad }' \
        plots/gemv_ladder.csv
}

# ---- notes

note=step07_gemv/README.md
notes_start() { # notes_start LINE...: the only note
    NOTES_CSV=$tmp/data/sgemm.csv
    export NOTES_CSV
    rm -rf step07_gemv README.md
    mkdir -p step07_gemv
    for line; do
        echo "$line"
        case $line in '<!-- table: '*) echo old; echo '<!-- end -->' ;; esac
    done >$note
}
recorded='<sub>Recorded on NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21; '
tables_at_a_shape() {
    notes_start '<!-- table: gemv step07 4096 4096 -->' '<!-- table: gemv step07_gemv 4096 4096 bf16 -->'
    status 0 scripts/notes.sh && status 0 scripts/notes.sh --check && ! grep -q '^old$' $note &&
        holds $note '| `naive` | 100.0 | 336 | 7.5 % | 0.100 (0.090..0.120) |' &&
        holds $note '| `naive_wide` | – | – | – | – |' &&
        holds $note '| `autotuned` | 8.00 | 4196 | 93.8 % | 1.300 (1.290..1.320) |' &&
        holds $note '| `autotuned`, PDL | 7.00 | 4796 | 107.2 % | 1.500 (1.490..1.520) |' &&
        holds $note '| cuBLAS | 10.0 | 3357 | 75.0 % | 1 |' && holds $note '| read ceiling | 7.50 | 4474 | 100 % | – |' &&
        holds $note "${recorded}f16, 4096 × 4096, cold L2, medians, in CUDA graphs" &&
        holds $note '| `autotuned` | 7.90 | 4249 | 95.0 % | 1.392 (1.382..1.412) |' &&
        holds $note '| cuBLAS | 11.0 | 3052 | 68.2 % | 1 |' && holds $note "${recorded}bf16, 4096" &&
        [ "$(grep -c ', PDL |' $note)" = 1 ] && ! grep -q warp_tiled $note
}
tables_of_shapes() {
    notes_start '<!-- table: gemv-shapes step07 -->'
    status 0 scripts/notes.sh && holds $note '| 1024 × 1024 | 2.00 | 1051 | 80.2 % | 1.500 (1.490..1.520) | 1.00 | 2101 |'\
' 160.3 % | 3.000 (2.990..3.020) | 3.00 |' &&
        holds $note '| 4096 × 14336 | 28.0 | 4196 | – | 1.250 (1.240..1.270) | – | – | – | – | 35.0 |' &&
        holds $note '| 16384 × 16384 | – | – | – | – | – | – | – | – | – |' &&
        [ "$(grep -c '^| [0-9]' $note)" = 6 ] &&
        holds $note "$recorded\`autotuned\`, f16, cold L2"
}
tables_of_the_article() {
    notes_start '<!-- table: gemv-article step07 -->'
    status 0 scripts/notes.sh && holds $note '| cuBLAS (torch) | 0.00784 | 1.00 | cuBLAS | 6.00 | 1 | – |' &&
        holds $note '| `naive_gemv` | 0.16607 | 0.05 | `naive` | 12.0 | 0.450 (0.440..0.470) | 9.53 |' &&
        holds $note '| `splitk_gemv_vectorized_tvm` | 0.00675 | 1.16 | `tree` | 5.00 | 1.200 (1.190..1.220) | 1.03 |' &&
        holds $note '| `Triton` | 0.00773 | 1.01 | `row_per_block` | – | – | – |' &&
        holds $note '| `splitk_gemv` | – | – | `splitk_balanced` | – | – | – |' &&
        holds $note '| – | – | – | `streaming` | – | – | – |' &&
        holds $note '| `autotuned` | 0.00667 | 1.18 | `autotuned` | 4.00 | 1.500 (1.490..1.520) | 1.28 |' &&
        holds $note "${recorded}f16, 1024 × 1024, cold L2, single launches between events"
}
tables_of_warm_and_chains() {
    notes_start '<!-- table: gemv-warm step07 -->' '<!-- table: gemv-chain step07 -->'
    status 0 scripts/notes.sh && holds $note '| n = k | MB | `shuffle` | `autotuned` | cuBLAS µs | read ceiling GB/s |' &&
        holds $note '| 1024 | 2.10 | 1.60 µs, 1313 (1.50) | 1.50 µs, 1401 (1.60) | 2.40 | 1748 |' &&
        holds $note '| 4096 | 33.6 | – µs, – | 5.00 µs, 6714 (1.20) | 6.00 | 8389 |' &&
        holds $note "${recorded}f16, operands left in the L2" &&
        holds $note '| 256 | `autotuned` | warm | 2.00 | 1.00 | 2.000 (1.990..2.020) |' &&
        holds $note '| 4096 | `streaming` | cold | 9.00 | 7.50 | 1.200 (1.190..1.220) |' &&
        [ "$(grep -c '^| [0-9]' $note)" = 4 ]
}
tables_of_dram_and_searches() {
    notes_start '<!-- table: gemv-dram step07 -->' '<!-- table: gemv-tuned step07 -->'
    status 0 scripts/notes.sh &&
        holds $note '| `autotuned` | 4096 × 4096 | f16 | 33.55 | 33.60 (33.50..33.70) | 100.1 % | 99.8 % |' &&
        holds $note '<sub>Counted on NVIDIA H200, driver 580.1, CUDA 13.0, 2026-11-22; by Nsight Compute without flushing, 40' &&
        holds $note '| n × k | cold, graphs | cold, PDL | warm, graphs |' &&
        holds $note '| 1024 × 1024 | `n2 r32 u4 v1`, 1.80 µs (1.11) | – | `n2 r32 u4 v1`, 1.40 µs (1.00) |' &&
        holds $note '| 4096 × 4096 | `n2 r256 u2 v2 persistent`, 8.00 µs (2.50) | `n2 r32 u4 v1`, 7.00 µs (1.00) | – |' &&
        holds $note '<sub>Searched on NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21; f16, '
}
values_in_a_line() {
    notes_start 'a <!-- gemv: step07 autotuned 4096 4096 us -->?<!-- end -->' \
        'b <!-- gemv: step07 autotuned 4096 4096 ceiling_percent pdl %.0f %% -->?<!-- end -->' \
        'c <!-- gemv: step07 cublas 4096 4096 gbps -->?<!-- end -->' \
        'd <!-- gemv: step07 autotuned 4096 4096 ratio bf16 -->?<!-- end -->' \
        'e <!-- gemv: step07 autotuned 1024 1024 us events -->?<!-- end -->' \
        'f <!-- gemv: step07 read_ceiling 4096 4096 us warm -->?<!-- end -->' \
        'g <!-- gemv: step07 autotuned 256 256 percent pdl warm chain %d -->?<!-- end -->' \
        'h <!-- gemv: step07 autotuned 8192 8192 us -->?<!-- end -->' \
        'i <!-- gemv-ratio: step07 autotuned naive 4096 4096 -->?<!-- end -->' \
        'j <!-- gemv-ratio: step07 autotuned/pdl cublas 4096 4096 -->?<!-- end -->' \
        'k <!-- gemv-ratio: step07 autotuned/warm autotuned 4096 4096 %.3f -->?<!-- end -->' \
        'l <!-- gemv-ratio: step07 tree shuffle 4096 4096 -->?<!-- end -->'
    status 0 scripts/notes.sh || return 1
    same "$(sed 's/<!-- [^e][^>]*-->//; s/<!-- end -->//' $note | tr '\n' ';')" 'a 8.00;b 107 %;c 3357;d 1.39;e 4.00;'\
'f 4.00;g 200;h not measured;i 12.5;j 1.43;k 1.600;l not measured;'
}
# refuses LINE MESSAGE
refuses() {
    notes_start "$1"
    cp $note "$tmp/before"
    status 2 scripts/notes.sh && one_line && says "$2" && says "$note:1" && cmp $note "$tmp/before"
}
notes_refuse() {
    refuses '<!-- table: gemv-shape step07 -->' "unknown table gemv-shape" &&
        refuses '<!-- table: gemv step07 4096 -->' "the marker reads table: gemv STEP N K [DTYPE]" &&
        refuses '<!-- table: gemv step01 4096 4096 -->' "unknown GEMV step step01" &&
        refuses '<!-- table: gemv step07 4096 4096 f64 -->' "unknown type f64" &&
        refuses '<!-- gemv: step07 autotune 1 1 us --><!-- end -->' "unknown variant autotune of step07_gemv" &&
        refuses '<!-- gemv: step07 tree 1 1 usec --><!-- end -->' "unknown field usec" &&
        refuses '<!-- gemv: step07 tree 1 1 us hot --><!-- end -->' "not a printf format" &&
        refuses '<!-- gemv: step07 tree 1 1 us -->' "no <!-- end -->" &&
        refuses '<!-- gemv-ratio: step07 tree/hot naive 1 1 --><!-- end -->' "hot is no type, mode or cache"
}
notes_without_measurements() {
    mkdir -p "$tmp/none"
    cp "$tmp/header" "$tmp/none/sgemm.csv"
    notes_start '<!-- table: gemv step07 4096 4096 -->' '<!-- table: gemv-shapes step07 -->' \
        '<!-- table: gemv-article step07 -->' '<!-- table: gemv-warm step07 -->' '<!-- table: gemv-chain step07 -->' \
        '<!-- table: gemv-dram step07 -->' '<!-- table: gemv-tuned step07 -->' \
        '<!-- gemv: step07 tree 4096 4096 us -->?<!-- end -->'
    NOTES_CSV=$tmp/none/sgemm.csv status 0 scripts/notes.sh && [ "$(grep -c 'Not measured yet.' $note)" = 7 ] &&
        holds $note '| `tree` | – | – | – | – |' && holds $note '>not measured<!-- end -->' &&
        holds $note '| `naive_gemv` | 0.16607 | 0.05 | `naive` | – | – | – |'
}
notes_of_gemm_take_no_gemv() { # also where one file holds both
    mkdir -p "$tmp/mixed"
    { cat "$tmp/data/sgemm.csv"; sed 1d "$good"; } >"$tmp/mixed/sgemm.csv"
    notes_start '<!-- table: ladder -->'
    status 0 scripts/notes.sh && cp $note "$tmp/pure" && holds $note '`warp_tiled` | 2.600' || return 1
    NOTES_CSV=$tmp/mixed/sgemm.csv status 0 scripts/notes.sh && cmp $note "$tmp/pure"
}
notes_damaged_files() {
    mkdir -p "$tmp/damaged"
    cp "$tmp"/data/*.csv "$tmp/damaged/"
    notes_start '<!-- table: gemv step07 4096 4096 -->'
    NOTES_CSV=$tmp/damaged/sgemm.csv
    echo step07_gemv,tree >>"$tmp/damaged/gemv_search.csv"
    status 2 scripts/notes.sh && one_line && says "gemv_search.csv: line 14 has 2 fields, not 18" || return 1
    echo a,b >"$tmp/damaged/gemv_search.csv"
    status 2 scripts/notes.sh && one_line && says "gemv_search.csv: line 1 is not the header of recorded searches" || return 1
    rm "$tmp/damaged/gemv_search.csv"
    sed '5s/NVIDIA H200/Tesla T4/' "$good" >"$tmp/damaged/gemv.csv"
    status 2 scripts/notes.sh && one_line && says "one device a file"
}

# ---- figures

# digest FOLDER: what the figures of GEMV draw, from there, in $tmp/digest
digest() {
    rm -rf "$tmp/digest"
    mkdir -p "$tmp/digest"
    set -- input=gemv "$1/gemv.csv" input=gemv_search "$1/gemv_search.csv"
    DATA_NAME=here.csv SEARCH_NAME=there.csv status 0 awk -v dir="$tmp/digest" -v gap=0.05 -f scripts/records.awk \
        -f scripts/digest.awk -f scripts/gemv.awk -f scripts/gemv_figures.awk \
        input=gemv_ladder plots/gemv_ladder.csv "$@"
}
digest_of_the_ladder() {
    digest "$tmp/data" || return 1
    file=$tmp/digest/gemv_ladder.dat
    holds "$file" '0 -4 0.499998 5 "2.00 µs, 1051"' && holds "$file" '0 -5 1 6 "1.00 µs, 2101"' &&
        holds "$file" '1 -1 0.0700004 5 "100 µs, 336"' && holds "$file" '1 -5 1 6 "7.00 µs, 4796"' &&
        holds "$file" '-5 "autotuned, PDL"' && holds "$file" '1 "4096 × 4096, 34 MB" 0.932' &&
        holds "$file" '"read ceiling, no PDL, 4474 GB/s" 0.7 "cuBLAS 10.0 µs, 3357 GB/s"' && ! grep -q 'warp_tiled' "$file"
}
digest_of_the_sizes() { # log2(4096 / 256) = 4 octaves; the right panel begins 3.7 after that
    digest "$tmp/data" || return 1
    file=$tmp/digest/gemv_size.dat
    same "$(sed -n '/^# lines/,/^# labels/p' "$file" | grep '^[0-9]')" "2 1310.72 8
4 4473.92 8
2 2101.25 6
4 4795.83 6
2 1050.62 5
4 4196.35 5
2 700.416 9
4 3357.08 9
9.7 1747.63 8
11.7 8388.61 8
9.7 1400.83 5
11.7 6714.16 5
9.7 875.52 9
11.7 5595.14 9" && holds "$file" '4 "4096" "34 MB"' && holds "$file" '"autotuned, PDL" 6 4 4795.83'
}
digest_of_the_search() {
    digest "$tmp/data" || return 1
    file=$tmp/digest/gemv_search.dat
    # 1024: fields of 32, 64 and 256 threads, of 2 and 4 loads; the later time of a candidate counts.
    holds "$file" '0.5 -1.5 "best"' && holds "$file" '1.5 -0.5 "+11"' && holds "$file" '2.5 -4.2 "bestP"' &&
        holds "$file" '0.5 -4.2 "+25"' && holds "$file" '2.5 -6.9 "best"' && holds "$file" '"n1" "+10" ' &&
        holds "$file" '-1 "1024 × 1024" "n2 r32 u4 v1" "1.80 µs"' &&
        holds "$file" '"n2 r256 u2 v2 persistent" "8.00 µs"' && holds "$file" '2.5 "256"' || return 1
    # One best a panel, one persistent, none for unaligned rows; two candidates share a field.
    awk '/^# boxes/ { on = 1; next } /^#/ { on = 0 } on && NF { n++; kinds = kinds $6; b += $7; if ($2 - $1 < 0.5) half++ }
        END { print n, kinds, b, half; exit !(n == 7 && kinds == "0000120" && b == 3 && half == 4) }' "$file"
}
figures_drawn() {
    status 0 scripts/plots.sh --out "$tmp/a" "$tmp/data/sgemm.csv" || return 1
    for figure in gemv_ladder gemv_size gemv_search; do
        [ "$(head -c 4 "$tmp/a/$figure.png" | tail -c 3)" = PNG ] || { echo "$figure.png is no PNG"; return 1; }
        holds "$tmp/a/$figure.svg" "Recorded measurements: NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21." &&
            holds "$tmp/a/$figure.svg" "</svg>" || return 1
    done
    holds "$tmp/a/gemv_ladder.svg" "7.00 µs, 4796" && holds "$tmp/a/gemv_ladder.svg" "cuBLAS 10.0 µs, 3357 GB/s" &&
        holds "$tmp/a/gemv_size.svg" "read ceiling" && holds "$tmp/a/gemv_size.svg" "warm: A stays" &&
        holds "$tmp/a/gemv_search.svg" "n2 r256 u2 v2 persistent" && holds "$tmp/a/gemv_search.svg" "+25"
}
figures_in_the_terminal() {
    status 0 scripts/plots.sh --term dumb --out "$tmp/b" "$tmp/data/sgemm.csv" && prints "7.00 µs, 4796" &&
        prints ": cuBLAS 10.0 µs, 3357 GB/s" && prints "autotuned, PDL ####" && prints "cold: A comes from DRAM" &&
        prints "bestP" && [ "$(grep -c '^Recorded measurements' "$tmp/out")" = 2 ] || return 1
    LC_ALL=C.UTF-8 awk '{ gsub(/[\200-\277]/, "") } length($0) > 100 || / $/ { print; bad = 1 } END { exit bad }' "$tmp/out"
}
figures_without_gemv() { # one line, and the rest is drawn
    mkdir -p "$tmp/alone" "$tmp/c"
    cp "$tmp/data/sgemm.csv" "$tmp/alone/"
    echo old >"$tmp/c/gemv_size.svg"
    status 0 scripts/plots.sh --term svg --out "$tmp/c" "$tmp/alone/sgemm.csv" && says "no figures of GEMV" &&
        says "gemv.csv" && [ "$(grep -c GEMV "$tmp/err")" = 1 ] && [ -s "$tmp/c/progression.svg" ] &&
        [ ! -e "$tmp/c/gemv_size.svg" ]
}
figures_without_gemm() {
    mkdir -p "$tmp/only"
    cp "$tmp/data/gemv.csv" "$tmp/only/"
    cp "$tmp/header" "$tmp/only/sgemm.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/d" "$tmp/only/sgemm.csv" && [ -s "$tmp/d/gemv_size.svg" ] &&
        [ ! -e "$tmp/d/size.svg" ] && says "gemv_search: no search at 1024 x 1024" && [ "$(wc -l <"$tmp/err")" = 2 ] || return 1
    mkdir -p plots/data/made-up plots/data/other && cp "$tmp/data/gemv.csv" plots/data/made-up/
    cp "$tmp/header" plots/data/other/sgemm.csv
    status 0 scripts/plots.sh --term svg --out "$tmp/d"
    result=$?
    rm -r plots/data
    return $result
}
figures_of_gemm_take_no_gemv() {
    { cat "$tmp/header"; sed 1d "$good"; } >"$tmp/only/sgemm.csv"
    status 0 scripts/plots.sh --term svg --out "$tmp/e" "$tmp/only/sgemm.csv" && [ ! -e "$tmp/e/progression.svg" ] &&
        says "no recorded measurements in" || return 1
    { cat "$good"; echo "$gemm_row" | sed 's/step05_doublebuffer,warp_tiled/step07_gemv,tree/'; } >"$tmp/data2.csv"
    mkdir -p "$tmp/both" && cp "$tmp/data2.csv" "$tmp/both/gemv.csv" && cp "$tmp"/data/*search.csv "$tmp/both/" &&
        digest "$tmp/data" && cp -R "$tmp/digest" "$tmp/pure_digest" && digest "$tmp/both" &&
        diff -r "$tmp/digest" "$tmp/pure_digest"
}
figures_with_one_size() { # as make demo measures
    mkdir -p "$tmp/one"
    cp "$tmp/data/sgemm.csv" "$tmp/one/"
    { cat "$tmp/header"; grep ',4096,4096,,1,0,cold,graph' "$good"; } >"$tmp/one/gemv.csv"
    status 0 scripts/plots.sh --term svg,dumb --out "$tmp/f" "$tmp/one/sgemm.csv" && ! grep -qi 'warning' "$tmp/err" &&
        holds "$tmp/f/gemv_ladder.svg" "1024 × 1024, 2.1 MB: not measured" && holds "$tmp/f/gemv_size.svg" "(not measured)"
}

# ---- compare

compare_gemv() {
    awk -F, -v OFS=, '$3 == "gemv" && $13 == "pdl" { $14 /= 1.25; $18 *= 1.25 } { print }' "$good" >"$tmp/new.csv"
    status 0 scripts/compare.sh "$good" "$tmp/new.csv" && prints "25 matched, 0 only in A, 0 only in B" &&
        prints "greatest 1.250" || return 1
    for line in 'autotuned +4096x4096 +f16 +4196\.35 +4196\.35 +1\.000 +1\.300 +1\.300' \
        'autotuned +4096x4096 +f16 pdl +4795\.83 +5994\.79 +1\.250 +1\.500 +1\.500' \
        'autotuned +1024x1024 +f16 events +525\.31 ' 'autotuned +1024x1024 +f16 warm +' 'autotuned +4096x4096 +bf16 +' \
        'streaming +4096x4096 +f16 chain +3730' 'streaming +4096x4096 +f16 chain pdl +4476' \
        'read_ceiling +4096x4096 +f16 +4473\.92 +4473\.92 +1\.000 +- +-'; do
        grep -Eq "^step07 $line" "$tmp/out" || { echo "no line $line"; cat "$tmp/out"; return 1; }
    done
    grep -Eq '^kernel +shape +case +GB/s +GB/s' "$tmp/out" && awk 'length($0) > 100 { exit 1 }' "$tmp/out"
}

# ---- bench and demo, on a machine made up

machine() {
    rm -rf "$tmp/machine" plots/data build step0*
    mkdir -p "$tmp/machine" build step01_naive step07_gemv
    cat >"$tmp/machine/nvidia-smi" <<'END'
#!/bin/sh
case $* in
-L) echo "GPU 0: made up" ;;
*gpu=name*) echo "Made-Up GPU" ;;
*compute_cap*) echo "${FAKE_CC:-9.0}" ;;
esac
END
    printf '#!/bin/sh\n' >"$tmp/machine/make"
    cat >step07_gemv/run <<'END'
#!/bin/sh
echo "$@" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
sim=
while [ $# != 0 ]; do
    case $1 in --csv) csv=$2 ;; --tune-csv) search=$2 ;; --tune-file) tuned=$2 ;; --sim) sim=1 ;; esac
    shift
done
[ -e "$csv" ] || cat "$DATA/header" >"$csv"
case $0:$sim in
*step01*:1) echo "step01_naive,one,gemm,f32,nn,96,96,96,,1,0,cold,sim,,,,,,,,,,,,0.0321,,,H200 (simulated),9.0,,13.0,2027-01-01" ;;
*:1) echo "step07_gemv,one,gemv,f16,n,1,96,128,,1,0,warm,sim,,,,,,,,,,,,0.0123,,,H200 (simulated),9.0,,13.0,2027-01-01" ;;
*step01*:) sed 1d "$DATA/data/sgemm.csv" ;;
*) sed 1d "$DATA/data/gemv.csv" ;;
esac >>"$csv"
if [ -n "${tuned:-}" ] && [ ! -e "$tuned" ]; then
    mkdir -p "$(dirname "$tuned")"
    echo tuned >"$tuned"
    cat "$DATA/data/gemv_search.csv" >"$search"
fi
END
    chmod +x "$tmp"/machine/* step07_gemv/run
    cp step07_gemv/run step01_naive/run
    ln -s step01_naive step01
    ln -s step07_gemv step07
    CALLS=$tmp/calls DATA=$tmp
    export CALLS DATA
    : >"$CALLS"
    PATH=$tmp/machine:$PATH
    folder=plots/data/made-up-gpu
    common="--csv $folder/gemv.csv --resume --tune-file build/bench/gemv.tune --tune-csv $folder/gemv_search.csv"
}
bench_runs() {
    machine
    status 0 scripts/bench.sh || return 1
    same "$(cat "$CALLS")" "--sweep square --csv $folder/sgemm.csv --resume
--sweep article --csv $folder/sgemm.csv --resume
--sweep odd --csv $folder/sgemm.csv --resume
--sweep square --time 0.3 $common
--sweep square --time 0.3 --pdl --variant streaming --variant autotuned $common
--sweep square --time 0.3 --warm --variant shuffle --variant streaming --variant autotuned $common
--sweep square --time 0.3 --dtype bf16 --variant autotuned $common
--sweep square --time 0.3 --dtype bf16 --pdl --variant autotuned $common
--sweep square --time 0.3 --dtype f32 --variant autotuned $common
--sweep square --time 0.3 --dtype f32 --pdl --variant autotuned $common
--sweep square --time 0.3 --graph --variant streaming --variant autotuned $common
--sweep article $common
--sweep odd --time 0.3 $common
--sweep odd --time 0.3 --pdl --variant streaming --variant autotuned $common" || return 1
    same "$(ls $folder | tr '\n' ' ')" "gemv.csv gemv_search.csv sgemm.csv " && ! grep -q gemm, $folder/gemv.csv &&
        ! grep -q gemv $folder/sgemm.csv
}
bench_narrowed() {
    machine
    BENCH_STEPS=step07_gemv SWEEPS=article status 0 scripts/bench.sh && same "$(cat "$CALLS")" "--sweep article $common" &&
        same "$(ls $folder | tr '\n' ' ')" "gemv.csv gemv_search.csv " || return 1
    : >"$CALLS"
    FAKE_CC=8.9 BENCH_STEPS=step07 status 0 scripts/bench.sh && ! grep -q pdl "$CALLS" &&
        [ "$(wc -l <"$CALLS")" = 7 ]
}
bench_starts_afresh() { # the files of the steps asked for, and the search
    machine
    status 0 scripts/bench.sh && cp -R $folder "$tmp/recorded" && echo mine >build/bench/gemv.tune || return 1
    SWEEPS=article BENCH_STEPS=step07 status 0 scripts/bench.sh && [ "$(cat build/bench/gemv.tune)" = mine ] || return 1
    rm -r $folder && cp -R "$tmp/recorded" $folder
    FORCE=1 SWEEPS=article BENCH_STEPS=step07 status 0 scripts/bench.sh && [ "$(cat build/bench/gemv.tune)" = tuned ] &&
        cmp $folder/gemv.csv "$good" && cmp $folder/sgemm.csv "$tmp/recorded/sgemm.csv" &&
        same "$(ls $folder | tr '\n' ' ')" "gemv.csv gemv_search.csv sgemm.csv " || return 1
    # What was recorded stays where nothing new comes.
    rm -r $folder && cp -R "$tmp/recorded" $folder
    RUN_STATUS=3 FORCE=1 BENCH_STEPS=step07 status 3 scripts/bench.sh &&
        says "bench: step07 --sweep square --time 0.3 failed (exit status 3)" && diff -r $folder "$tmp/recorded" || return 1
    rm -r $folder
    RUN_STATUS=3 BENCH_STEPS=step07 status 3 scripts/bench.sh && [ ! -e $folder ]
}
demo_with_a_gpu() {
    machine
    status 0 scripts/demo.sh && prints "NVIDIA H200, 4096^3, FP32, cold L2" &&
        prints "NVIDIA H200, n x k = 4096 x 4096, f16, cold L2" &&
        grep -Eq '^step05_doublebuffer +warp_tiled +2\.600 +52\.86 +103\.8 %$' "$tmp/out" &&
        grep -Eq '^step07_gemv +autotuned +8\.00 +4196 +93\.8 % +130\.0 %$' "$tmp/out" &&
        [ "$(grep -c '^step07_gemv  *autotuned ' "$tmp/out")" = 1 ] &&
        same "$(cat "$CALLS")" "--size 4096 --time 0.2 --csv build/demo/sgemm.csv
--size 4096 --time 0.2 --csv build/demo/gemv.csv"
}
demo_without_a_gpu() {
    machine
    printf '#!/bin/sh\nexit 9\n' >"$tmp/machine/nvidia-smi"
    mkdir -p plots/data/nvidia-h200
    cp "$tmp"/data/*.csv plots/data/nvidia-h200/
    status 0 scripts/demo.sh && prints "H200 (simulated), every element" && ! grep -q 'FP32, m x n x k' "$tmp/out" &&
        grep -Eq '^step01_naive +one +f32 +96x96x96 +0\.032$' "$tmp/out" &&
        grep -Eq '^step07_gemv +one +f16 +96x128 +0\.012$' "$tmp/out" && prints "the shape is n x k" &&
        grep -Eq '^step05_doublebuffer +warp_tiled +2\.600 ' "$tmp/out" &&
        grep -Eq '^step07_gemv +tree +12\.50 +2686 +60\.0 % +80\.0 %$' "$tmp/out" || return 1
    same "$(grep -nE '^step01_naive +one|^step07_gemv +one' "$tmp/out" | sed 's/^[0-9]*:\(step0.\).*/\1/' | tr '\n' ' ')" \
        "step01 step07 "
    result=$?
    rm -r plots/data
    return $result
}

for each in headers_are_their_writers ladder_names_the_variants ladder_holds_the_articles_ratios tables_at_a_shape \
    tables_of_shapes tables_of_the_article tables_of_warm_and_chains tables_of_dram_and_searches values_in_a_line notes_refuse \
    notes_without_measurements notes_of_gemm_take_no_gemv notes_damaged_files digest_of_the_ladder digest_of_the_sizes \
    digest_of_the_search compare_gemv bench_runs bench_narrowed bench_starts_afresh demo_with_a_gpu demo_without_a_gpu; do
    check "$each"
done
if command -v gnuplot >/dev/null; then
    for each in figures_drawn figures_in_the_terminal figures_without_gemv figures_without_gemm \
        figures_of_gemm_take_no_gemv figures_with_one_size; do
        check "$each"
    done
else
    echo "skipped the figures: gnuplot is missing (apt-get install gnuplot-nox)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
