#!/bin/sh
# Tests scripts/bench.sh on a fake machine: what it measures, that it continues where it was interrupted, and that
# nothing recorded is lost.
# shellcheck disable=SC2317 # the cases are called by name
set -u
. "$(dirname "$0")/../script_case.sh"

# A GPU, a make that has nothing to do, a clock on which a minute passes a run, and steps that record what was recorded.
machine() {
    rm -rf "$tmp/machine" plots/data build step0*
    mkdir -p build step01_naive step05_doublebuffer step06_tensorcore step07_gemv
    fake_gpu "$tmp/machine" 'Made-Up GPU'
    fake "$tmp/machine/date" <<'END'
case $1 in +%s) echo $((60 * $(wc -l <"$CALLS"))) ;; *) echo 2026-11-22 ;; esac
END
    fake step01_naive/run <<'END'
echo "$@" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
while [ $# != 0 ]; do
    case $1 in --csv) csv=$2 ;; --tune-csv) search=$2 ;; --tune-file) tuned=$2 ;; esac
    shift
done
[ -e "$csv" ] || cat "$HEADER" >"$csv"
sed 1d "$RECORDED/$(basename "$csv")" >>"$csv"
if [ -n "${tuned:-}" ] && [ ! -e "$tuned" ]; then
    mkdir -p "$(dirname "$tuned")"
    echo tuned >"$tuned"
    cat "$RECORDED/gemv_search.csv" >"$search"
fi
END
    python3 -B -m report header sgemm >"$tmp/header"
    for step in step05_doublebuffer step06_tensorcore step07_gemv; do cp step01_naive/run $step/; done
    for step in step0?_*; do ln -s "$step" "${step%%_*}"; done
    CALLS=$tmp/calls RECORDED=$recorded HEADER=$tmp/header
    export CALLS RECORDED HEADER
    : >"$CALLS"
    PATH=$tmp/machine:$PATH
    folder=plots/data/made-up-gpu
    tensor="--time 0.3 --csv $folder/tensorcore.csv --resume"
    gemv="--time 0.3 --csv $folder/gemv.csv --resume --tune-file build/bench/gemv.tune"
    gemv="$gemv --tune-csv $folder/gemv_search.csv"
}
best="--variant best"

calls() { sed "s| --time 0.3 --csv .*||" "$CALLS"; }

