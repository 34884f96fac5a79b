/* The host's memory ends: at the first allocation, at the second, and so on through everything that loads, decodes and
 * runs a kernel which uses all that the machine keeps books of, and through the runtime's calls. Each time the launch
 * or the call says so, nothing else happens, and the next attempt works. */
#include <cuda_runtime_api.h>
#include <errno.h>

#include "base/arena.h"
#include "base/heap.h"
#include "sim_case.h"

/* ---- malloc ---- */

static long left = -1; /* allocations until one fails; below 0: none does */
static bool failed;

__attribute__((unused)) static bool fails(void) {
    if (left < 0 || left-- > 0) return false;
    left = -1;
    failed = true;
    errno = ENOMEM;
    return true;
}

#ifndef __SANITIZE_ADDRESS__ /* which has a malloc of its own */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}
__attribute__((visibility("default"))) void *realloc(void *memory, size_t size) {
    return fails() ? NULL : __libc_realloc(memory, size);
}
__attribute__((visibility("default"))) void *aligned_alloc(size_t align, size_t size) {
    return fails() ? NULL : __libc_memalign(align, size);
}
#endif

/* ---- a kernel ---- */

#define SCOPE                                                                                                          \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"                       \
    ".global .align 16 .u32 table[4] = {1, 2, 3, 4};\n"                                                                \
    ".func (.param .b32 r) twice(.param .b32 x) {\n.reg .b32 %r<3>; .reg .b64 %rd<2>; .local .align 4 .b8 l[8];\n"     \
    "ld.param.b32 %r1, [x]; mov.u64 %rd1, l; st.local.u32 [%rd1], %r1; ld.local.u32 %r2, [%rd1];\n"                    \
    "add.u32 %r2, %r2, %r1; st.param.b32 [r], %r2; ret;\n}\n.global .u64 named = twice;\n"
/* Shared memory from address 1024 on, as the descriptors of wgmma say. */
#define BEGIN                                                                                                          \
    ".shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 bar; T: .branchtargets A, B;\n"                            \
    "mov.u64 %rd5, 0x4000004000010040; mov.u64 %rd11, table; add.s64 %rd12, %rd1, 4096; setp.eq.u32 %p1, %r1, 0;\n"
#define CALL "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), twice, (a); ld.param.b32 %r3, [b]; }\n"
#define HEAP                                                                                                           \
    "{ .param .b64 n; .param .b64 q; st.param.b64 [n], 64; call (q), malloc, (n); ld.param.b64 %rd10, [q];\n"          \
    "st.u32 [%rd10], %r3; ld.u32 %r3, [%rd10]; st.param.b64 [n], %rd10; call free, (n); }\n"
#define ASYNC                                                                                                          \
    "mov.u32 %r5, s; mad.lo.u32 %r5, %r1, 16, %r5; cp.async.ca.shared.global [%r5], [%rd11], 16;\n"                    \
    "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r6, [%r5+4]; add.u32 %r3, %r3, %r6;\n"
#define BULK                                                                                                           \
    "@%p1 mbarrier.init.shared.b64 [bar], 1; fence.proxy.async; bar.sync 0;\n"                                         \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"                                                        \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd11], 16, [bar];\n"                \
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"                                             \
    "ld.shared.u32 %r7, [s+8]; add.u32 %r3, %r3, %r7; fence.proxy.async; bar.sync 0;\n"                                \
    "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd12], [s], 16; @%p1 cp.async.bulk.commit_group;\n"            \
    "cp.async.bulk.wait_group 0; bar.sync 0;\n"
#define OTHERS                                                                                                         \
    "and.b32 %r8, %r1, 1; brx.idx %r8, T; A: add.u32 %r3, %r3, 1; B: mov.u32 %r22, 0; mov.b32 %f5, %r22;\n"            \
    "mov.b32 %f6, %r22; atom.global.add.v2.f32 {%f5, %f6}, [%rd12+64], {%f5, %f6};\n"                                  \
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r20, %r21}, {%r22, %r22}, {%r22}, {%r22, %r22};\n"
#define WGMMA                                                                                                          \
    "mov.b16 %rs1, 0x3c00; mov.b32 %r20, {%rs1, %rs1}; mov.u32 %r21, %r1;\n"                                           \
    "F: mov.u32 %r22, s; mad.lo.u32 %r22, %r21, 4, %r22; st.shared.u32 [%r22], %r20; add.u32 %r21, %r21, 128;\n"       \
    "setp.lt.u32 %p9, %r21, 2048; @%p9 bra F; fence.proxy.async; bar.sync 0;\n"                                        \
    "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; wgmma.fence.sync.aligned;\n"       \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd5, %rd5, 1, 1, 1, 0, 0;\n"                \
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"                                              \
    "cvt.rzi.u32.f32 %r9, %f1; add.u32 %r2, %r3, %r9;\n"

