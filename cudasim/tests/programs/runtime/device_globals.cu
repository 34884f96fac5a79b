// Variables of the module: __device__ and __constant__, initialised or not, copied by symbol and by address; static and
// dynamic shared memory in one kernel; a static variable in a device function.
#include "../check.h"

struct settings {
    int scale;
    float offset;
    char tag[8];
};

__device__ int counter = 100;
__device__ int table[4][8];
__device__ double zero_by_default;
__device__ const char *greeting = "hello from the device";
__constant__ settings current = {2, 0.5f, "first"};
__constant__ short small_table[5] = {10, 20, 30, 40, 50};

__device__ int ticket() {
    static int next = 7;
    return atomicAdd(&next, 1);
}

__global__ void use_globals(float *out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[32];
    int i = threadIdx.x;
    fixed[i] = small_table[i % 5];
    dynamic[i] = table[i / 8][i % 8];
    dynamic[32 + i] = i;
    __syncthreads();
    int other = 31 - i;
    out[i] = (float)((fixed[other] + dynamic[other]) * current.scale + dynamic[32 + other]) + current.offset;
    atomicAdd(&counter, 1);
    if (i == 0) zero_by_default += 0.25;
}

__global__ void copy_text(char *out, int *tickets) {
    int n = 0;
    while ((out[n] = greeting[n]) != 0) n++;
    out[31] = current.tag[0];
    for (int i = 0; i < 3; i++) tickets[i] = ticket();
}

static float want(int i, int scale, float offset) {
    int other = 31 - i;
    return (float)((10 * (other % 5 + 1) + other * other) * scale + other) + offset;
}

int main() {
    int host_table[4][8];
    for (int i = 0; i < 32; i++) host_table[i / 8][i % 8] = i * i;
    CHECK(cudaMemcpyToSymbol(table, host_table, sizeof host_table));
    float *d_out, out[32];
    char *d_text, text[32];
    int *d_tickets, tickets[3];
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMalloc(&d_text, sizeof text));
    CHECK(cudaMalloc(&d_tickets, sizeof tickets));

    use_globals<<<1, 32, 64 * sizeof(int)>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) expect(out[i] == want(i, 2, 0.5f), "first settings");
    printf("first: %.2f %.2f\n", out[0], out[31]);

    const settings second = {-3, 0.25f, "second"};
    CHECK(cudaMemcpyToSymbol(current, &second, sizeof second));
    use_globals<<<1, 32, 64 * sizeof(int)>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) expect(out[i] == want(i, -3, 0.25f), "second settings");
    printf("second: %.2f %.2f\n", out[0], out[31]);

    copy_text<<<1, 1>>>(d_text, d_tickets);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(text, d_text, sizeof text, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(tickets, d_tickets, sizeof tickets, cudaMemcpyDeviceToHost));
    printf("%s, tag %c, tickets %d %d %d\n", text, text[31], tickets[0], tickets[1], tickets[2]);
    expect(text[31] == 's' && tickets[0] == 7 && tickets[2] == 9, "text and tickets");

    int count, cell;
    double quarter;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(cudaMemcpyFromSymbol(&cell, table, sizeof cell, (3 * 8 + 7) * sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(&quarter, zero_by_default, sizeof quarter));
    printf("counter %d, table[3][7] %d, double %.2f\n", count, cell, quarter);
    expect(count == 164 && cell == 31 * 31 && quarter == 0.5, "variables");

    void *address;
    size_t bytes;
    CHECK(cudaGetSymbolAddress(&address, counter));
    CHECK(cudaGetSymbolSize(&bytes, table));
    int fresh = -5;
    CHECK(cudaMemcpy(address, &fresh, sizeof fresh, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    printf("counter by its address %d, table of %d bytes\n", count, (int)bytes);
    expect(count == -5 && bytes == sizeof host_table, "address and size");
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_text));
    CHECK(cudaFree(d_tickets));
    return finish("device_globals");
}
