#!/bin/sh
# The test runner, scripts/run_tests.sh, with fake tests, processors and a fake GPU. Ends with "N passed, N failed".
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0

ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { # NAME: and what the command said
    echo "FAIL $1"
    sed 's/^/    /' "$work/out" | tail -n 20
    failed=$((failed + 1))
}
# run COMMAND...: its output in $work/out, its exit status in $status.
run() { status=0 && "$@" >"$work/out" 2>&1 || status=$?; }
# check NAME CONDITION: ok when the condition, a command line, succeeds.
check() { if eval "$2"; then ok "$1"; else fail "$1"; fi; }
said() { grep -q -e "$1" "$work/out"; }
last() { [ "$(tail -n 1 "$work/out")" = "$1" ]; }
# ended FILE: the process that it names is no more, or nobody has asked yet how it ended.
ended() { ! grep -qs '^[0-9]* (.*) [^ZX]' "/proc/$(cat "$1")/stat"; }
# patiently CONDITION: until it holds, at most ten seconds.
patiently() {
    tries=100
    until eval "$1"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

tree=$work/tree
mkdir -p "$tree/scripts" "$tree/tests" "$tree/build/tests" "$work/bin" "$work/gpu"
cp "$root/scripts/run_tests.sh" "$tree/scripts"
cd "$tree" || exit 1
printf '#!/bin/sh\necho "${PROCESSORS:-2}"\n' >"$work/bin/nproc"
printf '#!/bin/sh\nexit 9\n' >"$work/bin/nvidia-smi"
printf '#!/bin/sh\necho "GPU 0: made up"\n' >"$work/gpu/nvidia-smi"
chmod +x "$work/bin"/* "$work/gpu"/*
PATH=$work/bin:$PATH
marks=$work # what the tests made up here say to each other
export marks

# --- what it says of one ---
echo 'echo "3 passed, 0 failed"' >good.sh
echo 'echo "3 passed, 0 failed, 2 skipped"' >skips.sh
echo 'seq 50; echo "3 passed, 1 failed"; exit 1' >bad.sh
echo 'echo "3 passed, 0 failed"; exit 7' >crashes.sh
echo 'echo nothing' >idle.sh
printf '#!/bin/sh\necho "[  PASSED  ] 4 test(s)."\n' >c_good
printf '#!/bin/sh\necho "[  PASSED  ] 4 test(s)."\necho "[  FAILED  ] 2 test(s)"\nexit 2\n' >c_bad
chmod +x c_good c_bad

run sh scripts/run_tests.sh good.sh skips.sh c_good
check "what passes: a line each, the sum, exit 0" '[ "$status" = 0 ] && said "^ok    good.sh: 3 passed$" &&
    said "^ok    skips.sh: 3 passed, 2 skipped$" && said "^ok    c_good: 4 passed$" && last "10 passed, 0 failed"'
run sh scripts/run_tests.sh good.sh bad.sh
check "a failure: the end of the log, exit 1" '[ "$status" = 1 ] && said "^ok    good.sh: 3 passed$" &&
    said "^FAIL  bad.sh: 3 passed, 1 failed; the end of build/tests/log/bad.sh.log:$" && last "6 passed, 1 failed" &&
    [ "$(grep -c "^      " "$work/out")" = 40 ] && said "^      50$"'
run sh scripts/run_tests.sh c_bad
check "a failure in C" '[ "$status" = 1 ] && said "^FAIL  c_bad: 4 passed, 2 failed; " && last "4 passed, 2 failed"'
run sh scripts/run_tests.sh crashes.sh idle.sh nowhere
check "one that crashes, runs nothing or is not there has failed" '[ "$status" = 1 ] &&
    said "^FAIL  crashes.sh: 3 passed, 1 failed (exit status 7); " && said "^FAIL  idle.sh: .* (it ran nothing); " &&
    said "^FAIL  nowhere: 0 passed, 1 failed (exit status 127); " && last "3 passed, 3 failed"'

# --- which run, and when ---
# Each says that it is there and waits for the other.
for pair in one:other other:one; do
    cat >"meets_${pair%:*}.sh" <<END
: >"\$marks/${pair%:*}"
for try in \$(seq "\$TRIES"); do
    if [ -e "\$marks/${pair#*:}" ]; then echo "1 passed, 0 failed"; exit; fi
    sleep 0.1
done
echo "0 passed, 1 failed"
exit 1
END
done
run env TRIES=100 sh scripts/run_tests.sh meets_one.sh meets_other.sh
check "on two processors two run at once" 'last "2 passed, 0 failed"'
rm -f "$work/one" "$work/other"
run env PROCESSORS=1 TRIES=5 sh scripts/run_tests.sh meets_one.sh meets_other.sh
check "on one they run one after the other, in order" 'said "^FAIL  meets_one.sh" && said "^ok    meets_other.sh" &&
    last "1 passed, 1 failed"'
cat >slow.sh <<'END'
for try in $(seq 100); do # until it is said how another went
    if grep -q 'ok    skips.sh' "$marks/out"; then echo "1 passed, 0 failed"; exit; fi
    sleep 0.1
done
echo "0 passed, 1 failed"
exit 1
END
run sh scripts/run_tests.sh slow.sh good.sh skips.sh
check "how one went is said when it ends" 'last "7 passed, 0 failed"'

cp good.sh tests/test_script.sh
: >tests/test_program.c
cp c_good build/tests/test_program
echo 'sleep 0.3; : >"$marks/done"; echo "1 passed, 0 failed"' >tests/test_slow.sh
echo 'if [ -e "$marks/done" ]; then echo "8 passed, 0 failed"; else echo "0 passed, 1 failed"; exit 1; fi' \
    >scripts/test_gpu.sh
run sh scripts/run_tests.sh
check "all: the scripts and programs of tests" 'said "^ok    test_script.sh: 3 passed$" &&
    said "^ok    test_program: 4 passed$" && last "8 passed, 0 failed" && ! said "test_gpu"'
rm -f "$work/done"
run env PATH="$work/gpu:$PATH" PROCESSORS=9 sh scripts/run_tests.sh
check "the GPU's tests come alone, after all others" 'said "^ok    test_gpu.sh: 8 passed$" && last "16 passed, 0 failed"'

# --- killed ---
# A test in each of the ways to have a child, and one that would come next.
cat >forks.sh <<'END'
trap 'exit 130' INT TERM
sleep 1000 &
echo $! >"$marks/pid.child"
timeout 1000 sh -c 'echo $$ >"$marks/pid.group"; sleep 1000; :' # timeout makes a process group
END
echo 'echo $$ >"$marks/pid.next"; sleep 1000' >next.sh
for signal in TERM; do # not HUP: under nohup a shell cannot take it
    rm -f "$work"/pid.*
    PROCESSORS=1 TMPDIR=$work sh scripts/run_tests.sh forks.sh next.sh >"$work/out" 2>&1 &
    run=$!
    patiently '[ -s "$work/pid.child" ] && [ -s "$work/pid.group" ]'
    kill -s $signal $run
    status=0
    wait $run || status=$?
    check "killed by $signal it ends what it started" '[ "$status" = 130 ] && [ ! -e "$work/pid.next" ] &&
        ended "$work/pid.child" && ended "$work/pid.group"'
    check "killed by $signal it leaves no files" '! ls -d "$work"/tmp.* 2>/dev/null'
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
