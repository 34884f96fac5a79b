#!/bin/sh
# What cudasim says of programs that do wrong on the host: device memory touched by its pointer, errors that nobody asks
# for. How a program may end without losing what was found and counted, and what cudasim refuses to run. Ends with
# "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CUDASIM_DEVICE CUDASIM_THREADS CUDASIM_ISA CUDASIM_WATCHDOG CUDASIM_LIB CUDASIM_CHECK LD_PRELOAD
sim=./cudasim
scan=build/tests/programs/scan
nvcc=$(sed -n 's/^CUDA_NVCC := //p' build/toolkit.mk)
passed=0 failed=0

# ends NAME STATUS TEXT COMMAND...: it ends with the status, and what it says has TEXT ('' for nothing on stderr).
ends() {
    name=$1 status=$2 text=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    good=1
    [ "$got" = "$status" ] || good=
    if [ -z "$text" ]; then [ ! -s "$work/err" ] || good=; else grep -qF -e "$text" "$work/err" || good=; fi
    if [ -n "$good" ]; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "FAIL $name: exit status $got, not $status; or not '$text':"
        cat "$work/out" "$work/err"
        failed=$((failed + 1))
    fi
}
# has NAME TEXT FILE: it has the text.
has() {
    if grep -qF -e "$2" "$3"; then
        echo "ok $1" && passed=$((passed + 1))
    else
        echo "FAIL $1: no '$2' in:" && cat "$3" && failed=$((failed + 1))
    fi
}
# built NAME: NAME.cu as it should be built.
built() {
    "$nvcc" -cudart shared --no-compress -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' \
        -o "$work/$1" "$work/$1.cu" \
        >"$work/err" 2>&1 && return
    echo "FAIL $1.cu is not built:" && cat "$work/err" && failed=$((failed + 1))
    return 1
}

# ---- device memory touched by the host -------------------------------------------------------------------------------
cat >"$work/host.cu" <<'END'
#include <cstdio>
#include <cstring>
#include <thread>
__device__ int variable[32];
__managed__ int shared_variable;
__global__ void fill(int *o, const int *seen) { while (seen && *(volatile const int *)seen == 0); o[threadIdx.x] = 7; }
int main(int, char **argv) {
    const char *how = argv[1];
    const bool large = strstr(how, "large");
    int *d, *managed, *pinned, *late;
    cudaMalloc(&d, large ? 8 << 20 : 128);
    cudaMallocManaged(&managed, 128);
    cudaMallocHost(&pinned, 128);
    *pinned = 0;
    if (strstr(how, "at once")) d[1] = 1;
    fill<<<1, 32>>>(d, nullptr);
    if (strstr(how, "waiting")) { // the kernel waits for the host, which may touch what is for both meanwhile
        fill<<<1, 32>>>(managed, pinned);
        std::thread([&] { *pinned = 1; }).join();
    }
    if (cudaDeviceSynchronize() != cudaSuccess) return 9;
    if (strstr(how, "writes")) d[3] = 77;
    if (strstr(how, "reads")) printf("%d\n", d[5]);
    if (strstr(how, "freed")) cudaFree(d), d[2] = 1;
    if (strstr(how, "variable")) {
        cudaGetSymbolAddress((void **)&late, variable);
        late[1] = 1;
    }
    if (strstr(how, "later")) { // what is allocated after the first kernels
        cudaMalloc(&late, 64);
        late[1] = 1;
    }
    fill<<<1, 32>>>(managed, nullptr);
    fill<<<1, 32>>>(pinned, nullptr);
    int *registered = new int[32];
    cudaHostRegister(registered, 128, 0);
    fill<<<1, 32>>>(registered, nullptr);
    shared_variable = 3;
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", managed[1], pinned[2], registered[31], shared_variable);
    return 0;
}
END
if built host; then
    ends "the host writes" 139 "host access: the program's host code writes 0x" $sim "$work/host" writes
    has "it says which memory" ", byte 12 of 128 bytes of device memory" "$work/err"
    has "it is counted" "cudasim: 1 finding" "$work/err"
    ends "the host reads" 139 "host code reads 0x" $sim "$work/host" reads
    ends "the host writes a large allocation" 139 "byte 12 of 8388608 bytes of device memory" \
        $sim "$work/host" "large writes"
    ends "the host writes before the first kernel" 139 "byte 4 of 128 bytes" $sim "$work/host" "at once"
    ends "the host writes a large one before the first kernel" 139 "byte 4 of 8388608" $sim "$work/host" "large at once"
    ends "the host writes what is allocated later" 139 "byte 4 of 64 bytes" $sim "$work/host" later
    ends "the host writes freed memory" 139 "byte 8 of 128 bytes of freed device memory" $sim "$work/host" freed
    ends "the host writes freed memory of a large allocation" 139 "of freed device memory" \
        $sim "$work/host" "large freed"
    ends "the host writes a variable" 139 "byte 4 of variable, 128 bytes of device memory" $sim "$work/host" variable
    ends "the host touches managed, pinned and registered memory" 0 '' $sim "$work/host" right
    has "and finds what the kernels wrote" "7 7 7 3" "$work/out"
    ends "the host touches them while a kernel waits for it" 0 '' $sim "$work/host" waiting
    ends "without checks nothing is protected" 0 '' $sim --no-check "$work/host" writes
