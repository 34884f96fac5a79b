/* The CUDA runtime: streams, events, work that goes on while the host does, and graphs. */
#include "cuda/runtime_case.h"

/* ---- streams and events ---- */

static void streams(void **state) {
    cudaStream_t s;
    unsigned flags;
    int priority;
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -99));
    OK(cudaStreamGetFlags(s, &flags));
    OK(cudaStreamGetPriority(s, &priority));
    assert_int_equal(flags, cudaStreamNonBlocking);
    assert_int_equal(priority, -5);
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamQuery(cudaStreamPerThread));
    OK(launch(&plain_host, 1, 1, 0, 'a', cudaStreamLegacy));
    OK(cudaStreamDestroy(s));
    GIVES(launch(&plain_host, 1, 1, 0, 'b', s), cudaErrorInvalidResourceHandle);
    GIVES(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void events(void **state) {
    cudaEvent_t a, b, untimed;
    float ms = -1;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    GIVES(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(a, NULL));
    OK(cudaEventRecord(b, NULL));
    OK(cudaEventRecord(untimed, NULL));
    OK(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms >= 0);
    GIVES(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(a));
    GIVES(cudaEventRecord(a, NULL), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

/* ---- work that goes on while the host does ---- */

static void host_function(void *data) {
    strcat(order, data);
}

static struct cudaKernelNodeParams kernel_params(void **args) {
    return (struct cudaKernelNodeParams){&plain_host, {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
}

static void *let_it_go(void *unused) {
    usleep(50000);
    assert_true(host_waits);
    let_go = true;
    return unused;
}

static pthread_t helper;

/* A kernel that has not ended when its launch has, */
static void begin_long(char name, cudaStream_t stream) {
    let_go = false;
    next_is_long = true;
    OK(launch(&plain_host, 1, 1, 0, name, stream));
    assert_int_equal(strchr(order, name) != NULL, 0);
    GIVES(cudaStreamQuery(stream), cudaErrorNotReady);
    GIVES(cudaGetLastError(), cudaErrorNotReady);
}
/* but does when somebody has waited for it a while. */
static void soon(void) {
    assert_int_equal(pthread_create(&helper, NULL, let_it_go, NULL), 0);
}
static void is_over(const char *expected) {
    pthread_join(helper, NULL);
    assert_string_equal(order, expected);
}

static void streams_go_on(void **state) {
    cudaStream_t s, t, blocking;
    cudaEvent_t before, after;
    float ms;
    char *device, *pinned;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&blocking));
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&after));
    OK(cudaMalloc((void **)&device, 64));
    OK(cudaMallocHost((void **)&pinned, 64));
    OK(cudaEventRecord(before, s));
    begin_long('a', s);
    OK(launch(&plain_host, 1, 1, 0, 'b', s));
    OK(cudaLaunchHostFunc(s, host_function, "h"));
    OK(cudaMemsetAsync(device, 5, 64, s));
    OK(cudaMemcpyAsync(pinned + 32, device, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaEventRecord(after, s));
    GIVES(cudaEventQuery(after), cudaErrorNotReady);
    GIVES(cudaEventElapsedTime(&ms, before, after), cudaErrorNotReady);
    cudaGetLastError();
    OK(cudaEventQuery(before));
    OK(cudaEventSynchronize(before));
    /* Streams that do not wait for this one */
    OK(cudaStreamQuery(t));
    OK(cudaStreamSynchronize(NULL));
    OK(cudaMemsetAsync(device, 3, 64, t));
    OK(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, t));
    OK(cudaStreamSynchronize(t));
    OK(cudaMemcpy(pinned + 8, device, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(pinned[0], 3);
    assert_int_equal(pinned[8], 3);
    assert_int_equal(pinned[32], 0);
    /* and one that is made to; so do those that wait for the legacy stream. */
    OK(cudaStreamWaitEvent(NULL, after, 0));
    OK(cudaLaunchHostFunc(blocking, host_function, "i"));
    GIVES(cudaStreamQuery(blocking), cudaErrorNotReady);
    cudaGetLastError();
    assert_string_equal(order, "");
    soon();
    OK(cudaStreamSynchronize(blocking));
    is_over("abhi");
    assert_int_equal(pinned[32], 5);
    OK(cudaEventElapsedTime(&ms, before, after));
    assert_true(ms >= 0);
    assert_int_equal(host_waits, 0);
}

/* What waits for work of the legacy stream, all at once or by its own means. */
static void what_waits(void **state) {
    char *device, *pinned, pageable[8] = {0};
    cudaStream_t s;
    cudaEvent_t event;
    for (int way = 0; way < 9; way++) {
        memset(order, 0, sizeof order);
        OK(cudaMalloc((void **)&device, 64));
        OK(cudaMallocHost((void **)&pinned, 64));
        OK(cudaEventCreate(&event));
        OK(cudaStreamCreate(&s));
        OK(cudaMemset(device, way, 64));
        begin_long('a', NULL);
        OK(cudaMemset(device, 20 + way, 64)); /* not this */
        OK(cudaEventRecord(event, NULL));
        assert_string_equal(order, "");
        soon();
        if (way == 0) OK(cudaDeviceSynchronize());
        if (way == 1) OK(cudaStreamSynchronize(NULL));
        if (way == 2) OK(cudaEventSynchronize(event));
        if (way == 3) OK(cudaMemcpy(pinned, device, 4, cudaMemcpyDeviceToHost));
        if (way == 4) OK(cudaMemcpyAsync(pageable, device, 4, cudaMemcpyDeviceToHost, s)); /* is not pinned */
        if (way == 5) OK(cudaFree(device));
        if (way == 6) OK(cudaFreeHost(pinned));
        if (way == 7) OK(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
        if (way == 8) OK(cudaDeviceReset());
        is_over("a");
        if (way == 3) assert_int_equal(pinned[0], 23);
        if (way == 4) assert_int_equal(pageable[0], 24);
        OK(cudaDeviceReset());
    }
}

static void status_of_stream(cudaStream_t stream, cudaError_t status, void *data) {
    *(cudaError_t *)data = status;
}

static void late_errors(void **state) {
    cudaError_t told = cudaSuccess;
    next_status = SIM_ILLEGAL_ADDRESS;
    begin_long('a', NULL);
    OK(launch(&plain_host, 1, 1, 0, 'b', NULL));
    OK(cudaStreamAddCallback(NULL, status_of_stream, &told, 0));
    OK(cudaGetLastError());
    soon();
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    is_over("a");
    assert_int_equal(told, cudaErrorIllegalAddress);
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress);
    GIVES(launch(&plain_host, 1, 1, 0, 'c', NULL), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    /* Memory that the host lacks is told by the launch, where it still can, and is no fault. */
    next_status = SIM_NO_MEMORY;
    GIVES(launch(&plain_host, 1, 1, 0, 'd', NULL), cudaErrorMemoryAllocation);
    OK(cudaDeviceSynchronize());
    next_status = SIM_NO_MEMORY;
    begin_long('e', NULL);
    soon();
    GIVES(cudaDeviceSynchronize(), cudaErrorMemoryAllocation);
    is_over("ade");
}

/* What was asked for runs, whatever has become of the handles; a free comes when its turn does. */
static void handles_may_go(void **state) {
    char name = 'g', *device, pinned_text[] = "x";
    void *args[] = {&name};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b;
    cudaStream_t s;
    cudaEvent_t event;
    struct cudaKernelNodeParams params = kernel_params(args);
    struct cudaHostNodeParams host = {host_function, "h"};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddHostNode(&a, graph, NULL, 0, &host));
    OK(cudaGraphAddKernelNode(&b, graph, &a, 1, &params));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&event));
    OK(cudaMallocAsync((void **)&device, 64, s));
    begin_long('a', s);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaMemsetAsync(device, 1, 64, s));
    OK(cudaFreeAsync(device, s));
    assert_non_null(memory_find((uint64_t)(uintptr_t)device));
    OK(cudaLaunchHostFunc(s, host_function, pinned_text));
    OK(cudaEventRecord(event, s));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(s));
    assert_string_equal(order, "");
    soon();
    OK(cudaDeviceSynchronize());
    is_over("ahgx");
    assert_null(memory_find((uint64_t)(uintptr_t)device));
}

