#include "gpu/cublaslt.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gpu/library.h"

/* The few entry points needed, declared here so that a step builds without cublasLt's headers (cublasLt.h and
 * library_types.h of CUDA 13.0). */
typedef struct cublaslt_handle *handle_t;
typedef struct cublaslt_desc *desc_t;
typedef struct cublaslt_layout *layout_t;
typedef struct cublaslt_preference *preference_t;
enum { STATUS_SUCCESS = 0, OP_N = 0, OP_T = 1 };
enum { R_32F = 0, R_32I = 10 };
enum { DESC_TRANSA = 3, DESC_TRANSB = 4 };
enum { PREF_MAX_WORKSPACE_BYTES = 1, PREF_MIN_ALIGNMENT_A_BYTES = 5, PREF_MIN_ALIGNMENT_B_BYTES = 6 };
enum { PREF_MIN_ALIGNMENT_C_BYTES = 7, PREF_MIN_ALIGNMENT_D_BYTES = 8 };
enum { CONFIG_SPLITK_NUM = 2 };
enum { WORKSPACE_BYTES = 64 << 20, MOST_ALIGNED = 256 };

typedef struct {
    uint64_t data[8];
} algorithm;

typedef struct {
    algorithm algo;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
} heuristic;

static struct {
    void *library;
    handle_t handle;
    void *workspace;
    char version[32];
    int (*destroy)(handle_t);
    int (*desc_create)(desc_t *, int, int);
    int (*desc_destroy)(desc_t);
    int (*desc_set)(desc_t, int, const void *, size_t);
    int (*layout_create)(layout_t *, int, uint64_t, uint64_t, int64_t);
    int (*layout_destroy)(layout_t);
    int (*preference_create)(preference_t *);
    int (*preference_destroy)(preference_t);
    int (*preference_set)(preference_t, int, const void *, size_t);
    int (*get_heuristic)(handle_t, desc_t, layout_t, layout_t, layout_t, layout_t, preference_t, int, heuristic *,
                         int *);
    int (*config_get)(const algorithm *, int, void *, size_t, size_t *);
    int (*matmul)(handle_t, desc_t, const void *, const void *, layout_t, const void *, layout_t, const void *,
                  const void *, layout_t, void *, layout_t, const algorithm *, void *, size_t, cudaStream_t);
} lt;

