#include "gemm/cublaslt.h"

#include <dlfcn.h>
#include <stdint.h>

/* The few entry points needed, declared here so that a step builds without cublasLt's headers (cublasLt.h and
 * library_types.h of CUDA 13.0). */
typedef struct cublaslt_handle *handle_t;
typedef struct cublaslt_desc *desc_t;
typedef struct cublaslt_layout *layout_t;
typedef struct cublaslt_preference *preference_t;
enum { STATUS_SUCCESS = 0, OP_N = 0, OP_T = 1 };
enum { R_32F = 0, R_16F = 2, R_8I = 3, R_32I = 10, R_16BF = 14 };
enum { COMPUTE_32F = 68, COMPUTE_32I = 72, COMPUTE_32F_FAST_TF32 = 77 };
enum { DESC_TRANSA = 3, DESC_TRANSB = 4 };
enum { PREF_MAX_WORKSPACE_BYTES = 1, PREF_MIN_ALIGNMENT_A_BYTES = 5, PREF_MIN_ALIGNMENT_B_BYTES = 6 };
enum { PREF_MIN_ALIGNMENT_C_BYTES = 7, PREF_MIN_ALIGNMENT_D_BYTES = 8 };
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
    int (*matmul)(handle_t, desc_t, const void *, const void *, layout_t, const void *, layout_t, const void *,
                  const void *, layout_t, void *, layout_t, const algorithm *, void *, size_t, cudaStream_t);
    /* for the problem given to cublaslt_ask */
    desc_t desc;
    layout_t first, second, out;
    heuristic found[CUBLASLT_HEURISTICS];
    int count;
} lt;

static bool find(void *function, const char *name) {
    *(void **)function = dlsym(lt.library, name);
    return *(void **)function != NULL;
}

