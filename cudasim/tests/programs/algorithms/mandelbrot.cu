// The Mandelbrot set as ASCII. Every rounding is spelled out (fmaf), so that host and device agree on each point.
#include <cmath>
#include <cstring>

#include "../check.h"

const int width = 64;
const int height = 24;
const int max_iterations = 48;

__host__ __device__ char point(int px, int py) {
    float cx = fmaf((float)px, 3.0f / 64, -2.25f);
    float cy = fmaf((float)py, 2.5f / 23, -1.25f);
    float x = 0, y = 0;
    int i = 0;
    while (i < max_iterations) {
        float y2 = y * y;
        if (fmaf(x, x, y2) > 4.0f) break;
        float next = fmaf(x, x, -y2) + cx;
        y = fmaf(2.0f * x, y, cy);
        x = next;
        i++;
    }
    return " .,:;-=+*xoXO%@#"[i * 15 / max_iterations];
}

__global__ void mandelbrot(char *picture) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) picture[y * width + x] = point(x, y);
}

int main() {
    static char picture[height * width], want[height * width];
    char *d_picture;
    CHECK(cudaMalloc(&d_picture, sizeof picture));
    dim3 block(16, 16);
    mandelbrot<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(d_picture);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(picture, d_picture, sizeof picture, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) want[y * width + x] = point(x, y);
        printf("|%.*s|\n", width, picture + y * width);
    }
    expect(memcmp(picture, want, sizeof want) == 0, "picture");
    CHECK(cudaFree(d_picture));
    return finish("mandelbrot");
}
