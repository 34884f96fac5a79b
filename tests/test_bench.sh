#!/bin/sh
# Tests scripts/bench.sh on a fake machine: what it measures, that it continues where it was interrupted, and that nothing
# recorded is lost.
# shellcheck disable=SC2317 # the cases are called by name
set -u
name=bench
. "$(dirname "$0")/script_case.sh"

# A GPU, a make that has nothing to do, a clock on which a minute passes a run, and steps that record what was recorded.
machine() {
    rm -rf "$tmp/machine" plots/data build step0*
    mkdir -p "$tmp/machine" build step01_naive step06_tensorcore step07_gemv
    cat >"$tmp/machine/nvidia-smi" <<'END'
#!/bin/sh
case $* in
-L) echo "GPU 0: made up" ;;
*gpu=name*) echo "Made-Up GPU" ;;
*compute_cap*) echo "${FAKE_CC:-9.0}" ;;
esac
END
    printf '#!/bin/sh\n' >"$tmp/machine/make"
    cat >"$tmp/machine/date" <<'END'
#!/bin/sh
case $1 in +%s) echo $((60 * $(wc -l <"$CALLS"))) ;; *) echo 2026-11-22 ;; esac
END
    cat >step01_naive/run <<'END'
#!/bin/sh
echo "$@" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
while [ $# != 0 ]; do
    case $1 in --csv) csv=$2 ;; --tune-csv) search=$2 ;; --tune-file) tuned=$2 ;; esac
    shift
done
[ -e "$csv" ] || head -n 1 "$RECORDED/sgemm.csv" >"$csv"
sed 1d "$RECORDED/$(basename "$csv")" >>"$csv"
if [ -n "${tuned:-}" ] && [ ! -e "$tuned" ]; then
    mkdir -p "$(dirname "$tuned")"
    echo tuned >"$tuned"
    cat "$RECORDED/gemv_search.csv" >"$search"
