// Launches return before their kernels have ended: a kernel may wait for what the host does after its launch, in pinned
// or managed memory, or by a copy in another stream, and everything behind it in its stream waits, too.
#include <cstring>

#include "../check.h"

enum { WORDS = 1 << 16 };

__global__ void wait_for(volatile unsigned *flag, unsigned wanted, int *out) {
    while (*flag < wanted)
        ;
    *out = 7;
}

__global__ void square(int *value) {
    *value = *value * *value;
}

static cudaStream_t waits, other;
static int *out, *numbers, *copies;

static void host_function(void *data) {
    ++*static_cast<int *>(data);
}

// The result of the kernels in stream `waits`.
static int result() {
    int value = 0;
    CHECK(cudaMemcpyAsync(&value, out, sizeof value, cudaMemcpyDeviceToHost, waits));
    CHECK(cudaStreamSynchronize(waits));
    return value;
}

static void by_the_host(const char *what, volatile unsigned *flag) {
    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    int calls = 0;
    *flag = 0;
    CHECK(cudaMemset(out, 0, sizeof *out));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(before, waits));
    wait_for<<<1, 1, 0, waits>>>(flag, 2, out);
    square<<<1, 1, 0, waits>>>(out);
    CHECK(cudaLaunchHostFunc(waits, host_function, &calls));
    CHECK(cudaEventRecord(after, waits));
    expect(cudaStreamQuery(waits) == cudaErrorNotReady, "the stream is not ready");
    expect(cudaEventQuery(after) == cudaErrorNotReady, "the event behind the kernels is not ready");
    cudaGetLastError();
    CHECK(cudaEventSynchronize(before));
    expect(calls == 0, "the host function waits");
    *flag = 1;

    // Another stream goes on.
    memset(numbers, 0, WORDS * sizeof *numbers);
    CHECK(cudaMemsetAsync(copies, 1, WORDS * sizeof *copies, other));
    CHECK(cudaMemcpyAsync(numbers, copies, WORDS * sizeof *copies, cudaMemcpyDeviceToHost, other));
    CHECK(cudaStreamSynchronize(other));
    expect(numbers[0] == 0x01010101 && numbers[WORDS - 1] == 0x01010101, "the other stream's copy");
    expect(cudaStreamQuery(waits) == cudaErrorNotReady, "the stream still is not ready");
    cudaGetLastError();

    *flag = 2;
    const int value = result();
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, before, after));
    expect(ms >= 0, "the time between the events");
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
    printf("%s: %d, %d call\n", what, value, calls);
    expect(value == 49 && calls == 1, what);
}

// An event of the waiting stream holds another stream back, too.
static void by_a_copy(unsigned *flag) {
    unsigned *one;
    cudaEvent_t done;
    cudaStream_t third;
    CHECK(cudaMallocHost(&one, sizeof *one));
    CHECK(cudaEventCreate(&done));
    CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
    *one = 1;
    CHECK(cudaMemset(flag, 0, sizeof *flag));
    CHECK(cudaMemset(out, 0, sizeof *out));
    CHECK(cudaDeviceSynchronize());
    wait_for<<<1, 1, 0, waits>>>(flag, 1, out);
    CHECK(cudaEventRecord(done, waits));
    CHECK(cudaStreamWaitEvent(third, done, 0));
    square<<<1, 1, 0, third>>>(out);
    expect(cudaStreamQuery(third) == cudaErrorNotReady, "the third stream is not ready");
    cudaGetLastError();
    CHECK(cudaMemcpyAsync(flag, one, sizeof *one, cudaMemcpyHostToDevice, other));
    CHECK(cudaStreamSynchronize(third));
    const int value = result();
    CHECK(cudaFreeHost(one));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(third));
    printf("a copy: %d\n", value);
    expect(value == 49, "a copy");
}

int main() {
    unsigned *pinned, *managed, *device;
    CHECK(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&pinned, sizeof *pinned));
    CHECK(cudaMallocManaged(&managed, sizeof *managed));
    CHECK(cudaMalloc(&device, sizeof *device));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMallocHost(&numbers, WORDS * sizeof *numbers));
    CHECK(cudaMalloc(&copies, WORDS * sizeof *copies));
    *pinned = 1; // each kernel once, so that all are loaded
    wait_for<<<1, 1>>>(pinned, 1, out);
    square<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    by_the_host("pinned memory", pinned);
    by_the_host("managed memory", managed);
    by_a_copy(device);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    CHECK(cudaFree(copies));
    CHECK(cudaFreeHost(numbers));
    CHECK(cudaStreamDestroy(waits));
    CHECK(cudaStreamDestroy(other));
    return finish("host_flag");
}
