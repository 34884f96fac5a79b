/* The CUDA runtime: launches, what they refuse, and threads that share the device. */
#include "cuda/runtime_case.h"

/* ---- launches ---- */

static void configurations(void **state) {
    OK(launch(&plain_host, 1, 1024, 0, 'a', NULL));
    assert_string_equal(order, "a");
    GIVES(launch(&plain_host, 0, 32, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&plain_host, 1, 0, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&plain_host, 1, 2048, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&plain_host, 0x80000000u, 1, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&heavy_host, 1, 1024, 0, 'b', NULL), cudaErrorLaunchOutOfResources);
    heavy.max_threads = 256; /* a bound of its own, below what its registers allow */
    GIVES(launch(&heavy_host, 1, 512, 0, 'b', NULL), cudaErrorInvalidValue);
    heavy.max_threads = 512; /* what its registers allow */
    GIVES(launch(&heavy_host, 1, 1024, 0, 'b', NULL), cudaErrorLaunchOutOfResources);
    GIVES(launch(&plain_host, 1, 32, 48 * 1024 + 1, 'b', NULL), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    GIVES(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1),
          cudaErrorInvalidValue);
    OK(launch(&plain_host, 1, 32, 227 * 1024, 'c', NULL));
    assert_string_equal(order, "ac");
    cudaGetLastError();
    OK(cudaGetLastError());
}

static void unknown_kernels(void **state) {
    int other = 0;
    struct cudaFuncAttributes attributes;
    GIVES(launch(NULL, 1, 1, 0, 'a', NULL), cudaErrorInvalidDeviceFunction);
    GIVES(launch(&other, 1, 1, 0, 'a', NULL), cudaErrorInvalidResourceHandle);
    GIVES(cudaFuncGetAttributes(&attributes, &other), cudaErrorInvalidResourceHandle);
    GIVES(launch(&absent_host, 1, 1, 0, 'a', NULL), cudaErrorInvalidDeviceFunction);
    GIVES(launch(&bad_host, 1, 1, 0, 'a', NULL), cudaErrorNoKernelImageForDevice);
    GIVES(cudaPeekAtLastError(), cudaErrorNoKernelImageForDevice);
    GIVES(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
    OK(cudaGetLastError());
}

static void cooperative(void **state) {
    char name = 'a';
    void *args[] = {&name};
    OK(cudaLaunchCooperativeKernel(&plain_host, (dim3){132 * 2, 1, 1}, (dim3){1024, 1, 1}, args, 0, NULL));
    GIVES(cudaLaunchCooperativeKernel(&plain_host, (dim3){132 * 2 + 1, 1, 1}, (dim3){1024, 1, 1}, args, 0, NULL),
          cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
}

static void launch_attributes(void **state) {
    char name = 'a';
    void *args[] = {&name};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {1, 1, 1}};
    cudaLaunchConfig_t config = {{1, 1, 1}, {1, 1, 1}, 0, NULL, &attribute, 1};
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    attribute.val.clusterDim.x = 2;
    GIVES(cudaLaunchKernelExC(&config, &plain_host, args), cudaErrorInvalidClusterSize); /* does not divide the grid */
    config.gridDim.x = 16;
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    assert_int_equal(launched.cluster[0], 2);
    assert_true(launched.explicit_cluster);
    attribute.val.clusterDim.x = 16;
    GIVES(cudaLaunchKernelExC(&config, &plain_host, args), cudaErrorInvalidClusterSize); /* not portable */
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    assert_int_equal(launched.cluster[0], 16);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    attribute.id = (cudaLaunchAttributeID)15;
    GIVES(cudaLaunchKernelExC(&config, &plain_host, args), cudaErrorInvalidValue);
    assert_string_equal(order, "aaaa");
    cudaGetLastError();
}

static cudaError_t cluster_launch(unsigned grid, unsigned x, unsigned y) {
    char name = 'a';
    void *args[] = {&name};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {x, y, 1}};
    cudaLaunchConfig_t config = {{grid, 2, 1}, {32, 1, 1}, 0, NULL, &attribute, 1};
    launched = (sim_launch_config){0};
    return cudaLaunchKernelExC(&config, &plain_host, args);
}

