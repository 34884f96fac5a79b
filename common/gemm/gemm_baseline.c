#include "gemm/gemm_baseline.h"

#include "gpu/cublas.h"

/* FP32 has three calls of cuBLAS, every other type the last of them. */
enum { SGEMM, SGEMM_PEDANTIC, GEMM_EX, PLAIN_CALLS };
static const char *const names[PLAIN_CALLS] = {"cublasSgemm", "cublasSgemm (pedantic)", "cublasGemmEx"};

static bool is_fp32(gemm_type type) {
    return type == GEMM_F32 || type == GEMM_TF32X3;
}

/* Which of them call number `call` is. */
static int plain_call(gemm_type type, int call) {
    return is_fp32(type) ? call : GEMM_EX;
}

/* Row-major C = A B is column-major C^T = B^T A^T, n x m: the first operand is our B and the second our A. Row-major
 * k x n memory is a column-major n x k matrix, taken as it is; row-major n x k memory a column-major k x n matrix,
 * taken transposed. A is a column-major k x m matrix in either layout. */
static blas_gemm described(const gemm_problem *p) {
    const int type = dtype_cuda(gemm_operand_dtype(p->type));
    return (blas_gemm){.a_transposed = p->layout == GEMM_TN,
                       .m = p->n,
                       .n = p->m,
                       .k = p->k,
                       .type = type,
                       .out = dtype_cuda(p->out),
                       .compute = p->type == GEMM_S8     ? BLAS_INT32
                                  : p->type == GEMM_TF32 ? BLAS_TF32
                                                         : BLAS_FP32,
                       .lda = p->ldb,
                       .ldb = p->lda,
                       .ldc = p->ldc,
                       .alpha = p->alpha,
                       .beta = p->beta,
                       .A = p->B,
                       .B = p->A,
                       .C = p->C};
}

int gemm_baseline_ask(gemm_baseline *b, const gemm_problem *p) {
    const blas_gemm g = described(p);
    gemm_baseline_forget(b);
    b->type = p->type;
    if (*cublas_version() != '\0') b->plain = is_fp32(p->type) ? PLAIN_CALLS : 1;
    b->request = cublaslt_ask(&g);
    return b->plain + cublaslt_count(b->request);
}

void gemm_baseline_forget(gemm_baseline *b) {
    cublaslt_forget(b->request);
    *b = (gemm_baseline){0};
}

void gemm_baseline_call(const gemm_baseline *b, int call, bench_call *c) {
    const int parts = call < b->plain ? 1 : cublaslt_split_k(b->request, call - b->plain);
    if (call < b->plain)
        snprintf(c->name, sizeof c->name, "%s", names[plain_call(b->type, call)]);
    else if (parts == 1)
        snprintf(c->name, sizeof c->name, "cublasLt heuristic %d", call - b->plain + 1);
    else
        snprintf(c->name, sizeof c->name, "cublasLt heuristic %d (split-K %d)", call - b->plain + 1, parts);
    c->library = call < b->plain ? "cublas" : "cublasLt";
    c->version = call < b->plain ? cublas_version() : cublaslt_version();
}

cudaError_t gemm_baseline_launch(const gemm_baseline *b, const gemm_problem *p, int call, cudaStream_t stream) {
    const blas_gemm g = described(p);
    if (call >= b->plain) return cublaslt_gemm(b->request, call - b->plain, &g, stream);
    const int plain = plain_call(p->type, call);
    if (plain == GEMM_EX) return cublas_gemm(&g, stream);
    return cublas_sgemm(p->layout == GEMM_TN, p->m, p->n, p->k, p->alpha, p->A, p->lda, p->B, p->ldb, p->beta, p->C,
                        p->ldc, plain == SGEMM ? CUBLAS_DEFAULT : CUBLAS_PEDANTIC, stream);
}
