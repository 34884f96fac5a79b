#!/bin/sh
# The archive's own program (scripts/bundle/bundle.sh puts it there as ./run).
#
#   ./run                        what this machine can do, and what to type
#   ./run step04 [OPTION]...     run that step, on the GPU or, where there is none, in the simulator
#
# Everything it needs lies beside it: nothing is installed and nothing is fetched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
told() { sed -n "s/^$1 //p" "$here/bundle.txt"; }
fail() { echo "run: $1" >&2; exit 2; }
[ "$(uname -m)" = "$(told machine)" ] || fail "these programs are for $(told machine), and this is a $(uname -m)"
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/.* 2\.\([0-9]*\).*/\1/')
needed=$(told glibc)
[ "${glibc:-0}" -ge "${needed#2.}" ] ||
    fail "these programs need glibc $needed or newer, and this system has ${glibc:+2.}${glibc:-another libc}"

if [ $# = 0 ]; then
    echo "kernel-ladder $(told version)"
    if nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
        echo "GPU: $(nvidia-smi -L | head -n 1); the machine code here is for: $(told archs)"
    else
        echo "no GPU here: the steps run in the simulator, on this machine's CPU"
    fi
    missing=
    for tool in gcc g++ make; do command -v $tool >/dev/null 2>&1 || missing="$missing $tool"; done
    for some in "$here"/step[0-9][0-9]; do some=${some##*/}; if [ "$some" = step02 ]; then break; fi; done
    if [ "$(told compiles)" = no ]; then
        echo "no compiler in this archive: the steps run, and cannot be changed"
    elif [ -n "$missing" ]; then
        echo "the steps run; to change one, type: sudo apt-get install build-essential (missing:$missing)"
    else
        echo "a changed kernel is built by, e.g.: make $some; an exercise: make ex NAME=01"
    fi
    echo "type, e.g.: ./run $some, or ./run $some --help"
    exit 0
fi
step=$1
shift
case $step in step[0-9][0-9]) ;; *) fail "'$step' is not a step, e.g.: ./run step02" ;; esac
[ -x "$here/$step/run" ] || fail "there is no $step here, only: $(cd "$here" && echo step[0-9][0-9])"
LD_LIBRARY_PATH=$here/build/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/$step/run" "$@"
