#!/bin/sh
# Every exercise fails as it is handed out, for the reason that its exercise.txt states (fails=), and passes with its
# solution.patch; make ex and make exercises otherwise. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
work=build/exercises_test
rm -rf "$work"
trap 'rm -rf "$tmp" "$work" "build/$work" "build/obj/$work"' EXIT
trap 'exit 130' INT TERM
CCACHE_DISABLE=1 # an object from another tree's cache has that tree's paths in its lines
export CCACHE_DISABLE
unset NAME HINT SHOW RESET
mkdir -p "$tmp/bin" "$work"
printf '#!/bin/sh\nexit 9\n' >"$tmp/bin/nvidia-smi" # times are not what is tested
chmod +x "$tmp/bin/nvidia-smi"
PATH=$tmp/bin:$PATH
names=$(cd exercises && echo [0-9]*)

passed=0 failed=0
check() { # check NAME COMMAND...
    what=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $what"
        sed 's/^/    /' "$tmp/log"
    fi
}
ex() { # ex FOLDER VARIABLE=VALUE...: its output in $tmp/out and $tmp/err, its exit status
    folder=$1
    shift
    env MY="$work/$folder" "$@" sh scripts/ex.sh >"$tmp/out" 2>"$tmp/err"
}
of() { awk -v name="$2" '/^[0-9]/ { mine = index($0, name ":") == 1 } mine' "$1"; } # of OUTPUT NAME: what it says of one
refused() { # refused TEXT VARIABLE=VALUE...: exit status 2 and one line that has TEXT
    text=$1
    shift
    ex refused "$@"
    [ $? = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -qF -e "$text" "$tmp/err" || { cat "$tmp/out" "$tmp/err"; return 1; }
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
                grep -q '^counters .* or less$' "$tmp/said"
            ;;
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
is_complete() { # what a reader is pointed to exists
    for key in title lesson step family run fails hint1 hint2 hint3; do
        grep -q "^$key=." "exercises/$1/exercise.txt" || { echo "exercise.txt lacks $key"; return 1; }
    done
    lesson=$(sed -n 's/^lesson=//p' "exercises/$1/exercise.txt")
    [ -e "$lesson" ] || { echo "there is no $lesson"; return 1; }
    lines=$(grep -c '^[-+][^-+]' "exercises/$1/solution.patch")
    [ "$lines" -le 30 ] || { echo "the solution changes $lines lines"; return 1; }
}
hints() { ex handed NAME=01 HINT=2 && grep -q '^01_coalesce, hint 2: ' "$tmp/out"; }
diffs() { ex handed NAME=01 SHOW=diff && cmp "$tmp/out" exercises/01_coalesce/solution.patch; }
keeps_and_resets() { # the reader's work is kept, and RESET=1 undoes it
    echo '// mine' >>"$work/handed/04_beta/exercise.cu"
    ex handed NAME=04
    grep -q mine "$work/handed/04_beta/exercise.cu" || return 1
    ex handed NAME=04_beta RESET=1
    cmp "$work/handed/04_beta/exercise.cu" exercises/04_beta/exercise.cu
}
does_not_build() {
    mkdir -p "$work/broken/04_beta" && echo 'this is no kernel' >"$work/broken/04_beta/exercise.cu"
    ex broken NAME=04_beta
    [ $? = 1 ] && grep -q "broken/04_beta/exercise.cu(1)" "$tmp/err" && grep -q '^ex: it does not build' "$tmp/err"
}
cards() { # cards FOLDER TEXT
    MY=$work/$1 sh scripts/exercises.sh >"$tmp/card"
    cat "$tmp/card"
    grep -q "$2" "$tmp/card"
}
says_changed() {
    sleep 1
    touch "$work/solved/01_coalesce/exercise.cu"
    cards solved '^changed *01_coalesce'
}

for name in $names; do
    mkdir -p "$work/solved/$name"
    cp "exercises/$name/exercise.cu" "$work/solved/$name/"
    check "$name: its patch applies" patch -s "$work/solved/$name/exercise.cu" "exercises/$name/solution.patch"
done
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
check "the card, handed out" cards handed "^0 of $(echo "$names" | wc -w) done"
check "the card, solved" cards solved "^$(echo "$names" | wc -w) of $(echo "$names" | wc -w) done"
check "the card, best counters" cards solved 'best: load_per_request 2.5, store_per_request 4'
check "the card, changed since" says_changed
check "hints" hints
check "the solution" diffs
check "a copy is kept, and reset" keeps_and_resets
check "a copy that does not build" does_not_build
check "no name" refused "NAME is not set"
check "a name that is none" refused "there is no exercise '99_none'" NAME=99_none
check "a name with a slash" refused "there is no exercise '../x'" NAME=../x
check "hint 4" refused "HINT=4 is not 1, 2 or 3" NAME=01 HINT=4
check "show what" refused "SHOW=all is not diff" NAME=01 SHOW=all
check "reset what" refused "RESET=yes is not 1" NAME=01 RESET=yes
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
