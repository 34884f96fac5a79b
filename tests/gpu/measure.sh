#!/bin/sh
# The part of measuring that needs a GPU: every step timed at small sizes, recorded, resumed, cold and warm,
# with beta != 0, a GEMV's autotuner and its chains, searches and records from files, and the errors that need a device.
# STEPS="step06 step08" narrows it. Last line: "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
XDG_CACHE_HOME=$work # for the tune file: nobody's own is touched
export XDG_CACHE_HOME

# wants STEP: is it among STEPS, or are these all?
wants() { case " ${STEPS:-$1}" in *" $1"*) ;; *) return 1 ;; esac; }

# exits STATUS COMMAND...: runs it; its output is kept in out and err.
exits() {
    want=$1
    shift
    status=0
    "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = "$want" ]
}
# refuses STATUS TEXT COMMAND...: one line on stderr that says TEXT.
refuses() {
    want=$1 text=$2
    shift 2
    exits "$want" "$@" && [ "$(wc -l <"$work/err")" = 1 ] && grep -q -- "$text" "$work/err"
}
# anew NAME COMMAND...: the command ends with 0, and the CSV is its own.
anew() {
    rm -f "$work/a.csv"
    name=$1
    shift
    check "$name" exits 0 "$@"
}
refuses_nothing() { exits 0 "$@" && [ ! -s "$work/err" ]; }
# column NAME: that column of every row of the CSV.
column() { awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i; next } { print $c }' \
    "$work/a.csv"; }
rows() { tail -n +2 "$work/a.csv" | wc -l; }
modes_are() { [ "$(column mode | sort -u)" = "$1" ]; }
# What no machine should be short of: an even number of pairs, an interval around each median, a clock.
fair() {
    tail -n +2 "$work/a.csv" | awk -F, -v header="$(head -n 1 "$work/a.csv")" '
        BEGIN { split(header, name, ","); for (i in name) at[name[i]] = i }
        { m = $at["ms_median"]; r = $at["ratio"] }
        $at["pairs"] < 4 || $at["pairs"] % 2 { exit 1 }
        !($at["ms_min"] <= $at["ms_low"] && $at["ms_low"] <= m && m <= $at["ms_high"] &&
            $at["ms_high"] <= $at["ms_max"]) { exit 1 }
        !($at["ratio_low"] <= r && r <= $at["ratio_high"]) { exit 1 }'
}
# Every row has a clock that such a GPU may run at.
clocked() { ! column clock_mhz | awk '$1 > 300 && $1 < 4000 { next } { bad = 1 } END { exit !bad }'; }
complete() { [ "$(rows)" = "$1" ] && ! column ms_median | grep -qv '[0-9]' &&
    [ "$(column ratio | grep -c '[0-9]')" = "$1" ]; }

# held_against: every row names the call that is its baseline, and the library's version.
held_against() { ! column baseline_call | grep -qv '^cublas' && ! column calls_tried | grep -qv '^[1-9]' &&
    ! column calls_wrong | grep -qv '^[0-9]' && ! column cublas | grep -qv '^[0-9]'; }

for run in step0[1-5]/run; do
    step=$(dirname "$run")
    wants "$step" || continue
    variants=$("./$run" --list | grep -vc "^--")
    anew "$step is timed and recorded" "./$run" --size 64 --time 0.02 --csv "$work/a.csv"
    check "$step: a complete row a variant" complete "$variants"
    check "$step: the baseline's call" held_against
    check "$step: short kernels in graphs" modes_are graph
    check "$step is resumed" exits 0 "./$run" --size 64 --time 0.02 --csv "$work/a.csv" --resume
    check "$step: nothing was measured again" [ "$(rows)" = "$variants" ]
    check "$step: alpha and beta, padded rows" exits 0 "./$run" --m 130 --n 257 --k 65 --lda 70 --ldb 260 --ldc 300 \
        --alpha -0.5 --beta 2 --time 0.02
    check "$step: warm" exits 0 "./$run" --size 256 --warm --time 0.02
    check "$step: no baseline" exits 0 "./$run" --size 100 --no-baseline --time 0.02
    check "$step: nothing to time" exits 0 "./$run" --m 0 --n 5 --k 5
    check "$step: its occupancy is listed" exits 0 "./$run" --list --verbose
done