of_sgemm_and_gemv() {
    BENCH_STEPS="step01 step07" status 0 scripts/bench.sh && same "$(cat "$CALLS" | sed -n '1,2p')" "\
--sweep square --max-size 1024 --time 0.3 --csv $folder/sgemm.csv --resume
--sweep square --max-size 1024 $gemv" && same "$(calls | grep -v -e square)" "\
--sweep article
--sweep article --max-size 4096
--sweep article --max-size 16384
--sweep odd
--sweep odd
--sweep odd --pdl --variant streaming --variant best" &&
        same "$(grep 'max-size 16384.*sgemm' "$CALLS" | sed 's| --max.*||')" "--sweep square
--sweep article" &&
        same "$(sed -n 's/--sweep square\(.*\) --max-size 16384 .*gemv.csv .*/square\1/p' "$CALLS")" "\
square
square --pdl --variant streaming --variant best
square --warm --variant shuffle --variant streaming --variant best
square --dtype bf16 --variant best
square --dtype bf16 --pdl --variant best
square --dtype f32 --variant best
square --dtype f32 --pdl --variant best
square --graph --variant streaming --variant best" &&
        same "$(ls $folder | tr '\n' ' ')" "gemv.csv gemv_search.csv sgemm.csv " || return 1
    machine
    FAKE_CC=8.9 BENCH_STEPS=step07 status 0 scripts/bench.sh && ! grep -q pdl "$CALLS" && lines "$CALLS" 17
}
of_tensor_cores() {
    BENCH_STEPS=step06 status 0 scripts/bench.sh && lines "$CALLS" 76 && same "$(sort -u "$CALLS" | wc -l)" 76 &&
        says "bench: 1 of 76: step06 --dtype f16 --layout tn --size 4096" &&
        says "bench: 76 of 76: step06 --dtype bf16 --layout tn --size 16384" &&
        same "$(sed -n '1,5p;10p' "$CALLS")" "--dtype f16 --layout tn --size 4096 $tensor
--dtype s8 --layout tn --size 4096 $tensor
--dtype f16 --layout nn --size 4096 --variant mn_major $tensor
--dtype f16 --layout tn --size 1024 $best $tensor
--dtype f16 --layout nn --size 1024 $best $tensor
--dtype tf32 --layout nn --size 1024 $best $tensor" &&
        holds "$CALLS" "--dtype tf32x3 --layout nn --size 16384 --variant best --variant three_products $tensor" &&
        holds "$CALLS" "--dtype f16 --layout tn --m 8192 --n 8192 --k 72 $best $tensor" &&
        holds "$CALLS" "--dtype bf16 --layout tn --size 8192 --sustained 10 --variant best $tensor" &&
        same "$(grep -c -e '16 --layout tn --size [0-9]* --chain --variant best' "$CALLS")" 8 &&
        ! grep -q 's8 --layout nn' "$CALLS"
}
what_matters_comes_first() { # every step's squares before the rest, the small before the large
    status 0 scripts/bench.sh || return 1
    calls | awk '
        function rank() {
            return /--sustained/ ? 5 : /sweep odd| --k / && !/ --d / ? 4 : /--chain/ ? 3 : /article| --d / ? 2 : 1
        }
        function size() { match($0, /size [0-9]*/); return substr($0, RSTART + 5, RLENGTH - 5) + 0 }
        rank() < last { print "too late: " $0; bad = 1 }
        rank() == 1 && NR > 2 && /max-size/ {
            if (size() < largest) { print "too small: " $0; bad = 1 }
            largest = size()
        }
        { last = rank() }
        END { exit bad }' >"$tmp/out" || { cat "$tmp/out"; return 1; }
}
narrowed() {
    BENCH_STEPS=step06 SWEEPS="sustained chain" status 0 scripts/bench.sh && lines "$CALLS" 14 &&
        same "$(sed -n '1p;2p;9p;14p' "$CALLS")" "\
--dtype f16 --layout tn --size 2048 --chain --variant best $tensor
--dtype bf16 --layout tn --size 2048 --chain --variant best $tensor
--dtype f16 --layout tn --size 4096 --sustained 10 --variant best $tensor
--dtype bf16 --layout tn --size 16384 --sustained 10 --variant best $tensor" || return 1
    : >"$CALLS"
    BENCH_STEPS="step01 step06 step07_gemv" SWEEPS=article status 0 scripts/bench.sh && lines "$CALLS" 3 || return 1
    : >"$CALLS"
    BENCH_STEPS="step01 step07" SWEEPS="chain sustained" status 0 scripts/bench.sh && [ ! -s "$CALLS" ]
}
convolutions() { # in each type and layout, the small layers first
    mkdir step09_conv && cp step01_naive/run step09_conv && ln -s step09_conv step09
    BENCH_STEPS=step09 status 0 scripts/bench.sh && lines "$CALLS" 24 &&
        same "$(calls | sed -n '1,4p;10p;13,14p;23p')" "\
--dtype f32 --layout nchw --sweep square --max-size 128
--dtype f32 --layout nhwc --sweep square --max-size 128
--dtype f16 --layout nhwc --sweep square --max-size 128
--dtype f32 --layout nchw --sweep square --max-size 256
--dtype f32 --layout nchw --sweep networks --max-size 128
--dtype bf16 --layout nhwc --sweep networks --variant best --max-size 128
--sweep networks --baseline transformed --variant best --max-size 128
--dtype bf16 --layout nhwc --sweep networks --variant best --max-size 2048" && same "$(ls $folder)" conv.csv || return 1
    : >"$CALLS" # best alone, a second time
    SWEEPS=again BENCH_STEPS="step05 step09" status 0 scripts/bench.sh && lines "$CALLS" 12 &&
        same "$(grep -c -- '--variant best --max-size .*/conv_again.csv' "$CALLS")" 12
}
drawn_at_random() { # where SWEEPS says so; each run a part of a set, in a file of its own
    here="--time 0.3 --csv $folder/random.csv --resume"
    BENCH_STEPS="step01 step05 step06 step07" SWEEPS=random status 0 scripts/bench.sh && lines "$CALLS" 54 &&
        same "$(ls $folder)" random.csv && same "$(sort -u "$CALLS" | wc -l)" 54 &&
        same "$(sed -n '1p;54p' "$CALLS")" "\
--dtype f32 --layout nn --sweep random --spread uniform --max 6000 --multiple 1 --count 15 --seed 1001 $best $here
--dtype bf16 --layout tn --m 64 --n 8192 --k 28672 $best $here" &&
        holds "$CALLS" "--dtype s8 --layout tn --sweep random --spread uniform --max 8192 --multiple 16 --count 15" &&
        same "$(grep -c '^--dtype f32 .* --seed 100[1-8] ' "$CALLS")" 8 || return 1
    mv "$CALLS" "$tmp/first" && : >"$CALLS"
    SWEEPS=final BENCH_STEPS="step05 step06_tensorcore" status 0 scripts/bench.sh && lines "$CALLS" 24 &&
        same "$(sed 's/--seed [345]/--seed 1/' "$CALLS")" "$(head -n 24 "$tmp/first")" || return 1
    : >"$CALLS"
    SWEEPS="odd random" BENCH_STEPS=step05 status 0 scripts/bench.sh && lines "$CALLS" 9 &&
        same "$(ls $folder | tr '\n' ' ')" "random.csv sgemm.csv " || return 1
    : >"$CALLS"
    FAKE_CC=7.5 SWEEPS="random final" BENCH_STEPS=step06 status 0 scripts/bench.sh && [ ! -s "$CALLS" ] || return 1
    cut -d , -f -32 "$recorded/random.csv" >$folder/random.csv
    SWEEPS=random BENCH_STEPS=step05 status 2 scripts/bench.sh && says "$folder/random.csv has other columns" &&
        SWEEPS=odd BENCH_STEPS=step05 status 0 scripts/bench.sh
}
in_pieces() { # MINUTES ends it early, and the same command continues
    MINUTES=3 BENCH_STEPS=step06 SWEEPS=sustained status 0 scripts/bench.sh && lines "$CALLS" 3 &&
        says "bench: the next run might not end within 3 minutes: 3 of 6 runs are done, 123 rows are in $folder" &&
        says "; run the same command to continue" || return 1
    : >"$CALLS"
    MINUTES=6 BENCH_STEPS=step06 SWEEPS=sustained status 0 scripts/bench.sh && lines "$CALLS" 6 &&
        says "bench: 6 of 6 runs are done, 369 rows are in $folder; draw it" || return 1
    : >"$CALLS"
    MINUTES=1 FORCE=1 SECONDS_EACH=0.1 BENCH_STEPS=step06 SWEEPS=odd status 0 scripts/bench.sh &&
        holds "$CALLS" " --time 0.1 --csv" &&
        says ": 1 of 13 runs are done, 41 rows are in $folder; run the same command without FORCE to continue"
}
begins_nothing_long() { # what took the longest so far would not end in time
    sed -i 's/60 \*/100 */' "$tmp/machine/date"
    MINUTES=4 BENCH_STEPS=step06 SWEEPS=sustained status 0 scripts/bench.sh && lines "$CALLS" 2 &&
        says "might not end within 4 minutes: 2 of 6 runs are done"
}
# the steps know which rows they have, and which of them a library that was missing left out
asks_for_everything_again() {
    BENCH_STEPS=step01 SWEEPS=square status 0 scripts/bench.sh && lines "$CALLS" 4 &&
        BENCH_STEPS=step01 SWEEPS=square status 0 scripts/bench.sh && lines "$CALLS" 8 &&
        same "$(sed -n '1,4p' "$CALLS")" "$(sed -n '5,8p' "$CALLS")"
}
continues_what_was_killed() { # in the middle of a run: what is whole stays
    fake step01_naive/run <<'END'
echo "$@" >>"$CALLS"
while [ $# != 0 ]; do case $1 in --csv) csv=$2 ;; --max-size) size=$2 ;; esac; shift; done
[ -e "$csv" ] || cat "$HEADER" >"$csv"
for n in 1 2 3; do
    grep -q "^step01,$size$n," "$csv" || echo "step01,$size$n," >>"$csv"
    if [ "$size$n" = 40962 ] && [ -e "$KILL" ]; then rm "$KILL"; kill -9 $PPID $$; fi
done
END
    KILL=$tmp/kill
    export KILL
    : >"$KILL"
    BENCH_STEPS=step01 SWEEPS=square status 137 scripts/bench.sh && lines $folder/sgemm.csv 6 && lines "$CALLS" 2 ||
        return 1
    cp $folder/sgemm.csv "$tmp/part"
    rm -r build/bench && BENCH_STEPS=step01 SWEEPS=square status 0 scripts/bench.sh && lines $folder/sgemm.csv 13 &&
        same "$(head -n 6 $folder/sgemm.csv)" "$(cat "$tmp/part")" && same "$(sort $folder/sgemm.csv | uniq -d)" "" &&
        says "4 of 4 runs are done, 12 rows"
}
# A run of step 7 as best does it: a problem that the tune file lacks is searched for, and recorded if it is not yet.
tuner() {
    fake step07_gemv/run <<'END'
echo "$@" >>"$CALLS"
chain=gemv
while [ $# != 0 ]; do
    case $1 in --csv) csv=$2 ;; --tune-csv) search=$2 ;; --tune-file) tuned=$2 ;;
    --max-size) size=$2 ;; --graph) chain=chain ;; esac
    shift
