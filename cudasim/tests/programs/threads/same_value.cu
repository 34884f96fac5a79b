// Blocks that run at the same time store the same value to the same words, which is no race: whichever comes second
// leaves what is there. (A visited flag in a graph search, say.)
#include "../check.h"

enum { T = 64, PAIRS = 2048, ROUNDS = 50 };

__global__ void mark(int *words, int value) {
    words[blockIdx.x / 2 * T + threadIdx.x] = value;
}

int main() {
    int *words, *host = new int[PAIRS * T], wrong = 0;
    CHECK(cudaMalloc(&words, sizeof *words * PAIRS * T));
    for (int round = 1; round <= ROUNDS; round++) {
        mark<<<2 * PAIRS, T>>>(words, round);
        CHECK(cudaMemcpy(host, words, sizeof *words * PAIRS * T, cudaMemcpyDeviceToHost));
        for (int i = 0; i < PAIRS * T; i++) wrong += host[i] != round;
    }
    printf("%d wrong\n", wrong);
    expect(wrong == 0, "every word holds the round's value");
    CHECK(cudaFree(words));
    delete[] host;
    return finish("same_value");
}
