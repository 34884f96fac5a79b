// Two streams with pinned memory: each copies, computes and copies back in chunks; a third waits for both by events,
// adds up on the device and calls a function on the host.
#include "../check.h"

__global__ void triple(int *data, int n, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = 3 * data[i] + add;
}

__global__ void total(const int *data, int n, unsigned long long *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, (unsigned long long)data[i]);
}

struct call_record {
    int calls;
    unsigned long long *sum; // pinned, filled in by the copy before the call
    unsigned long long seen;
};

static void CUDART_CB on_host(void *user) {
    call_record *record = (call_record *)user;
    record->calls++;
    record->seen = *record->sum;
}

int main() {
    const int n = 8192, chunk = 2048;
    int *host, *device;
    unsigned long long *host_sum, *device_sum;
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    CHECK(cudaMallocHost(&host_sum, sizeof *host_sum));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMalloc(&device_sum, sizeof *device_sum));
    unsigned long long want = 0;
    for (int i = 0; i < n; i++) {
        host[i] = i % 1000;
        want += 3 * (i % 1000) + i / chunk;
    }

    cudaStream_t streams[2], last;
    cudaEvent_t done[2], begin, end;
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
    }
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&last, cudaStreamNonBlocking, greatest));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    CHECK(cudaEventRecord(begin, last));
    for (int s = 0; s < 2; s++) CHECK(cudaStreamWaitEvent(streams[s], begin, 0));
    for (int c = 0; c < n / chunk; c++) {
        cudaStream_t stream = streams[c % 2];
        size_t bytes = chunk * sizeof(int);
        CHECK(cudaMemcpyAsync(device + c * chunk, host + c * chunk, bytes, cudaMemcpyHostToDevice, stream));
        triple<<<chunk / 256, 256, 0, stream>>>(device + c * chunk, chunk, c);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(host + c * chunk, device + c * chunk, bytes, cudaMemcpyDeviceToHost, stream));
    }
    call_record record = {0, host_sum, 0};
    CHECK(cudaMemsetAsync(device_sum, 0, sizeof *device_sum, last));
    for (int s = 0; s < 2; s++) {
        CHECK(cudaEventRecord(done[s], streams[s]));
        CHECK(cudaStreamWaitEvent(last, done[s], 0));
    }
    total<<<n / 256, 256, 0, last>>>(device, n, device_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host_sum, device_sum, sizeof *host_sum, cudaMemcpyDeviceToHost, last));
    CHECK(cudaLaunchHostFunc(last, on_host, &record));
    CHECK(cudaEventRecord(end, last));
    CHECK(cudaEventSynchronize(end));

    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != 3 * (i % 1000) + i / chunk;
    expect(wrong == 0, "copied back");
    expect(record.seen == want, "sum");
    printf("sum %llu, host calls %d\n", record.seen, record.calls);
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    expect(ms >= 0, "elapsed time");
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < 2; s++) {
        printf("stream %d: %s, event: %s\n", s, cudaGetErrorName(cudaStreamQuery(streams[s])),
               cudaGetErrorName(cudaEventQuery(done[s])));
        CHECK(cudaStreamDestroy(streams[s]));
        CHECK(cudaEventDestroy(done[s]));
    }
    CHECK(cudaStreamDestroy(last));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFreeHost(host_sum));
    CHECK(cudaFree(device));
    CHECK(cudaFree(device_sum));
    return finish("streams_events");
}
