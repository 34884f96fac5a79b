/* What the bench does for a family whose operands are those of C = alpha*A*B + beta*C: it says `outline` and `enqueue`.
 */
#include <stdlib.h>

#include "bench/session.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

typedef struct {
    const void *problem;
    operand_sets at;
    void *pad; /* memory that nobody uses, so that the operands lie elsewhere than before; NULL: none */
    int moves;
} matrices;

static double bytes(const session *s, const void *problem, int sets) {
    const operand_spec spec = s->family->outline(s, problem);
    return operand_sets_bytes(&spec, sets);
}

static void fill(const session *s, matrices *o) {
    for (int i = 0; i < o->at.sets; i++) CUDA_CHECK(operand_sets_fill(&o->at, i, VALUES_UNIFORM, s->stream));
}

static void *create(const session *s, const void *problem, int sets) {
    const operand_spec spec = s->family->outline(s, problem);
    matrices *o = malloc(sizeof *o);
    if (o == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    o->problem = problem;
    o->pad = NULL;
    o->moves = 0;
    operand_sets_create(&o->at, &spec, sets);
    if (!s->device.simulated) fill(s, o); /* in the simulator verifying fills the one set */
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
static void move(const session *s, void *operands) {
    enum { PAGE = 2 << 20, SIZES = 61, STRIDE = 37 };
    matrices *o = operands;
    operand_sets old = o->at;
    void *old_pad = o->pad;
    const bool room = operand_sets_bytes(&old.spec, old.sets) + (double)PAGE * SIZES < bench_memory(s);
    const operand_spec spec = old.spec;
    const int sets = old.sets;
    if (!room) operand_sets_destroy(&old);
    o->pad = NULL;
    if (cudaMalloc(&o->pad, (size_t)PAGE * (size_t)(1 + o->moves++ * STRIDE % SIZES)) != cudaSuccess)
        cudaGetLastError();
    operand_sets_create(&o->at, &spec, sets);
    if (room) operand_sets_destroy(&old);
    if (old_pad != NULL) CUDA_CHECK(cudaFree(old_pad));
    fill(s, o);
}

/* The family's enqueue; in the simulator what it launches is counted as the variant's. */
static cudaError_t enqueue(const session *s, const void *problem, const bench_launch *launch, const operand_set *set,
                           float alpha, float beta, cudaStream_t stream) {
    char said[96];
    if (!s->device.simulated) return s->family->enqueue(s, problem, launch, set, alpha, beta, stream);
    s->family->say(problem, said, sizeof said);
    if (launch->variant != NULL) simulator_count(launch->variant->name, said);
    const cudaError_t error = s->family->enqueue(s, problem, launch, set, alpha, beta, stream);
    simulator_count(NULL, NULL);
    return error;
}

typedef struct {
    const session *s;
    const void *problem;
    const bench_launch *launch;
} verified;

/* As the family has it, or more launches back to back where none reads what another writes. Returns what it was. */
static int set_launches(matrices *o, const bench_launch *launch) {
    const int outlined = o->at.spec.launches;
    if (launch->launches > outlined && o->at.spec.beta == 0.0f) o->at.spec.launches = launch->launches;
    return outlined;
}

static cudaError_t launch_verified(void *context, const operand_set *set, float alpha, float beta,
                                   cudaStream_t stream) {
    const verified *v = context;
    return enqueue(v->s, v->problem, v->launch, set, alpha, beta, stream);
}

static cudaError_t verify(const session *s, void *operands, const bench_launch *launch, const char *name, FILE *report,
                          verdict *v) {
    matrices *o = operands;
    verified context = {s, o->problem, launch};
    const int outlined = set_launches(o, launch);
    const cudaError_t error = operand_sets_verify(&o->at, name, launch_verified, &context, s->stream, report, v);
    o->at.spec.launches = outlined;
    return error;
}

static cudaError_t exact(const session *s, void *operands, const bench_launch *launch, const char *name, FILE *report,
                         verdict *v, uint64_t *fingerprint) {
    matrices *o = operands;
    verified context = {s, o->problem, launch};
    const int outlined = set_launches(o, launch);
    const cudaError_t error =
        operand_sets_exact(&o->at, name, launch_verified, &context, s->stream, report, v, fingerprint);
    o->at.spec.launches = outlined;
    return error;
}

static cudaError_t launch_on(const session *s, void *operands, const bench_launch *launch, int set,
                             cudaStream_t stream) {
    const matrices *o = operands;
    const operand_spec *spec = &o->at.spec;
    return enqueue(s, o->problem, launch, &o->at.set[set], spec->alpha, spec->beta, stream);
}

static cudaError_t restore(const session *s, void *operands, int set, cudaStream_t stream) {
    return operand_sets_fill_c(&((matrices *)operands)->at, set, VALUES_UNIFORM, stream);
}

void bench_use_matrices(bench_family *family) {
    family->bytes = bytes;
    family->create = create;
    family->destroy = destroy;
    family->move = move;
    family->verify = verify;
    family->exact = exact;
    family->launch = launch_on;
    family->restore = restore;
}