static bool was_cluster(unsigned x, unsigned y, unsigned z, bool is_explicit) {
    return launched.cluster[0] == x && launched.cluster[1] == y && launched.cluster[2] == z &&
           launched.explicit_cluster == is_explicit;
}

static void clusters(void **state) {
    char name = 'a';
    void *args[] = {&name};
    const dim3 eight = {8, 2, 1}, warp = {32, 1, 1};
    struct cudaFuncAttributes attributes;
    OK(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL));
    assert_true(was_cluster(1, 1, 1, false));
    OK(cluster_launch(8, 4, 2));
    assert_true(was_cluster(4, 2, 1, true));
    OK(cluster_launch(8, 1, 1));
    assert_true(was_cluster(1, 1, 1, true));
    GIVES(cluster_launch(8, 3, 1), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(18, 9, 1), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(8, 0, 1), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(8, 0x10001, 0x10000), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cluster_launch(18, 9, 1));
    GIVES(cluster_launch(34, 17, 1), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));

    /* What the program requires at run time, */
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterWidth, 2));
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterHeight, 2));
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterDepth, 1));
    OK(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL));
    assert_true(was_cluster(2, 2, 1, true));
    GIVES(cudaLaunchKernel(&plain_host, (dim3){7, 2, 1}, warp, args, 0, NULL), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(8, 4, 1), cudaErrorInvalidClusterSize);
    OK(cudaFuncGetAttributes(&attributes, &plain_host));
    assert_int_equal(attributes.requiredClusterHeight, 2);
    for (int k = 0; k < 3; k++)
        OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterWidth + (unsigned)k, 0));

    /* and what the kernel itself does. */
    plain.cluster[0] = 4, plain.cluster[1] = plain.cluster[2] = 1, plain.explicit_cluster = true;
    OK(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL));
    assert_true(was_cluster(4, 1, 1, true));
    OK(cluster_launch(8, 4, 1));
    GIVES(cluster_launch(8, 2, 1), cudaErrorInvalidClusterSize);
    GIVES(cudaLaunchKernel(&plain_host, (dim3){6, 1, 1}, warp, args, 0, NULL), cudaErrorInvalidClusterSize);
    GIVES(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterWidth, 2), cudaErrorInvalidValue);
    OK(cudaFuncGetAttributes(&attributes, &plain_host));
    assert_int_equal(attributes.requiredClusterWidth, 4);
    assert_int_equal(attributes.requiredClusterDepth, 1);
    assert_int_equal(attributes.clusterDimMustBeSet, 1);
    plain.cluster[0] = plain.cluster[1] = plain.cluster[2] = 0;
    GIVES(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL), cudaErrorInvalidClusterSize);
    plain.explicit_cluster = false;
    plain.max_cluster_rank = 2;
    OK(cluster_launch(8, 2, 1));
    GIVES(cluster_launch(8, 4, 1), cudaErrorInvalidClusterSize);
    plain.max_cluster_rank = 0;
    cudaGetLastError();
}

/* 132 SMs in GPCs of 18, 16, 8 and 2. A block of 1024 threads and 128 registers fills an SM's half. */
static void cluster_occupancy(void **state) {
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {2, 1, 1}};
    cudaLaunchConfig_t config = {{16, 1, 1}, {512, 1, 1}, 0, NULL, &attribute, 1};
    int count;
    static const struct {
        unsigned size;
        int clusters;
    } expected[] = {{1, 132}, {2, 66}, {3, 39}, {4, 30}, {8, 15}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        attribute.val.clusterDim.x = expected[k].size;
        OK(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config));
        assert_int_equal(count, expected[k].clusters);
    }
    attribute.val.clusterDim.x = 16;
    GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    GIVES(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 2;
    heavy.max_cluster_rank = 4; /* counts for a launch alone */
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 8);
    heavy.max_cluster_rank = 0;
    attribute.val.clusterDim.x = 16;
    OK(cudaFuncSetAttribute(&heavy_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config));
    assert_int_equal(count, 7);
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 16);
    OK(cudaFuncSetAttribute(&heavy_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    config.numAttrs = 0;
    GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    heavy.cluster[0] = 4, heavy.cluster[1] = heavy.cluster[2] = 1;
    OK(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config));
    assert_int_equal(count, 30);
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 4);
    config.numAttrs = 1;
    GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    GIVES(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 4;
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 4);
    for (config.numAttrs = 0; config.numAttrs < 2; config.numAttrs++) {
        config.gridDim.x = 0;
        GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidValue);
        GIVES(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config), cudaErrorInvalidValue);
    }
    heavy.cluster[0] = 0;
    cudaGetLastError();
}

