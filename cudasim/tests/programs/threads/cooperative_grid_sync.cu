// A cooperative launch: all blocks meet at grid.sync() between the steps of a diffusion on a ring, in one kernel.
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

const int n = 2048;
const int steps = 8;

__host__ __device__ unsigned blend(unsigned left, unsigned middle, unsigned right) {
    return (left + 2 * middle + right) / 4;
}

__global__ void diffuse(unsigned *a, unsigned *b, unsigned *grid_info) {
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
            b[i] = blend(a[(i + n - 1) % n], a[i], a[(i + 1) % n]);
        }
        grid.sync();
        unsigned *t = a;
        a = b;
        b = t;
    }
    if (grid.thread_rank() == 0) {
        grid_info[0] = (unsigned)grid.size();
        grid_info[1] = grid.is_valid();
    }
}

int main() {
    int supported;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    printf("cooperative launch supported: %d\n", supported);
    static unsigned host[2][n], got[n];
    for (int i = 0; i < n; i++) host[0][i] = i * 7919u % 65536u;
    unsigned *a, *b, *info;
    CHECK(cudaMalloc(&a, sizeof got));
    CHECK(cudaMalloc(&b, sizeof got));
    CHECK(cudaMalloc(&info, 2 * sizeof(unsigned)));
    CHECK(cudaMemcpy(a, host[0], sizeof got, cudaMemcpyHostToDevice));

    void *arguments[] = {&a, &b, &info};
    CHECK(cudaLaunchCooperativeKernel((const void *)diffuse, dim3(8), dim3(128), arguments, 0, 0));
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < steps; s++) {
        const unsigned *from = host[s % 2];
        for (int i = 0; i < n; i++) host[1 - s % 2][i] = blend(from[(i + n - 1) % n], from[i], from[(i + 1) % n]);
    }
    CHECK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost)); // an even number of steps: back in a
    unsigned group[2];
    CHECK(cudaMemcpy(group, info, sizeof group, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += got[i] != host[0][i];
    expect(wrong == 0, "diffusion");
    printf("grid of %u threads, valid %u\n", group[0], group[1]);
    printf("[0] %u, [1000] %u, [2047] %u\n", got[0], got[1000], got[2047]);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(info));
    return finish("cooperative_grid_sync");
}
