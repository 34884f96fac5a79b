#!/bin/sh
# Every exercise (test_exercises.sh NAME...: these) fails as it is handed out, for the reason that its exercise.txt
# states (fails=), and passes with its solution.patch; what looks like a solution and is none fails, one of each; make
# ex and make exercises otherwise. With KL_TEST_ALL=1, and of the NAMEs, all that are none fail, and what solves it
# otherwise passes.
# Last line: "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
tmp=$work
copies=build/exercises_test
rm -rf "$copies"
trap 'rm -rf "$tmp" "$copies" "build/$copies" "build/obj/$copies"' EXIT
CCACHE_DISABLE=1 # an object from another tree's cache has that tree's paths in its lines
export CCACHE_DISABLE
# The simulator takes this PTX alone; what else a reader's copy has would only be compiled.
EX_CODE='-gencode arch=compute_90a,code=compute_90a'
export EX_CODE
unset NAME HINT SHOW RESET
mkdir -p "$copies"
hide_gpu # times are not what is tested
export CUDASIM_NVDISASM=/nowhere
names=${*:-$(cd exercises && echo [0-9]*)}
# What an exercise may define.
symbols='launch_exercise kernel_exercise knn_select_exercise search_exercise launch_conv_exercise kernel_conv_exercise
    workspace_exercise'

