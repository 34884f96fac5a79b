#!/bin/sh
# Finds what the build needs and installs what is missing, if it can. Costs a few milliseconds when all is there.
#
#   deps.sh [--check] [cuda] [plots] [figures] [report] [test] [baselines] [data]
#
# cuda: a C and C++ compiler and the CUDA Toolkit 13, which it writes into build/config.mk, as the Makefile reads it;
# plots: gnuplot and Python; figures: gnuplot where it can be had; report: Python 3.9 with its standard library; test:
# cmocka, OpenBLAS, git, and Open MPI where it can be had; data: numpy, as a wheel in build/numpy where Python has none;
# baselines: OpenBLAS, and ANN where it can be had. --check installs nothing: one line says all that is missing.
# KL_CUDA_SEARCH replaces the list of usual places (the tests use it). The log of an installation is in build/*.log.
# Exit status: 0, or 2 after a sentence that says what to do.
set -eu
cd "$(dirname "$0")/.."

search=${KL_CUDA_SEARCH-/usr/local/cuda /usr/local/cuda-13* /opt/cuda}
cc=${CC:-gcc}
check_only=
if [ "${WHEELS:-}" = 0 ]; then WHEELS=; fi
wheels="nvidia-cuda-nvcc==13.0.* nvidia-cuda-crt==13.0.* nvidia-nvvm==13.0.* nvidia-cuda-runtime==13.0.*
    nvidia-cuda-cccl==13.0.* nvidia-cuda-cuobjdump==13.2.* nvidia-cuda-nvdisasm==13.2.*" # 13.0's have no such wheels

say() { echo "deps: $*" >&2; }
die() { say "$@"; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }
wants() { case " $groups " in *" $1 "*) ;; *) return 1 ;; esac; }
need_build() { { mkdir -p build && [ -w build ]; } 2>/dev/null || die "cannot write to the folder $PWD/build"; }

# --- the distribution's packages -------------------------------------------------------------------------------------

# has_library HEADER LIBRARY: the C compiler finds both, OpenBLAS's header also where Fedora has it.
has_library() {
    echo "#include <$1>" | $cc -E -idirafter /usr/include/openblas -include stdarg.h -include stddef.h \
        -include stdint.h -include setjmp.h - >/dev/null 2>&1 && [ "$($cc -print-file-name="lib$2.so")" != "lib$2.so" ]
}

# All of the standard library: python3-minimal has no sqlite3.
have_python() { python3 -c 'import csv, sqlite3, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; }

# With what it has compiled for this Python; importing it takes longer than all else here.
have_numpy() {
    PYTHONPATH=$PWD/build/numpy python3 -c 'import glob, sys; from importlib import machinery, util
at = util.find_spec("numpy")
sys.exit(not (at and any(glob.glob(f"{glob.escape(folder)}/*core/_multiarray_umath{end}")
    for folder in at.submodule_search_locations for end in machinery.EXTENSION_SUFFIXES)))' 2>/dev/null
}

# missing_packages GROUP...: their Debian names.
missing_packages() {
    for group; do
        case $group in
        cuda)
            have "${cc%% *}" && have g++ || echo build-essential # nvcc drives g++
            find_toolkit || have_pip || echo python3-venv        # for the toolkit's wheels
            ;;
        plots)
            have gnuplot || echo gnuplot-nox
            have_python || echo python3
            ;;
        report) have_python || echo python3 ;;
        test)
            has_library cmocka.h cmocka || echo libcmocka-dev
            has_library cblas.h openblas || echo libopenblas-dev
            have git || echo git
            ;;
        data) have_numpy || have_pip || echo python3-venv ;;
        baselines) has_library cblas.h openblas || echo libopenblas-dev ;;
        esac
    done
}

# The message of --check: everything that is missing, in one line. If a chosen toolkit is unusable,
# the reason follows below.
die_missing() { # PACKAGE...
    missing=$*
    if wants cuda && ! find_toolkit && { [ -z "$rejected" ] || [ -n "${WHEELS:-}" ]; }; then
        missing="${missing:+$missing and }the CUDA Toolkit 13"
    fi
    if wants data; then have_numpy || missing="${missing:+$missing and }numpy"; fi
    [ -z "$missing" ] || die "missing: $missing; type: make deps${WHEELS:+ WHEELS=1}"
}

# waiting LOG COMMAND...: what it says goes into LOG, and onto the terminal where there is one to wait at.
waiting() {
    log=$1 status=0
    shift
    need_build
    if [ -t 2 ]; then
        { "$@" 2>&1 || echo $? >"$log.status"; } | tee "$log" >&2
        if [ -e "$log.status" ]; then status=$(cat "$log.status") && rm "$log.status"; fi
    else
        "$@" >"$log" 2>&1 || status=$?
    fi
    return "$status"
}

apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -q -y --no-install-recommends "$@" || # the lists may be absent or old
        { apt-get update -qq && apt-get install -q -y --no-install-recommends "$@"; }
}
install_packages() {
    command="apt-get install -y $*"
    have apt-get || die "missing: $* (Debian's names); install them with this system's package manager, then try again"
    [ -z "$sudo" ] || die "missing: $*; type: $sudo$command"
    say "installing $* (apt-get)"
    waiting build/apt.log apt_install "$@" ||
        die "apt-get could not install $* (see build/apt.log; is there a network?); type: apt-get update && $command"
}

# optional PACKAGE...: installs what a comparison or figures are missing without, where that asks nobody.
optional() {
    if [ -z "$check_only" ] && have apt-get && [ "$(id -u)" = 0 ]; then
        waiting build/apt.log apt_install "$@" || :
    fi
}

# --- the CUDA Toolkit -------------------------------------------------------------------------------------------------

# toolkit_of NVCC: the folder it belongs to; nvcc may be a link or a wrapper, so ask it.
toolkit_of() {
    top=$("$1" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
    [ -n "$top" ] && cd "$top" 2>/dev/null && pwd
}

# try_toolkit DIR [NVCC]: sets dir, nvcc, version, libdir and cudart when DIR is a usable toolkit; notes why not in
# `rejected` when there is a compiler that will not do.
try_toolkit() {
    dir=$1 nvcc=${2:-$1/bin/nvcc}
    [ -x "$nvcc" ] || return 1
    version=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
    if [ -z "$version" ]; then
        rejected="$rejected $nvcc --version names no CUDA release;"
        return 1
    fi
    if [ "${version%%.*}" -lt 13 ]; then
        rejected="$rejected $nvcc is CUDA $version, older than the 13.0 this project needs;"
        return 1
    fi
    for libdir in "$dir/lib64" "$dir/lib" "$dir"/targets/*/lib; do
        for cudart in "$libdir"/libcudart.so "$libdir"/libcudart.so.*; do
            [ -e "$cudart" ] && [ -e "$dir/include/cuda_runtime_api.h" ] && return 0
        done
    done
    rejected="$rejected $nvcc has no libcudart.so or cuda_runtime_api.h beside it;"
    return 1
}

find_toolkit() {
    rejected=
    if [ -z "${WHEELS:-}" ]; then
        if [ -n "${NVCC:-}" ]; then
            found=$(command -v "$NVCC") || die "NVCC=$NVCC cannot be run; name an nvcc of CUDA 13 or unset NVCC"
            try_toolkit "${CUDA_HOME:-$(toolkit_of "$found")}" "$found" && return 0
        elif [ -n "${CUDA_HOME:-}" ]; then
            try_toolkit "$CUDA_HOME" && return 0
            [ -n "$rejected" ] || rejected=" CUDA_HOME=$CUDA_HOME has no bin/nvcc;"
        else
            if found=$(command -v nvcc); then try_toolkit "$(toolkit_of "$found")" "$found" && return 0; fi
            for place in $search; do try_toolkit "$place" && return 0; done
        fi
    fi
    try_toolkit build/cuda || return
    [ -z "${WHEELS:-}" ] || [ -x build/cuda/bin/cuobjdump ] # wheels of an earlier version lack it
}

# The system's pip, or what it takes to make one in a virtual environment.
have_pip() { python3 -m pip --version >/dev/null 2>&1 || python3 -c 'import ensurepip' 2>/dev/null; }

# A pip that can install into a folder.
find_pip() {
    pip="python3 -m pip"
    if ! $pip --version >/dev/null 2>&1; then
        python3 -m venv build/venv >&2 || die "python3 -m venv failed; type: apt-get install -y python3-venv"
        pip="build/venv/bin/python3 -m pip"
    fi
}

# pip downloads into TMPDIR.
pip_install() (
    export TMPDIR="$PWD/build/wheels"
    exec $pip install --no-deps --only-binary=:all: --disable-pip-version-check --target build/cuda.new $wheels
)
install_wheels() {
    need_build
    find_pip
    wheels_mb=100
    # cuBLAS and cuDNN, the baselines, are half a gigabyte each: only if a GPU can run them. cuDNN compiles kernels.
    if nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
        wheels="$wheels nvidia-cublas==13.1.0.3 nvidia-cudnn-cu13==9.* nvidia-cuda-nvrtc==13.0.*" wheels_mb=1200
    fi
    say "no CUDA Toolkit 13 found: fetching NVIDIA's Python wheels of it (about $wheels_mb MB) into build/cuda"
    rm -rf build/cuda.new build/wheels
    mkdir build/wheels
    set -f # the versions hold a *
    if ! waiting build/pip.log pip_install; then
        rm -rf build/cuda.new build/venv build/wheels
        say "pip could not fetch CUDA's wheels (see build/pip.log; is a Python index reachable?). Where one is, type:"
        say "  python3 -m pip download --no-deps --only-binary=:all: -d wheels" \
            "$(echo $wheels | sed "s/[^ ][^ ]*/'&'/g")"
        die "bring the folder here and type: PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels make deps; or install the CUDA" \
            "Toolkit 13 and type: make CUDA_HOME=/usr/local/cuda"
    fi
    set +f
    new=build/cuda.new/nvidia/cu13
    if [ -d build/cuda.new/nvidia/cudnn ]; then mv build/cuda.new/nvidia/cudnn/lib/* "$new/lib"; fi
    ln -sfn lib "$new/lib64"
    ln -sfn libcudart.so.13 "$new/lib/libcudart.so"
    try_wheels "$new" || die "the wheels' nvcc does not work here (see build/wheels.log); set CUDA_HOME to a CUDA 13"
    rm -rf build/cuda build/venv build/wheels
    mv "$new" build/cuda
    rm -rf build/cuda.new
}

# numpy is only for scripts/data.py.
install_numpy() {
    need_build
    find_pip
    say "fetching numpy into build/numpy"
    rm -rf build/numpy.new
    waiting build/pip.log $pip install --only-binary=:all: --disable-pip-version-check \
        --target build/numpy.new numpy ||
        die "pip could not fetch numpy (see build/pip.log; is a Python index reachable?);" \
            "or type: apt-get install python3-numpy"
    rm -rf build/numpy
    mv build/numpy.new build/numpy
}

# try_wheels DIR: its nvcc makes a program for sm_90a.
try_wheels() {
    printf '__global__ void k(float *p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n' >build/try.cu
    "$1/bin/nvcc" -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -cudart shared -L"$1/lib" \
        -o build/try build/try.cu >build/wheels.log 2>&1 || return 1
    rm -f build/try build/try.cu build/wheels.log
}

# What the Makefile needs to know; rewritten only when it changes.
write_config() {
    need_build
    {
        echo "# Made by scripts/deps.sh at each make."
        echo "CUDA_DIR := $dir"
        echo "CUDA_NVCC := $nvcc"
        echo "CUDA_VERSION := $version"
        echo "CUDA_LIB := $(cd "$libdir" && pwd)"
        echo "CUDART := $cudart"
        echo "CUDA_ARCHS := $("$nvcc" --list-gpu-arch | sed 's/compute_//' | sort -n | tr '\n' ' ')"
    } >build/config.mk.$$
    if cmp -s build/config.mk.$$ build/config.mk; then
        rm -f build/config.mk.$$
    else
        mv build/config.mk.$$ build/config.mk
    fi
}

# ----------------------------------------------------------------------------------------------------------------------

groups=
for argument; do
    case $argument in
    --check) check_only=1 ;;
    cuda | plots | figures | report | test | baselines | data) groups="$groups $argument" ;;
    *) die "unknown argument '$argument' (cuda, plots, figures, report, test, baselines, data, --check)" ;;
    esac
done

groups=${groups:- cuda plots test baselines}
sudo=
[ "$(id -u)" = 0 ] || sudo="sudo "
if [ "$cc" != gcc ]; then have "${cc%% *}" || die "CC=$cc cannot be run"; fi # gcc comes with a package
packages=$(missing_packages $groups)
if [ -n "$check_only" ]; then
    die_missing $packages
else
    [ -z "$packages" ] || install_packages $packages
fi
if wants baselines; then
    [ -e /usr/include/ANN/ANN.h ] || [ -e /usr/local/include/ANN/ANN.h ] || optional libann-dev
fi
if wants test; then have mpicc || optional libopenmpi-dev openmpi-bin; fi
if wants figures; then
    have gnuplot || optional gnuplot-nox
    have gnuplot || say "no figures without gnuplot; for them type: ${sudo}apt-get install gnuplot-nox"
fi
if wants data; then have_numpy || install_numpy; fi
if wants cuda; then
    if ! find_toolkit; then
        # A compiler that was chosen explicitly is not ignored silently.
        [ -z "$rejected" ] || [ -n "${WHEELS:-}" ] ||
            die "${rejected# } set CUDA_HOME to a CUDA 13, or type: make deps WHEELS=1 (and unset CUDA_HOME, NVCC)"
        install_wheels
        try_toolkit build/cuda || die "build/cuda is not a usable toolkit:$rejected"
    fi
    write_config
fi