fi

# ---- errors that nobody asks for -------------------------------------------------------------------------------------
cat >"$work/errors.cu" <<'END'
#include <cstdio>
#include <cstring>
#include <thread>
__global__ void one(int *o) { o[threadIdx.x] = 1; }
__constant__ int constant;
int main(int, char **argv) {
    const char *how = argv[1];
    int *d, h = 0, count, status = 0;
    cudaMalloc(&d, 8192);
    cudaMemset(d, 0, 8192);
    if (strstr(how, "launch")) one<<<1, 2048>>>(d);
    if (strstr(how, "thread")) std::thread([&] { one<<<0, 32>>>(d); }).join();
    if (strstr(how, "copy")) cudaMemcpy(&constant, &h, 4, cudaMemcpyHostToDevice);
    if (strstr(how, "freed")) cudaFree(d), cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    if (strstr(how, "too much")) while (cudaMalloc(&d, (size_t)1 << 50) == cudaSuccess);
    if (strstr(how, "query")) cudaDeviceGetAttribute(&count, cudaDevAttrWarpSize, 9);
    if (strstr(how, "fault")) one<<<1, 32>>>(nullptr), cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    if (strstr(how, "reset")) cudaDeviceReset();
    if (strstr(how, "asked")) cudaGetLastError();
    if (strstr(how, "peeked")) cudaPeekAtLastError();
    if (strstr(how, "other")) std::thread([] { cudaGetLastError(); }).join(); // it has errors of its own
    if (strstr(how, "one")) status = 1;
    return status;
}
END
if built errors; then
    refused="cudasim: unchecked error: the launch of kernel one(int*) failed with cudaErrorInvalidValue"
    refused="$refused (invalid argument: a grid of 1 x 1 x 1 blocks of 2048 x 1 x 1 threads)"
    ends "a launch that is refused" 1 "$refused, and nobody asked cudaGetLastError" $sim "$work/errors" launch
    has "it is counted" "cudasim: 1 finding" "$work/err"
    ends "a launch, its error asked for" 0 '' $sim "$work/errors" "launch asked"
    ends "a launch, its error looked at" 0 '' $sim "$work/errors" "launch peeked"
    ends "a launch, another thread asks" 1 "unchecked error: the launch" $sim "$work/errors" "launch other"
    ends "a launch of another thread" 1 "unchecked error: the launch" $sim "$work/errors" thread
    ends "a launch before a reset" 1 "unchecked error: the launch" $sim "$work/errors" "launch reset"
    ends "a launch, and the program fails itself" 1 "unchecked error: the launch" $sim "$work/errors" "launch one"
    ends "a copy that is refused" 1 "unchecked error: cudaMemcpy returned cudaErrorInvalidValue" \
        $sim "$work/errors" copy
    ends "a copy from freed memory" 1 "unchecked error: cudaMemcpy returned" $sim "$work/errors" freed
    ends "a copy, and the program fails itself" 1 '' $sim "$work/errors" "copy one"
    ends "a copy, its error asked for" 0 '' $sim "$work/errors" "copy asked"
    ends "more memory than there is" 0 '' $sim "$work/errors" "too much"
    ends "a question" 0 '' $sim "$work/errors" query
    ends "a fault, which later calls return" 1 "illegal address" $sim "$work/errors" fault
    has "it is one finding" "cudasim: 1 finding" "$work/err"
    ends "without checks errors are the program's" 0 '' $sim --no-check "$work/errors" launch
fi