check() { logged "$@"; }
ex() { # ex FOLDER VARIABLE=VALUE...: its output in $tmp/out and $tmp/err, its exit status
    folder=$1
    shift
    env MY="$copies/$folder" "$@" sh scripts/ex.sh >"$tmp/out" 2>"$tmp/err"
}
# of OUTPUT NAME: what it says of one.
of() { awk -v name="$2" '/^[0-9]/ { mine = index($0, name ":") == 1 } mine' "$1"; }
refused() { # refused TEXT VARIABLE=VALUE...: exit status 2 and one line that has TEXT
    text=$1
    shift
    ex refused "$@"
    status=$?
    cat "$tmp/out" "$tmp/err"
    [ $status = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -qF -e "$text" "$tmp/err"
}

fails_as_stated() { # in one of the ways that exercise.txt may name
    of "$tmp/handed" "$1" >"$tmp/said"
    cat "$tmp/said"
    grep -q '^not yet' "$tmp/said" || return 1
    for kind in $(sed -n 's/^fails=//p' "exercises/$1/exercise.txt"); do
        case $kind in
        wrong) grep -q '^result    WRONG' "$tmp/said" ;;
        counter)
            grep -q '^result    right$' "$tmp/said" && grep -q '^checks    nothing' "$tmp/said" &&
                grep -q '^counters .* too many$' "$tmp/said"
            ;;
        kernel) grep -q '^result    right$' "$tmp/said" && grep -q '^kernel  ' "$tmp/said" ;;
        *) grep -q "^    $kind" "$tmp/said" && grep -q '^checks    FOUND' "$tmp/said" ;;
        esac || { echo "this is not: $kind"; return 1; }
    done
    # The reader is led to the line: findings name the exercise's own file.
    ! grep -q '^checks    FOUND' "$tmp/said" || grep -q "$1/exercise.cu:[0-9]" "$tmp/said"
}
passes_solved() {
    of "$tmp/solved" "$1"
    of "$tmp/solved" "$1" | grep -q '^done '
}
# exercises/NAME/wrong/*.patch are what somebody may try, named after the mistake, and otherwise.patch is a right
# solution unlike ours. Before the patch stand what it is, and for a wrong one `says:` with what must be said of it (an
# expression). The n-th wrong one of each exercise lies in the folder wrongN.
every=
[ $# = 0 ] && [ -z "${KL_TEST_ALL:-}" ] || every=1
put_patched() {
    for name in $names; do
        n=0
        for patch in "exercises/$name/wrong/"*.patch ${every:+"exercises/$name/otherwise.patch"}; do
            case $patch in */wrong/*) n=$((n + 1)) folder=wrong$n ;; *) folder=otherwise ;; esac
            [ $n = 1 ] || [ -n "$every" ] || break
            mkdir -p "$copies/$folder/$name"
            cp "$copies/handed/$name/exercise.cu" "$copies/$folder/$name/" || return 1
            check "$patch applies" patch -s "$copies/$folder/$name/exercise.cu" "$patch"
            echo "$patch" >"$copies/$folder/$name/patch"
        done
    done
}
# compile_together: nvcc spends much of its time on the headers. So the copies of exercises of a family with the same
# headers of steps, of sixteen at most, are one source, in which each has a namespace and names of its own, and each
# gets that object with its names as the harness knows them. Where the PTX counts (ptx=), ex compiles each alone but for
# wrong ones that are refused for something else.
own_names() { own=$(basename "$(dirname "$1")")_$(basename "$1"); } # COPY
compile_together() {
    for name in $names; do
        batch=$(grep -h -e '^#include "\.\./' -e '^family=' "$copies/handed/$name/exercise.cu" \
            "exercises/$name/exercise.txt")
        batch=$copies/together/$(echo "$batch" | sort | cksum | cut -d ' ' -f 1)
        while [ "$(xargs -n 1 basename 2>/dev/null <"$batch/copies" | sort -u | wc -l)" = 16 ]; do batch=${batch}_; done
        of_ptx=$(sed -n '/^ptx=/p' "exercises/$name/exercise.txt")
        for copy in "$copies"/[!t]*/"$name"; do
            [ -z "$of_ptx" ] || { [ -e "$copy/patch" ] && grep -q '^says: ' "$(cat "$copy/patch")" &&
                ! grep -q '^says: .*kernel' "$(cat "$copy/patch")"; } || continue
            mkdir -p "$batch"
            echo "$copy" >>"$batch/copies"
        done
    done
    [ -d "$copies/together" ] || return 0
    objects=
    for batch in "$copies"/together/*; do
        {
            sed 's|$|/exercise.cu|' "$batch/copies" | xargs cat | grep '^#include' | awk '!seen[$0]++'
            while read -r copy; do
                own_names "$copy"
                echo "namespace $own {"
                for symbol in $symbols; do echo "#define $symbol ${symbol}_$own"; done
                echo "#include \"$root/$copy/exercise.cu\""
                for symbol in $symbols; do echo "#undef $symbol"; done
                echo "}"
            done <"$batch/copies"
        } >"$batch/exercise.cu"
        objects="$objects build/obj/$batch/exercise.cu.o"
    done
    # shellcheck disable=SC2086 # several objects
    MAKEFLAGS='' make --no-print-directory -k -j"$(nproc)" EX="$(echo "$copies/together"/*)" $objects \
        >"$tmp/out" 2>&1 ||
        { tail -n 40 "$tmp/out"; return 1; }
    for batch in "$copies"/together/*; do
        while read -r copy; do
            own_names "$copy"
            mkdir -p "build/obj/$copy"
            # shellcheck disable=SC2046 # several options
            objcopy $(for symbol in $symbols; do echo "--redefine-sym ${symbol}_$own=$symbol"; done) \
                "build/obj/$batch/exercise.cu.o" "build/obj/$copy/exercise.cu.o" || return 1
        done <"$batch/copies"
    done
}
passes_otherwise() {
    of "$tmp/otherwise" "$1"
    ! cmp "$copies/solved/$1/exercise.cu" "$copies/otherwise/$1/exercise.cu" >/dev/null &&
        of "$tmp/otherwise" "$1" | grep -q '^done '
}
is_refused() { # is_refused FOLDER NAME
    of "$tmp/$1" "$2"
    text=$(sed -n 's/^says: //p' "$(cat "$copies/$1/$2/patch")")
    of "$tmp/$1" "$2" | grep -q '^not yet' && [ -n "$text" ] && of "$tmp/$1" "$2" | grep -q -e "$text" ||
        { echo "not said: $text"; return 1; }
}
is_complete() { # what a reader is pointed to exists
    for key in title minutes lesson step family run fails hint1 hint2 hint3; do
        grep -q "^$key=." "exercises/$1/exercise.txt" || { echo "exercise.txt lacks $key"; return 1; }
    done
    lesson=$(sed -n 's/^lesson=//p' "exercises/$1/exercise.txt")
    [ -e "$lesson" ] || { echo "there is no $lesson"; return 1; }
    minutes="($(sed -n 's/^minutes=//p' "exercises/$1/exercise.txt") minutes)"
    ! grep -rh "make ex NAME=$1\`" --include='*.md' step* | grep -v -F "$minutes" | grep 'minutes)' ||
        { echo "it says $minutes"; return 1; }
    [ -e "exercises/$1/otherwise.patch" ] && [ "$(echo "exercises/$1/wrong/"*.patch | wc -w)" -ge 3 ] ||
        { echo "it lacks a right solution unlike ours, or three wrong ones"; return 1; }
    lines=$(grep -c '^[-+][^-+]' "exercises/$1/solution.patch")
    [ "$lines" -le 30 ] || { echo "the solution changes $lines lines"; return 1; }
}
hints() {
    for name in coal 1; do
        ex handed NAME=$name HINT=2 && grep -q "^01_coalesce, hint 2: " "$tmp/out" || return 1
    done
}
diffs() { ex handed NAME=01 SHOW=diff && cmp "$tmp/out" exercises/01_coalesce/solution.patch; }
full_disk() { # one line, no half copy, and the reader's own is not lost
    cannot="ex: cannot write $copies/full/04_beta/exercise.cu: File too large"
    (trap '' XFSZ && ulimit -f 1 && ex full NAME=04)
    [ $? = 2 ] && [ "$(cat "$tmp/err")" = "$cannot" ] && [ -z "$(ls "$copies/full/04_beta")" ] || return 1
    echo mine >"$copies/full/04_beta/exercise.cu"
    (trap '' XFSZ && ulimit -f 1 && ex full NAME=04 RESET=1)
    [ $? = 2 ] && [ "$(cat "$tmp/err")" = "$cannot" ] && [ "$(cat "$copies/full/04_beta/"*)" = mine ]
}
keeps_and_resets() { # the reader's work is kept, and RESET=1 undoes it
    cp "$copies/handed/04_beta/exercise.cu" "$tmp/04_beta"
    echo '// mine' >>"$copies/handed/04_beta/exercise.cu"
    ex handed NAME=04
    grep -q mine "$copies/handed/04_beta/exercise.cu" || return 1
    ex handed NAME=04_beta RESET=1
    cmp "$copies/handed/04_beta/exercise.cu" "$tmp/04_beta"
}
does_not_build() {
    mkdir -p "$copies/broken/04_beta" && echo 'this is no kernel' >"$copies/broken/04_beta/exercise.cu"
    ex broken NAME=04_beta
    [ $? = 1 ] && grep -q "broken/04_beta/exercise.cu(1)" "$tmp/err" && grep -q '^ex: it does not build' "$tmp/err"
}
cards() { # cards FOLDER TEXT
    MY=$copies/$1 sh scripts/exercises.sh >"$tmp/card"
    cat "$tmp/card"
    grep -q "$2" "$tmp/card"
}
# A tree with one exercise and one step, both programs made up, on a machine with a GPU that is made up, too. Each run
# on the GPU takes EXERCISE_MS or STEP_MS, says what EXERCISE_SAYS or STEP_SAYS, and ends with its EXERCISE_STATUS.
make_gpu() {
    gpu="$tmp/a, folder" # with a comma and a blank, as one may have
    mkdir -p "$gpu/bin" "$gpu/scripts" "$gpu/exercises/07_one" "$gpu/build/my/07_one" "$gpu/cudasim/build"
    cp scripts/ex.sh scripts/ex_check.py scripts/gpu.sh "$gpu/scripts"
    cp -R report "$gpu/"
    touch "$gpu/exercises/07_one/exercise.cu" "$gpu/exercises/gemm.c" "$gpu/cudasim/build/libcudart.so.13"
    printf 'title=One\nfamily=gemm\nlesson=a.md\nstep=step03 tile\nrun=--n 8\ngpu=--n 4096 --dtype f32\n' \
        >"$gpu/exercises/07_one/exercise.txt"
    fake "$gpu/bin/nvidia-smi" 'echo "GPU 0: made up"'
    fake "$gpu/run" <<'EOF'
echo "$0 $*" >>"$LOG"
case $0 in
step03/run) ms=$STEP_MS says=${STEP_SAYS:-} status=0 ;;
*) ms=$EXERCISE_MS says=${EXERCISE_SAYS:-} status=${EXERCISE_STATUS:-0} ;;
esac
case $* in *--sim*) printf '%b' "${SIM_SAYS:-}"; exit "${SIM_STATUS:-0}" ;; esac
while [ $# != 0 ]; do
    [ "$1" != --csv ] || csv=$2
    shift
done
[ -z "$ms" ] || printf 'step,variant,mode,ms_median,ms_min\nx,y,events,%s,1\n' "$ms" >"$csv"
printf '%b' "$says" >&2
exit "$status"
EOF
    # The step is there once it has been built.
    fake "$gpu/bin/make" 'case " $* " in *" step03 "*) mkdir -p step03 && cp run step03/run ;; esac'
    cp "$gpu/run" "$gpu/build/my/07_one/run"
}
on_gpu() { # on_gpu STATUS TEXT VARIABLE=VALUE...: how make ex ends there, and a line of what it says
    wants=$1 line=$2
    shift 2
    rm -rf "$gpu/step03" "$gpu/log"
    env PATH="$gpu/bin:$PATH" LOG="$gpu/log" EXERCISE_MS= STEP_MS= NAME=07 "$@" sh "$gpu/scripts/ex.sh" >"$tmp/out" 2>&1
    status=$?
    cat "$tmp/out"
    [ $status = "$wants" ] && grep -qxF -e "$line" "$tmp/out"
}
times_both() { # on the GPU, with the options for that, the step's variant after ours
    on_gpu 0 'time      1.235 ms; step03 tile takes 0.0125 ms (--n 4096 --dtype f32)' EXERCISE_MS=1.23456 \
        STEP_MS=0.0125 &&
        cat "$gpu/log" && [ "$(grep -c -e '--n 4096 --dtype f32 --no-baseline' "$gpu/log")" = 2 ] &&
        grep -q 'step03/run --variant tile --n 4096' "$gpu/log" && ! grep -q -e '--n 4096.*--sim' "$gpu/log" &&
        grep -q '^done' "$tmp/out"
}
predicts() { # without a GPU about how long, at a smaller size, where there is nvdisasm
    fake "$gpu/bin/nvidia-smi" 'exit 9'
    on_gpu 0 'time      about 1.235 ms on an H200, +-15 % (--predict --n 1024 --dtype f32)' EXERCISE_MS=1.23456 \
        CUDASIM_NVDISASM=/bin/true && on_gpu 0 'result    right' EXERCISE_MS=1.2 && ! grep -q '^time' "$tmp/out"
    predicted=$?
    fake "$gpu/bin/nvidia-smi" 'echo "GPU 0: made up"'
    return $predicted
}
wrong_on_gpu() {
    on_gpu 1 '      first at row 3, column 1: expected 2, got 1' EXERCISE_STATUS=1 STEP_MS=1 \
        EXERCISE_SAYS='exercise: 5 of 9 elements wrong\n  first at row 3, column 1: expected 2, got 1\n' &&
        grep -q '^time      WRONG on the GPU, with --n 4096' "$tmp/out" && grep -q '^not yet' "$tmp/out"
}
finds_below_folder() { # a finding is told with its path from the project's folder, whatever characters that has
    on_gpu 1 '    race in my/07_one/exercise.cu:5' SIM_STATUS=1 \
        SIM_SAYS="cudasim: race in $gpu/my/07_one/exercise.cu:5\\ncudasim: 1 finding\\n" &&
        grep -q '^result    right, this time' "$tmp/out" && grep -q '^checks    FOUND' "$tmp/out"
}
names_the_next() {
    mkdir -p "$copies/some/01_coalesce" && echo 'done' >"$copies/some/01_coalesce/state"
    cards some '^1 of .* done; next: make ex NAME=02_two_columns$'
}
keeps_no_best_of_a_miss() { ! grep -q SHARED "$copies/handed/13_pad_four/state"; }
is_no_error_of_makes() {
    MY=$copies/handed make ex NAME=3 >"$tmp/out" 2>&1
    status=$?
    cat "$tmp/out"
    [ $status = 0 ] && grep -q '^not yet' "$tmp/out" && ! grep -q Error "$tmp/out"
}
says_changed() {
    sleep 1
    touch "$copies/solved/01_coalesce/exercise.cu"
    cards solved '^changed *01_coalesce'
}

# shellcheck disable=SC2086 # several names
PYTHONPATH=. python3 -B -m report exercises "$copies/handed" $names
for name in $names; do
    mkdir -p "$copies/solved/$name"
    cp "$copies/handed/$name/exercise.cu" "$copies/solved/$name/"
    check "$name: its patch applies" patch -s "$copies/solved/$name/exercise.cu" "exercises/$name/solution.patch"
done
put_patched
check "the copies are compiled" compile_together
ex handed NAME="$names"
cp "$tmp/out" "$tmp/handed"
cat "$tmp/err"
ex solved NAME="$names"
cp "$tmp/out" "$tmp/solved"
cat "$tmp/err"
for name in $names; do
    check "$name is complete" is_complete "$name"
    check "$name fails as stated" fails_as_stated "$name"
    check "$name passes with its solution" passes_solved "$name"
done
wrong=0 refused=0
for folder in "$copies"/wrong*; do
    folder=$(basename "$folder")
    theirs=$(cd "$copies/$folder" && echo [0-9]*)
    ex "$folder" NAME="$theirs"
    cp "$tmp/out" "$tmp/$folder"
    cat "$tmp/err"
    for name in $theirs; do
        before=$failed
        check "$(cat "$copies/$folder/$name/patch") is refused" is_refused "$folder" "$name"
        wrong=$((wrong + 1)) refused=$((refused + (failed == before)))
    done
done
if [ -n "$every" ]; then
    ex otherwise NAME="$names"
    cp "$tmp/out" "$tmp/otherwise"
    cat "$tmp/err"
    for name in $names; do check "$name, solved otherwise, passes" passes_otherwise "$name"; done
fi
echo "wrong solutions of the exercises: $refused of $wrong caught"
[ $# = 0 ] || { ended; exit; }
check "the card, handed out" cards handed "^0 of $(echo "$names" | wc -w) done"
check "the card, solved" cards solved "^$(echo "$names" | wc -w) of $(echo "$names" | wc -w) done"
check "the card, best counters" cards solved 'best: load_per_request 2.5, store_per_request 4'
check "the card, changed since" says_changed
check "the card, what is next" names_the_next
check "the card, no best that no solution reaches" keeps_no_best_of_a_miss
check "what is not done yet is no error of make's" is_no_error_of_makes
make_gpu
check "on a GPU, both times" times_both
check "without a GPU, about how long" predicts
check "on a GPU, a wrong result there" wrong_on_gpu
check "on a GPU that the kernel does not run on" \
    on_gpu 0 'time      not measured: too old' EXERCISE_STATUS=3 STEP_MS=1 EXERCISE_SAYS='too old\n'
check "on a GPU that the step does not run on" \
    on_gpu 0 'time      not measured: not here' EXERCISE_MS=1 STEP_SAYS='not here\n'
check "a folder with a comma in its name" finds_below_folder
check "hints" hints
check "the solution" diffs
check "a full disk" full_disk
check "a copy is kept, and reset" keeps_and_resets
check "a copy that does not build" does_not_build
check "no name" refused "NAME is not set"
check "a name that is none" refused "there is no exercise '99_none'" NAME=99_none
check "a part of several names" refused "is a part of several names: 05_barrier 06_second_barrier" NAME=barrier
check "a name with a slash" refused "there is no exercise '../x'" NAME=../x
check "hint 4" refused "HINT=4 is not 1, 2 or 3" NAME=01 HINT=4
check "show what" refused "SHOW=all is not diff" NAME=01 SHOW=all
check "reset what" refused "RESET=yes is not 1" NAME=01 RESET=yes
ended
