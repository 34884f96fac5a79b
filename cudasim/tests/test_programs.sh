#!/bin/sh
# The programs of tests/programs in the simulator: on every host thread, those whose blocks wait for one another or add
# to the same words on one, and with TEST_ALL=1 (make test-all) all on one, those on seven, and in the instruction sets
# that every processor has. Then what cudasim and the simulator refuse: one line
# that says what, and a status that is not 0. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CUDASIM_DEVICE CUDASIM_THREADS CUDASIM_ISA CUDASIM_WATCHDOG CUDASIM_LIB LD_PRELOAD
passed=0 failed=0

# programs WHAT [NAME=VALUE]... [-- PROGRAM...]: run.sh, and its counts added to these.
programs() {
    what=$1
    shift
    settings=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do settings="$settings $1" && shift; done
    [ $# -eq 0 ] || shift
    # shellcheck disable=SC2086 # one word a setting
    env $settings sh tests/programs/run.sh --sim build/tests/programs "$@" >"$work/out" 2>&1
    sed '$d' "$work/out"
    counts=$(tail -n 1 "$work/out")
    case $counts in
    *' passed, '*' failed')
        echo "$what: $counts"
        passed=$((passed + ${counts%% *}))
        counts=${counts#*, }
        failed=$((failed + ${counts%% *}))
        ;;
    *) echo "FAIL $what: run.sh ended with: $counts" && failed=$((failed + 1)) ;;
    esac
}

# refuses NAME STATUS TEXT COMMAND...: it exits with the status, says TEXT in the one line that it says, prints nothing.
refuses() {
    name=$1 status=$2 text=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ "$got" = "$status" ] && [ ! -s "$work/out" ] &&
        [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -e "$text" "$work/err"
    then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "FAIL $name: exit status $got, not $status; or not one line with '$text':"
        cat "$work/out" "$work/err"
        failed=$((failed + 1))
    fi
}

programs "all threads"
together='cluster_reduction cooperative_grid_sync spin_lock atomics_all reduction printf wgmma_cluster_gemm'
# shellcheck disable=SC2046 # several names
programs "one thread" CUDASIM_THREADS=1 $([ -n "${TEST_ALL:-}" ] || echo "-- $together")
if [ -n "${TEST_ALL:-}" ]; then
    sim_all=CUDASIM_LIB=build/all/libcudart.so.13
    # shellcheck disable=SC2086 # several names
    programs "seven threads" CUDASIM_THREADS=7 -- $together
    programs "baseline" $sim_all CUDASIM_ISA=baseline -- half_precision fft mandelbrot nbody warp_intrinsics collatz \
        scan transpose tensor_gemm wgmma_cluster_gemm wmma_gemm
    programs "baseline, one thread" $sim_all CUDASIM_ISA=baseline CUDASIM_THREADS=1 -- recursion function_pointers \
        bitonic_sort
fi

# One fat binary with PTX for several devices: each runs its own (sm_90 above).
for device in sm_75 sm_80 sm_86 sm_89; do
    if CUDASIM_DEVICE=$device ./cudasim build/tests/programs/multi_arch >"$work/out" 2>&1; then
        echo "ok multi_arch on $device" && passed=$((passed + 1))
    else
        echo "FAIL multi_arch on $device" && failed=$((failed + 1)) && cat "$work/out"
    fi
done

sim=./cudasim
scan=build/tests/programs/scan
refuses "a program that is not there" 127 "no such program" $sim "$work/nowhere"
refuses "a program without CUDA" 2 "does not use the shared CUDA runtime" $sim /bin/sh -c true
refuses "a simulator that is not built" 3 " is missing: make -C " env CUDASIM_LIB="$work/nowhere" $sim $scan
refuses "a folder in the place of the simulator" 3 " is missing: make -C " env CUDASIM_LIB="$work" $sim $scan
refuses "an unknown device" 2 "CUDASIM_DEVICE=sm_99" env CUDASIM_DEVICE=sm_99 $sim $scan
refuses "an unknown instruction set" 2 "CUDASIM_ISA=foo" env CUDASIM_ISA=foo $sim $scan
# The loader takes a blank or a colon in the library's path for the end of it.
mkdir "$work/a folder: this"
cp build/libcudart.so.13 "$work/a folder: this/"
for asks in "$scan" "--explain barriers"; do
    # shellcheck disable=SC2086 # several words
    if CUDASIM_LIB="$work/a folder: this/libcudart.so.13" $sim $asks >"$work/out" 2>&1 &&
        ! grep -q 'ld\.so' "$work/out"; then
        echo "ok a blank and a colon in the simulator's path: $asks" && passed=$((passed + 1))
    else
        echo "FAIL a blank and a colon in the simulator's path: $asks" && failed=$((failed + 1)) && cat "$work/out"
    fi
done
for value in x -1 2x 0 1.5 1e1 inf 1025 99999999999999999999 ' 2'; do
    refuses "CUDASIM_THREADS=$value" 2 "CUDASIM_THREADS=$value is not a whole number" \
        env CUDASIM_THREADS="$value" $sim $scan
