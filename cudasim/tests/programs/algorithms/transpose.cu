// Matrix transpose: naive, through a tile in shared memory, and through a tile with a column of padding.
#include "../check.h"

const int tile_dim = 32;
const int block_rows = 8;

__global__ void transpose_naive(float *out, const float *in, int width, int height) {
    int x = blockIdx.x * tile_dim + threadIdx.x;
    int y = blockIdx.y * tile_dim + threadIdx.y;
    for (int j = 0; j < tile_dim; j += block_rows) {
        if (x < width && y + j < height) out[x * height + y + j] = in[(y + j) * width + x];
    }
}

template <int padding> __global__ void transpose_tiled(float *out, const float *in, int width, int height) {
    __shared__ float tile[tile_dim][tile_dim + padding];
    int x = blockIdx.x * tile_dim + threadIdx.x;
    int y = blockIdx.y * tile_dim + threadIdx.y;
    for (int j = 0; j < tile_dim; j += block_rows) {
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * tile_dim + threadIdx.x;
    y = blockIdx.x * tile_dim + threadIdx.y;
    for (int j = 0; j < tile_dim; j += block_rows) {
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

int main() {
    const int width = 150, height = 100; // not multiples of the tile
    static float in[height * width], out[width * height];
    for (int i = 0; i < height * width; i++) in[i] = (float)i;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));

    dim3 block(tile_dim, block_rows);
    dim3 grid((width + tile_dim - 1) / tile_dim, (height + tile_dim - 1) / tile_dim);
    const char *names[] = {"naive", "tiled", "padded"};
    for (int v = 0; v < 3; v++) {
        CHECK(cudaMemset(d_out, 0xff, sizeof out));
        if (v == 0)
            transpose_naive<<<grid, block>>>(d_out, d_in, width, height);
        else if (v == 1)
            transpose_tiled<0><<<grid, block>>>(d_out, d_in, width, height);
        else
            transpose_tiled<1><<<grid, block>>>(d_out, d_in, width, height);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) wrong += out[x * height + y] != in[y * width + x];
        }
        printf("%-6s first %.0f %.0f %.0f, last %.0f, wrong %d\n", names[v], out[0], out[1], out[2],
               out[width * height - 1], wrong);
        expect(wrong == 0, names[v]);
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return finish("transpose");
}
