// A program that is wrong on purpose: its blocks count in one variable without an atomic. ThreadSanitizer must say so
// of the simulator's threads that run them, or its silence about the other programs would mean nothing.
#include "../programs/check.h"

__global__ void count(unsigned *counter) {
    if (threadIdx.x == 0) *counter = *counter + 1;
}

int main() {
    unsigned *counter;
    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    count<<<1024, 32>>>(counter);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(counter));
    return finish("race");
}
