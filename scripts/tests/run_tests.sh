#!/bin/sh
# Runs tests and sums their counts: run_tests.sh [PROGRAM|SCRIPT]... (default: all that `make test` is about, and with
# KL_TEST_ALL=1 in the environment, from `make test-all`, fuzzing and sanitizers too; some scripts have longer lists
# then)
#
# As many run at once as there are processors, and a line says of each how it went when it ends. Each simulates on one
# host thread unless it sets another number; in make test-all, on as many as there are processors. The simulator's own
# tests (make -C cudasim test) and those on the GPU come after the others, and alone. A run that is killed ends what it
# started.
#
# A C test is a cmocka program; a script ends with "N passed, N failed[, N skipped]" and its exit status says the same.
# One that crashes or runs nothing counts as failed. Last line: "N passed, N failed"; exit status 1 when any failed.
set -u
cd "$(dirname "$0")/../.." || exit 1

# The run is a session of its own: tests put children in process groups of theirs (timeout does), but all are found by
# their session.
if [ "${1:-}" != --session ]; then
    setsid sh scripts/tests/run_tests.sh --session "$@" </dev/null &
    session=$!
    members() { sed -n "s/^\([0-9]*\) (.*) [^ZX] [0-9]* [0-9]* $session .*/\1/p" /proc/[0-9]*/stat 2>/dev/null; }
    end() {
        trap '' HUP INT TERM
        for signal in TERM KILL; do
            # shellcheck disable=SC2046 # several processes
            kill -s $signal $(members) 2>/dev/null
            tenths=50 # to clean up
            while [ "$tenths" -gt 0 ]; do
                [ -n "$(members)" ] || exit 130
                tenths=$((tenths - 1))
                sleep 0.1
            done
        done
        exit 130
    }
    trap end HUP INT TERM
    wait "$session"
    exit
fi
shift

logs=build/tests/log
mkdir -p "$logs"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# The tests start Python many times. Where python3 is a script that looks for the real one (pyenv's), that takes longer
# than Python itself, so it is looked up once.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
if [ -n "$python" ] && [ "$python" != "$(command -v python3)" ]; then
    mkdir "$work/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$work/bin/python3"
    chmod +x "$work/bin/python3"
    PATH=$work/bin:$PATH
fi

# The longest first, lest one be left alone at the end.
if [ $# = 0 ]; then
    for test in tests/exercises/test_exercises.sh tests/steps/test_sim_steps.sh tests/scripts/test_build.sh \
        tests/*/test_*.sh tests/*/test_*.c; do
        [ -e "$test" ] || continue
        case " $* " in *" $test "*) continue ;; esac
        case $test in *_fuzz.sh | *_sanitizers.sh) [ -n "${KL_TEST_ALL:-}" ] || continue ;; esac
        case $test in *.c) test=build/${test%.c} ;; esac
        set -- "$@" "$test"
    done
    [ -e report/notes.py ] && set -- "$@" notes-check
    [ -e cudasim/tests/run.sh ] && set -- "$@" cudasim
    nvidia-smi -L 2>/dev/null | grep -q '^GPU ' && set -- "$@" scripts/tests/test_gpu.sh
fi

# run TEST: and one line for judge, its exit status and its name.
run() {
    log=$logs/$(basename "$1").log
    case $1 in
    notes-check) python3 -B -m report notes --check ;;
    cudasim)
        toolkit=$(sed -n 's/^CUDA_DIR := //p' build/config.mk)
        case $toolkit in '' | /*) ;; *) toolkit=$PWD/$toolkit ;; esac
        MAKEFLAGS='' make -C cudasim CUDA_HOME="$toolkit" --no-print-directory test${KL_TEST_ALL:+-all}
        ;;
    *.sh) sh "$1" ;;
    *) "./$1" ;;
    esac >"$log" 2>&1
    status=$?
    [ "$1" != cudasim ] || sed -i '/^make.*: \*\*\* /d' "$log" # the counts shall be the last line
    echo "$status $1"
}

# worker TEST...: those that no other has taken yet, in order; those that run alone are not for it.
worker() {
    [ -n "${KL_TEST_ALL:-}" ] || export CUDASIM_THREADS=1
    for test; do
        [ "$test" != scripts/tests/test_gpu.sh ] && [ "$test" != cudasim ] &&
            mkdir "$work/$(basename "$test")" 2>/dev/null && run "$test"
    done
}

# sum PATTERN: the sum of the numbers that PATTERN (a sed expression with one group) picks from the log.
sum() { sed -n "s/$1/\\1/p" "$log" | awk '{ n += $1 } END { print n + 0 }'; }

judge() {
    passed=0 failed=0 course=
    while read -r status test; do
        log=$logs/$(basename "$test").log s=
        case $test in
        notes-check) p=$((status == 0)) f=$((status != 0)) ;;
        *.sh | cudasim)
            [ "$test" != cudasim ] || course="$passed passed, $failed failed"
            p=$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, [0-9]* failed.*/\1/p')
            f=$(tail -n 1 "$log" | sed -n 's/^[0-9]* passed, \([0-9]*\) failed.*/\1/p')
            s=$(tail -n 1 "$log" | sed -n 's/^[0-9]* passed, [0-9]* failed, \([0-9]* skipped\)$/\1/p')
            ;;
        *)
            p=$(sum '^\[  PASSED  \] \([0-9]*\) test.*')
            f=$(sum '^\[  FAILED  \] \([0-9]*\) test.*')
            ;;
        esac
        p=${p:-0} f=${f:-0} why=
        if [ "$status" != 0 ] && [ "$f" = 0 ]; then
            f=1 why=" (exit status $status)"
        elif [ "$((p + f))" = 0 ]; then
            f=1 why=" (it ran nothing)"
        fi
        passed=$((passed + p)) failed=$((failed + f))
        if [ "$f" = 0 ]; then
            [ "$test" != cudasim ] || sed '$d' "$log"
            echo "ok    $(basename "$test"): $p passed${s:+, $s}"
            sed -n 's/^wrong solutions of/      &/p' "$log"
        else
            echo "FAIL  $(basename "$test"): $p passed, $f failed$why; the end of $log, without what passed:"
            grep -v '^ok ' "$log" | tail -n 40 | sed 's/^/      /'
        fi
    done
    [ -z "$course" ] || echo "the course: $course; cudasim: $(tail -n 1 "$logs/cudasim.log")"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" != 0 ]
}

{
    processors=$(nproc 2>/dev/null || echo 1)
    while [ "$processors" -gt 0 ]; do
        worker "$@" &
        processors=$((processors - 1))
    done
    wait
    case " $* " in *" cudasim "*) run cudasim ;; esac
    case " $* " in *" scripts/tests/test_gpu.sh "*) run scripts/tests/test_gpu.sh ;; esac
} | judge