static void cluster_graph(void **state) {
    char name = 'a';
    void *args[] = {&name};
    struct cudaKernelNodeParams params = {
        .func = (void *)&plain_host, .gridDim = {8, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = args};
    cudaLaunchAttributeValue value = {.clusterDim = {4, 1, 1}}, read;
    cudaGraph_t graph;
    cudaGraphNode_t node, other;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    OK(cudaGraphAddKernelNode(&other, graph, &node, 1, &params));
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    value.clusterDim.x = 3;
    GIVES(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value),
          cudaErrorInvalidClusterSize);
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &read));
    assert_int_equal(read.clusterDim.x, 4);
    params.gridDim.x = 12;
    OK(cudaGraphKernelNodeSetParams(node, &params));
    params.gridDim.x = 10;
    GIVES(cudaGraphKernelNodeSetParams(node, &params), cudaErrorInvalidClusterSize);
    OK(cudaGraphKernelNodeCopyAttributes(other, node));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaStreamSynchronize(NULL));
    assert_true(was_cluster(4, 1, 1, true));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    cudaGetLastError();
}

static void call_configurations(void **state) {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    assert_int_equal(__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, (void *)8), 0);
    assert_int_equal(__cudaPushCallConfiguration((dim3){9, 1, 1}, (dim3){1, 1, 1}, 0, NULL), 0);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.x, 9);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.z * 100 + block.y * 10 + shared, 357);
    assert_ptr_equal(stream, (void *)8);
    GIVES(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
    cudaGetLastError();
}

/* A fault is told by every call that needs the device until that is reset, and by the last error only after such. */
static void sticky_errors(void **state) {
    void *p;
    int flushed = flushes, number;
    struct cudaPointerAttributes attributes;
    next_status = SIM_ILLEGAL_ADDRESS;
    OK(launch(&plain_host, 1, 1, 0, 'a', NULL));
    OK(cudaPeekAtLastError());
    OK(cudaGetLastError());
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    assert_true(flushes > flushed);
    GIVES(cudaPeekAtLastError(), cudaErrorIllegalAddress);
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaGetLastError());
    OK(cudaGetDeviceCount(&number));
    OK(cudaSetDevice(0));
    OK(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0));
    OK(cudaPointerGetAttributes(&attributes, &number));
    OK(cudaGetLastError());
    GIVES(cudaMalloc(&p, 4), cudaErrorIllegalAddress);
    GIVES(launch(&plain_host, 1, 1, 0, 'b', NULL), cudaErrorIllegalAddress);
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaGetLastError());
    assert_string_equal(order, "a");
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    OK(launch(&plain_host, 1, 1, 0, 'b', NULL));
    OK(cudaDeviceSynchronize());
    next_status = SIM_STACK_ERROR;
    OK(launch(&plain_host, 1, 1, 0, 'c', NULL));
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

/* ---- threads ---- */

static void *work(void *unused) {
    for (int i = 0; i < 200; i++) {
        void *p;
        int value = i, back = -1;
        if (cudaMalloc(&p, 64) || cudaMemcpy(p, &value, 4, cudaMemcpyDefault) ||
            launch(&plain_host, 1, 1, 0, 'a', cudaStreamPerThread) || cudaMemcpy(&back, p, 4, cudaMemcpyDefault) ||
            back != i || cudaFree(p)) {
            return "failed";
        }
    }
    return NULL;
}

static void threads(void **state) {
    pthread_t all[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&all[i], NULL, work, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(all[i], &result);
        assert_null(result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(configurations, reset), cmocka_unit_test_setup(unknown_kernels, reset),
        cmocka_unit_test_setup(cooperative, reset),    cmocka_unit_test_setup(launch_attributes, reset),
        cmocka_unit_test_setup(clusters, reset),       cmocka_unit_test_setup(cluster_occupancy, reset),
        cmocka_unit_test_setup(cluster_graph, reset),  cmocka_unit_test_setup(call_configurations, reset),
        cmocka_unit_test_setup(sticky_errors, reset),  cmocka_unit_test_setup(threads, reset),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
