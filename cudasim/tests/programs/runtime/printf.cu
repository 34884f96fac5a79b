// printf on the device, all conversions with flags, widths and precisions. The order of the lines is that of the
// program: one thread, or threads that take turns.
#include "../check.h"

__global__ void integers() {
    printf("d [%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", -42, 42, 42, 42, 42, 42);
    printf("i [%i] u [%u] x [%x] X [%X] #x [%#x] o [%o]\n", -7, 4000000000u, 48879, 48879, 255, 8);
    printf("lld [%lld] llu [%llu] llx [%llx] [%016llx]\n", -1234567890123ll, 18446744073709551615ull,
           0x123456789abcdefull, 0xfeedull);
    printf("ld [%ld] lu [%lu] hd [%hd]\n", -5000000000l, 5000000000ul, (short)-3);
    printf("precision [%.5d] [%8.3d]\n", 42, 7);
}

__global__ void floats(float f, double d) {
    printf("f [%f] [%8.2f] [%-8.2f] [%08.3f] [%+.1f] [%.0f]\n", f, f, f, f, f, f);
    printf("e [%e] [%.2e] [%E] g [%g] [%g] [%g] [%.3g]\n", d, d, d, d, 1e-10, 1e20, d);
    printf("special [%f] [%f] [%f]\n", d * 0, -d / (d - d), 0.0 * d - 0.5);
}

__global__ void strings(const char *from_memory) {
    const char *name = "device";
    printf("s [%s] [%10s] [%-10s] [%.3s] [%s]\n", name, name, name, name, from_memory);
    printf("c [%c%c%c] [%3c]\n", 'a', 'b', 'c', 'd');
    printf("percent [100%%]\n");
    printf("no newline, ");
    printf("same line\n");
    int arguments = printf("%d %s %f\n", 1, "two", 3.0);
    printf("arguments %d\n", arguments);
}

__global__ void turns() {
    for (int lane = 0; lane < (int)blockDim.x; lane++) {
        if ((int)threadIdx.x == lane) printf("thread %d of %d, square %d\n", lane, blockDim.x, lane * lane);
        __syncthreads();
    }
}

// One call of a converged warp: in the order of the lanes.
__global__ void lanes() {
    printf("lane %d\n", threadIdx.x);
}

__global__ void count(int *calls) {
    atomicAdd(calls, 1);
    if (threadIdx.x == 0) printf("eight: %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8);
}

static void wait() {
    CHECK(cudaGetLastError());
    fflush(stdout);
    CHECK(cudaDeviceSynchronize());
    fflush(stdout);
}

int main() {
    size_t limit;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    expect(limit >= 65536, "size of the buffer");
    char *text;
    int *calls, host_calls = 0;
    CHECK(cudaMalloc(&text, 16));
    CHECK(cudaMalloc(&calls, sizeof(int)));
    CHECK(cudaMemset(calls, 0, sizeof(int)));
    CHECK(cudaMemcpy(text, "from memory", 12, cudaMemcpyHostToDevice));
    printf("host first\n");
    integers<<<1, 1>>>();
    wait();
    floats<<<1, 1>>>(3.28125f, 12345.6789);
    wait();
    strings<<<1, 1>>>(text);
    wait();
    turns<<<1, 4>>>();
    wait();
    lanes<<<1, 4>>>();
    wait();
    count<<<1, 64>>>(calls);
    wait();
    CHECK(cudaMemcpy(&host_calls, calls, sizeof host_calls, cudaMemcpyDeviceToHost));
    printf("host last: %d\n", host_calls);
    expect(host_calls == 64, "calls");
    CHECK(cudaFree(text));
    CHECK(cudaFree(calls));
    return finish("printf");
}
