#!/bin/sh
# help: check the style of all sources: clang-format, clang-tidy, ruff, shellcheck (from PyPI, pinned); 120 columns
#   lint.sh --install    fetches the tools that scripts/lint.txt names, where they are not there
#   lint.sh --format     runs clang-format on every .c, .h, .cu and .cuh
#   lint.sh              all but clang-tidy (scripts/make/lint.mk), on what has changed since it last passed
# Exit status: 0, 1 for a fault, 2 where the tools cannot be had.
set -u
cd "$(dirname "$0")/.." || exit 2
bin=build/lint/bin
stamp=build/lint/passed
files() { # files FIND'S CONDITIONS...: of ours, one a line
    find . \( -path ./build -o -path ./cudasim/build -o -path ./.git -o -path ./data -o -path ./my \) -prune -o \
        -type f "$@" -print
}
c_files() { files \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) "$@"; }

install() {
    if cmp -s scripts/lint.txt build/lint/installed && [ -x $bin/clang-tidy ]; then
        touch build/lint/installed
        return
    fi
    rm -rf build/lint
    mkdir -p build
    echo "lint: fetching $(paste -s -d ' ' scripts/lint.txt) into build/lint (150 MB)" >&2
    if ! { python3 -m venv build/lint && $bin/pip install --quiet --disable-pip-version-check \
        --only-binary=:all: -r scripts/lint.txt; } >build/lint.log 2>&1; then
        rm -rf build/lint
        echo "lint: the tools cannot be fetched (see build/lint.log; python3-venv and a Python index are needed)" >&2
        exit 2
    fi
    cp scripts/lint.txt build/lint/installed
}

case ${1:-} in
'') ;;
--install) install; exit ;;
--format)
    install
    c_files | xargs $bin/clang-format -i
    exit
    ;;
*) echo "lint: unknown argument '$1' (--install, --format)" >&2; exit 2 ;;
esac

install
newer= status=0
if [ -n "$(find $stamp -newer .clang-format -newer scripts/lint.txt -newer scripts/lint.sh 2>/dev/null)" ]; then
    newer="-newer $stamp"
fi
touch build/lint/began
jobs=$(nproc 2>/dev/null || echo 1)
# shellcheck disable=SC2086 # two words or none
c_files $newer | xargs -r -P "$jobs" -n 60 $bin/clang-format --dry-run -Werror || status=1
# shellcheck disable=SC2086 # two words or none
files \( -name '*.sh' -o -path './.ci/run' \) $newer |
    xargs -r -P "$jobs" -n 10 $bin/shellcheck -S warning -f gcc || status=1
# Tables of conformance are as wide as an instruction takes.
wide=$(files \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh' -o -name '*.mk' \
    -o -name Makefile \) ! -path './cudasim/tests/conformance/*' | LC_ALL=C.UTF-8 xargs grep -nHE '^.{121,}' |
    sed 's/^\(\.\/[^:]*:[0-9]*\):.*/\1: more than 120 columns/')
[ -z "$wide" ] || { echo "$wide"; status=1; }
$bin/ruff check --quiet --output-format concise --cache-dir build/lint/ruff . || status=1
if [ "$status" = 0 ]; then mv build/lint/began $stamp; fi
exit "$status"
