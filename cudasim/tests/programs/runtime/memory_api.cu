// Ways to allocate, copy and set memory: pitched and 2D, pinned, mapped, managed, stream-ordered; what kind a pointer
// is.
#include <cstring>

#include "../check.h"

__global__ void add_2d(int *data, size_t pitch, int width, int height, int value) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) ((int *)((char *)data + y * pitch))[x] += value;
}

__global__ void add_1d(int *data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += value;
}

static const char *kind(const void *p) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, p));
    const char *names[] = {"unregistered", "host", "device", "managed"};
    return names[attributes.type];
}

static void pitched() {
    const int width = 21, height = 9;
    int host[height][width + 3], *device, wrong = 0; // rows of the host are longer
    size_t pitch;
    for (int i = 0; i < height * (width + 3); i++) host[i / (width + 3)][i % (width + 3)] = i;
    CHECK(cudaMallocPitch(&device, &pitch, width * sizeof(int), height));
    expect(pitch >= width * sizeof(int) && pitch % 32 == 0, "pitch");
    CHECK(cudaMemcpy2D(device, pitch, host, sizeof host[0], width * sizeof(int), height, cudaMemcpyHostToDevice));
    add_2d<<<1, dim3(32, 16)>>>(device, pitch, width, height, 1000);
    CHECK(cudaGetLastError());
    memset(host, 0, sizeof host);
    CHECK(cudaMemcpy2D(host, sizeof host[0], device, pitch, width * sizeof(int), height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width + 3; x++) wrong += host[y][x] != (x < width ? 1000 + y * (width + 3) + x : 0);
    }
    expect(wrong == 0, "copy 2d");
    // A rectangle of 5 x 3 bytes * 4 set in the middle.
    CHECK(cudaMemset2D((char *)device + 2 * pitch + 4 * sizeof(int), pitch, 0x11, 5 * sizeof(int), 3));
    CHECK(cudaMemcpy2D(host, sizeof host[0], device, pitch, width * sizeof(int), height, cudaMemcpyDeviceToHost));
    int set = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) set += host[y][x] == 0x11111111;
    }
    printf("pitched: [0][0] %d, [8][20] %d, set %d, [3][6] %x\n", host[0][0], host[8][20], set, host[3][6]);
    expect(set == 15, "set 2d");
    CHECK(cudaFree(device));
}

static void pinned_and_mapped() {
    int *pinned, *mapped, *on_device;
    CHECK(cudaMallocHost(&pinned, 256 * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, 256 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&on_device, mapped, 0));
    for (int i = 0; i < 256; i++) pinned[i] = mapped[i] = i;
    add_1d<<<2, 128>>>(on_device, 256, 5);
    add_1d<<<2, 128>>>(pinned, 256, 6); // one address space: pinned memory too
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("mapped: %d %d, pinned: %d %d\n", mapped[0], mapped[255], pinned[0], pinned[255]);
    expect(mapped[255] == 260 && pinned[255] == 261, "host memory");
    printf("kinds: %s, %s\n", kind(pinned), kind(mapped));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
}

static void managed() {
    int *data;
    CHECK(cudaMallocManaged(&data, 300 * sizeof(int)));
    for (int i = 0; i < 300; i++) data[i] = -i;
    add_1d<<<3, 128>>>(data, 300, 1000);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("managed: %d %d, kind %s\n", data[0], data[299], kind(data));
    expect(data[299] == 701, "managed memory");
    CHECK(cudaFree(data));
}

static void stream_ordered() {
    cudaStream_t stream;
    int *a, *b, host[100];
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&a, sizeof host, stream));
    CHECK(cudaMallocAsync(&b, sizeof host, stream));
    CHECK(cudaMemsetAsync(a, 1, sizeof host, stream));
    add_1d<<<1, 128, 0, stream>>>(a, 100, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(b, a, sizeof host, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaMemcpyAsync(host, b, sizeof host, cudaMemcpyDefault, stream));
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("stream-ordered: %x %x\n", host[0], host[99]);
    expect(host[0] == 0x01010102 && host[99] == 0x01010102, "stream-ordered memory");
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    pitched();
    pinned_and_mapped();
    managed();
    stream_ordered();
    int *device;
    size_t free_bytes, total_bytes;
    CHECK(cudaMalloc(&device, 64));
    printf("kinds: %s, %s\n", kind(device), kind(device + 3));
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    expect(free_bytes > 0 && free_bytes <= total_bytes, "free memory");
    CHECK(cudaFree(device));
    CHECK(cudaFree(nullptr));
    return finish("memory_api");
}
