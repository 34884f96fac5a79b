// A graph captured from two streams that fork and join by events, launched several times.
#include "../check.h"

const int n = 1024;

__global__ void fill(int *data, const int *round) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i + *round;
}

__global__ void scale(const int *in, int *out, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}

__global__ void add(const int *a, const int *b, int *out, int *round) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
    if (i == 0) (*round)++; // nothing else of this launch reads it
}

int main() {
    int *base, *left, *right, *sum, *round;
    static int out[n];
    CHECK(cudaMalloc(&base, n * sizeof(int)));
    CHECK(cudaMalloc(&left, n * sizeof(int)));
    CHECK(cudaMalloc(&right, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, n * sizeof(int)));
    CHECK(cudaMalloc(&round, sizeof(int)));
    CHECK(cudaMemset(round, 0, sizeof(int)));
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    fill<<<n / 256, 256, 0, a>>>(base, round);
    CHECK(cudaEventRecord(fork, a));
    CHECK(cudaStreamWaitEvent(b, fork, 0));
    scale<<<n / 256, 256, 0, a>>>(base, left, 2);
    scale<<<n / 256, 256, 0, b>>>(base, right, 5);
    CHECK(cudaEventRecord(join, b));
    CHECK(cudaStreamIsCapturing(b, &status));
    expect(status == cudaStreamCaptureStatusActive, "the second stream is captured too");
    CHECK(cudaStreamWaitEvent(a, join, 0));
    add<<<n / 256, 256, 0, a>>>(left, right, sum, round);
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaStreamIsCapturing(a, &status));
    expect(status == cudaStreamCaptureStatusNone, "the capture has ended");

    // Nothing has run so far.
    int rounds = -1;
    CHECK(cudaMemcpy(&rounds, round, sizeof rounds, cudaMemcpyDeviceToHost));
    size_t nodes;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    printf("captured %d nodes, ran %d\n", (int)nodes, rounds);
    expect(nodes == 4 && rounds == 0, "captured");

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 3; launch++) {
        CHECK(cudaGraphLaunch(exec, a));
        CHECK(cudaStreamSynchronize(a));
        CHECK(cudaMemcpy(out, sum, sizeof out, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += out[i] != 7 * (i + launch);
        printf("launch %d: %d .. %d\n", launch, out[0], out[n - 1]);
        expect(wrong == 0, "launch");
    }
    // Several launches in a row, without a wait between them.
    for (int launch = 3; launch < 8; launch++) CHECK(cudaGraphLaunch(exec, a));
    CHECK(cudaStreamSynchronize(a));
    CHECK(cudaMemcpy(out, sum, sizeof out, cudaMemcpyDeviceToHost));
    printf("launch 7: %d .. %d\n", out[0], out[n - 1]);
    expect(out[0] == 7 * 7 && out[n - 1] == 7 * (n - 1 + 7), "launches in a row");

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    for (int *p : {base, left, right, sum, round}) CHECK(cudaFree(p));
    return finish("graph_capture");
}