const char *cublaslt_open(void) {
    int (*create)(handle_t *);
    size_t (*get_version)(void);
    const library_entry entries[] = {{"cublasLtCreate", &create},
                                     {"cublasLtDestroy", &lt.destroy},
                                     {"cublasLtGetVersion", &get_version},
                                     {"cublasLtMatmulDescCreate", &lt.desc_create},
                                     {"cublasLtMatmulDescDestroy", &lt.desc_destroy},
                                     {"cublasLtMatmulDescSetAttribute", &lt.desc_set},
                                     {"cublasLtMatrixLayoutCreate", &lt.layout_create},
                                     {"cublasLtMatrixLayoutDestroy", &lt.layout_destroy},
                                     {"cublasLtMatmulPreferenceCreate", &lt.preference_create},
                                     {"cublasLtMatmulPreferenceDestroy", &lt.preference_destroy},
                                     {"cublasLtMatmulPreferenceSetAttribute", &lt.preference_set},
                                     {"cublasLtMatmulAlgoGetHeuristic", &lt.get_heuristic},
                                     {"cublasLtMatmulAlgoConfigGetAttribute", &lt.config_get},
                                     {"cublasLtMatmul", &lt.matmul}};
    const char *reason = NULL;
    if (lt.handle != NULL) return NULL;
    lt.library = library_open(LIBRARY_OF_TOOLKIT("libcublasLt"));
    if (lt.library == NULL) return "cublasLt is not installed (libcublasLt.so.13)";
    if (!library_find(lt.library, entries, ARRAY_SIZE(entries)))
        reason = "this cublasLt is too old";
    else if (create(&lt.handle) != STATUS_SUCCESS)
        reason = "cublasLt does not start on this GPU";
    else if (cudaMalloc(&lt.workspace, WORKSPACE_BYTES) != cudaSuccess)
        reason = "no memory for cublasLt's workspace (64 MiB)";
    if (reason != NULL) {
        cublaslt_close();
        cudaGetLastError(); /* a failed cudaMalloc leaves its error for the next launch to find */
        return reason;
    }
    const size_t version = get_version();
    snprintf(lt.version, sizeof lt.version, "%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
    return NULL;
}

void cublaslt_close(void) {
    if (lt.handle != NULL) lt.destroy(lt.handle);
    if (lt.workspace != NULL) cudaFree(lt.workspace);
    if (lt.library != NULL) library_close(lt.library);
    memset(&lt, 0, sizeof lt);
}

const char *cublaslt_version(void) {
    return lt.version;
}

/* ---- a request ---- */

struct cublaslt_request {
    desc_t desc;
    layout_t a, b, c;
    heuristic found[CUBLASLT_HEURISTICS];
    int count;
};

void cublaslt_forget(cublaslt_request *r) {
    if (r == NULL) return;
    if (r->desc != NULL) lt.desc_destroy(r->desc);
    if (r->a != NULL) lt.layout_destroy(r->a);
    if (r->b != NULL) lt.layout_destroy(r->b);
    if (r->c != NULL) lt.layout_destroy(r->c);
    free(r);
}

/* The largest power of two, up to 256, that divides the address. */
static uint32_t alignment(const void *x) {
    uint32_t bytes = MOST_ALIGNED;
    while ((uintptr_t)x % bytes != 0) bytes /= 2;
    return bytes;
}

static bool describe(cublaslt_request *r, const blas_gemm *g) {
    const int32_t of_a = g->a_transposed ? OP_T : OP_N, of_b = g->b_transposed ? OP_T : OP_N;
    const uint64_t m = (uint64_t)g->m, n = (uint64_t)g->n, k = (uint64_t)g->k;
    const int scale = g->compute == BLAS_INT32 ? R_32I : R_32F;
    return lt.desc_create(&r->desc, (int)g->compute, scale) == STATUS_SUCCESS &&
           lt.desc_set(r->desc, DESC_TRANSA, &of_a, sizeof of_a) == STATUS_SUCCESS &&
           lt.desc_set(r->desc, DESC_TRANSB, &of_b, sizeof of_b) == STATUS_SUCCESS &&
           lt.layout_create(&r->a, g->type, g->a_transposed ? k : m, g->a_transposed ? m : k, g->lda) ==
               STATUS_SUCCESS &&
           lt.layout_create(&r->b, g->type, g->b_transposed ? n : k, g->b_transposed ? k : n, g->ldb) ==
               STATUS_SUCCESS &&
           lt.layout_create(&r->c, g->out, m, n, g->ldc) == STATUS_SUCCESS;
}

static bool prefer(preference_t preference, const blas_gemm *g) {
    const uint64_t workspace = WORKSPACE_BYTES;
    const uint32_t of_a = alignment(g->A), of_b = alignment(g->B), of_c = alignment(g->C);
    return lt.preference_set(preference, PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_A_BYTES, &of_a, sizeof of_a) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_B_BYTES, &of_b, sizeof of_b) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_C_BYTES, &of_c, sizeof of_c) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_D_BYTES, &of_c, sizeof of_c) == STATUS_SUCCESS;
}

cublaslt_request *cublaslt_ask(const blas_gemm *g) {
    preference_t preference = NULL;
    if (lt.handle == NULL) return NULL;
    cublaslt_request *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    const bool answered = describe(r, g) && lt.preference_create(&preference) == STATUS_SUCCESS &&
                          prefer(preference, g) &&
                          lt.get_heuristic(lt.handle, r->desc, r->a, r->b, r->c, r->c, preference, CUBLASLT_HEURISTICS,
                                           r->found, &r->count) == STATUS_SUCCESS;
    if (preference != NULL) lt.preference_destroy(preference);
    if (answered && r->count > 0) return r;
    cublaslt_forget(r);
    return NULL;
}

int cublaslt_count(const cublaslt_request *r) {
    return r != NULL ? r->count : 0;
}

int cublaslt_split_k(const cublaslt_request *r, int which) {
    int32_t parts = 1;
    size_t written;
    if (lt.config_get(&r->found[which].algo, CONFIG_SPLITK_NUM, &parts, sizeof parts, &written) != STATUS_SUCCESS)
        return 1;
    return parts > 1 ? parts : 1;
}

cudaError_t cublaslt_gemm(const cublaslt_request *r, int which, const blas_gemm *g, cudaStream_t stream) {
    const blas_scalar alpha = blas_scalar_of(g, g->alpha), beta = blas_scalar_of(g, g->beta);
    if (which >= cublaslt_count(r) || r->found[which].state != STATUS_SUCCESS) return cudaErrorNotSupported;
    const int status = lt.matmul(lt.handle, r->desc, &alpha, g->A, r->a, g->B, r->b, &beta, g->C, r->c, g->C, r->c,
                                 &r->found[which].algo, lt.workspace, WORKSPACE_BYTES, stream);
    if (status == STATUS_SUCCESS) return cudaSuccess;
    const cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaErrorNotSupported;
}
