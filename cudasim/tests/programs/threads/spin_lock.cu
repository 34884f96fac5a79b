// Threads of a warp and of several blocks take turns at a lock: what they do inside is not atomic by itself.
#include "../check.h"

__global__ void insert(int *lock, int *count, int *list, long long *sum) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            int at = *(volatile int *)count;
            *(volatile int *)count = at + 1;
            list[at] = id;
            *(volatile long long *)sum = *(volatile long long *)sum + (long long)id * id;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

int main() {
    const int blocks = 3, threads = 40, n = blocks * threads;
    struct {
        int lock, count;
        long long sum;
        int list[n];
    } host, *device;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemset(device, 0, sizeof host));
    insert<<<blocks, threads>>>(&device->lock, &device->count, device->list, &device->sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    long long want = 0;
    bool seen[n] = {};
    for (int i = 0; i < n; i++) {
        want += (long long)i * i;
        int id = host.list[i];
        expect(id >= 0 && id < n && !seen[id], "every thread once");
        if (id >= 0 && id < n) seen[id] = true;
    }
    printf("%d insertions, sum of squares %lld\n", host.count, host.sum);
    expect(host.count == n && host.sum == want && host.lock == 0, "count and sum");
    CHECK(cudaFree(device));
    return finish("spin_lock");
}