/* The loader's own search first, then the toolkit this program was built with. */
static void *load(void) {
    static const char *const names[] = {"libcublasLt.so.13", CUDA_LIB_DIR "/libcublasLt.so.13", "libcublasLt.so.12",
                                        "libcublasLt.so", CUDA_LIB_DIR "/libcublasLt.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

bool cublaslt_open(FILE *err) {
    int (*create)(handle_t *);
    size_t (*get_version)(void);
    lt.library = load();
    if (lt.library == NULL) {
        fprintf(err, "cublasLt is not installed (libcublasLt.so.13): nothing to compare with\n");
        return false;
    }
    if (!find(&create, "cublasLtCreate") || !find(&lt.destroy, "cublasLtDestroy") ||
        !find(&get_version, "cublasLtGetVersion") || !find(&lt.desc_create, "cublasLtMatmulDescCreate") ||
        !find(&lt.desc_destroy, "cublasLtMatmulDescDestroy") || !find(&lt.desc_set, "cublasLtMatmulDescSetAttribute") ||
        !find(&lt.layout_create, "cublasLtMatrixLayoutCreate") ||
        !find(&lt.layout_destroy, "cublasLtMatrixLayoutDestroy") ||
        !find(&lt.preference_create, "cublasLtMatmulPreferenceCreate") ||
        !find(&lt.preference_destroy, "cublasLtMatmulPreferenceDestroy") ||
        !find(&lt.preference_set, "cublasLtMatmulPreferenceSetAttribute") ||
        !find(&lt.get_heuristic, "cublasLtMatmulAlgoGetHeuristic") || !find(&lt.matmul, "cublasLtMatmul")) {
        fprintf(err, "this cublasLt is too old: nothing to compare with\n");
    } else if (create(&lt.handle) != STATUS_SUCCESS) {
        fprintf(err, "cublasLt does not start on this GPU: nothing to compare with\n");
    } else if (cudaMalloc(&lt.workspace, WORKSPACE_BYTES) != cudaSuccess) {
        fprintf(err, "no memory for cublasLt's workspace (64 MiB): nothing to compare with\n");
    } else {
        const size_t version = get_version();
        snprintf(lt.version, sizeof lt.version, "%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
        return true;
    }
    cublaslt_close();
    cudaGetLastError(); /* a failed cudaMalloc leaves its error for the next launch to find */
    return false;
}

static void forget(void) {
    if (lt.desc != NULL) lt.desc_destroy(lt.desc);
    if (lt.first != NULL) lt.layout_destroy(lt.first);
    if (lt.second != NULL) lt.layout_destroy(lt.second);
    if (lt.out != NULL) lt.layout_destroy(lt.out);
    lt.desc = NULL;
    lt.first = lt.second = lt.out = NULL;
    lt.count = 0;
}

void cublaslt_close(void) {
    forget();
    if (lt.handle != NULL) lt.destroy(lt.handle);
    if (lt.workspace != NULL) cudaFree(lt.workspace);
    if (lt.library != NULL) dlclose(lt.library);
    lt.handle = NULL;
    lt.workspace = NULL;
    lt.library = NULL;
    lt.version[0] = '\0';
}

const char *cublaslt_version(void) {
    return lt.version;
}

static int r_type(dtype t) {
    static const int types[] = {
        [DTYPE_F32] = R_32F, [DTYPE_F16] = R_16F, [DTYPE_BF16] = R_16BF, [DTYPE_S8] = R_8I, [DTYPE_S32] = R_32I};
    return types[t];
}

/* The largest power of two, up to 256, that divides the address. */
static uint32_t alignment(const void *x) {
    uint32_t bytes = MOST_ALIGNED;
    while ((uintptr_t)x % bytes != 0) bytes /= 2;
    return bytes;
}

/* Row-major C = A B is column-major C^T = B^T A^T, n x m: the first operand is our B and the second our A. Row-major
 * k x n memory is a column-major n x k matrix, taken as it is; row-major n x k memory a column-major k x n matrix,
 * taken transposed. A is a column-major k x m matrix in either layout. */
static bool describe(const gemm_problem *p) {
    const bool tn = p->layout == GEMM_TN;
    const int32_t of_first = tn ? OP_T : OP_N, of_second = OP_N;
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    const int type = r_type(gemm_operand_dtype(p->type));
    const int compute = p->type == GEMM_S8 ? COMPUTE_32I : p->type == GEMM_TF32 ? COMPUTE_32F_FAST_TF32 : COMPUTE_32F;
    return lt.desc_create(&lt.desc, compute, p->type == GEMM_S8 ? R_32I : R_32F) == STATUS_SUCCESS &&
           lt.desc_set(lt.desc, DESC_TRANSA, &of_first, sizeof of_first) == STATUS_SUCCESS &&
           lt.desc_set(lt.desc, DESC_TRANSB, &of_second, sizeof of_second) == STATUS_SUCCESS &&
           lt.layout_create(&lt.first, type, tn ? k : n, tn ? n : k, p->ldb) == STATUS_SUCCESS &&
           lt.layout_create(&lt.second, type, k, m, p->lda) == STATUS_SUCCESS &&
           lt.layout_create(&lt.out, r_type(p->out), n, m, p->ldc) == STATUS_SUCCESS;
}

static bool prefer(preference_t preference, const gemm_problem *p) {
    const uint64_t workspace = WORKSPACE_BYTES;
    const uint32_t of_first = alignment(p->B), of_second = alignment(p->A), of_out = alignment(p->C);
    return lt.preference_set(preference, PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_A_BYTES, &of_first, sizeof of_first) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_B_BYTES, &of_second, sizeof of_second) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_C_BYTES, &of_out, sizeof of_out) == STATUS_SUCCESS &&
           lt.preference_set(preference, PREF_MIN_ALIGNMENT_D_BYTES, &of_out, sizeof of_out) == STATUS_SUCCESS;
}

int cublaslt_ask(const gemm_problem *p) {
    preference_t preference = NULL;
    heuristic answers[CUBLASLT_HEURISTICS];
    int answered = 0;
    forget();
    if (describe(p) && lt.preference_create(&preference) == STATUS_SUCCESS && prefer(preference, p) &&
        lt.get_heuristic(lt.handle, lt.desc, lt.first, lt.second, lt.out, lt.out, preference, CUBLASLT_HEURISTICS,
                         answers, &answered) != STATUS_SUCCESS)
        answered = 0;
    if (preference != NULL) lt.preference_destroy(preference);
    for (int i = 0; i < answered; i++)
        if (answers[i].state == STATUS_SUCCESS) lt.found[lt.count++] = answers[i];
    return lt.count;
}

cudaError_t cublaslt_gemm(const gemm_problem *p, int which, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    if (which >= lt.count) return cudaErrorNotSupported;
    const int32_t whole_alpha = p->type == GEMM_S8 ? (int32_t)p->alpha : 0;
    const int32_t whole_beta = p->type == GEMM_S8 ? (int32_t)p->beta : 0;
    const void *alpha = p->type == GEMM_S8 ? (const void *)&whole_alpha : &p->alpha;
    const void *beta = p->type == GEMM_S8 ? (const void *)&whole_beta : &p->beta;
    const int status = lt.matmul(lt.handle, lt.desc, alpha, p->B, lt.first, p->A, lt.second, beta, p->C, lt.out, p->C,
                                 lt.out, &lt.found[which].algo, lt.workspace, WORKSPACE_BYTES, stream);
    if (status == STATUS_SUCCESS) return cudaSuccess;
    const cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaErrorNotSupported;
}
