#include "gemv/gemv_chain.h"

#include <stdlib.h>

#include "base/clock.h"
#include "bench/timing.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

static gemv_case chained(const gemv_case *what) {
    gemv_case c = *what;
    if (c.lda == 0) c.lda = c.k > 0 ? c.k : 1;
    c.alpha = c.k > 0 ? sqrtf(3.0f / (float)c.k) : 1.0f; /* a sum of k products of numbers from [-1, 1) times another */
    c.beta = 0.0f;
    return c;
}

void gemv_chain_scalars(const gemv_case *what, double *alpha, double *beta) {
    const gemv_case c = chained(what);
    *alpha = c.alpha;
    *beta = c.beta;
}

size_t gemv_chain_bytes(const gemv_case *what, int links, int sets) {
    const gemv_case c = chained(what);
    const int longer = c.n > c.k ? c.n : c.k;
    return (matrix_words(c.type, c.n, c.lda, 0) * (size_t)sets +
            matrix_words(c.type, longer, 1, 0) * (size_t)(links + 1)) *
           dtype_size(c.type);
}

cudaError_t gemv_chain_create(gemv_chain *c, const gemv_case *what, int links, int sets, cudaStream_t stream) {
    *c = (gemv_chain){.what = chained(what), .links = links, .sets = sets};
    const gemv_case *w = &c->what;
    CUDA_ALLOCATE(&c->memory, gemv_chain_bytes(what, links, sets));
    c->a = calloc((size_t)sets, sizeof *c->a);
    c->vec = calloc((size_t)links + 1, sizeof *c->vec);
    if (c->a == NULL || c->vec == NULL) {
        gemv_chain_destroy(c);
        return cudaErrorMemoryAllocation;
    }
    char *memory = c->memory;
    cudaError_t error = cudaSuccess;
    for (int s = 0; s < sets && error == cudaSuccess; s++) {
        c->a[s] = matrix_place(memory, w->type, w->n, w->k, w->lda, 0);
        memory += matrix_bytes(&c->a[s]);
        error = inspect_fill(&c->a[s], VALUES_UNIFORM, w->seed + (uint64_t)s, stream);
    }
    for (int i = 0; i <= links; i++) {
        c->vec[i] = matrix_place(memory, w->type, i == 0 ? w->k : w->n, 1, 1, 0);
        c->vec[i].computed = i > 0;
        memory += matrix_bytes(&c->vec[i]);
    }
    if (error == cudaSuccess) error = inspect_fill(&c->vec[0], VALUES_UNIFORM, w->seed + 1000003, stream);
    if (error != cudaSuccess) gemv_chain_destroy(c);
    return error;
}

void gemv_chain_destroy(gemv_chain *c) {
    if (c->memory != NULL) cudaFree(c->memory);
    free(c->a);
    free(c->vec);
    *c = (gemv_chain){0};
}

static const matrix *x_of(const gemv_chain *c, int link) {
    return &c->vec[c->what.n == c->what.k ? link : 0];
}

cudaError_t gemv_chain_link(gemv_chain *c, int link, cudaStream_t stream) {
    const gemv_case *w = &c->what;
    const gemv_problem p = {.type = w->type,
                            .n = w->n,
                            .k = w->k,
                            .lda = w->lda,
                            .alpha = w->alpha,
                            .beta = w->beta,
                            .A = c->a[link % c->sets].elements,
                            .x = x_of(c, link)->elements,
                            .y = c->vec[link + 1].elements,
                            .pdl = c->pdl && link > 0};
    return c->launch(&p, stream);
}

static cudaError_t launch_link(void *context, int link, cudaStream_t stream) {
    return gemv_chain_link(context, link, stream);
}

static cudaError_t run_links(gemv_chain *c, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < c->links && error == cudaSuccess; i++) error = gemv_chain_link(c, i, stream);
    return error;
}

static cudaError_t run_graph(gemv_chain *c, cudaStream_t stream) {
    const timing_side links = {launch_link, c};
    cudaGraphExec_t exec = NULL;
    cudaError_t error = timing_capture(&links, c->links, c->links, stream, &exec);
    if (error == cudaSuccess) error = cudaGraphLaunch(exec, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    if (exec != NULL) cudaGraphExecDestroy(exec);
    return error;
}

/* What kernels may touch of its memory. */
static void outline(const gemv_chain *c) {
    for (int s = 0; s < c->sets; s++) inspect_outline("A", &c->a[s]);
    for (int i = 0; i <= c->links; i++) inspect_outline("vec", &c->vec[i]);
}

cudaError_t gemv_chain_verify(gemv_chain *c, const char *name, cudaStream_t stream, FILE *report, verdict *v) {
    *v = (verdict){.ok = true, .seconds = NAN};
    cudaError_t error = cudaSuccess;
    for (int i = 1; i <= c->links && error == cudaSuccess; i++) error = inspect_fill(&c->vec[i], VALUES_NAN, 0, stream);
    outline(c);
    const double begin = clock_now_s();
    if (error == cudaSuccess) error = simulator_active() ? run_links(c, stream) : run_graph(c, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    simulator_operands_end();
    if (simulator_active()) v->seconds = (clock_now_s() - begin) / c->links;
    double worst = 0.0;
    for (int i = 0; i < c->links && error == cudaSuccess; i++) {
        char link[160];
        const verify_case at_link = {.a = c->a[i % c->sets],
                                     .b = *x_of(c, i),
                                     .c = c->vec[i + 1],
                                     .alpha = c->what.alpha,
                                     .beta = c->what.beta,
                                     .arithmetic = VERIFY_FMA};
        snprintf(link, sizeof link, "%s, link %d%s", name, i, c->pdl ? " (programmatic dependent launch)" : "");
        error = inspect(link, "Axy", &at_link, true, stream, v->ok ? report : NULL, v);
        if (v->worst_share > worst) worst = v->worst_share;
    }
    v->worst_share = worst;
    return error;
}