#define THREADS 128
static const char *const ptx = KERNEL(SCOPE, BEGIN CALL HEAP ASYNC BULK OTHERS WGMMA STORE);

static void check_results(const uint32_t *words) {
    for (uint32_t t = 0; t < THREADS; t++) assert_int_equal(words[t], 2 * t + 2 + 3 + (t % 2 == 0) + 16);
    assert_int_equal(words[1026], 3); /* what the bulk copy wrote */
}

/* ---- the machine ---- */

/* Loads, decodes and runs the kernel. */
static sim_status attempt_launch(const void *container) {
    char error[1024] = "";
    const sim_launch_config config = shape(1, THREADS);
    sim_status status = SIM_NO_MEMORY;
    sim_module *module = sim_module_load(container, error, sizeof error);
    sim_kernel *kernel = module ? sim_module_kernel(module, "k", error, sizeof error) : NULL;
    if (kernel) status = sim_launch(kernel, &config, &out);
    left = -1;
    sim_module_unload(module);
    if (!kernel) assert_non_null(strstr(error, OUT_OF_MEMORY));
    return status;
}

static void test_launch(void **state) {
    set_environment("CUDASIM_THREADS", "1");
    program p = program_load(ptx);
    out_renew();
    assert_int_equal(attempt_launch(p.container), SIM_OK); /* and whatever is made once is made */
    long n = 0;
    do {
        heap_reset(); /* the device's heap is made again */
        out_renew();
        failed = false;
        capture err = capture_begin(stderr);
        left = n++;
        const sim_status status = attempt_launch(p.container);
        capture_end(err, said);
        if (status == SIM_OK)
            check_results(out);
        else
            assert_int_equal(status, SIM_NO_MEMORY);
        assert_true(status == SIM_OK || failed);
    } while (failed);
#ifndef __SANITIZE_ADDRESS__
    assert_true(n > 30);
#endif
    program_unload(&p);
    set_environment("CUDASIM_THREADS", NULL);
}

/* ---- the runtime ---- */

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        error = call;                                                                                                  \
        if (error) goto end;                                                                                           \
    } while (0)

/* Streams, events, captures, graphs and a library's kernel. */
static cudaError_t attempt_calls(const void *container) {
    cudaError_t error;
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel;
    cudaStream_t stream = NULL, other = NULL;
    cudaEvent_t event = NULL, joined = NULL;
    cudaGraph_t graph = NULL, clone = NULL, whole = NULL;
    cudaGraphExec_t exec = NULL;
    cudaGraphNode_t nodes[3];
    cudaMemPool_t pool = NULL;
    cudaGraphExecUpdateResultInfo info;
    void *memory = NULL, *pooled = NULL;
    uint32_t words[1027];
    TRY(cudaMalloc(&memory, 8192));
    TRY(cudaMemset(memory, 0, 8192));
    TRY(cudaLibraryLoadData(&library, container, NULL, NULL, 0, NULL, NULL, 0));
    TRY(cudaLibraryGetKernel(&kernel, library, "k"));
    TRY(cudaStreamCreate(&stream));
    TRY(cudaStreamCreate(&other));
    TRY(cudaEventCreate(&event));
    TRY(cudaEventCreate(&joined));
    void *arguments[] = {&memory};
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    TRY(cudaMemsetAsync(memory, 0, 4096, stream));
    TRY(cudaEventRecord(event, stream));
    TRY(cudaStreamWaitEvent(other, event, 0));
    TRY(cudaMemsetAsync((char *)memory + 6000, 1, 8, other));
    TRY(cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){THREADS, 1, 1}, arguments, 0, stream));
    TRY(cudaEventRecord(joined, other));
    TRY(cudaStreamWaitEvent(stream, joined, 0));
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphClone(&clone, graph));
    TRY(cudaGraphCreate(&whole, 0));
    TRY(cudaGraphAddEmptyNode(&nodes[0], whole, NULL, 0));
    TRY(cudaGraphAddChildGraphNode(&nodes[1], whole, &nodes[0], 1, clone));
    TRY(cudaGraphAddEmptyNode(&nodes[2], whole, &nodes[1], 1));
    TRY(cudaGraphAddDependencies(whole, &nodes[0], &nodes[2], NULL, 1));
    TRY(cudaGraphInstantiate(&exec, whole, 0));
    if (cudaGraphExecUpdate(exec, whole, &info)) { /* whose error is always this */
        error = failed ? cudaErrorMemoryAllocation : cudaErrorUnknown;
        goto end;
    }
    TRY(cudaGraphLaunch(exec, stream));
    TRY(cudaStreamSynchronize(stream));
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(words, memory, sizeof words, cudaMemcpyDeviceToHost));
    check_results(words);
    TRY(cudaMemPoolCreate(&pool, &(struct cudaMemPoolProps){.allocType = cudaMemAllocationTypePinned,
                                                            .location = {cudaMemLocationTypeDevice, 0}}));
    TRY(cudaMallocFromPoolAsync(&pooled, 100, pool, stream));
    TRY(cudaFreeAsync(pooled, stream));
    pooled = NULL;
