#!/bin/sh
# `make install` and `make wheel` (in a clean virtual environment) each give a command that runs a program, with the
# library for every instruction set, and the headers. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
unset CUDASIM_ISA CUDASIM_LIB CUDASIM_DEVICE LD_PRELOAD
work=$(mktemp -d "${TMPDIR:-/tmp}/install.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name:"
        tail -n 20 "$work/out" | sed 's/^/    /'
    fi
}
program=$PWD/build/tests/programs/reduction
expected=$PWD/tests/programs/algorithms/reduction.expected

# works NAME COMMAND: from another folder it runs the program, in every instruction set that this processor has.
works() {
    check "$1: a program" sh -c "cd '$work' && $2 '$program' >result && cmp result '$expected'"
    check "$1: its version" sh -c "[ \"\$($2 --version)\" = $(cat VERSION) ]"
    check "$1: its instruction sets" sh -c "CUDASIM_ISA=baseline $2 '$program'"
    check "$1: counters" sh -c "$2 --counters '$program' | grep -q 'block barriers'"
}
cat >"$work/asks.c" <<'EOF2'
#include <cudasim.h>
#include <banks.h>
#include <dlfcn.h>
int main(void) {
    cudasim_active_function *active;
    *(void **)&active = dlsym(RTLD_DEFAULT, "cudasim_active");
    return active != NULL;
}
EOF2
# headers NAME FOLDER: a program can be compiled with them.
headers() { check "$1: headers" ${CC:-gcc} -Werror -Wall -I "$2" -o "$work/asks" "$work/asks.c" -ldl; }

prefix="$work/a prefix"
MAKEFLAGS=
export MAKEFLAGS
check 'make install' make install PREFIX="$prefix"
check 'nothing else is installed' [ "$(cd "$prefix" && find . -type f | sort | tr '\n' ' ')" = \
    "./bin/cudasim ./include/cudasim/banks.h ./include/cudasim/cudasim.h ./lib/cudasim/VERSION \
./lib/cudasim/libcudart.so.13 " ]
works install "'$prefix/bin/cudasim'"
headers install "$prefix/include/cudasim"
ln -s "$prefix/bin/cudasim" "$work/link"
works 'a link to it' "$work/link"

check 'make wheel' make wheel
check 'a clean environment' python3 -m venv "$work/venv"
check 'pip install' "$work/venv/bin/python" -m pip install --quiet --no-index --no-deps build/wheel/*.whl
check "the wheel's version" sh -c "'$work/venv/bin/python' -m pip show cudasim | grep -qx 'Version: $(cat VERSION)'"
works wheel "$work/venv/bin/cudasim"
headers wheel "$("$work/venv/bin/python" -c 'import cudasim; print(cudasim.INCLUDE)')"
check 'pip uninstall' "$work/venv/bin/python" -m pip uninstall --quiet --yes cudasim
check 'leaves nothing' sh -c "! ls -d '$work'/venv/lib/python*/site-packages/cudasim"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
