// A histogram too large for one block's shared memory lies spread over a cluster's: bin b is in block b / per_block,
// and every block counts into whichever has it. Block dimensions and cluster sizes 2, 4, 8 and, with leave to, 16.
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

const int bins = 4096, values = 1 << 16, threads = 256;

__global__ void histogram(const unsigned *in, unsigned *out, int per_block) {
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int b = threadIdx.x; b < per_block; b += blockDim.x) part[b] = 0;
    cluster.sync(); // nobody counts before all is zero
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = first; i < values; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i] % bins;
        unsigned *where = cluster.map_shared_rank(part, bin / per_block);
        atomicAdd(where + bin % per_block, 1u);
    }
    cluster.sync(); // nor does anybody read, or leave, before all have counted
    unsigned *mine = out + cluster.block_rank() * per_block;
    for (int b = threadIdx.x; b < per_block; b += blockDim.x)
        if (part[b] != 0) atomicAdd(&mine[b], part[b]);
}

static unsigned in[values], expected[bins], got[bins];

int main() {
    unsigned state = 12345;
    for (int i = 0; i < values; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = (state >> 8) & (state >> 20); // uneven
        expected[in[i] % bins]++;
    }
    unsigned *device_in, *device_out;
    CHECK(cudaMalloc(&device_in, sizeof in));
    CHECK(cudaMalloc(&device_out, sizeof got));
    CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (int size = 1; size <= 16; size *= 2) {
        CHECK(cudaMemset(device_out, 0, sizeof got));
        cudaLaunchConfig_t config = {};
        config.gridDim = 32;
        config.blockDim = threads;
        config.dynamicSmemBytes = bins / size * sizeof(unsigned);
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = size;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = 1;
        CHECK(cudaLaunchKernelEx(&config, histogram, (const unsigned *)device_in, device_out, bins / size));
        CHECK(cudaMemcpy(got, device_out, sizeof got, cudaMemcpyDeviceToHost));
        int wrong = 0;
        unsigned sum = 0;
        for (int b = 0; b < bins; b++) {
            wrong += got[b] != expected[b];
            sum += got[b];
        }
        printf("clusters of %d: %u values, bin 0 %s\n", size, sum, got[0] == expected[0] ? "right" : "wrong");
        expect(wrong == 0, "histogram");
    }
    return finish("cluster_histogram");
}
