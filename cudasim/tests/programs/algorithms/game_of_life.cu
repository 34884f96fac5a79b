// Conway's game of life on a small torus: a glider and a blinker, the board printed every eight generations.
#include <cstring>

#include "../check.h"

const int width = 32;
const int height = 12;

__host__ __device__ int next_cell(const unsigned char *board, int x, int y) {
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            neighbours += board[(y + dy + height) % height * width + (x + dx + width) % width];
        }
    }
    return neighbours == 3 || (neighbours == 2 && board[y * width + x]);
}

__global__ void generation(const unsigned char *from, unsigned char *to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) to[y * width + x] = next_cell(from, x, y);
}

static void print_board(const unsigned char *board) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) putchar(board[y * width + x] ? '#' : '.');
        putchar('\n');
    }
}

int main() {
    static unsigned char board[width * height], next[width * height], got[width * height];
    const int alive[][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {20, 4}, {21, 4}, {22, 4}};
    for (auto &cell : alive) board[cell[1] * width + cell[0]] = 1;
    unsigned char *d_from, *d_to;
    CHECK(cudaMalloc(&d_from, sizeof board));
    CHECK(cudaMalloc(&d_to, sizeof board));
    CHECK(cudaMemcpy(d_from, board, sizeof board, cudaMemcpyHostToDevice));
    print_board(board);

    dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    for (int g = 1; g <= 25; g++) {
        generation<<<grid, block>>>(d_from, d_to);
        CHECK(cudaGetLastError());
        unsigned char *t = d_from;
        d_from = d_to;
        d_to = t;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) next[y * width + x] = next_cell(board, x, y);
        }
        memcpy(board, next, sizeof board);
        if (g % 8 == 0 || g == 25) {
            CHECK(cudaMemcpy(got, d_from, sizeof got, cudaMemcpyDeviceToHost));
            printf("generation %d\n", g);
            print_board(got);
            expect(memcmp(got, board, sizeof board) == 0, "board");
        }
    }
    CHECK(cudaFree(d_from));
    CHECK(cudaFree(d_to));
    return finish("game_of_life");
}
