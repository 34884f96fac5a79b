// Calls that are wrong in one way each: what they return is what an H200 with CUDA 13.0 and driver 580 returned. What
// a call returns is the last error too, once.
#include "../check.h"

static void report(const char *what, cudaError_t status) {
    cudaError_t last = cudaGetLastError();
    printf("%s: %s\n", what, cudaGetErrorName(status));
    expect(last == status, "the last error is the call's");
    expect(cudaGetLastError() == cudaSuccess, "and told once");
}
#define SHOW(call) report(#call, call)

// The same for <<< >>>, which returns nothing.
#define LAUNCH(...)                                                                                                    \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        printf("%s: %s\n", #__VA_ARGS__, cudaGetErrorName(cudaGetLastError()));                                        \
    } while (0)

__constant__ int constants[4];

__global__ void touch(int *p) {
    if (p) *p = 1;
}

__global__ void __launch_bounds__(256) bounded(int *p) {
    if (p) *p = 1;
}

// Needs so many registers that a block has at most 256 threads.
__global__ void fat(float *p) {
    float a[200];
    for (int i = 0; i < 200; i++) a[i] = p[i];
    for (int k = 0; k < 100; k++) {
        for (int i = 0; i < 200; i++) a[i] = a[(i + 7) % 200] * a[i] + k;
    }
    for (int i = 0; i < 200; i++) p[i] = a[i];
}

__global__ void shared_40000(int *p) {
    __shared__ int s[10000];
    s[threadIdx.x] = *p;
    __syncthreads();
    *p = s[5];
}

static int host_variable;
static void host_function() {
}

// Device memory of 4096 bytes.
static int *p;
static float *f;

static void launches() {
    printf("-- launches\n");
    void *args[] = {&p}, *fat_args[] = {&f};
    const void *kernel = (const void *)touch;
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(2048), args, 0, 0));
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(1, 1, 65), args, 0, 0));
    SHOW(cudaLaunchKernel(kernel, dim3(0), dim3(32), args, 0, 0));
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(0), args, 0, 0));
    SHOW(cudaLaunchKernel(kernel, dim3(1, 65536), dim3(1), args, 0, 0));
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(32), args, 1 << 20, 0));
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(32), args, 49153, 0));
    SHOW(cudaLaunchKernel(kernel, dim3(0x80000000u), dim3(32), args, 0, 0));
    SHOW(cudaLaunchKernel((const void *)bounded, dim3(1), dim3(512), args, 0, 0));
    SHOW(cudaLaunchKernel((const void *)fat, dim3(1), dim3(1024), fat_args, 0, 0));
    SHOW(cudaLaunchKernel((const void *)shared_40000, dim3(1), dim3(32), args, 20000, 0));
    SHOW(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(32), args, 0, 0));
    SHOW(cudaLaunchKernel((const void *)host_function, dim3(1), dim3(32), args, 0, 0));
    SHOW(cudaLaunchCooperativeKernel(kernel, dim3(100000), dim3(32), args, 0, 0));
    LAUNCH(bounded<<<1, 512>>>(p));
    LAUNCH(fat<<<1, 1024>>>(f));
    LAUNCH(shared_40000<<<1, 32, 20000>>>(p));
    LAUNCH(touch<<<1, 2048>>>(p));
    LAUNCH(touch<<<0x80000000u, 32>>>(p));
}

static void launch_attributes() {
    printf("-- launches with attributes\n");
    void *args[] = {&p};
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 2048;
    report("block of 2048", cudaLaunchKernelExC(&config, (const void *)touch, args));
    config.blockDim = 32;
    config.gridDim = 0;
    report("empty grid", cudaLaunchKernelExC(&config, (const void *)touch, args));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 3;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    report("grid of 1, cluster of 3", cudaLaunchKernelExC(&config, (const void *)touch, args));
    attribute.val.clusterDim.x = 16;
    config.gridDim = 16;
    report("cluster of 16", cudaLaunchKernelExC(&config, (const void *)touch, args));
    attribute.id = (cudaLaunchAttributeID)77;
    report("attribute 77", cudaLaunchKernelExC(&config, (const void *)touch, args));
}