/* ---- graphs ---- */

static void capture_fork_and_join(void **state) {
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes, edges;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(launch(&plain_host, 1, 1, 0, 'a', s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    OK(launch(&plain_host, 1, 1, 0, 'b', t));
    OK(launch(&plain_host, 1, 1, 0, 'c', s));
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(launch(&plain_host, 1, 1, 0, 'd', s));
    OK(cudaStreamEndCapture(s, &graph));
    assert_string_equal(order, "");
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    assert_int_equal(nodes, 4);
    assert_int_equal(edges, 4);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    assert_string_equal(order, "abcdabcd");
    OK(cudaGraphExecDestroy(exec));
}

static void capture_errors(void **state) {
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaGraph_t graph;
    void *p;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&e));
    GIVES(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorIllegalState);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    GIVES(launch(&plain_host, 1, 1, 0, 'a', s), cudaErrorStreamCaptureInvalidated);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    assert_null(graph);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 4));
    GIVES(launch(&plain_host, 1, 1, 0, 'a', NULL), cudaErrorStreamCaptureImplicit);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(launch(&plain_host, 1, 1, 0, 'a', t));
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureUnjoined);
    GIVES(cudaEventSynchronize(e), cudaErrorInvalidValue);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    assert_string_equal(order, "");
    cudaGetLastError();
}

