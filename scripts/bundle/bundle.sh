#!/bin/sh
# help: pack what runs offline on another Debian or WSL2: kernel-ladder.tar.xz (OUT=, ARCHS=, STEPS=, RUN_ONLY=1)
# Sources, built steps, the simulator in every instruction set, and the parts of the CUDA Toolkit that compile a kernel,
# as build/cuda, where scripts/deps.sh looks. There make compiles what is changed: objects and libraries go in, too.
# BUILT=1 builds nothing and takes what is there (the tests).
set -eu
cd "$(dirname "$0")/../.."
. scripts/gpu.sh
fail() { echo "bundle: $1" >&2; exit 2; }
out=${OUT:-build/kernel-ladder.tar.xz}
case $out in *.tar.xz) ;; *) fail "OUT=$out does not end in .tar.xz" ;; esac
[ -d "$(dirname "$out")" ] || [ -z "${OUT:-}" ] || fail "OUT=$out: there is no folder $(dirname "$out")"
command -v xz >/dev/null || fail "xz is missing; type: apt-get install xz-utils"
# shellcheck disable=SC2086 # several steps
need_step bundle STEPS ${STEPS:-}
if [ -z "${BUILT:-}" ]; then
    # shellcheck disable=SC2046,SC2086 # several goals
    build_steps ${STEPS:-all} sim-all $(printf 'build/obj/exercises/%s.c.o ' gemm gemv knn conv)
fi

mkdir -p build
work=$(mktemp -d build/bundle.XXXXXX)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
to=$work/kernel-ladder
mkdir -p "$to/cudasim/build" "$to/build/cuda/lib64"

# The sources, without tests: they would double what is unpacked, and they are for those who change the project. A
# repository that this folder merely lies in knows none of them.
{ { [ -e .git ] && git ls-files 2>/dev/null; } ||
    find . -type f ! -path './build/*' ! -path './cudasim/build/*' ! -path './.git/*' ! -path './data/*' \
        ! -path './my/*'; } |
    grep -vE '^(\./)?(tests|cudasim/tests|\.github|\.ci|step[0-9][0-9]_[a-z0-9]*/run)(/|$)' |
    while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done | # but for what is deleted
    tar -cf - -T - | tar -xf - -C "$to"
cp scripts/bundle/bundle_run.sh "$to/run"
chmod +x "$to/run"

copied=
for program in step[0-9][0-9]_*/run; do
    step=${program%%_*}
    case " ${STEPS:-$step} " in *" $step "*) ;; *) continue ;; esac
    [ -x "$program" ] || fail "$program is not built; type: make all"
    cp "$program" "$to/$program"
    ln -s "${program%/run}" "$to/$step"
    copied="$copied $program"
done
library=cudasim/build/all/libcudart.so.13
if [ ! -e "$library" ] && [ -n "${BUILT:-}" ]; then library=cudasim/build/libcudart.so.13; fi
[ -e "$library" ] || fail "$library is missing; type: make sim-all"
cp "$library" "$to/cudasim/build/libcudart.so.13"

# The toolkit: its layout is that of /usr/local/cuda, and of the wheels in build/cuda.
setting() { sed -n "s/^$1 := //p" build/config.mk; }
cuda=$(setting CUDA_DIR)
runtime=$(setting CUDA_LIB)
cp -L "$runtime/libcudart.so.13" "$to/build/cuda/lib64/"
ln -s libcudart.so.13 "$to/build/cuda/lib64/libcudart.so"
if [ -z "${RUN_ONLY:-}" ]; then
    mkdir -p "$to/build/cuda/bin" "$to/build/cuda/nvvm"
    for part in nvcc nvcc.profile cudafe++ fatbinary nvdisasm nvlink ptxas crt; do
        if [ -e "$cuda/bin/$part" ]; then cp -RL "$cuda/bin/$part" "$to/build/cuda/bin/"; fi
    done
    for part in bin libdevice; do cp -RL "$cuda/nvvm/$part" "$to/build/cuda/nvvm/"; done
    cp -RL "$cuda/include" "$to/build/cuda/include"
    for part in libcudadevrt.a libcudart_static.a; do
        if [ -e "$runtime/$part" ]; then cp -L "$runtime/$part" "$to/build/cuda/lib64/"; fi
    done
    cp -R "$to/build/cuda/lib64" "$to/build/cuda/lib"
fi

# What make compares there: objects, libraries and which headers each was made from, without this machine's own. All
# files get the same time, so that nothing seems older than its source.
if [ -z "${RUN_ONLY:-}" ]; then
    mkdir -p "$to/build/obj" "$to/build/gpu"
    cp build/gpu/devices.inc "$to/build/gpu/"
    cp -R build/lib "$to/build/lib"
    for program in $copied exercises/run; do
        if [ -d "build/obj/${program%/run}" ]; then cp -R "build/obj/${program%/run}" "$to/build/obj/"; fi
    done
    find build/obj/common build/obj/exercises build/obj/step* -name '*.d' 2>/dev/null |
        while IFS= read -r file; do
            mkdir -p "$to/${file%/*}"
            sed -E 's,(^| )/[^ ]+,,g' "$file" >"$to/$file"
        done
fi

# What ./run tells of it: the least glibc that its programs ask for, and whose machine code they hold.
# shellcheck disable=SC2086 # several programs
glibc=$(cat $copied "$library" | grep -aoE 'GLIBC_2\.[0-9]+' | sed 's/.*\.//' | sort -nu | tail -n 1)
{
    echo "version $(sh scripts/make/version.sh)"
    echo "glibc 2.$glibc"
    echo "machine $(uname -m)"
    echo "archs $(sed -n 's/^archs := //p' build/archs.mk)"
    echo "compiles $([ -n "${RUN_ONLY:-}" ] && echo no || echo yes)"
} >"$to/bundle.txt"

find "$to" -exec touch -hr "$to/bundle.txt" {} +
tar -C "$work" --owner=0 --group=0 -cf - kernel-ladder | xz -T0 "-${LEVEL:-6}" >"$work/archive"
mv "$work/archive" "$out"
code=$(sed -n 's/^archs //p' "$to/bundle.txt" | sed 's/ *$//; s/ /, sm_/g')
echo "$out: $(du -m "$out" | cut -f 1) MB, unpacked $(du -sm "$to" | cut -f 1) MB; machine code for sm_$code," \
    "glibc 2.$glibc or newer"
echo "there: tar xf $(basename "$out") && kernel-ladder/run"