# ---- printf's formats ------------------------------------------------------------------------------------------------
cat >"$work/formats.cu" <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void missing(int a) { printf("%d %d\n", a); }
__global__ void narrow(double a) { printf("%d\n", a); }
__global__ void wide(int a) { printf("%f\n", a); }
__global__ void floating(double a) { printf("%d %ld\n", 3, a); }
__global__ void constant() { printf("%d\n", 1.5); }
__global__ void star(double a) { printf("%*d\n", a, 7); }
__global__ void right(int c, float x, double y, const char *s, long n, char ch, short sh, bool b) {
    printf("%d %d\n", 1, 2);
    printf("%*d %.*f %hhd %hd %c %s %p %lld %lu %zu %x %%\n", 3, c, 2, x, ch, sh, ch, s, s, (long long)n,
           (unsigned long)n, (size_t)n, b);
    if (c) printf("%d %f\n", c, x); else printf("%d %s %ld %c\n", c, s, n, 'c');
    for (int i = 0; i < c; i++) printf("%d %d %ld\n", i, c, n);
    printf(c ? "%d\n" : "%d %d\n", c, c);
    printf("%d %d %d %d\n", 1, 2, 3, 4);
    printf("%f %e %lu %u %d\n", y, 2.0, 3ul, 4, 5);
    printf("more arguments than conversions: %d\n", 1, 2);
    printf("none 100%%\n");
}
int main(int, char **argv) {
    switch (atoi(argv[1])) {
    case 1: missing<<<1, 1>>>(1); break;
    case 2: narrow<<<1, 1>>>(1); break;
    case 3: wide<<<1, 1>>>(1); break;
    case 4: floating<<<1, 1>>>(1); break;
    case 5: constant<<<1, 1>>>(); break;
    case 6: star<<<1, 1>>>(1); break;
    default: right<<<1, 32>>>(2, 3, 4, nullptr, 5, 6, 7, true);
    }
    return cudaDeviceSynchronize();
}
END
if "$nvcc" -w -cudart shared --no-compress -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -o "$work/formats" \
    "$work/formats.cu" >"$work/err" 2>&1; then
    ends "printf without an argument" 1 "conversion 2 of the format, %d, has no argument, in kernel missing" \
        $sim "$work/formats" 1
    ends "printf's %d of a double" 1 "conversion 1 of the format, %d, takes 4 bytes, and its argument has 8" \
        $sim "$work/formats" 2
    ends "printf's %f of an int" 1 "conversion 1 of the format, %f, takes 8 bytes, and its argument has 4" \
        $sim "$work/formats" 3
    ends "printf's %ld of a double" 1 "conversion 2 of the format, %ld, takes an integer" $sim "$work/formats" 4
    ends "printf's %d of a constant" 1 "conversion 1 of the format, %d, takes 4 bytes" $sim "$work/formats" 5
    ends "printf's width of a double" 1 "conversion 1 of the format, %*d, takes 4 bytes" $sim "$work/formats" 6
    ends "printf with what it should have" 0 '' $sim "$work/formats" 7
else
    echo "FAIL formats.cu is not built:" && cat "$work/err" && failed=$((failed + 1))
fi

# ---- libraries of kernels --------------------------------------------------------------------------------------------
echo 'int cublasCreate_v2(void **handle) { *handle = 0; return 1; }' >"$work/cublas.c"
printf '%s\n' 'int cublasCreate_v2(void **);' 'int cudaDeviceSynchronize(void);' \
    'int main(void) { void *h; return cublasCreate_v2(&h) + cudaDeviceSynchronize(); }' >"$work/uses.c"
if gcc -shared -fPIC -Wl,-soname,libcublas.so.13 -o "$work/libcublas.so.13" "$work/cublas.c" &&
    gcc -o "$work/uses" "$work/uses.c" "$work/libcublas.so.13" \
        "$(sed -n 's/^CUDART := //p' build/toolkit.mk)" "-Wl,-rpath,$work"; then
    ends "a program of cuBLAS" 1 "linked with libcublas.so.13: the calls of such libraries fail here" $sim "$work/uses"
fi