done
[ -e "$csv" ] || cat "$HEADER" >"$csv"
[ -e "$search" ] || echo step,variant,dtype,n,k,cache,mode,candidate,us >"$search"
mkdir -p "$(dirname "$tuned")"
if ! grep -q "^step07,best,$chain,f16,n,1,$size," "$csv"; then
    grep -qs "^$size$" "$tuned" || {
        for candidate in a b; do
            echo "step07,best,f16,$size,$size,cold,graph,$candidate,$(cat "$SPEED")" >>"$search"
        done
        echo "$size" >>"$tuned"
    }
    [ ! -e "$KILL" ] || [ "$size" != 4096 ] || { rm "$KILL"; exit 137; }
    echo "step07,best,$chain,f16,n,1,$size,$size,,1,0,cold,graph,1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,," >>"$csv"
fi
END
    KILL=$tmp/kill SPEED=$tmp/speed
    export KILL SPEED
    echo 5 >"$SPEED"
    found=$folder/gemv_search.csv
}
a_lost_tune_file_spoils_nothing() {
    tuner
    FAKE_CC=8.0 SWEEPS=square MINUTES=4 BENCH_STEPS=step07 status 0 scripts/bench.sh && lines "$CALLS" 4 || return 1
    cp $found "$tmp/found"
    rm -r build/bench
    echo 9 >"$SPEED"
    FAKE_CC=8.0 SWEEPS=square BENCH_STEPS=step07 status 0 scripts/bench.sh && lines $folder/gemv.csv 7 &&
        same "$(grep ,1024, $found)" "$(grep ,1024, "$tmp/found")" && lines $found 7 &&
            same "$(grep -c ',9$' $found)" 4 &&
        holds build/bench/gemv.tune 1024 # for the chain, which was not recorded before
}
a_search_without_its_row_is_made_again() { # the run was cut off in between
    tuner
    : >"$KILL"
    FAKE_CC=8.0 SWEEPS=square BENCH_STEPS=step07 status 137 scripts/bench.sh || return 1
    echo 9 >"$SPEED"
    FAKE_CC=8.0 SWEEPS=square BENCH_STEPS=step07 status 0 scripts/bench.sh && lines $folder/gemv.csv 7 &&
        lines $found 7 &&
        same "$(grep -c ',4096,.*,9$' $found)" 2 && same "$(grep -c ',1024,.*,5$' $found)" 2
}
refuses() {
    for wrong in SWEEPS=even MINUTES=x MINUTES=0 MINUTES=08 "MINUTES=3 4" SECONDS_EACH=x SECONDS_EACH=0.0 \
        SECONDS_EACH=1.2.3; do
        (export "${wrong?}" && status 2 scripts/bench.sh && one_line && says "'${wrong#*=}'") || return 1
    done
    [ ! -s "$CALLS" ] || return 1
    mkdir -p $folder
    for file in sgemm tensorcore gemv knn; do cut -d , -f -32 "$recorded/$file.csv" >"$folder/$file.csv"; done
    cp -R $folder "$tmp/older"
    BENCH_STEPS=step01 status 2 scripts/bench.sh && one_line && says "$folder/sgemm.csv has other columns than this " &&
        says "version records; FORCE=1 records it anew" && ! grep -q torch "$tmp/err" || return 1
    rm $folder/sgemm.csv "$tmp/older/sgemm.csv" # which leaves step 1 nothing to wait for
    BENCH_STEPS="step01 step06" status 2 scripts/bench.sh && one_line && says "$folder/tensorcore.csv has other" ||
        return 1
    mkdir step08_knn && cp step01_naive/run step08_knn && ln -s step08_knn step08
    BENCH_STEPS=step08 status 2 scripts/bench.sh && one_line &&
        says "records it anew, and make knn-paper and make knn-torch" &&
        diff -r $folder "$tmp/older" && [ ! -s "$CALLS" ]
}
starts_afresh() { # FORCE: the files of the steps asked for, and the autotuner's search
    BENCH_STEPS="step01 step07" status 0 scripts/bench.sh && cp -R $folder "$tmp/before" &&
        echo mine >build/bench/gemv.tune ||
        return 1
    SWEEPS=odd BENCH_STEPS=step07 status 0 scripts/bench.sh && same "$(cat build/bench/gemv.tune)" mine || return 1
    rm -r $folder && cp -R "$tmp/before" $folder
    FORCE=1 SWEEPS=article BENCH_STEPS=step07 status 0 scripts/bench.sh && same "$(cat build/bench/gemv.tune)" tuned &&
        same "$(wc -l <$folder/gemv.csv)" "$(wc -l <"$recorded/gemv.csv")" &&
            cmp $folder/sgemm.csv "$tmp/before/sgemm.csv" &&
        same "$(ls $folder | tr '\n' ' ')" "gemv.csv gemv_search.csv sgemm.csv "
}
keeps_what_was_recorded() { # where nothing new comes
    BENCH_STEPS="step01 step06 step07" SWEEPS=odd status 0 scripts/bench.sh && cp -R $folder "$tmp/kept" || return 1
    for step in step06 step07; do
        RUN_STATUS=3 FORCE=1 BENCH_STEPS=$step status 3 scripts/bench.sh && says "bench: $step --" &&
            says "failed (exit status 3)" && diff -r $folder "$tmp/kept" || return 1
    done
    rm -r $folder
    RUN_STATUS=3 BENCH_STEPS=step07 status 3 scripts/bench.sh && [ ! -e $folder ] || return 1
    mkdir $folder && cp "$HEADER" $folder/gemv.csv # of a run that failed
    RUN_STATUS=3 BENCH_STEPS=step07 status 3 scripts/bench.sh && [ ! -e $folder ]
}

prepare=machine
cases of_sgemm_and_gemv of_tensor_cores convolutions what_matters_comes_first narrowed drawn_at_random in_pieces \
    begins_nothing_long asks_for_everything_again continues_what_was_killed a_lost_tune_file_spoils_nothing \
    a_search_without_its_row_is_made_again refuses starts_afresh keeps_what_was_recorded
ended
