// Occupancy: blocks on one SM by threads and by shared memory, the best block size, attributes of functions. Limits of
// compute capability 9.0; the kernels are so small that registers never count.
#include "../check.h"

__constant__ float weights[64];

__global__ void small(float *data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

__global__ void __launch_bounds__(256) bounded(float *data) {
    __shared__ float s[256];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = s[255 - threadIdx.x] * weights[threadIdx.x % 64];
}

__global__ void dynamic(float *data) {
    extern __shared__ float d[];
    d[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = d[blockDim.x - 1 - threadIdx.x];
}

int main() {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));

    printf("blocks by threads:");
    for (int threads : {32, 64, 96, 128, 256, 512, 1000, 1024}) {
        int blocks;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, threads, 0));
        printf(" %d:%d", threads, blocks);
        int by_threads = 2048 / ((threads + 31) / 32 * 32);
        expect(blocks == (by_threads < 32 ? by_threads : 32), "by threads");
    }
    printf("\nblocks by shared memory:");
    CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    for (int kib : {8, 16, 32, 48, 64, 100, 113, 114, 227}) {
        int blocks;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 64, kib * 1024));
        printf(" %d:%d", kib, blocks);
        expect(blocks == 228 / (kib + 1), "by shared memory"); // 1 KiB a block for the system
    }
    printf("\n");

    int min_grid, block;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, small));
    printf("best block %d, %d blocks an SM\n", block, min_grid / properties.multiProcessorCount);
    expect(block == 1024 && min_grid == 2 * properties.multiProcessorCount, "best block");
    CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, bounded));
    printf("bounded block %d, %d blocks an SM\n", block, min_grid / properties.multiProcessorCount);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, small, 0, 128));
    printf("limited block %d, %d blocks an SM\n", block, min_grid / properties.multiProcessorCount);

    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, bounded));
    printf("bounded: shared %d, local %d, threads %d, ptx %d, binary %d\n", (int)a.sharedSizeBytes,
           (int)a.localSizeBytes, a.maxThreadsPerBlock, a.ptxVersion, a.binaryVersion);
    expect(a.numRegs > 0 && a.numRegs <= 32, "registers");
    expect(a.constSizeBytes >= 64 * sizeof(float), "constants");
    CHECK(cudaFuncGetAttributes(&a, dynamic));
    printf("dynamic: shared %d, dynamic at most %d\n", (int)a.sharedSizeBytes, a.maxDynamicSharedSizeBytes);

    // What was allowed also runs.
    static float in[64], out[64];
    for (int i = 0; i < 64; i++) in[i] = (float)i;
    float *d_data;
    CHECK(cudaMalloc(&d_data, sizeof in));
    CHECK(cudaMemcpy(d_data, in, sizeof in, cudaMemcpyHostToDevice));
    dynamic<<<1, 64, 227 * 1024>>>(d_data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_data, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) expect(out[i] == in[63 - i], "reversed");
    CHECK(cudaFree(d_data));
    return finish("occupancy");
}
