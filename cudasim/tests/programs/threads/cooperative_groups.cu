// Groups of threads: the block, tiles of 8, the coalesced threads of a branch, reductions and scans over them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../check.h"

namespace cg = cooperative_groups;

const int threads = 64;

struct result {
    int tile_rank, tile_size, tile_index, tile_sum, tile_max, tile_scan;
    int next_rank; // of the neighbour in the tile
    int odd_count, odd_rank;
    int labelled;
};

__global__ void groups(const int *in, result *out, int *counter, int *tile_leaders) {
    cg::thread_block block = cg::this_thread_block();
    int i = (int)block.thread_rank();
    int value = in[i];
    result r = {};

    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    r.tile_rank = (int)tile.thread_rank();
    r.tile_size = (int)tile.size();
    r.tile_index = (int)tile.meta_group_rank();
    r.tile_sum = cg::reduce(tile, value, cg::plus<int>());
    r.tile_max = cg::reduce(tile, value, cg::greater<int>());
    r.tile_scan = cg::inclusive_scan(tile, value);
    r.next_rank = tile.shfl((int)tile.thread_rank(), (tile.thread_rank() + 1) % 8);
    if (tile.thread_rank() == 0) atomicAdd(tile_leaders, 1);
    block.sync();

    // One atomic for all threads of a warp that take the branch.
    if (value % 2 != 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(counter, (int)active.size());
    }

    // Split a warp by a label: a group for each.
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::coalesced_group odd = cg::binary_partition(warp, value % 2 != 0);
    r.odd_count = (int)odd.size();
    r.odd_rank = (int)odd.thread_rank();
    cg::coalesced_group same = cg::labeled_partition(warp, value % 3);
    r.labelled = cg::reduce(same, 1, cg::plus<int>());
    out[i] = r;
}

int main() {
    int in[threads];
    static result out[threads];
    for (int i = 0; i < threads; i++) in[i] = i * 29 % 47;
    int *d_in, *d_counter, counters[2];
    result *d_out;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMalloc(&d_counter, sizeof counters));
    CHECK(cudaMemset(d_counter, 0, sizeof counters));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    groups<<<1, threads>>>(d_in, d_out, d_counter, d_counter + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(counters, d_counter, sizeof counters, cudaMemcpyDeviceToHost));

    int odd_values = 0;
    for (int i = 0; i < threads; i++) {
        int first = i / 8 * 8, sum = 0, max = 0, scan = 0;
        for (int j = first; j < first + 8; j++) {
            sum += in[j];
            max = in[j] > max ? in[j] : max;
            if (j <= i) scan += in[j];
        }
        int warp = i / 32 * 32, same_parity = 0, parity_rank = 0, same_label = 0;
        for (int j = warp; j < warp + 32; j++) {
            same_parity += in[j] % 2 == in[i] % 2;
            parity_rank += j < i && in[j] % 2 == in[i] % 2;
            same_label += in[j] % 3 == in[i] % 3;
        }
        odd_values += in[i] % 2;
        const result &r = out[i];
        expect(r.tile_rank == i % 8 && r.tile_size == 8 && r.tile_index == i / 8, "tile");
        expect(r.tile_sum == sum && r.tile_max == max && r.tile_scan == scan, "reduce and scan of a tile");
        expect(r.next_rank == (i + 1) % 8, "shuffle in a tile");
        expect(r.odd_count == same_parity && r.odd_rank == parity_rank, "binary partition");
        expect(r.labelled == same_label, "labelled partition");
    }
    expect(counters[0] == odd_values, "aggregated atomic");
    printf("tile sums:");
    for (int i = 0; i < threads; i += 8) printf(" %d", out[i].tile_sum);
    printf("\ntile maxima:");
    for (int i = 0; i < threads; i += 8) printf(" %d", out[i].tile_max);
    printf("\nodd values %d, tiles %d\n", counters[0], counters[1]);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_counter));
    return finish("cooperative_groups");
}
