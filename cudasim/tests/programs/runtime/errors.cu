// Errors that do not last: what the calls return, and what cudaPeekAtLastError and cudaGetLastError remember of them.
#include "../check.h"

__device__ int variable;

__global__ void touch(int *p) {
    if (p != nullptr) *p = 1;
}

static void not_a_kernel() {
}

// Prints what a call returned; the error it left behind is the same, and is gone once asked for.
static void show(const char *what, cudaError_t status) {
    cudaError_t peeked = cudaPeekAtLastError(), got = cudaGetLastError(), after = cudaGetLastError();
    printf("%s: %s\n", what, cudaGetErrorName(status));
    expect(peeked == status && got == status, "the last error");
    expect(after == cudaSuccess, "no error left");
}

// The same for a launch, which returns nothing.
static void show_launch(const char *what) {
    show(what, cudaPeekAtLastError());
}

int main() {
    int value = 0, other = 0, *null = nullptr;
    cudaDeviceProp properties;
    show("nothing wrong", cudaFree(nullptr));

    touch<<<1, 2048>>>(nullptr);
    show_launch("block of 2048 threads");
    touch<<<1, dim3(1, 1, 65)>>>(nullptr);
    show_launch("block of depth 65");
    touch<<<0, 32>>>(nullptr);
    show_launch("empty grid");
    touch<<<1, 0>>>(nullptr);
    show_launch("empty block");
    touch<<<dim3(1, 65536), 1>>>(nullptr);
    show_launch("grid too high");
    touch<<<1, 32, 1 << 20>>>(nullptr);
    show_launch("1 MiB of shared memory");
    touch<<<1, 32, 49153>>>(nullptr);
    show_launch("shared memory without opt-in");
    show("too much opt-in", cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));

    show("copy from null", cudaMemcpy(&value, null, sizeof value, cudaMemcpyDeviceToHost));
    show("copy to null", cudaMemcpy(null, &value, sizeof value, cudaMemcpyHostToDevice));
    show("unknown direction", cudaMemcpy(&other, &value, sizeof value, (cudaMemcpyKind)7));
    show("set null", cudaMemset(null, 0, 16));
    show("malloc to null", cudaMalloc((void **)nullptr, 16));
    void *p = nullptr;
    show("malloc of a pebibyte", cudaMalloc(&p, (size_t)1 << 50));
    show("beyond the symbol", cudaMemcpyToSymbol(variable, &value, 1, sizeof variable));

    show("device 1000", cudaSetDevice(1000));
    show("device -1", cudaSetDevice(-1));
    show("properties of device 1000", cudaGetDeviceProperties(&properties, 1000));
    show("attribute of device 1000", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1000));

    cudaFuncAttributes attributes;
    show("attributes of a host function", cudaFuncGetAttributes(&attributes, (const void *)not_a_kernel));
    void *arguments[] = {nullptr};
    show("launch of a host function", cudaLaunchKernel((const void *)not_a_kernel, dim3(1), dim3(1), arguments, 0, 0));

    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    show("time between events never recorded", cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));

    // The last error stays until asked for, a success in between does not clear it; a later error replaces it.
    cudaError_t first = cudaSetDevice(1000);
    cudaError_t fine = cudaDeviceSynchronize();
    cudaError_t peeked = cudaPeekAtLastError();
    touch<<<1, 2048>>>(nullptr);
    cudaError_t last = cudaGetLastError();
    printf("%s, %s, %s, %s\n", cudaGetErrorName(first), cudaGetErrorName(fine), cudaGetErrorName(peeked),
           cudaGetErrorName(last));
    expect(peeked == first && last == cudaErrorInvalidValue, "order of errors");

    // And everything works as before.
    int *d_value;
    CHECK(cudaMalloc(&d_value, sizeof(int)));
    CHECK(cudaMemset(d_value, 0, sizeof(int)));
    touch<<<1, 1>>>(d_value);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&value, d_value, sizeof value, cudaMemcpyDeviceToHost));
    expect(value == 1, "the kernel after all errors");
    CHECK(cudaFree(d_value));
    printf("texts: %s; %s\n", cudaGetErrorString(cudaSuccess), cudaGetErrorString(cudaErrorInvalidValue));
    return finish("errors");
}
