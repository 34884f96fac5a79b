/* The operands of a family that computes C = alpha*A*B + beta*C, by its bench_matrix_functions. */
#include "bench/family.h"

#include <stdlib.h>

#include "bench/session.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

typedef struct {
    operand_sets at;
    void *pad; /* memory that nobody uses, so that the operands lie elsewhere than before; NULL: none */
    int moves;
} matrices;

static double bytes(const session *s, const void *problem, int sets) {
    const operand_spec spec = s->family->matrices.spec(s, problem);
    return operand_sets_bytes(&spec, sets);
}

static void fill(matrices *o, cudaStream_t stream) {
    for (int i = 0; i < o->at.sets; i++) CUDA_CHECK(operand_sets_fill(&o->at, i, VALUES_UNIFORM, stream));
}

static void *create(const session *s, const void *problem, int sets) {
    const operand_spec spec = s->family->matrices.spec(s, problem);
    matrices *o = malloc(sizeof *o);
    if (o == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    o->pad = NULL;
    o->moves = 0;
    operand_sets_create(&o->at, &spec, sets);
    if (!s->device.simulated) fill(o, s->stream); /* in the simulator verifying fills the one set */
    return o;
}

static void destroy(void *operands) {
    matrices *o = operands;
    operand_sets_destroy(&o->at);
    if (o->pad != NULL) CUDA_CHECK(cudaFree(o->pad));
    free(o);
}

/* The new place is taken before the old one is given back, where there is room for both, and behind a pad of another
 * size than the last: cudaMalloc would often answer with the memory that has just been freed. */
static cudaError_t move(void *context, cudaStream_t stream) {
    enum { PAGE = 2 << 20, SIZES = 61, STRIDE = 37 };
    const bench_launch *launch = context;
    matrices *o = launch->operands;
    operand_sets old = o->at;
    void *old_pad = o->pad;
    const bool room = operand_sets_bytes(&old.spec, old.sets) + (double)PAGE * SIZES < session_memory(launch->session);
    const operand_spec spec = old.spec;
    const int sets = old.sets;
    if (!room) operand_sets_destroy(&old);
    o->pad = NULL;
    if (cudaMalloc(&o->pad, (size_t)PAGE * (size_t)(1 + o->moves++ * STRIDE % SIZES)) != cudaSuccess)
        cudaGetLastError();
    operand_sets_create(&o->at, &spec, sets);
    if (room) operand_sets_destroy(&old);
    if (old_pad != NULL) CUDA_CHECK(cudaFree(old_pad));
    fill(o, stream);
    return cudaStreamSynchronize(stream);
}

/* Before a verification: sets how many launches it takes, as many as the family says or more back to back where none
 * reads what another writes, and what arithmetic they are held to. In the simulator they are counted as the variant's,
 * as nothing else is launched there. Returns what it found, for the end. */
static operand_spec begin_verification(const bench_launch *launch) {
    const session *s = launch->session;
    operand_spec *spec = &((matrices *)launch->operands)->at.spec;
    const operand_spec specified = *spec;
    char problem[96];
    if (launch->launches > specified.launches && spec->beta == 0.0f) spec->launches = launch->launches;
    if (s->family->matrices.arithmetic != NULL)
        spec->arithmetic = s->family->matrices.arithmetic(launch, specified.arithmetic);
    if (s->device.simulated && launch->variant != NULL) {
        s->family->format(s, launch->problem, false, problem, sizeof problem);
        simulator_count(launch->variant->name, problem);
    }
    return specified;
}

static void end_verification(const bench_launch *launch, const operand_spec *specified) {
    ((matrices *)launch->operands)->at.spec = *specified;
    if (launch->session->device.simulated) simulator_count(NULL, NULL);
}

static cudaError_t verify(const bench_launch *launch, const char *name, FILE *report, verdict *v) {
    const session *s = launch->session;
    matrices *o = launch->operands;
    const operand_spec specified = begin_verification(launch);
    const cudaError_t error =
        operand_sets_verify(&o->at, name, s->family->matrices.enqueue, (void *)(uintptr_t)launch, s->stream, report, v);
    end_verification(launch, &specified);
    return error;
}

static cudaError_t fingerprint(const bench_launch *launch, const char *name, FILE *report, verdict *v) {
    const session *s = launch->session;
    matrices *o = launch->operands;
    const operand_spec specified = begin_verification(launch);
    const cudaError_t error = operand_sets_fingerprint(&o->at, name, s->family->matrices.enqueue,
                                                       (void *)(uintptr_t)launch, s->stream, report, v);
    end_verification(launch, &specified);
    return error;
}

static cudaError_t launch_on(void *context, int set, cudaStream_t stream) {
    const bench_launch *launch = context;
    const operand_sets *at = &((const matrices *)launch->operands)->at;
    return launch->session->family->matrices.enqueue(context, &at->set[set], at->spec.alpha, at->spec.beta, stream);
}

static cudaError_t restore(void *context, int set, cudaStream_t stream) {
    const bench_launch *launch = context;
    return operand_sets_fill_c(&((matrices *)launch->operands)->at, set, VALUES_UNIFORM, stream);
}

const bench_operand_functions bench_matrices = {.bytes = bytes,
                                                .create = create,
                                                .destroy = destroy,
                                                .verify = verify,
                                                .fingerprint = fingerprint,
                                                .launch = launch_on,
                                                .restore = restore,
                                                .move = move};
