// A graph built node by node (memset, two kernels, memcpy, host function), launched several times; then the parameters
// of one kernel node are changed in the executable graph.
//
//     memset -> accumulate ---> combine -> memcpy -> host
//               square     --/
#include "../check.h"

const int n = 512;

__global__ void accumulate(int *data, int times) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += i * times;
}

__global__ void square(int *data, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = (i + shift) * (i + shift);
}

__global__ void combine(const int *a, const int *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

struct host_work {
    const int *data;
    int calls;
    long long sum;
};

static void CUDART_CB add_up(void *user) {
    host_work *work = (host_work *)user;
    work->calls++;
    work->sum = 0;
    for (int i = 0; i < n; i++) work->sum += work->data[i];
}

static cudaKernelNodeParams kernel_node(const void *function, void **arguments) {
    cudaKernelNodeParams params = {};
    params.func = (void *)function;
    params.gridDim = dim3(n / 128);
    params.blockDim = dim3(128);
    params.kernelParams = arguments;
    return params;
}

static long long want(int times, int shift) {
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += i * times + (i + shift) * (i + shift);
    return sum;
}

int main() {
    int *a, *b, *c, *host;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMalloc(&c, n * sizeof(int)));
    CHECK(cudaMallocHost(&host, n * sizeof(int)));

    cudaGraph_t graph;
    cudaGraphNode_t zero_node, accumulate_node, square_node, combine_node, copy_node, host_node;
    CHECK(cudaGraphCreate(&graph, 0));

    cudaMemsetParams zero = {};
    zero.dst = a;
    zero.elementSize = 4;
    zero.width = n;
    zero.height = 1;
    CHECK(cudaGraphAddMemsetNode(&zero_node, graph, nullptr, 0, &zero));

    int times = 3, shift = 1;
    void *accumulate_arguments[] = {&a, &times};
    cudaKernelNodeParams params = kernel_node((const void *)accumulate, accumulate_arguments);
    CHECK(cudaGraphAddKernelNode(&accumulate_node, graph, &zero_node, 1, &params));

    void *square_arguments[] = {&b, &shift};
    cudaKernelNodeParams square_params = kernel_node((const void *)square, square_arguments);
    CHECK(cudaGraphAddKernelNode(&square_node, graph, nullptr, 0, &square_params));

    void *combine_arguments[] = {&a, &b, &c};
    cudaGraphNode_t both[] = {accumulate_node, square_node};
    params = kernel_node((const void *)combine, combine_arguments);
    CHECK(cudaGraphAddKernelNode(&combine_node, graph, both, 2, &params));

    CHECK(cudaGraphAddMemcpyNode1D(&copy_node, graph, &combine_node, 1, host, c, n * sizeof(int),
                                   cudaMemcpyDeviceToHost));

    host_work work = {host, 0, 0};
    cudaHostNodeParams host_params = {};
    host_params.fn = add_up;
    host_params.userData = &work;
    CHECK(cudaGraphAddHostNode(&host_node, graph, &copy_node, 1, &host_params));

    size_t nodes, roots;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(host_node, &type));
    expect(type == cudaGraphNodeTypeHost, "type of the host node");
    printf("%d nodes, %d roots\n", (int)nodes, (int)roots);

    cudaGraphExec_t exec;
    cudaStream_t stream;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaStreamCreate(&stream));
    for (int launch = 0; launch < 3; launch++) CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("3 launches: sum %lld, host calls %d\n", work.sum, work.calls);
    expect(work.sum == want(3, 1) && work.calls == 3, "3 launches");

    // The arguments were copied when the node was made: changing the variable alone has no effect.
    shift = 10;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("variable changed: sum %lld\n", work.sum);
    expect(work.sum == want(3, 1), "arguments copied");

    CHECK(cudaGraphExecKernelNodeSetParams(exec, square_node, &square_params));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("node updated: sum %lld, host calls %d\n", work.sum, work.calls);
    expect(work.sum == want(3, 10) && work.calls == 5, "updated node");

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFreeHost(host));
    return finish("graph_explicit");
}
