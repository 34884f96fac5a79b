#!/bin/sh
# tests/bench.sh holds kinds of instructions to what was recorded of them, only with the instruction set that it was
# recorded with: on a simulator that takes made-up times, a shuffle those of $SHUFFLE additions; without AVX-512 if
# $WITHOUT_V4. Ends with "N passed, N failed".
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
mkdir "$tmp/tests"
cp "$(dirname "$0")/bench.sh" "$tmp/tests/"
cat >"$tmp/cudasim" <<'END'
#!/bin/sh
if [ "${CUDASIM_ISA:-}" = v4 ] && [ -n "${WITHOUT_V4:-}" ]; then
    echo "cudasim: CUDASIM_ISA=v4: this processor does not have it" >&2
    exit 2
fi
case $1 in
*/sim) echo "add_chain 2" && echo "shuffle $((2 * SHUFFLE))" ;;
*/launches) echo "launches 0.1 s" ;;
*) echo "product 0.1" ;;
esac
END
chmod +x "$tmp/cudasim"
passed=0 failed=0
# bench NAME STATUS WITH WITHOUT [SETTING]...: it exits so, and prints the one text and not the other.
bench() {
    name=$1 status=$2 with=$3 without=$4
    shift 4
    env "$@" sh "$tmp/tests/bench.sh" >"$tmp/out" 2>&1
    if [ $? = "$status" ] && grep -qF "$with" "$tmp/out" && ! grep -qF "$without" "$tmp/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name:"
        cat "$tmp/out"
    fi
}
bench 'as recorded' 0 'recorded 4.0' 'held to nothing' SHUFFLE=4
bench 'slower' 1 'TWICE AS SLOW' 'held to nothing' SHUFFLE=9
bench 'without AVX-512' 0 '9.0 adds, recorded 4.0' 'TWICE AS SLOW' SHUFFLE=9 WITHOUT_V4=1
bench 'which is said' 0 'held to nothing' 'TWICE AS SLOW' SHUFFLE=9 WITHOUT_V4=1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