fi
END
    chmod +x "$tmp"/machine/* step01_naive/run
    for step in step06_tensorcore step07_gemv; do cp step01_naive/run $step/; done
    for step in step0?_*; do ln -s "$step" "${step%%_*}"; done
    CALLS=$tmp/calls RECORDED=$recorded
    export CALLS RECORDED
    : >"$CALLS"
    PATH=$tmp/machine:$PATH
    folder=plots/data/made-up-gpu
    tensor="--csv $folder/tensorcore.csv --resume"
    gemv="--csv $folder/gemv.csv --resume --tune-file build/bench/gemv.tune --tune-csv $folder/gemv_search.csv"
}
best="--variant multistage --variant persistent"

of_sgemm_and_gemv() {
    machine
    BENCH_STEPS="step01 step07" status 0 scripts/bench.sh && same "$(cat "$CALLS")" "\
--sweep square --csv $folder/sgemm.csv --resume
--sweep article --csv $folder/sgemm.csv --resume
--sweep odd --csv $folder/sgemm.csv --resume
--sweep square --time 0.3 $gemv
--sweep square --time 0.3 --pdl --variant streaming --variant autotuned $gemv
--sweep square --time 0.3 --warm --variant shuffle --variant streaming --variant autotuned $gemv
--sweep square --time 0.3 --dtype bf16 --variant autotuned $gemv
--sweep square --time 0.3 --dtype bf16 --pdl --variant autotuned $gemv
--sweep square --time 0.3 --dtype f32 --variant autotuned $gemv
--sweep square --time 0.3 --dtype f32 --pdl --variant autotuned $gemv
--sweep square --time 0.3 --graph --variant streaming --variant autotuned $gemv
--sweep article $gemv
--sweep odd --time 0.3 $gemv
--sweep odd --time 0.3 --pdl --variant streaming --variant autotuned $gemv" &&
        same "$(ls $folder | tr '\n' ' ')" "gemv.csv gemv_search.csv sgemm.csv " || return 1
    : >"$CALLS"
    FAKE_CC=8.9 BENCH_STEPS=step07 status 0 scripts/bench.sh && ! grep -q pdl "$CALLS" && lines "$CALLS" 7
}
of_tensor_cores() {
    machine
    BENCH_STEPS=step06 status 0 scripts/bench.sh && lines "$CALLS" 65 && same "$(sort -u "$CALLS" | wc -l)" 65 &&
        says "bench: 1 of 65: step06 --dtype f16 --layout tn --size 4096" &&
        says "bench: 65 of 65: step06 --dtype bf16 --layout tn --size 16384" &&
        same "$(sed -n '1,4p;9p' "$CALLS")" "--dtype f16 --layout tn --size 4096 --time 0.5 $tensor
--dtype s8 --layout tn --size 4096 --time 0.5 $tensor
--dtype f16 --layout tn --size 1024 --time 0.5 $best $tensor
--dtype f16 --layout nn --size 1024 --time 0.5 $best $tensor
--dtype tf32 --layout nn --size 1024 --time 0.5 $best $tensor" &&
        holds "$CALLS" "--dtype tf32x3 --layout nn --size 16384 --time 0.5 --variant tf32x3 $tensor" &&
        holds "$CALLS" "--dtype f16 --layout tn --m 8192 --n 8192 --k 72 --time 0.5 $best $tensor" &&
        holds "$CALLS" "--dtype bf16 --layout tn --size 8192 --time 0.5 --sustained 10 --variant persistent $tensor" &&
        ! grep -q 's8 --layout nn' "$CALLS"
}
narrowed() {
    machine
    BENCH_STEPS=step06 SWEEPS=square DTYPES=bf16 LAYOUTS=nn SIZES="1024 8192" status 0 scripts/bench.sh &&
        same "$(cat "$CALLS")" "--dtype bf16 --layout nn --size 1024 --time 0.5 $best $tensor
--dtype bf16 --layout nn --size 8192 --time 0.5 $best $tensor" || return 1
    : >"$CALLS"
    BENCH_STEPS=step06 SWEEPS="odd sustained" DTYPES=f16 LAYOUTS=tn SIZES=4096 status 0 scripts/bench.sh &&
        same "$(grep -c -e --sustained "$CALLS")" 1 && same "$(grep -c -e ' --k ' "$CALLS")" 6 && lines "$CALLS" 7 || return 1
    : >"$CALLS"
    BENCH_STEPS="step01 step06 step07_gemv" SWEEPS=article status 0 scripts/bench.sh && lines "$CALLS" 2 || return 1
    : >"$CALLS"
    BENCH_STEPS=step01 SWEEPS=sustained status 0 scripts/bench.sh && [ ! -s "$CALLS" ]
}
in_pieces() { # MINUTES ends it early, and the same command continues
    machine
    MINUTES=3 BENCH_STEPS=step06 SWEEPS=odd LAYOUTS=tn status 0 scripts/bench.sh && lines "$CALLS" 3 &&
        says "bench: 3 minutes are over after 3 of 6 runs; run the same command to continue" || return 1
    : >"$CALLS"
    MINUTES=1 FORCE=1 BENCH_STEPS=step06 SWEEPS=odd status 0 scripts/bench.sh &&
        says "after 1 of 12 runs; run the same command without FORCE to continue"
}
refuses() {
    machine
    for wrong in SWEEPS=even DTYPES=f32 LAYOUTS=tt SIZES=4k SIZES=0 MINUTES=x; do
        (export "${wrong?}" && status 2 scripts/bench.sh && one_line && says "'${wrong#*=}'") || return 1
    done
    [ ! -s "$CALLS" ]
}
starts_afresh() { # FORCE: the files of the steps asked for, and the autotuner's search
    machine
    BENCH_STEPS="step01 step07" status 0 scripts/bench.sh && cp -R $folder "$tmp/before" && echo mine >build/bench/gemv.tune ||
        return 1
    SWEEPS=article BENCH_STEPS=step07 status 0 scripts/bench.sh && same "$(cat build/bench/gemv.tune)" mine || return 1
    rm -r $folder && cp -R "$tmp/before" $folder
    FORCE=1 SWEEPS=article BENCH_STEPS=step07 status 0 scripts/bench.sh && same "$(cat build/bench/gemv.tune)" tuned &&
        cmp $folder/gemv.csv "$recorded/gemv.csv" && cmp $folder/sgemm.csv "$tmp/before/sgemm.csv" &&
        same "$(ls $folder | tr '\n' ' ')" "gemv.csv gemv_search.csv sgemm.csv "
}
keeps_what_was_recorded() { # where nothing new comes
    machine
    BENCH_STEPS="step01 step06 step07" SWEEPS=odd LAYOUTS=tn status 0 scripts/bench.sh && cp -R $folder "$tmp/kept" || return 1
    for step in step06 step07; do
        RUN_STATUS=3 FORCE=1 BENCH_STEPS=$step status 3 scripts/bench.sh && says "bench: $step --" &&
            says "failed (exit status 3)" && diff -r $folder "$tmp/kept" || return 1
    done
    rm -r $folder
    RUN_STATUS=3 BENCH_STEPS=step07 status 3 scripts/bench.sh && [ ! -e $folder ]
}

for each in of_sgemm_and_gemv of_tensor_cores narrowed in_pieces refuses starts_afresh keeps_what_was_recorded; do
    check "$each"
done
ended
