#include "gemv/gemv_baseline.h"

#include "gpu/cublas.h"

/* As recorded, behind the name of the call. */
static const char *const ways[GEMV_WAYS] = {"as n x 1", "as 1 x n"};

/* The row-major A (n x k) is the column-major k x n matrix A^T. Either y = (A^T)^T x, n x 1, or the row y^T = x^T A^T,
 * 1 x n. */
static blas_gemm described(const gemv_problem *p, int way) {
    const int type = dtype_cuda(p->type);
    blas_gemm g = {
        .k = p->k, .type = type, .out = type, .compute = BLAS_FP32, .alpha = p->alpha, .beta = p->beta, .C = p->y};
    if (way == 0) {
        g.a_transposed = true;
        g.m = p->n;
        g.n = 1;
        g.A = p->A;
        g.lda = p->lda;
        g.B = p->x;
        g.ldb = p->k > 0 ? p->k : 1;
        g.ldc = p->n;
    } else {
        g.m = 1;
        g.n = p->n;
        g.A = p->x;
        g.lda = 1;
        g.B = p->A;
        g.ldb = p->lda;
        g.ldc = 1;
    }
    return g;
}

int gemv_baseline_ask(gemv_baseline *b, const gemv_problem *p) {
    gemv_baseline_forget(b);
    b->type = p->type;
    if (*cublas_version() != '\0') b->plain = GEMV_WAYS + (cublas_gemv_name(dtype_cuda(p->type)) != NULL ? 1 : 0);
    int calls = b->plain;
    for (int way = 0; way < GEMV_WAYS; way++) {
        const blas_gemm g = described(p, way);
        b->request[way] = cublaslt_ask(&g);
        calls += cublaslt_count(b->request[way]);
    }
    return calls;
}

void gemv_baseline_forget(gemv_baseline *b) {
    for (int way = 0; way < GEMV_WAYS; way++) cublaslt_forget(b->request[way]);
    *b = (gemv_baseline){0};
}

/* Of call number `call`, a heuristic: which way, and its number there. */
static int heuristic(const gemv_baseline *b, int call, int *way) {
    const int first = cublaslt_count(b->request[0]), number = call - b->plain;
    *way = number < first ? 0 : 1;
    return number < first ? number : number - first;
}

void gemv_baseline_call(const gemv_baseline *b, int call, bench_call *c) {
    int way;
    c->library = call < b->plain ? "cublas" : "cublasLt";
    c->version = call < b->plain ? cublas_version() : cublaslt_version();
    if (call < GEMV_WAYS && call < b->plain)
        snprintf(c->name, sizeof c->name, "cublasGemmEx %s", ways[call]);
    else if (call < b->plain)
        snprintf(c->name, sizeof c->name, "%s", cublas_gemv_name(dtype_cuda(b->type)));
    else {
        const int number = heuristic(b, call, &way);
        snprintf(c->name, sizeof c->name, "cublasLt heuristic %d %s", number + 1, ways[way]);
    }
}

cudaError_t gemv_baseline_launch(const gemv_baseline *b, const gemv_problem *p, int call, cudaStream_t stream) {
    int way = call;
    if (p->n == 0) return cudaSuccess;
    if (call >= GEMV_WAYS && call < b->plain)
        return cublas_gemv(dtype_cuda(p->type), p->n, p->k, p->alpha, p->A, p->lda, p->x, p->beta, p->y, stream);
    const int number = call < b->plain ? 0 : heuristic(b, call, &way);
    const blas_gemm g = described(p, way);
    return call < b->plain ? cublas_gemm(&g, stream) : cublaslt_gemm(b->request[way], number, &g, stream);
}
