// What it costs the simulator to begin: launches of next to nothing, and blocks whose warps do next to nothing.
// Prints NAME VALUE UNIT a line: 20,000 launches of 4 blocks of 2 threads in seconds, a warp's start in nanoseconds.
#include <ctime>

#include "../programs/check.h"

enum { LAUNCHES = 20000, BLOCKS = 512, THREADS = 1024, REPEATS = 20 };

__global__ void small(int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)threadIdx.x;
}

__global__ void empty(float *out, int n) {
    for (int i = 0; i < n; i++) out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main() {
    void *memory;
    CHECK(cudaMalloc(&memory, BLOCKS * THREADS * sizeof(float)));
    small<<<4, 2>>>((int *)memory); // decodes it
    CHECK(cudaDeviceSynchronize());
    double begun = seconds();
    for (int i = 0; i < LAUNCHES; i++) small<<<4, 2>>>((int *)memory);
    CHECK(cudaDeviceSynchronize());
    printf("launches %.3f s\n", seconds() - begun);

    empty<<<BLOCKS, THREADS>>>((float *)memory, 0);
    CHECK(cudaDeviceSynchronize());
    begun = seconds();
    for (int i = 0; i < REPEATS; i++) empty<<<BLOCKS, THREADS>>>((float *)memory, 0);
    CHECK(cudaDeviceSynchronize());
    printf("warp %.0f ns\n", (seconds() - begun) * 1e9 / REPEATS / BLOCKS / (THREADS / 32));
    CHECK(cudaFree(memory));
    return 0;
}