static void freeing() {
    printf("-- freeing\n");
    int *q;
    SHOW(cudaFree(p + 1));
    SHOW(cudaFree(&host_variable));
    SHOW(cudaFree((void *)0x1234));
    CHECK(cudaMalloc(&q, 16));
    SHOW(cudaFree(q));
    SHOW(cudaFree(q));
}

static void copying() {
    printf("-- copying and setting\n");
    int n = 0, *last = p + 1023;
    char *beyond = (char *)last + 2;
    SHOW(cudaMemcpy(&n, beyond, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(&n, &n, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(p, p + 1, 4, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(p, &n, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(p, &n, 4, cudaMemcpyDefault));
    SHOW(cudaMemcpy(p, p + 4, 8192, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemset(last, 1, 200));
    SHOW(cudaMemset(&n, 1, 4));
    SHOW(cudaMemset2D(p, 8, 1, 16, 2));
    SHOW(cudaMemcpy2D(p, 8, &n, 16, 16, 1, cudaMemcpyHostToDevice));
}

static void host_memory() {
    printf("-- host memory\n");
    void *h;
    int n;
    SHOW(cudaMallocHost(&h, 64));
    SHOW(cudaFree(h));
    SHOW(cudaFreeHost(p));
    SHOW(cudaFreeHost(h));
    SHOW(cudaHostRegister(&n, 4, 0));
    SHOW(cudaHostRegister(&n, 4, 0));
    SHOW(cudaHostUnregister(&n));
    SHOW(cudaHostUnregister(&n));
    SHOW(cudaHostGetDevicePointer(&h, &n, 0));
    SHOW(cudaMalloc(&h, 0));
    printf("it is null: %d\n", h == nullptr);
    SHOW(cudaMalloc(&h, (size_t)-1));
    SHOW(cudaMallocHost(&h, 0));
    cudaPointerAttributes attributes;
    SHOW(cudaPointerGetAttributes(&attributes, &n));
    printf("type %d\n", attributes.type);
    SHOW(cudaPointerGetAttributes(&attributes, p));
    printf("type %d, no host pointer: %d\n", attributes.type, attributes.hostPointer == nullptr);
}

static cudaStream_t s, t;
static cudaEvent_t e, untimed;

static void events() {
    printf("-- events and streams\n");
    float ms;
    SHOW(cudaEventQuery(e));
    SHOW(cudaEventSynchronize(e));
    SHOW(cudaEventElapsedTime(&ms, e, e));
    SHOW(cudaEventRecord(e));
    SHOW(cudaEventRecord(untimed));
    SHOW(cudaEventElapsedTime(&ms, e, untimed));
    SHOW(cudaEventRecord(nullptr));
    SHOW(cudaEventDestroy(nullptr));
    SHOW(cudaStreamDestroy(nullptr));
    SHOW(cudaStreamQuery(s));
    SHOW(cudaStreamWaitEvent(s, nullptr, 0));
}

// s is captured, and t from an event on that s recorded.
static void fork_capture() {
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaEventRecord(e, s));
    SHOW(cudaStreamWaitEvent(t, e, 0));
    LAUNCH(touch<<<1, 1, 0, t>>>(p));
}

static void captures() {
    printf("-- captures\n");
    int n;
    void *h;
    cudaGraph_t g;
    SHOW(cudaStreamEndCapture(s, &g));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaStreamEndCapture(s, &g));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW(cudaMalloc(&h, 16));
    SHOW(cudaStreamEndCapture(s, &g));
    SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SHOW(cudaMalloc(&h, 16));
    SHOW(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaStreamEndCapture(s, &g));
    fork_capture();
    SHOW(cudaEventQuery(e));
    SHOW(cudaStreamEndCapture(t, &g));
    SHOW(cudaStreamEndCapture(s, &g));
    fork_capture();
    LAUNCH(touch<<<1, 1>>>(p));
    SHOW(cudaStreamEndCapture(s, &g));
    SHOW(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SHOW(cudaEventSynchronize(e));
}

static void graphs() {
    printf("-- graphs\n");
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t a, b;
    SHOW(cudaGraphInstantiate(&x, nullptr, 0));
    SHOW(cudaGraphCreate(&g, 0));
    SHOW(cudaGraphInstantiate(&x, g, 0));
    SHOW(cudaGraphLaunch(x, s));
    SHOW(cudaGraphLaunch(nullptr, s));
    SHOW(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
    SHOW(cudaGraphAddEmptyNode(&b, g, &a, 1));
    SHOW(cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
    SHOW(cudaGraphInstantiate(&x, g, 0)); // a cycle
}

static void occupancy(const char *what, cudaError_t status, int blocks) {
    report(what, status);
    if (status == cudaSuccess) printf("%d blocks\n", blocks);
}
#define OCCUPANCY(kernel, threads, shared)                                                                             \
    do {                                                                                                               \
        int blocks = -1;                                                                                               \
        cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);          \
        occupancy("blocks of " #kernel " an SM, " #threads ", " #shared, status, blocks);                              \
    } while (0)

static void functions() {
    printf("-- functions\n");
    SHOW(cudaFuncSetAttribute((const void *)touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
    SHOW(cudaFuncSetAttribute((const void *)shared_40000, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    SHOW(cudaFuncSetAttribute((const void *)touch, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SHOW(cudaFuncSetAttribute((const void *)touch, (cudaFuncAttribute)99, 1));
    SHOW(cudaFuncSetAttribute((const void *)host_function, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    OCCUPANCY(touch, 2048, 0);
    OCCUPANCY(touch, 32, 1 << 20);
    OCCUPANCY(touch, 0, 0);
    OCCUPANCY(touch, 32, 49153);
    OCCUPANCY(fat, 1024, 0);
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, touch));
    printf("touch: at most %d threads, shared %zu, constant %zu, local %zu, dynamic at most %d\n", a.maxThreadsPerBlock,
           a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes, a.maxDynamicSharedSizeBytes);
    CHECK(cudaFuncGetAttributes(&a, fat));
    printf("fat: at most %d threads, local %zu\n", a.maxThreadsPerBlock, a.localSizeBytes);
    CHECK(cudaFuncGetAttributes(&a, shared_40000));
    printf("shared_40000: shared %zu, dynamic at most %d\n", a.sharedSizeBytes, a.maxDynamicSharedSizeBytes);
}

static void device() {
    printf("-- the device and symbols\n");
    int n = 0;
    size_t size;
    for (int limit = 0; limit < 8; limit++) {
        cudaError_t status = cudaDeviceGetLimit(&size, (cudaLimit)limit);
        if (status == cudaSuccess) {
            printf("limit %d: %zu\n", limit, size);
        } else {
            printf("limit %d: %s\n", limit, cudaGetErrorName(status));
            cudaGetLastError();
        }
    }
    SHOW(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    SHOW(cudaDeviceSetLimit((cudaLimit)99, 1));
    SHOW(cudaSetDevice(1000));
    SHOW(cudaGetDeviceCount(&n));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMemcpyToSymbol(constants, &n, 4, 13));
    SHOW(cudaMemcpyToSymbol(&host_variable, &n, 4));
    SHOW(cudaGetSymbolSize(&size, constants));
    printf("size %zu\n", size);
}

int main() {
    CHECK(cudaMalloc(&p, 4096));
    CHECK(cudaMalloc(&f, 4096));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    launches();
    launch_attributes();
    freeing();
    copying();
    host_memory();
    events();
    captures();
    graphs();
    functions();
    device();
    return finish("api_errors");
}
