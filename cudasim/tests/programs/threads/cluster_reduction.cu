// Row sums, a cluster a row (__cluster_dims__): blocks sum their part, then halve the cluster step by step through
// distributed shared memory. What the group says of itself; arrive and wait apart; a graph with a cluster kernel.
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

const int width = 4, rows = 6, columns = 3000, threads = 96;

__global__ void __cluster_dims__(width, 1, 1) row_sums(const int *in, int *out) {
    __shared__ int warp_sums[threads / 32];
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    const int *row = in + blockIdx.y * columns;
    int mine = 0;
    for (int c = (int)cluster.thread_rank(); c < columns; c += (int)cluster.num_threads()) mine += row[c];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int w = 0; w < threads / 32; w++) sum += warp_sums[w];
    }
    for (unsigned step = cluster.num_blocks() / 2; step > 0; step /= 2) {
        cluster.sync();
        if (threadIdx.x == 0 && cluster.block_rank() < step)
            sum += *cluster.map_shared_rank(&sum, cluster.block_rank() + step);
    }
    cluster.barrier_arrive();
    if (cluster.thread_rank() == 0) out[blockIdx.y] = sum;
    cluster.barrier_wait();
}

struct facts {
    unsigned block_rank, blocks, threads, thread_rank, index_x, index_y, dim_x, dim_y, rank_of_other;
    unsigned same;
};

__global__ void describe(facts *out) {
    __shared__ int word;
    cg::cluster_group cluster = cg::this_cluster();
    facts f = {};
    f.block_rank = cluster.block_rank();
    f.blocks = cluster.num_blocks();
    f.threads = cluster.num_threads();
    f.thread_rank = cluster.thread_rank();
    f.index_x = cluster.block_index().x;
    f.index_y = cluster.block_index().y;
    f.dim_x = cluster.dim_blocks().x;
    f.dim_y = cluster.dim_blocks().y;
    int *other = cluster.map_shared_rank(&word, (cluster.block_rank() + 1) % cluster.num_blocks());
    f.rank_of_other = cluster.query_shared_rank(other);
    f.same = cluster.map_shared_rank(other, cluster.block_rank()) == &word;
    if (threadIdx.x == blockDim.x - 1) out[blockIdx.y * gridDim.x + blockIdx.x] = f;
    cluster.sync();
}

static int in[rows * columns], got[rows];
static facts said[24];

int main() {
    int *device_in, *device_out;
    CHECK(cudaMalloc(&device_in, sizeof in));
    CHECK(cudaMalloc(&device_out, sizeof got));
    for (int i = 0; i < rows * columns; i++) in[i] = (i * 7919) % 1000 - 300;
    CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    row_sums<<<dim3(width, rows), threads>>>(device_in, device_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, device_out, sizeof got, cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; r++) {
        int sum = 0;
        for (int c = 0; c < columns; c++) sum += in[r * columns + c];
        printf("row %d: %d\n", r, got[r]);
        expect(sum == got[r], "row sum");
    }

    facts *device_facts;
    CHECK(cudaMalloc(&device_facts, sizeof said));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4, 6);
    config.blockDim = 40;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = 3;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, describe, device_facts));
    CHECK(cudaMemcpy(said, device_facts, sizeof said, cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < 24; b++) {
        const facts &f = said[b];
        unsigned x = b % 4 % 2, y = b / 4 % 3, rank = 2 * y + x;
        expect(f.block_rank == rank && f.index_x == x && f.index_y == y, "place in the cluster");
        expect(f.blocks == 6 && f.threads == 240 && f.dim_x == 2 && f.dim_y == 3, "size of the cluster");
        expect(f.thread_rank == rank * 40 + 39, "thread's rank");
        expect(f.rank_of_other == (rank + 1) % 6 && f.same == 1, "mapped addresses");
    }
    printf("block (3,5): rank %u of %u, thread %u of %u\n", said[23].block_rank, said[23].blocks, said[23].thread_rank,
           said[23].threads);

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemset(device_out, 0, sizeof got));
    CHECK(cudaMemset(device_facts, 0xff, sizeof said));
    CHECK(cudaDeviceSynchronize());
    config.stream = stream;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    row_sums<<<dim3(width, rows), threads, 0, stream>>>(device_in, device_out);
    CHECK(cudaLaunchKernelEx(&config, describe, device_facts));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    int again[rows];
    CHECK(cudaMemcpy(again, device_out, sizeof again, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(said, device_facts, sizeof said, cudaMemcpyDeviceToHost));
    bool same = said[23].block_rank == 5 && said[23].blocks == 6;
    for (int r = 0; r < rows; r++) same = same && again[r] == got[r];
    expect(same, "graph");
    printf("graph: %s\n", same ? "the same" : "different");
    return finish("cluster_reduction");
}