if wants step05; then
    run=step05/run
    anew "long kernels between events" "./$run" --size 2048 --time 0.05 --csv "$work/a.csv"
    check "their mode is events" modes_are events
    check "their clock is measured" clocked
    check "pairs, sets and intervals are recorded" eval 'fair && [ "$(column sets | sort -u)" -gt 1 ]'
    set -- --size 512 --time 0.02 --chain --csv "$work/a.csv"
    anew "a chain" "./$run" "$@"
    check "a chain: its rows say so" eval 'modes_are chain && [ "$(column cache | sort -u)" = warm ] && fair'
    check "a chain is resumed" exits 0 "./$run" "$@" --resume
    check "no chain was measured again" [ "$(rows)" = "$("./$run" --list | wc -l)" ]
    check "a chain is no other measurement" exits 0 "./$run" --size 512 --time 0.02 --warm --csv "$work/a.csv" --resume
    check "... which is made" [ "$(rows)" = $((2 * $("./$run" --list | wc -l))) ]
    check "too large a problem is refused" refuses 2 "needs .* GB, may take .* GB" "./$run" --size 1000000
    check "a device that is not there" refuses 2 "--device 99" "./$run" --size 64 --device 99
    check "hidden devices" refuses 3 "CUDA_VISIBLE_DEVICES" env CUDA_VISIBLE_DEVICES= "./$run" --size 64
fi

# ---- step 6: tensor cores, their types and layouts, fallbacks, and continuous load ----