done
for value in x -1 2x inf nan ' 2'; do
    refuses "CUDASIM_WATCHDOG=$value" 2 "CUDASIM_WATCHDOG=$value is not a number of seconds" \
        env CUDASIM_WATCHDOG="$value" $sim $scan
done
# limited KIB COMMAND...: with no more address space than that.
limited() { (ulimit -v "$1" && shift && exec "$@"); }
for kib in 1000000 8000000 17500000; do
    refuses "an address space of $kib KiB" 3 "no address space for the device's memory" limited $kib $sim $scan
done
if limited 20000000 $sim $scan >"$work/out" 2>&1; then
    echo "ok an address space that suffices" && passed=$((passed + 1))
else
    echo "FAIL an address space that suffices" && failed=$((failed + 1)) && cat "$work/out"
fi
$sim >"$work/out" 2>&1
if [ $? = 2 ] && grep -q '^cudasim .*PROGRAM ARGS' "$work/out"; then
    echo "ok no argument: how to call it" && passed=$((passed + 1))
else
    echo "FAIL no argument: how to call it" && failed=$((failed + 1)) && cat "$work/out"
fi

# A program with a CUDA runtime of its own, where the toolkit has one to give.
nvcc=$(sed -n 's/^CUDA_NVCC := //p' build/toolkit.mk)
printf '#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n' >"$work/static.cu"
if "$nvcc" -cudart static -o "$work/static" "$work/static.cu" >"$work/out" 2>&1; then
    refuses "a program with a static CUDA runtime" 2 "build it with -cudart shared" $sim "$work/static"
else
    echo "skipped: no static CUDA runtime here"
fi

# Programs of the driver's API, with and without the runtime.
printf 'int cuInit(unsigned f) { return (int)f; }\nint cuCtxCreate_v4(void) { return 0; }\n' >"$work/driver.c"
cat >"$work/both.c" <<'EOF'
int cuInit(unsigned flags);
int cuCtxCreate_v4(void);
#ifdef RUNTIME
int cudaDeviceSynchronize(void);
#else
#define cudaDeviceSynchronize() 0
#endif
int main(void) { return cuInit(0) + cuCtxCreate_v4() + cudaDeviceSynchronize(); }
EOF
runtime=$(sed -n 's/^CUDART := //p' build/toolkit.mk)
if gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so" "$work/driver.c" &&
    gcc -DRUNTIME -o "$work/both" "$work/both.c" "$work/libcuda.so" "$runtime" &&
    gcc -o "$work/driver" "$work/both.c" "$work/libcuda.so"; then
    for program in both driver; do
        refuses "a program of the driver's API ($program)" 2 "calls the CUDA driver (libcuda: cuCtxCreate_v4, cuInit)" \
            $sim "$work/$program"
    done
else
    echo "FAIL programs of the driver's API cannot be built" && failed=$((failed + 1))
fi

# says NAME TEXT...: each text is part of what the program said.
says() {
    name=$1
    shift
    for text; do
        if ! grep -qF -e "$text" "$work/err"; then
            echo "FAIL $name: no '$text' in:" && cat "$work/err" && failed=$((failed + 1))
            return
        fi
    done
    echo "ok $name" && passed=$((passed + 1))
}
cat >"$work/launches.cu" <<'EOF'
template <int N> __global__ void scale(float *data, int n) { data[n] *= N; }
__global__ void __launch_bounds__(64) small(int *) {}
int main() {
    scale<3><<<1, 32, 60000>>>(nullptr, 0);
    scale<3><<<1, 32, 60000>>>(nullptr, 0);
    scale<3><<<1, 32, 300000>>>(nullptr, 0);
    small<<<1, 128>>>(nullptr);
    scale<3><<<1, 32>>>(nullptr, 0);
    return cudaDeviceSynchronize();
}
EOF
# built OPTION...: the program above.
built() { "$nvcc" -cudart shared "$@" -o "$work/launches" "$work/launches.cu" >"$work/err" 2>&1; }
if built --no-compress -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]'; then
    $sim "$work/launches" >"$work/out" 2>"$work/err"
    says "what a launch has too much of, by the kernel's C++ name" \
        "cudasim: kernel void scale<3>(float*, int) cannot be launched: 60000 bytes of dynamic shared memory" \
        "300000 bytes of dynamic and 0 of static shared memory per block, of which sm_90 has 232448" \
        "cudasim: kernel small(int*) cannot be launched: 128 threads per block, where its launch bounds allow 64" \
        "cudasim: illegal address in kernel void scale<3>(float*, int): thread (0,0,0)"
    if [ "$(grep -c ' 60000 ' "$work/err")" = 1 ]; then
        echo "ok it is said once" && passed=$((passed + 1))
    else
        echo "FAIL it is said once" && failed=$((failed + 1))
    fi
fi
built -rdc=true -gencode arch=compute_90a,code=sm_90a && $sim "$work/launches" >"$work/out" 2>"$work/err"
says "a program of linked device code" \
    "linked from several files, which the simulator cannot run: build it without -rdc=true"
built -gencode arch=compute_90a,code=sm_90a && $sim "$work/launches" >"$work/out" 2>"$work/err"
says "a program without PTX" "no PTX in this program: build it with -gencode arch=compute_90,code=compute_90"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
