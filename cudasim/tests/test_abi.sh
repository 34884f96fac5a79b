#!/bin/sh
# The simulator's runtime library exports what the real one does, and what programs import.
# Ends with "N passed, N failed". SIM_CUDART names another library than build/libcudart.so.13.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0

ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { # NAME: and what is in $work/out
    echo "FAIL $1"
    sed 's/^/    /' "$work/out" | head -n 20
    failed=$((failed + 1))
}
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}
skip() { echo "skipped: $1"; }

sim=${SIM_CUDART:-$root/build/libcudart.so.13}
real=
if [ -f "$root/build/toolkit.mk" ]; then real=$(sed -n 's/^CUDART *:= *//p' "$root/build/toolkit.mk"); fi
if [ ! -f "$sim" ]; then
    skip "no $sim"
    finish
fi
# Names with their version, as the dynamic linker binds them; the version's own entry (type A) is none.
exports() { nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort; }
exports "$sim" >"$work/sim"

if [ -n "$real" ] && [ -f "$real" ]; then
    exports "$real" >"$work/real"
    comm -23 "$work/real" "$work/sim" >"$work/out"
    if [ -s "$work/real" ] && [ ! -s "$work/out" ]; then
        ok "all $(wc -l <"$work/real") symbols of the real library are there"
    else
        fail "symbols of the real library are missing"
    fi
    comm -13 "$work/real" "$work/sim" | grep -v '^cudasim_' >"$work/out"
    if [ ! -s "$work/out" ]; then ok "nothing else but cudasim_* is exported"; else fail "more is exported"; fi
else
    skip "no real libcudart (CUDART in build/toolkit.mk: ${real:-not there})"
fi

readelf -d "$sim" >"$work/out"
if grep -q 'soname: \[libcudart.so.13\]' "$work/out"; then ok "soname"; else fail "soname"; fi

programs=0
for program in "$root"/build/tests/programs/*; do
    [ -f "$program" ] || continue
    nm -D --undefined-only "$program" 2>/dev/null | awk '{ print $2 }' |
        grep -E '^(__)?cuda' | sed 's/@\([^@]\)/@@\1/' |
        sort -u >"$work/needs"
    [ -s "$work/needs" ] || continue
    programs=$((programs + 1))
    comm -23 "$work/needs" "$work/sim" >"$work/out"
    if [ ! -s "$work/out" ]; then
        ok "imports of ${program#"$root"/}"
    else
        fail "imports of ${program#"$root"/}"
    fi
done
[ "$programs" -gt 0 ] || skip "no program with a shared CUDA runtime"
finish