# ---- ways to end -----------------------------------------------------------------------------------------------------
cat >"$work/ends.cu" <<'END'
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
__global__ void racy(int *o) {
    __shared__ int s[64];
    s[threadIdx.x] = (int)threadIdx.x;
    o[threadIdx.x] = s[63 - threadIdx.x];
    if (threadIdx.x == 0) printf("from the device\n");
}
__global__ void forever(volatile int *o, volatile int *began) {
    *began = 1;
    while (!o[100]);
}
int main(int, char **argv) {
    const char *how = argv[1];
    int *d;
    cudaMalloc(&d, 4096);
    cudaMemset(d, 0, 4096);
    racy<<<1, 64>>>(d);
    int *began; // whoever waits for the signal sends it himself: a limit of time may be over too soon
    cudaMallocHost(&began, 4);
    *began = 0;
    const int number = strstr(how, "limit") ? SIGTERM : SIGINT;
    if (strstr(how, "kernel") || strstr(how, "waits"))
        std::thread([=] {
            while (!__atomic_load_n(began, __ATOMIC_SEQ_CST)) usleep(1000);
            usleep(100000);
            kill(getpid(), number);
        }).detach();
    if (strstr(how, "kernel")) {
        forever<<<1, 1>>>(d, began);
        cudaDeviceSynchronize();
        fprintf(stderr, "it came back\n");
    }
    if (strstr(how, "child") && fork() == 0) _exit(0); // has nothing to tell
    if (strstr(how, "waits")) {
        cudaDeviceSynchronize();
        __atomic_store_n(began, 1, __ATOMIC_SEQ_CST);
        for (;;) sleep(1);
    }
    if (strstr(how, "aborts")) abort();
    if (strstr(how, "crashes")) *(volatile int *)8 = 1;
    if (strstr(how, "_exit")) _exit(strstr(how, "with 3") ? 3 : 0);
    if (strstr(how, "_Exit")) _Exit(0);
    return 0;
}
END
# told NAME STATUS COMMAND...: it ends so, and findings, counters, trace and the device's output are there, once.
told() {
    name=$1 status=$2
    shift 2
    rm -f "$work/trace"
    ends "$name" "$status" "cudasim: race: " "$@"
    has "$name: the summary" "cudasim: 2 findings" "$work/err"
    has "$name: counters" "shared store requests" "$work/out"
    has "$name: the device's output" "from the device" "$work/out"
    has "$name: the trace" "racy" "$work/trace"
    lines=$(grep -c '^cudasim: .* findings' "$work/err")
    [ "$lines" = 1 ] || { echo "FAIL $name: $lines summaries" && failed=$((failed + 1)); }
}
if built ends; then
    counted="$sim --counters --trace $work/trace"
    # shellcheck disable=SC2086 # several words
    {
        told "the end of main" 1 $counted "$work/ends" returns
        told "_exit(0)" 1 $counted "$work/ends" _exit
        told "_Exit(0)" 1 $counted "$work/ends" _Exit
        told "_exit(3)" 3 $counted "$work/ends" "_exit with 3"
        told "a child that calls _exit" 1 $counted "$work/ends" child
        told "abort" 134 $counted "$work/ends" aborts
        told "a crash of the host's code" 139 $counted "$work/ends" crashes
        told "an interrupt" 130 timeout 60 $counted "$work/ends" waits
        told "an interrupt while a kernel runs" 130 timeout 60 $counted "$work/ends" kernel
        told "a time limit while a kernel runs" 143 timeout 60 $counted "$work/ends" "kernel, to a limit"
    }
    has "the counts of the kernel that was stopped" "forever(int volatile*, int volatile*)" "$work/out"
    ! grep "it came back" "$work/err" || { echo "FAIL the program went on" && failed=$((failed + 1)); }
fi

# ---- what the command refuses ----------------------------------------------------------------------------------------
[ -x "$scan" ] || echo "FAIL $scan is not built"
ends "no name" 2 "the program's name is empty" $sim ""
ends "no name after options" 2 "the program's name is empty" $sim --counters ""
ends "counters on a full disk" 2 "standard output cannot be written" sh -c "$sim --counters $scan >/dev/full"
ends "counters and no output" 2 "standard output is closed" sh -c "$sim --counters $scan >&-"
ends "a metric on a full disk" 2 "standard output cannot be written" sh -c "$sim --explain barriers >/dev/full"
ends "a metric and no output" 2 "standard output cannot be written" sh -c "$sim --explain barriers >&-"
ln -s "$PWD/$sim" "$work/link" && ln -s link "$work/link of a link"
ends "a link to cudasim" 0 '' "$work/link of a link" "$scan"
ends "a link to cudasim by the path" 0 '' env PATH="$work:$PATH" link "$scan"
ends "a directory" 126 "is a directory, not a program" $sim "$work"
echo 'echo text' >"$work/text"
ends "a file without permission to run" 126 "may not be executed" $sim "$work/text"
chmod +x "$work/text"
ends "a text file" 126 "is not a compiled program" $sim "$work/text"
: >"$work/empty" && chmod +x "$work/empty"
ends "an empty file" 126 "is not a compiled program" $sim "$work/empty"
head -c 20000 "$scan" >"$work/cut" && chmod +x "$work/cut"
ends "a file that is cut short" 126 "is cut short or damaged" $sim "$work/cut"
ends "a word of the shell's" 127 "cd: no such program" $sim cd
ends "a library that is none" 3 "is no library" env CUDASIM_LIB="$work/text" $sim "$scan"
ends "another library" 3 "is not the simulator's library" \
    env CUDASIM_LIB="$(sed -n 's/^CUDART := //p' build/toolkit.mk)" $sim "$scan"
mkdir -p "$work/at/bin" "$work/at/lib/cudasim" && cp $sim "$work/at/bin/" &&
    cp build/libcudart.so.13 "$work/at/lib/cudasim/"
ends "installed, with bin/ beside lib/" 0 '' "$work/at/bin/cudasim" "$scan"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