end:
    left = -1;
    if (exec) cudaGraphExecDestroy(exec);
    if (whole) cudaGraphDestroy(whole);
    if (clone) cudaGraphDestroy(clone);
    if (graph) cudaGraphDestroy(graph);
    if (pooled) cudaFree(pooled);
    if (pool) cudaMemPoolDestroy(pool);
    if (event) cudaEventDestroy(event);
    if (joined) cudaEventDestroy(joined);
    if (other) cudaStreamDestroy(other);
    if (stream) cudaStreamDestroy(stream);
    if (library) cudaLibraryUnload(library);
    if (memory) cudaFree(memory);
    cudaGetLastError();
    return error;
}

static void test_calls(void **state) {
    set_environment("CUDASIM_THREADS", "1");
    program p = program_load(ptx);
    assert_int_equal(attempt_calls(p.container), cudaSuccess);
    long n = 0;
    do {
        heap_reset();
        failed = false;
        capture err = capture_begin(stderr);
        left = n++;
        const cudaError_t error = attempt_calls(p.container);
        capture_end(err, said);
        if (error != cudaErrorMemoryAllocation && (error || !failed)) assert_int_equal(error, cudaSuccess);
    } while (failed);
#ifndef __SANITIZE_ADDRESS__
    assert_true(n > 60);
#endif
    program_unload(&p);
    set_environment("CUDASIM_THREADS", NULL);
}

/* A program's own kernel: what fails for want of memory is tried again. */
void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
static char host_function;

static cudaError_t attempt_own(void) {
    uint32_t words[1027];
    void *memory = NULL;
    cudaMemPool_t pool;
    cudaError_t error = cudaDeviceGetDefaultMemPool(&pool, 0);
    if (!error) error = cudaMallocAsync(&memory, 8192, NULL);
    void *arguments[] = {&memory};
    if (!error) error = cudaLaunchKernel(&host_function, (dim3){1, 1, 1}, (dim3){THREADS, 1, 1}, arguments, 0, NULL);
    if (!error) error = cudaDeviceSynchronize();
    if (!error) error = cudaMemcpy(words, memory, sizeof words, cudaMemcpyDeviceToHost);
    if (!error) check_results(words);
    left = -1;
    if (memory) cudaFree(memory);
    cudaGetLastError();
    return error;
}

static void test_again(void **state) {
    set_environment("CUDASIM_THREADS", "1");
    program p = program_load(ptx);
    sim_module_unload(p.module);
    const struct {
        int magic, version;
        const void *container;
        void *unused;
    } wrapper = {FATBIN_WRAPPER_MAGIC, 1, p.container, NULL};
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &host_function, &host_function, "k", -1, NULL, NULL, NULL, NULL, NULL);
    long n = 0;
    do {
        assert_int_equal(cudaDeviceReset(), cudaSuccess);
        failed = false;
        capture err = capture_begin(stderr);
        left = n++;
        const cudaError_t error = attempt_own();
        capture_end(err, said);
        if (!failed || error != cudaErrorMemoryAllocation) assert_int_equal(error, cudaSuccess);
        /* A kernel that takes long fails when its call has returned: that error stays until the device is reset. */
        if (cudaDeviceSynchronize() == cudaErrorMemoryAllocation) assert_int_equal(cudaDeviceReset(), cudaSuccess);
        assert_int_equal(attempt_own(), cudaSuccess);
    } while (failed);
    __cudaUnregisterFatBinary(module);
    free(p.container);
    set_environment("CUDASIM_THREADS", NULL);
}

int main(void) {
    setenv("CUDASIM_CHECK", "0", 1); /* checks without memory end the process, with one line */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_launch), cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
