// Prefix sums over several blocks: Hillis-Steele (inclusive) and Blelloch (exclusive). Both scan every block, then the
// sums of the blocks, then add those to each block.
#include "../check.h"

const int block_size = 256;

// Inclusive, one element a thread, two buffers in shared memory.
__global__ void scan_hillis_steele(const int *in, int *out, int *block_sums, int n) {
    __shared__ int buffer[2][block_size];
    int tid = threadIdx.x;
    int i = blockIdx.x * block_size + tid;
    int from = 0;
    buffer[from][tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < block_size; offset *= 2) {
        int value = buffer[from][tid];
        if (tid >= offset) value += buffer[from][tid - offset];
        buffer[1 - from][tid] = value;
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[from][tid];
    if (block_sums != nullptr && tid == block_size - 1) block_sums[blockIdx.x] = buffer[from][tid];
}

// Exclusive, two elements a thread, up-sweep and down-sweep in place.
__global__ void scan_blelloch(const int *in, int *out, int *block_sums, int n) {
    __shared__ int tree[2 * block_size];
    int tid = threadIdx.x;
    int base = blockIdx.x * 2 * block_size;
    for (int k = tid; k < 2 * block_size; k += block_size) tree[k] = base + k < n ? in[base + k] : 0;
    int offset = 1;
    for (int d = block_size; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) tree[offset * (2 * tid + 2) - 1] += tree[offset * (2 * tid + 1) - 1];
        offset *= 2;
    }
    if (tid == 0) {
        if (block_sums != nullptr) block_sums[blockIdx.x] = tree[2 * block_size - 1];
        tree[2 * block_size - 1] = 0;
    }
    for (int d = 1; d < 2 * block_size; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            int t = tree[left];
            tree[left] = tree[right];
            tree[right] += t;
        }
    }
    __syncthreads();
    for (int k = tid; k < 2 * block_size; k += block_size) {
        if (base + k < n) out[base + k] = tree[k];
    }
}

// Adds to every element what lies in front of its block.
__global__ void add_offsets(int *data, const int *offsets, int per_block, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += offsets[i / per_block];
}

int main() {
    const int n = 10000;
    static int in[n], out[n];
    for (int i = 0; i < n; i++) in[i] = i * 13 % 17 - 5;
    int *d_in, *d_out, *d_sums, *d_offsets;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMalloc(&d_sums, block_size * sizeof(int)));
    CHECK(cudaMalloc(&d_offsets, block_size * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));

    for (int inclusive = 1; inclusive >= 0; inclusive--) {
        int per_block = inclusive ? block_size : 2 * block_size;
        int blocks = (n + per_block - 1) / per_block;
        CHECK(cudaMemset(d_out, 0, sizeof out));
        if (inclusive)
            scan_hillis_steele<<<blocks, block_size>>>(d_in, d_out, d_sums, n);
        else
            scan_blelloch<<<blocks, block_size>>>(d_in, d_out, d_sums, n);
        scan_blelloch<<<1, block_size>>>(d_sums, d_offsets, nullptr, blocks);
        add_offsets<<<(n + block_size - 1) / block_size, block_size>>>(d_out, d_offsets, per_block, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));

        int sum = 0, wrong = 0;
        for (int i = 0; i < n; i++) {
            int before = sum;
            sum += in[i];
            wrong += out[i] != (inclusive ? sum : before);
        }
        const char *name = inclusive ? "hillis-steele, inclusive" : "blelloch, exclusive";
        printf("%s: %d blocks, [0] %d, [4999] %d, [9999] %d\n", name, blocks, out[0], out[4999], out[9999]);
        expect(wrong == 0, name);
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_offsets));
    return finish("scan");
}