step=step06
tensor() { ./step06/run --time 0.02 "$@"; }
# takes DTYPE LAYOUT: how many variants do not refuse that here.
takes() {
    exits 0 ./step06/run --size 64 --time 0.005 --no-baseline --dtype "$1" --layout "$2"
    grep '^[a-z][a-z0-9_]*  *64  *64  *64 ' "$work/out" | grep -cv ' skipped: '
}
if wants step06 && [ -x step06/run ]; then
    cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
    for kind in f16:tn:wmma f16:nn:best bf16:tn:best bf16:nn:best s8:tn:mma_s8_tile tf32:tn:best tf32:nn:best \
        tf32x3:tn:best tf32x3:nn:best; do
        dtype=${kind%%:*} layout=${kind#*:}
        variant=${layout#*:} layout=${layout%:*}
        if [ "$dtype" = tf32x3 ] && [ "$cc" != 90 ]; then continue; fi
        if [ "$variant" = best ] && [ "$cc" -lt 80 ]; then continue; fi
        count=$(takes "$dtype" "$layout")
        set -- --size 64 --dtype "$dtype" --layout "$layout" --csv "$work/a.csv"
        anew "$step $dtype $layout is timed and recorded" tensor "$@"
        check "$step $dtype $layout: a complete row for each variant that takes it" \
            eval '[ "${count:-0}" -ge 1 ] && complete "$count"'
        check "$step $dtype $layout: $variant among them" grep -q "^step06_tensorcore,$variant," "$work/a.csv"
        check "$step $dtype $layout: rows say so" [ "$(tail -n +2 "$work/a.csv" | cut -d, -f4,5 | sort -u)" = \
            "$dtype,$layout" ]
        check "$step $dtype $layout is resumed" exits 0 tensor "$@" --resume
        check "$step $dtype $layout: nothing was measured again" [ "$(rows)" = "$count" ]
        # More tiles than multiprocessors, several stages of K: aligned, and beside it.
        scalars="--alpha -2 --beta 3"
        check "$step $dtype $layout: many tiles" exits 0 tensor --dtype "$dtype" --layout "$layout" --m 2064 --n 3120 \
            --k 1040 --no-baseline
        check "$step $dtype $layout: many tiles, none of them whole, alpha and beta" exits 0 tensor --dtype "$dtype" \
            --layout "$layout" --m 2065 --n 3121 --k 1041 --no-baseline $scalars
        check "$step $dtype $layout: less than a tile of K" exits 0 tensor --dtype "$dtype" --layout "$layout" \
            --m 4096 --n 2048 --k 16 --no-baseline $scalars
    done
    for dtype in f16 bf16; do
        if [ "$dtype" = bf16 ] && [ "$cc" -lt 80 ]; then continue; fi
        anew "$step $dtype, C in f32" tensor --dtype $dtype --out f32 --size 528 --csv "$work/a.csv"
        check "$step $dtype, C in f32: rows say so" [ "$(column dtype | sort -u)" = "$dtype>f32" ]
    done
    check "$step: s8 nn is refused by all" [ "$(takes s8 nn)" = 0 ]
    check "$step: its occupancy is listed" exits 0 ./step06/run --list --verbose
    if [ "$cc" = 90 ]; then
        check "$step: rows off 16 bytes" exits 0 tensor --m 130 --n 130 --k 65 --no-baseline --variant best
        check "$step: ... are copied, or multistage's" grep -q 'copied first\|by multistage' "$work/out"
        set -- --size 4096 --sustained 1 --variant best --csv "$work/a.csv"
        anew "$step: continuous load" tensor "$@"
        check "$step: a row short and a row sustained" eval '[ "$(column mode | tr "\n" " ")" = "events sustained " ] &&
            complete 2'
        check "$step: continuous load is resumed" exits 0 tensor "$@" --resume
        check "$step: no load again" [ "$(rows)" = 2 ]
    fi
fi

# ---- step 7: a GEMV, its read ceiling, its autotuner, chains and programmatic dependent launch ----

step=step07
gemv() { ./step07/run --time 0.02 "$@"; }
best() { gemv --variant best --no-baseline "$@"; }
# tally COLUMN: "COUNT VALUE COUNT VALUE ..." of that column, sorted by value.
tally() { column "$1" | sort | uniq -c | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
timed() { ! column ms_median | grep -qv '[0-9]' && ! grep -q skipped "$work/out"; }
# complete_gemv VARIANTS RATIOS: a row a variant and one of the ceiling, all timed, RATIOS of them against the baseline.
complete_gemv() { timed && [ "$(tally op)" = "$1 gemv 1 read" ] && [ "$(column ratio | grep -c '[0-9]')" = "$2" ]; }
tune=$work/kernel-ladder/gemv.tune # the default place
# entries: the tune file's of `best`; winner: of the latest; chosen: which the last run took.
entries() { sed '1d; /^#/d' "$tune" | grep "^best$(printf '\t')"; }
winner() { entries | awk -F '\t' 'END { print $(NF - 1) }'; }
chosen() { sed -n 's/^    best: \(n[0-9].*\)/\1/p' "$work/out"; }
# searched TIMES: what --tune-csv holds of `best`, as often as the first search wrote.
searched() { [ "$(grep -c ',best,' "$work/tune.csv")" = $(($1 * one_search)) ]; }
# kept ENTRIES: the tune file is whole and holds so many.
kept() { head -n 1 "$tune" | grep -q '^kernel-ladder tune file' && [ "$(entries | wc -l)" = "$1" ]; }

if wants step07; then
    variants=$(./step07/run --list | wc -l)
    set -- --size 64 --csv "$work/a.csv" --tune-csv "$work/tune.csv"
    anew "$step is timed and recorded" gemv "$@"
    check "$step: a complete row a variant, and the read ceiling" complete_gemv "$variants" "$variants"
    check "$step: in graphs" modes_are graph
    one_search=$(grep -c ',best,' "$work/tune.csv")
    check "$step: the search was recorded" [ "$one_search" -ge 8 ]
    check "$step: the tune file was made" kept 1
    check "$step is resumed" exits 0 gemv "$@" --resume
    check "$step: nothing was measured again" [ "$(rows)" = $((variants + 1)) ]
    check "$step: nothing was searched again" searched 1

    set -- --size 64 --verbose --tune-csv "$work/tune.csv"
    check "$step: tuned already" exits 0 best "$@"
    check "$step: no search where it is tuned" searched 1
    check "$step: the tune file's candidate" [ "$(chosen)" = "$(winner)" ]
    cp "$tune" "$work/before"
    check "$step: --no-tune at another shape" exits 0 best --size 80 --no-tune --verbose
    check "$step: --no-tune takes the nearest shape's" grep -q '^    best: as tuned for n 64, k 64$' "$work/out"
    check "$step: ... its candidate" [ "$(chosen)" = "$(winner)" ]
    check "$step: --no-tune writes nothing" cmp -s "$tune" "$work/before"
    check "$step: --retune" exits 0 best "$@" --retune
    check "$step: --retune searches again" searched 2
    check "$step: --retune adds an entry" kept 2
    awk -F '\t' -v OFS='\t' 'NR > 1 && !/^#/ { $3 = "another" } { print }' "$tune" >"$work/rebuilt"
    cp "$work/rebuilt" "$tune"
    check "$step: what another build found" exits 0 best --size 80 --no-tune --verbose
    check "$step: ... is not the nearest" eval '! grep -q "as tuned" "$work/out"'
    check "$step: ... is searched for" exits 0 best "$@"
    check "$step: ... and kept for both" eval 'searched 3 && kept 3'
    echo 'kernel-ladder tune file of somebody else' >"$tune"
    check "$step: a corrupted tune file costs one line" refuses 0 'what is tuned is not kept: --tune-file' best "$@"
    check "$step: a corrupted tune file is searched for again" searched 4
    check "$step: a corrupted tune file stays" kept 0
    rm "$tune"
    check "$step: a new tune file" exits 0 best "$@"
    check "$step: --tune-file" exits 0 best --size 64 --no-tune --verbose --tune-file "$work/none"
    check "$step: --tune-file names another file" eval '! grep -q "as tuned" "$work/out" && [ ! -e "$work/none" ]'
    check "$step: a --tune-csv that is something else" refuses 2 'holds something else' best --tune-csv "$tune"
    check "$step: a --tune-csv that cannot be" refuses 2 'No such file' best --tune-csv "$work/no/file"

    # An entry whose candidate, the first one, wants rows of whole 16 bytes, for a shape that has none.
    misfit=$(./step07/run --list --verbose --variant best | sed -n 's/^    \(n[0-9][^:]*\): .*/\1/p' | head -n 1)
    awk -F '\t' -v OFS='\t' -v misfit="$misfit" \
        'NR > 1 && !/^#/ { print; $(NF - 2) = 63; $(NF - 1) = misfit } { print }' "$tune" >"$work/misfit"
    cp "$work/misfit" "$tune"
    check "$step: a misfit" eval 'kept 2 && [ "$(winner)" = "$misfit" ]'
    check "$step: a tuned candidate that does not fit" refuses_nothing best --n 64 --k 63 --no-tune --verbose
    check "$step: one that fits is taken for it" eval '[ -n "$(chosen)" ] && [ "$(chosen)" != "$misfit" ]'
    check "$step: a misfit is searched for" refuses_nothing best --n 64 --k 63 --verbose
    check "$step: ... and replaced" eval 'kept 3 && [ "$(winner)" != "$misfit" ]'

    for dtype in bf16 f32; do
        anew "$step: $dtype" gemv --size 128 --dtype $dtype --no-tune --csv "$work/a.csv"
        check "$step: $dtype, a complete row a variant" complete_gemv "$variants" "$variants"
        check "$step: $dtype, rows say so" [ "$(tally dtype)" = "$((variants + 1)) $dtype" ]
    done
    anew "$step: padded rows" gemv --n 130 --k 257 --lda 300 --no-tune
    check "$step: alpha and beta" exits 0 gemv --n 130 --k 257 --alpha -0.5 --beta 2 --no-tune --csv "$work/a.csv"
    check "$step: alpha and beta, a complete row a variant" complete_gemv "$variants" "$variants"
    anew "$step: warm, no baseline" gemv --size 256 --warm --no-baseline --no-tune --csv "$work/a.csv"
    check "$step: warm, a complete row a variant" complete_gemv "$variants" 0
    check "$step: warm, rows say so" [ "$(tally cache)" = "$((variants + 1)) warm" ]
    check "$step: nothing to time" exits 0 gemv --n 0 --k 5
    check "$step: nothing to time, but verified" [ "$(grep -c 'nothing to time; verified$' "$work/out")" = "$variants" ]
    check "$step: its occupancy is listed" exits 0 ./step07/run --list --verbose
    check "$step: of every candidate" [ "$(grep -c '^    n[0-9].*: [0-9]* threads per block' "$work/out")" -ge 8 ]
    anew "$step: single launches" gemv --sweep article --variant streaming --no-baseline --csv "$work/a.csv"
    check "$step: single launches between events" modes_are events

    set -- --size 128 --no-tune --csv "$work/a.csv"
    anew "$step: a chain" gemv --graph "$@"
    if [ "$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)" -ge 90 ]; then
        check "$step: a chain, both ways" eval 'timed && [ "$(tally mode)" = "$variants graph $variants pdl" ]'
        check "$step: a chain, its ratios" [ "$(column ratio | grep -c '[0-9]')" = "$variants" ]
        check "$step: a chain is resumed" exits 0 gemv --graph "$@" --resume
        check "$step: no chain was measured again" [ "$(rows)" = $((2 * variants)) ]
        check "$step: a chain is no GEMV" [ "$(tally op)" = "$((2 * variants)) gemv_chain" ]
        anew "$step: --pdl" gemv --pdl --size 64 --csv "$work/a.csv"
        check "$step: --pdl, a complete row a variant" complete_gemv "$variants" "$variants"
        check "$step: --pdl, rows say so" [ "$(column mode | grep -cx pdl)" -ge "$variants" ]
        check "$step: --pdl is tuned for itself" kept 4
        check "$step: --pdl is resumed" exits 0 gemv --pdl --size 64 --csv "$work/a.csv" --resume
        check "$step: --pdl, nothing was measured again" [ "$(rows)" = $((variants + 1)) ]
    else
        check "$step: a chain, one way" eval 'timed && [ "$(tally mode)" = "$variants graph" ]'
        check "$step: --pdl needs a newer GPU" refuses 2 "--pdl: needs sm_90" gemv --pdl --size 64
    fi
fi

# ---- step 8: searches, timed and recorded; records of files, copied beside the search ----

step=step08
knn() { ./step08/run --time 0.02 "$@"; }
# same_as_cpu: every method that ran found what the CPU finds.
same_as_cpu() { [ "$(grep -c "the same neighbours and distances as the CPU's$" "$work/out")" = "$1" ]; }

if wants step08 && [ -x step08/run ]; then
    set -- --m 50 --n 3000 --d 20 --k 10 --csv "$work/a.csv"
    anew "$step is timed and recorded" knn "$@"
    variants=$(($(./step08/run --list | wc -l) - $(grep -c ' skipped: ' "$work/out")))
    check "$step: a row for each method that serves" eval '[ "$variants" -ge 12 ] && [ "$(rows)" = "$variants" ]'
    check "$step: all of them timed" eval '! column ms_median | grep -qv "[0-9]"'
    check "$step: between events, and warm" [ "$(column mode | sort -u) $(column cache | sort -u)" = "events warm" ]
    check "$step: rows say what was searched" [ "$(tail -n +2 "$work/a.csv" | cut -d, -f3,6-9 | sort -u)" = \
        knn,50,3000,10,20 ]
    check "$step is resumed" exits 0 knn "$@" --resume
    check "$step: nothing was measured again" [ "$(rows)" = "$variants" ]
    check "$step: nothing to time" exits 0 knn --m 0 --n 50 --d 5 --k 5
    check "$step: what takes k up to 256" exits 2 knn --n 3000 --k 257 --m 9 --method direct+warpselect
    check "$step: ... says so" grep -q 'skipped: takes k up to 256' "$work/out"
    check "$step: too large a problem is refused" refuses 2 "needs .* GB, may take" knn --n 2000000000 --d 100
    check "$step: auto says what it chose" exits 0 knn --m 50 --n 3000 --method direct+auto --verbose
    check "$step: ... T1, T2 and which" grep -Eq 'T1 = .*, T2 = .*; chosen: (kpass|bitonic)$' "$work/out"
    check "$step: its occupancy is listed" exits 0 ./step08/run --list --verbose

    awk 'BEGIN { for (i = 0; i < 40000; i++) { for (j = 0; j < 15; j++)
        printf "%d,", i * (j + 7) % 50; print i % 3 } }' \
        >"$work/test.csv"
    head -n 300 "$work/test.csv" >"$work/train.csv"
    anew "$step: the exact methods that serve" knn --m 2 --n 300 --d 15 --k 7 --csv "$work/a.csv"
    methods=$(column variant | grep -v '^gemm_')
    # shellcheck disable=SC2046 # several options
    check "$step: records of files" exits 0 ./step08/run --train "$work/train.csv" --test "$work/test.csv" --k 7 \
        --verify \
        $(for method in $methods; do echo "--method $method"; done) --out "$work/labels"
    check "$step: every method finds the CPU's neighbours" same_as_cpu "$(echo "$methods" | wc -l)"
    check "$step: a label a query" [ "$(wc -l <"$work/labels")" = 40000 ]
fi
step=step09
if wants step09; then
    for kind in f32:nchw f32:nhwc f16:nhwc bf16:nhwc; do
        dtype=${kind%:*} layout=${kind#*:}
        set -- --c 16 --h 12 --k 24 --r 3 --dtype "$dtype" --layout "$layout" --time 0.02 --csv "$work/a.csv"
        anew "$step $dtype $layout is timed and recorded" ./step09/run "$@"
        count=$(rows)
        check "$step $dtype $layout: best among the rows, all of them timed" \
            eval 'grep -q "^step09_conv,best," "$work/a.csv" && ! column ms_median | grep -qv "[0-9]"'
        check "$step $dtype $layout: rows say so" [ "$(column dtype | sort -u),$(column layout | cut -d " " -f 1 |
            sort -u)" = "$dtype,$layout" ]
        check "$step $dtype $layout is resumed" exits 0 ./step09/run "$@" --resume
        check "$step $dtype $layout: nothing was measured again" [ "$(rows)" = "$count" ]
    done
fi

ended
