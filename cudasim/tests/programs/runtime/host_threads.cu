// Four threads of the host, a stream each, kernels short and long between copies, events and stream-ordered
// allocations: each thread finds its own results, whoever's kernel is running meanwhile.
#include <atomic>
#include <thread>
#include <vector>

#include "../check.h"

enum { THREADS = 4, ROUNDS = 40, BLOCKS = 4, BLOCK = 64, WORDS = BLOCKS * BLOCK };

__global__ void set(unsigned *out, unsigned value, int steps) {
    unsigned x = threadIdx.x;
    for (int i = 0; i < steps; i++) x = x * 1664525u + 1013904223u;
    out[blockIdx.x * blockDim.x + threadIdx.x] = steps > 0 ? value + (x & 1) : value;
}

static std::atomic<int> wrong;

static void round(int k, cudaStream_t stream, cudaEvent_t event, unsigned *host) {
    unsigned *device, *other;
    CHECK(cudaMallocAsync(&device, WORDS * sizeof *device, stream));
    set<<<BLOCKS, BLOCK, 0, stream>>>(device, k, k % 7 == 0 ? 300000 : 10);
    set<<<BLOCKS, BLOCK, 0, stream>>>(device, k + 1, 0);
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaMemcpyAsync(host, device, WORDS * sizeof *host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(device, stream));
    if (k % 3 == 0) CHECK(cudaEventSynchronize(event));
    if (k % 2 == 0) CHECK(cudaStreamSynchronize(stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady) cudaGetLastError();
    for (int i = 0; i < WORDS; i++) wrong += host[i] != (unsigned)k + 1;
    CHECK(cudaMalloc(&other, 64));
    CHECK(cudaFree(other));
}

static void work(int thread) {
    cudaStream_t stream;
    cudaEvent_t event;
    unsigned *host;
    CHECK(cudaStreamCreateWithFlags(&stream, thread % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMallocHost(&host, WORDS * sizeof *host));
    for (int k = 0; k < ROUNDS; k++) round(k, stream, event, host);
    CHECK(cudaFreeHost(host));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++) threads.emplace_back(work, t);
    for (auto &t : threads) t.join();
    CHECK(cudaDeviceSynchronize());
    printf("%d wrong\n", (int)wrong);
    expect(wrong == 0, "results");
    return finish("host_threads");
}
