/* The CUDA runtime: memory, copies, symbols, and what the device says of itself. */
#include "cuda/runtime_case.h"

/* ---- memory ---- */

static void pointers(void **state) {
    void *p = &p, *q;
    OK(cudaMalloc(&p, 0));
    assert_null(p);
    OK(cudaFree(NULL));
    OK(cudaMalloc(&p, 1000));
    OK(cudaMalloc(&q, 1000));
    assert_int_equal((uintptr_t)p % 256, 0);
    GIVES(cudaFree((char *)p + 1), cudaErrorInvalidValue);
    GIVES(cudaFree(&q), cudaErrorInvalidValue);
    struct cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, (char *)p + 999));
    assert_int_equal(a.type, cudaMemoryTypeDevice);
    OK(cudaPointerGetAttributes(&a, &q));
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    OK(cudaFree(p));
    GIVES(cudaFree(p), cudaErrorInvalidValue);
    GIVES(cudaMemset(p, 0, 1), cudaErrorInvalidValue);
    size_t before, after, total;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMemGetInfo(&after, &total));
    assert_int_equal(before - after, 1 << 20);
    GIVES(cudaMalloc(&q, total), cudaErrorMemoryAllocation);
    cudaGetLastError();
}

static void copies(void **state) {
    char host[16] = "fifteen letters", back[16] = "";
    void *p, *q;
    OK(cudaMalloc(&p, 16));
    OK(cudaMalloc(&q, 16));
    OK(cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(q, p, 16, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(back, q, 16, cudaMemcpyDefault));
    assert_string_equal(back, host);
    GIVES(cudaMemcpy(back, q, 17, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(back, (char *)q + 1, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(p, q, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(p, host, 4, (enum cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
    GIVES(cudaMemcpy(NULL, host, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    OK(cudaMemset(p, 'x', 3));
    OK(cudaMemcpy2D(back, 8, p, 4, 2, 2, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, "xx", 2);
    assert_memory_equal(back + 8, "ee", 2);
    GIVES(cudaMemcpy2D(back, 1, p, 4, 2, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy2D(back, 1, p, 4, 2, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    OK(cudaMemcpy(q, p, 4, cudaMemcpyHostToHost));
    GIVES(cudaMemcpy2D(back, 8, p, SIZE_MAX / 2, 2, 5, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* Boxes within a box of 8 x 4 x 2 bytes. */
static void copies_3d(void **state) {
    char host[64], back[64];
    struct cudaPitchedPtr box;
    for (int i = 0; i < 64; i++) host[i] = (char)i;
    memset(back, -1, sizeof(back));
    OK(cudaMalloc3D(&box, (struct cudaExtent){8, 4, 2}));
    struct cudaMemcpy3DParms to = {
        .srcPtr = {host, 8, 8, 4}, .dstPtr = box, .extent = {8, 4, 2}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&to));
    struct cudaMemcpy3DParms from = {.srcPtr = box,
                                     .srcPos = {2, 1, 1},
                                     .dstPtr = {back, 8, 8, 4},
                                     .extent = {4, 2, 1},
                                     .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&from));
    assert_memory_equal(back, host + 32 + 8 + 2, 4);
    assert_memory_equal(back + 8, host + 32 + 16 + 2, 4);
    assert_int_equal(back[4], -1);
    from.dstPos.x = 5; /* a row would end past the pitch */
    GIVES(cudaMemcpy3D(&from), cudaErrorInvalidValue);
    from.dstPos.x = 0;
    from.srcPos.z = 2; /* there is no such slice */
    GIVES(cudaMemcpy3D(&from), cudaErrorInvalidValue);
    from.srcPos = (struct cudaPos){0, 3, 0}; /* rows of the next slice */
    from.extent.depth = 2;
    GIVES(cudaMemcpy3D(&from), cudaErrorInvalidValue);
    from.extent.depth = 0;
    OK(cudaMemcpy3D(&from));
    cudaGetLastError();
}

/* More than the host's kernel would map one by one; each is found within its bounds only. */
static void many_allocations(void **state) {
    enum { MANY = 70000 };
    char **all = malloc(MANY * sizeof(*all));
    for (int i = 0; i < MANY; i++) {
        OK(cudaMalloc((void **)&all[i], 16));
        if (i % 1000 == 0) OK(cudaMemset(all[i], i / 1000, 16));
    }
    for (int i = 0; i < MANY; i += 1000) {
        char last;
        OK(cudaMemcpy(&last, all[i] + 15, 1, cudaMemcpyDeviceToHost));
        assert_int_equal(last, i / 1000);
        GIVES(cudaMemset(all[i] + 15, 0, 2), cudaErrorInvalidValue);
        assert_null(memory_find((uint64_t)(uintptr_t)all[i] + 16));
        assert_null(memory_find((uint64_t)(uintptr_t)all[i] + 16 + 255));
        assert_null(memory_find((uint64_t)(uintptr_t)all[i] - 1));
    }
    for (int i = 0; i < MANY; i++) {
        OK(cudaFree(all[i]));
        assert_null(memory_find((uint64_t)(uintptr_t)all[i]));
    }
    void *large, *small;
    for (int i = 0; i < 100; i++) {
        OK(cudaMalloc(&large, 3 << 20));
        OK(cudaMalloc(&small, 1000));
        OK(cudaMemset(large, 1, 3 << 20));
        OK(cudaMemset(small, 1, 1000));
        OK(cudaFree(large));
        OK(cudaFree(small));
    }
    free(all);
    cudaGetLastError();
}

static void host_memory(void **state) {
    void *pinned, *device;
    char own[64];
    unsigned flags;
    OK(cudaHostAlloc(&pinned, 100, cudaHostAllocPortable));
    OK(cudaHostGetFlags(&flags, pinned));
    assert_true(flags & cudaHostAllocPortable);
    GIVES(cudaFree(pinned), cudaErrorInvalidValue);
    OK(cudaFreeHost(pinned));
    OK(cudaHostRegister(own, sizeof(own), cudaHostRegisterMapped));
    GIVES(cudaHostRegister(own, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&device, own, 0));
    assert_ptr_equal(device, own);
    OK(cudaHostUnregister(own));
    GIVES(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    OK(cudaMallocManaged(&device, 8, cudaMemAttachGlobal));
    *(int *)device = 3;
    OK(cudaFree(device));
    cudaGetLastError();
}

static void symbols(void **state) {
    void *address;
    size_t size;
    int value = 42, other = 0;
    OK(cudaGetSymbolAddress(&address, &variable_host));
    assert_int_equal((uintptr_t)address, variable);
    OK(cudaGetSymbolSize(&size, &variable_host));
    assert_int_equal(size, 64);
    OK(cudaMemcpyToSymbol(&variable_host, &value, 4, 60, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(&other, &variable_host, 4, 60, cudaMemcpyDeviceToHost));
    assert_int_equal(other, 42);
    GIVES(cudaMemcpyToSymbol(&variable_host, &value, 4, 61, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpyToSymbol(&variable_host, &value, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    GIVES(cudaGetSymbolSize(&size, &plain_host), cudaErrorInvalidSymbol);
    cudaGetLastError();
}

static void pools(void **state) {
    cudaMemPool_t pool;
    void *p;
    uint64_t used;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync(&p, 100, NULL));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_int_equal(used, 100);
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_int_equal(used, 0);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
    assert_int_equal(used, 100);
}

/* ---- the device ---- */

static void device(void **state) {
    struct cudaDeviceProp prop;
    int value;
    char text[16];
    assert_int_equal(sizeof(prop), 1008);
    OK(cudaGetDeviceCount(&value));
    assert_int_equal(value, 1);
    GIVES(cudaSetDevice(1), cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&prop, 0));
    assert_string_equal(prop.name, "H200 (simulated)");
    assert_int_equal(prop.multiProcessorCount, 132);
    assert_int_equal(prop.sharedMemPerBlockOptin, 232448);
    assert_int_equal(prop.l2CacheSize, 62914560);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0));
    assert_int_equal(value, 3201000);
    GIVES(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
    OK(cudaDeviceGetPCIBusId(text, sizeof(text), 0));
    OK(cudaDeviceGetByPCIBusId(&value, text));
    assert_int_equal(value, 0);
    assert_string_equal(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    cudaGetLastError();
}

/* What an H200 answers: the whole list of measured attributes is in the simulator's device, here are the odd ones. */
static void attributes(void **state) {
    static const int known[][2] = {{14, 512},        {36, 3201000},    {37, 6016},      {44, 1},          {92, 0},
                                   {96, 1},          {107, 1},         {108, 39321600}, {109, 134217728}, {118, 100},
                                   {119, 9},         {126, 4},         {131, -1},       {132, 0},         {136, 0},
                                   {139, 590680286}, {140, 415174878}, {146, 0}};
    int value;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        OK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)known[i][0], 0));
        if (value != known[i][1]) fail_msg("attribute %d: %d", known[i][0], value);
    }
    for (int i = 1; i <= 147; i++) OK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)i, 0));
    for (int i = 148; i < 160; i++)
        GIVES(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)i, 0), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void limits(void **state) {
    static const size_t known[] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480, 232448};
    size_t value;
    for (int i = 0; i < 8; i++) {
        if (i == cudaLimitDevRuntimeSyncDepth) {
            GIVES(cudaDeviceGetLimit(&value, i), cudaErrorUnsupportedLimit);
            continue;
        }
        OK(cudaDeviceGetLimit(&value, i));
        assert_int_equal(value, known[i]);
    }
    GIVES(cudaDeviceSetLimit((enum cudaLimit)99, 1), cudaErrorInvalidValue);
    cudaGetLastError(); /* cudaDeviceReset would hide that it has been seen */
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
    OK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize));
    assert_int_equal(value, 0);
    OK(cudaDeviceReset());
    OK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize));
    assert_int_equal(value, 11796480);
    cudaGetLastError();
}

/* Against NVIDIA's occupancy calculator. */
static void occupancy(void **state) {
    static const struct {
        const char *arch;
        unsigned threads, registers, shared;
        int blocks;
    } known[] = {
        {"sm_90", 256, 32, 0, 8},         {"sm_90", 32, 32, 0, 32},     {"sm_90", 256, 128, 0, 2},
        {"sm_90", 256, 255, 0, 1},        {"sm_90", 128, 168, 0, 3},    {"sm_90", 128, 64, 227 * 1024, 1},
        {"sm_90", 128, 64, 49152, 4},     {"sm_80", 256, 32, 0, 8},     {"sm_80", 128, 32, 32768, 4},
        {"sm_86", 256, 32, 0, 6},         {"sm_86", 64, 32, 0, 16},     {"sm_89", 64, 32, 0, 24},
        {"sm_75", 256, 32, 0, 4},         {"sm_75", 256, 32, 32768, 2}, {"sm_90", 1024, 65, 0, 0},
        {"sm_80", 32, 32, 164 * 1024, 0},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        int blocks = device_model_blocks_per_sm(device_model_named(known[i].arch), known[i].threads, known[i].registers,
                                                known[i].shared);
        if (blocks != known[i].blocks) fail_msg("case %zu: %d blocks, not %d", i, blocks, known[i].blocks);
    }
    int blocks;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &heavy_host, 256, 0));
    assert_int_equal(blocks, 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &heavy_host, 1024, 0));
    assert_int_equal(blocks, 0);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &plain_host, 32, 48 * 1024 + 1)); /* not allowed yet */
    assert_int_equal(blocks, 0);
    size_t bytes;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &plain_host, 2, 256));
    assert_int_equal(bytes, 113 * 1024);
}

static void nearest(void **state) {
    memory_allocation a;
    bool freed;
    uint64_t base = memory_allocate(100, 1, MEMORY_DEVICE, NULL, NULL);
    assert_null(memory_find(base + 100));
    assert_true(memory_nearest(base + 100, &a, &freed));
    assert_true(a.base == base && !freed);
    assert_true(memory_free(base));
    assert_true(memory_nearest(base + 50, &a, &freed));
    assert_true(a.base == base && freed);
    assert_false(memory_free(base));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pointers, reset),    cmocka_unit_test_setup(copies, reset),
        cmocka_unit_test_setup(copies_3d, reset),   cmocka_unit_test_setup(many_allocations, reset),
        cmocka_unit_test_setup(host_memory, reset), cmocka_unit_test_setup(symbols, reset),
        cmocka_unit_test_setup(pools, reset),       cmocka_unit_test_setup(device, reset),
        cmocka_unit_test_setup(attributes, reset),  cmocka_unit_test_setup(limits, reset),
        cmocka_unit_test_setup(occupancy, reset),   cmocka_unit_test_setup(nearest, reset),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