/* The legacy stream waits for the streams of a capture, unless all of them are non-blocking. */
static void capture_and_legacy(void **state) {
    cudaStream_t s, t;
    cudaEvent_t e, join;
    cudaGraph_t graph;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(e, s));
    OK(launch(&plain_host, 1, 1, 0, 'a', NULL));
    OK(cudaStreamWaitEvent(t, e, 0));
    GIVES(launch(&plain_host, 1, 1, 0, 'b', NULL), cudaErrorStreamCaptureImplicit);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(launch(&plain_host, 1, 1, 0, 'c', NULL));
    assert_string_equal(order, "ac");
    cudaGetLastError();
}

/* Arguments are copied when a node is added; dependencies, not the order of adding, decide. */
static void explicit_graph(void **state) {
    cudaGraph_t graph, clone, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b, c, d, h, found;
    char name = 'a';
    void *args[] = {&name};
    struct cudaKernelNodeParams params = kernel_params(args), got;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    OK(cudaGraphAddKernelNode(&a, graph, NULL, 0, &params));
    name = 'b';
    OK(cudaGraphAddKernelNode(&b, graph, NULL, 0, &params));
    OK(cudaGraphAddDependencies(graph, &b, &a, NULL, 1));
    struct cudaHostNodeParams host = {host_function, "h"};
    OK(cudaGraphAddHostNode(&h, graph, &a, 1, &host));
    name = 'c';
    OK(cudaGraphAddKernelNode(&c, child, NULL, 0, &params));
    OK(cudaGraphAddChildGraphNode(&d, graph, &h, 1, child));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphKernelNodeGetParams(a, &got));
    assert_int_equal(*(char *)got.kernelParams[0], 'a');
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, a, clone));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    assert_string_equal(order, "bahc");
    name = 'z';
    OK(cudaGraphExecKernelNodeSetParams(exec, a, &params));
    OK(cudaGraphNodeSetEnabled(exec, b, 0));
    OK(cudaGraphLaunch(exec, NULL));
    assert_string_equal(order, "bahczhc");
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, clone, &info));
    OK(cudaGraphAddEmptyNode(&found, clone, NULL, 0));
    GIVES(cudaGraphExecUpdate(exec, clone, &info), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphAddDependencies(graph, &a, &b, NULL, 1));
    GIVES(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* Nodes whose memory has gone since they were made: the launch is fine, what comes after it tells. */
static void graph_of_freed_memory(void **state) {
    static char host[8 << 20];
    for (int kind = 0; kind < 4; kind++) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaGraphNode_t node;
        char *there;
        OK(cudaMalloc((void **)&there, sizeof host));
        OK(cudaGraphCreate(&graph, 0));
        struct cudaMemsetParams set = {.dst = there, .elementSize = 4, .width = sizeof host / 4, .height = 1};
        if (kind == 3)
            OK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &set));
        else
            OK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, kind == 1 ? host : there, kind == 1 ? there : host,
                                        sizeof host, cudaMemcpyDefault));
        OK(cudaGraphInstantiate(&exec, graph, 0));
        OK(cudaGraphLaunch(exec, NULL));
        OK(cudaDeviceSynchronize());
        OK(cudaFree(there));
        if (kind == 2) OK(cudaMalloc((void **)&there, 4096)); /* does not come to lie there */
        OK(cudaGraphLaunch(exec, NULL));
        GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        OK(cudaDeviceReset());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(streams, reset),
        cmocka_unit_test_setup(events, reset),
        cmocka_unit_test_setup(streams_go_on, reset),
        cmocka_unit_test_setup(what_waits, reset),
        cmocka_unit_test_setup(late_errors, reset),
        cmocka_unit_test_setup(handles_may_go, reset),
        cmocka_unit_test_setup(capture_fork_and_join, reset),
        cmocka_unit_test_setup(capture_errors, reset),
        cmocka_unit_test_setup(capture_and_legacy, reset),
        cmocka_unit_test_setup(explicit_graph, reset),
        cmocka_unit_test_setup(graph_of_freed_memory, reset),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
