// Kernels that end badly, each in a process of its own: what every call says after it, as an H200 does.
#include "../check.h"

#include <cassert>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void touch(int *p) {
    if (p) *p = 1;
}

__global__ void illegal(int *p) {
    *(volatile int *)(p + (1ull << 40)) = 1;
}

__global__ void misaligned(char *p) {
    *(volatile int *)(p + 1) = 1;
}

__global__ void traps() {
    asm volatile("trap;");
}

__global__ void asserts(int x) {
    assert(x == 0);
}

__global__ void beyond_local(int i) {
    volatile int a[4];
    a[i] = 3;
}

__device__ int deep(int n) {
    volatile int a[64];
    a[n & 63] = n;
    return n == 0 ? 0 : deep(n - 1) + a[n & 63];
}

__global__ void recurses(int *p, int n) {
    *p = deep(n);
}

static const char *const names[] = {"illegal", "misaligned", "trap", "assert", "local", "recursion"};

#define SHOW(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        printf("  %s: %s, then %s\n", #call, cudaGetErrorName(status), cudaGetErrorName(cudaGetLastError()));          \
    } while (0)

static int child(const char *name) {
    int *p, *q, n;
    CHECK(cudaMalloc(&p, 4096));
    if (!strcmp(name, "illegal")) illegal<<<1, 32>>>(p);
    if (!strcmp(name, "misaligned")) misaligned<<<1, 32>>>((char *)p);
    if (!strcmp(name, "trap")) traps<<<1, 32>>>();
    if (!strcmp(name, "assert")) asserts<<<1, 1>>>(1);
    if (!strcmp(name, "local")) beyond_local<<<1, 1>>>(1 << 22);
    if (!strcmp(name, "recursion")) recurses<<<1, 1>>>(p, 100000);
    printf("%s\n", name);
    SHOW(cudaPeekAtLastError());
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaPeekAtLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaStreamSynchronize(0));
    SHOW(cudaMalloc(&q, 4));
    SHOW(cudaFree(0));
    SHOW(cudaGetDeviceCount(&n));
    SHOW(cudaSetDevice(0));
    SHOW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    cudaFuncAttributes function;
    SHOW(cudaFuncGetAttributes(&function, touch));
    cudaEvent_t event;
    SHOW(cudaEventCreate(&event));
    touch<<<1, 1>>>(p);
    SHOW(cudaGetLastError());
    cudaPointerAttributes pointer;
    SHOW(cudaPointerGetAttributes(&pointer, p));
    size_t available, total;
    SHOW(cudaMemGetInfo(&available, &total));
    SHOW(cudaDeviceReset());
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) return child(argv[1]);
    for (const char *name : names) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            execl("/proc/self/exe", argv[0], name, (char *)nullptr);
            _exit(127);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, name);
    }
    return finish("fatal_errors");
}
