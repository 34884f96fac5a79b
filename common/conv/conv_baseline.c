#include "conv/conv_baseline.h"

#include <stdlib.h>

#include "gpu/error.h"

enum { MOST_ALIGNED = 64, X = 'x', F = 'f', Y = 'y', BIAS = 'b', SUMS = 's' }; /* of an address; tensors by their ids */
static const size_t MOST_WORKSPACE = (size_t)1 << 30;
static const double MOST_CHOICES = 64; /* of an engine's knobs together, for all to be tried */

/* ---- descriptors ------------------------------------------------------------------------------------------------ */

static void *grown(void *array, int count, int *room, size_t size) {
    if (count < *room) return array;
    *room = 2 * *room + 64;
    array = realloc(array, (size_t)*room * size);
    if (array == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    return array;
}

/* A descriptor that conv_baseline_forget destroys. */
static cudnn_descriptor make(conv_baseline *b, int kind) {
    b->made = grown(b->made, b->made_count, &b->made_room, sizeof *b->made);
    return b->made[b->made_count++] = cudnn_create(kind);
}

static bool set_number(cudnn_descriptor d, int attribute, int64_t value) {
    return cudnn_set(d, attribute, CUDNN_TYPE_INT64, 1, &value);
}

/* Of an enumeration. */
static bool set_name(cudnn_descriptor d, int attribute, int type, int value) {
    return cudnn_set(d, attribute, type, 1, &value);
}

static bool set_pair(cudnn_descriptor d, int attribute, const int pair[2]) {
    return cudnn_set(d, attribute, CUDNN_TYPE_INT64, 2, (const int64_t[]){pair[0], pair[1]});
}

static bool set_other(cudnn_descriptor d, int attribute, cudnn_descriptor other) {
    return other != NULL && cudnn_set(d, attribute, CUDNN_TYPE_DESCRIPTOR, 1, &other);
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

/* The largest power of two, up to MOST_ALIGNED, that divides the address. */
static int64_t alignment(const void *x) {
    int64_t bytes = MOST_ALIGNED;
    while ((uintptr_t)x % (uintptr_t)bytes != 0) bytes /= 2;
    return bytes;
}

/* Images, filters, results or a bias: its sides are named as in NCHW, whatever the order in memory. Without an address
 * it is in the graph only. */
static cudnn_descriptor tensor(conv_baseline *b, int id, dtype type, const void *at, int64_t n, int64_t c, int64_t h,
                               int64_t w) {
    const bool nhwc = b->asked.nhwc, within = id == SUMS;
    const int64_t sides[] = {n, c, h, w};
    const int64_t strides[] = {c * h * w, nhwc ? 1 : h * w, nhwc ? c * w : w, nhwc ? c : 1};
    cudnn_descriptor d = make(b, CUDNN_TENSOR);
    const bool described = set_number(d, CUDNN_TENSOR_ID, id) &&
                           set_name(d, CUDNN_TENSOR_TYPE, CUDNN_TYPE_DATA,
                                    type == DTYPE_F32   ? CUDNN_FLOAT
                                    : type == DTYPE_F16 ? CUDNN_HALF
                                                        : CUDNN_BFLOAT16) &&
                           set_number(d, CUDNN_TENSOR_ALIGNMENT, within ? MOST_ALIGNED : alignment(at)) &&
                           cudnn_set(d, CUDNN_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sides) &&
                           cudnn_set(d, CUDNN_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides) &&
                           (!within || cudnn_set(d, CUDNN_TENSOR_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &within)) &&
                           cudnn_finalize(d);
    return described ? d : NULL;
}

/* alpha*conv(x, f) + beta*to, with FP32 sums. */
static cudnn_descriptor convolution(conv_baseline *b, cudnn_descriptor to) {
    const conv_problem *p = &b->asked;
    cudnn_descriptor how = make(b, CUDNN_CONVOLUTION), d = make(b, CUDNN_FORWARD);
    const bool described =
        set_name(how, CUDNN_CONVOLUTION_COMPUTE, CUDNN_TYPE_DATA, CUDNN_FLOAT) &&
        set_name(how, CUDNN_CONVOLUTION_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION) &&
        set_number(how, CUDNN_CONVOLUTION_DIMENSIONS, 2) && set_pair(how, CUDNN_CONVOLUTION_DILATIONS, p->dilation) &&
        set_pair(how, CUDNN_CONVOLUTION_STRIDES, p->stride) && set_pair(how, CUDNN_CONVOLUTION_PRE_PADDINGS, p->pad) &&
        set_pair(how, CUDNN_CONVOLUTION_POST_PADDINGS, p->pad) && cudnn_finalize(how) &&
        set_other(d, CUDNN_FORWARD_CONVOLUTION, how) &&
        set_other(d, CUDNN_FORWARD_X, tensor(b, X, p->type, p->x, p->n, p->c, p->h, p->w)) &&
        set_other(d, CUDNN_FORWARD_W, tensor(b, F, p->type, p->f, p->k, p->c, p->r, p->s)) &&
        set_other(d, CUDNN_FORWARD_Y, to) && cudnn_set(d, CUDNN_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &p->alpha) &&
        cudnn_set(d, CUDNN_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &p->beta) && cudnn_finalize(d);
    return described ? d : NULL;
}

/* to = sums + bias */
static cudnn_descriptor addition(conv_baseline *b, cudnn_descriptor sums, cudnn_descriptor to) {
    const conv_problem *p = &b->asked;
    cudnn_descriptor how = make(b, CUDNN_POINTWISE), d = make(b, CUDNN_OF_ELEMENTS);
    const bool described = set_name(how, CUDNN_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, CUDNN_ADD) &&
                           set_name(how, CUDNN_POINTWISE_PRECISION, CUDNN_TYPE_DATA, CUDNN_FLOAT) &&
                           cudnn_finalize(how) && set_other(d, CUDNN_OF_ELEMENTS_POINTWISE, how) &&
                           set_other(d, CUDNN_OF_ELEMENTS_X, sums) &&
                           set_other(d, CUDNN_OF_ELEMENTS_B, tensor(b, BIAS, p->type, p->bias, 1, p->k, 1, 1)) &&
                           set_other(d, CUDNN_OF_ELEMENTS_Y, to) && cudnn_finalize(d);
    return described ? d : NULL;
}

static cudnn_descriptor graph(conv_baseline *b) {
    const conv_problem *p = &b->asked;
    cudnn_descriptor y = tensor(b, Y, p->type, p->y, p->n, p->k, p->p, p->q), sums = y, operations[2];
    const int count = p->bias != NULL ? 2 : 1;
    if (count == 2 && p->beta != 0.0f) return NULL;
    if (count == 2) sums = tensor(b, SUMS, DTYPE_F32, NULL, p->n, p->k, p->p, p->q);
    operations[0] = convolution(b, sums);
    operations[1] = count == 2 ? addition(b, sums, y) : NULL;
    if (operations[0] == NULL || operations[count - 1] == NULL) return NULL;
    cudnn_descriptor d = make(b, CUDNN_GRAPH);
    const bool described = cudnn_set(d, CUDNN_GRAPH_OPERATIONS, CUDNN_TYPE_DESCRIPTOR, count, operations) &&
                           cudnn_set(d, CUDNN_GRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, cudnn_handle()) && cudnn_finalize(d);
    return described ? d : NULL;
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

/* An engine that says of itself what the problem does not allow, or that is of the other kind. */
static bool is_unwanted(const conv_baseline *b, cudnn_descriptor engine) {
    int notes[CUDNN_NOTES];
    const int count = cudnn_get(engine, CUDNN_ENGINE_NOTES, CUDNN_TYPE_NOTE, CUDNN_NOTES, notes);
    bool transformed = false;
    for (int i = 0; i < count; i++) {
        const int note = notes[i];
        if (note == CUDNN_NOTE_DOWN_CONVERT || note == CUDNN_NOTE_REDUCED_SUMS) return true;
        if (note == CUDNN_NOTE_TENSOR_CORE && b->asked.type == DTYPE_F32) return true;
        transformed |= note == CUDNN_NOTE_FFT || (note >= CUDNN_NOTE_WINOGRAD && note <= CUDNN_NOTE_WINOGRAD_LAST);
    }
    return transformed != b->transformed;
}

/* Writes the configuration's engine and knobs, which go into the descriptors `choices`. */
static void name_plan(conv_baseline *b, cudnn_descriptor config, cudnn_descriptor engine, conv_plan *plan) {
    int64_t number = -1;
    cudnn_get(engine, CUDNN_ENGINE_INDEX, CUDNN_TYPE_INT64, 1, &number);
    int used = snprintf(plan->name, sizeof plan->name, "eng%lld", (long long)number);
    const int knobs = cudnn_get(config, CUDNN_ENGINECFG_KNOBS, CUDNN_TYPE_DESCRIPTOR, CUDNN_KNOBS, b->choices);
    for (int i = 0; i < knobs && used < (int)sizeof plan->name; i++) {
        int type = -1;
        cudnn_get(b->choices[i], CUDNN_KNOB_TYPE, CUDNN_TYPE_KNOB, 1, &type);
        cudnn_get(b->choices[i], CUDNN_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &number);
        used += snprintf(plan->name + used, sizeof plan->name - (size_t)used, "_k%d=%lld", type, (long long)number);
    }
}

/* Makes a plan of the configuration, if it is wanted, new, and can be built. */
static void add_plan(conv_baseline *b, cudnn_descriptor config) {
    conv_plan plan;
    int64_t bytes = 0;
    cudnn_descriptor engine = make(b, CUDNN_ENGINE);
    if (cudnn_get(config, CUDNN_ENGINECFG_ENGINE, CUDNN_TYPE_DESCRIPTOR, 1, &engine) != 1 || is_unwanted(b, engine))
        return;
    name_plan(b, config, engine, &plan);
    for (int i = 0; i < b->count; i++)
        if (strcmp(b->plans[i].name, plan.name) == 0) return;
    plan.plan = make(b, CUDNN_PLAN);
    const bool built = cudnn_set(plan.plan, CUDNN_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, cudnn_handle()) &&
                       set_other(plan.plan, CUDNN_PLAN_ENGINECFG, config) && cudnn_finalize(plan.plan) &&
                       cudnn_get(plan.plan, CUDNN_PLAN_WORKSPACE, CUDNN_TYPE_INT64, 1, &bytes) == 1;
    if (!built || (size_t)bytes > MOST_WORKSPACE) {
        b->unbuilt++;
        return;
    }
    if ((size_t)bytes > b->workspace_bytes) b->workspace_bytes = (size_t)bytes;
    b->plans = grown(b->plans, b->count, &b->room, sizeof *b->plans);
    b->plans[b->count++] = plan;
}

/* All configurations that the heuristics name in one of their modes. */
static void add_named(conv_baseline *b, cudnn_descriptor of_graph, int mode) {
    cudnn_descriptor heuristics = make(b, CUDNN_ENGINEHEUR);
    if (!set_other(heuristics, CUDNN_ENGINEHEUR_GRAPH, of_graph) ||
        !set_name(heuristics, CUDNN_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode) || !cudnn_finalize(heuristics))
        return;
    const int count = cudnn_get(heuristics, CUDNN_ENGINEHEUR_RESULTS, CUDNN_TYPE_DESCRIPTOR, 0, NULL);
    cudnn_descriptor *configs = calloc((size_t)count + 1, sizeof(cudnn_descriptor));
    if (configs == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    for (int i = 0; i < count; i++) configs[i] = make(b, CUDNN_ENGINECFG);
    const int found = cudnn_get(heuristics, CUDNN_ENGINEHEUR_RESULTS, CUDNN_TYPE_DESCRIPTOR, count, configs);
    for (int i = 0; i < found && i < count; i++) add_plan(b, configs[i]);
    free(configs);
}

/* An engine's knobs: their types, and the values that they may have. */
typedef struct {
    int count, type[CUDNN_KNOBS];
    int64_t least[CUDNN_KNOBS], step[CUDNN_KNOBS], values[CUDNN_KNOBS];
    double choices; /* of all together */
} knob_list;

static knob_list knobs_of(conv_baseline *b, cudnn_descriptor engine) {
    knob_list k = {.choices = 1.0};
    cudnn_descriptor infos[CUDNN_KNOBS];
    for (int i = 0; i < CUDNN_KNOBS; i++) infos[i] = make(b, CUDNN_KNOB_INFO);
    k.count = cudnn_get(engine, CUDNN_ENGINE_KNOBS, CUDNN_TYPE_DESCRIPTOR, CUDNN_KNOBS, infos);
    for (int i = 0; i < k.count; i++) {
        int64_t most = 0;
        cudnn_get(infos[i], CUDNN_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB, 1, &k.type[i]);
        cudnn_get(infos[i], CUDNN_KNOB_INFO_LEAST, CUDNN_TYPE_INT64, 1, &k.least[i]);
        cudnn_get(infos[i], CUDNN_KNOB_INFO_MOST, CUDNN_TYPE_INT64, 1, &most);
        cudnn_get(infos[i], CUDNN_KNOB_INFO_STEP, CUDNN_TYPE_INT64, 1, &k.step[i]);
        k.values[i] = k.step[i] > 0 ? (most - k.least[i]) / k.step[i] + 1 : 1;
        k.choices *= (double)k.values[i];
    }
    return k;
}

/* Number `choice` of the configurations of an engine; without knobs, the one that the engine has by itself. */
static void add_configuration(conv_baseline *b, cudnn_descriptor engine, const knob_list *k, int64_t choice) {
    cudnn_descriptor config = make(b, CUDNN_ENGINECFG), knobs[CUDNN_KNOBS];
    bool described = set_other(config, CUDNN_ENGINECFG_ENGINE, engine);
    for (int i = 0; i < k->count; choice /= k->values[i++]) {
        knobs[i] = make(b, CUDNN_KNOB_CHOICE);
        described = described && set_name(knobs[i], CUDNN_KNOB_TYPE, CUDNN_TYPE_KNOB, k->type[i]) &&
                    set_number(knobs[i], CUDNN_KNOB_VALUE, k->least[i] + choice % k->values[i] * k->step[i]) &&
                    cudnn_finalize(knobs[i]);
    }
    if (k->count > 0)
        described = described && cudnn_set(config, CUDNN_ENGINECFG_KNOBS, CUDNN_TYPE_DESCRIPTOR, k->count, knobs);
    if (described && cudnn_finalize(config)) add_plan(b, config);
}

/* All engines by their numbers, with each choice of knobs where there are few. Where operands are FP32 the heuristics
 * think of tensor cores first and name few others; elsewhere they name dozens. */
static void add_others(conv_baseline *b, cudnn_descriptor of_graph) {
    int64_t engines = 0;
    cudnn_get(of_graph, CUDNN_GRAPH_ENGINES, CUDNN_TYPE_INT64, 1, &engines);
    for (int64_t i = 0; i < engines; i++) {
        cudnn_descriptor engine = make(b, CUDNN_ENGINE);
        if (!set_other(engine, CUDNN_ENGINE_GRAPH, of_graph) || !set_number(engine, CUDNN_ENGINE_INDEX, i) ||
            !cudnn_finalize(engine) || is_unwanted(b, engine))
            continue;
        knob_list k = knobs_of(b, engine);
        if (k.choices > MOST_CHOICES) k = (knob_list){.choices = 1.0};
        for (int64_t choice = 0; choice < (int64_t)k.choices; choice++) add_configuration(b, engine, &k, choice);
    }
}

int conv_baseline_ask(conv_baseline *b, const conv_problem *p, bool transformed) {
    static const int modes[] = {CUDNN_HEUR_A, CUDNN_HEUR_B, CUDNN_HEUR_FALLBACK};
    conv_baseline_forget(b);
    if (*cudnn_version() == '\0') return 0;
    b->asked = *p;
    b->transformed = transformed;
    for (int i = 0; i < CUDNN_KNOBS; i++) b->choices[i] = make(b, CUDNN_KNOB_CHOICE);
    cudnn_descriptor of_graph = graph(b);
    for (int i = 0; i < ARRAY_SIZE(modes) && of_graph != NULL; i++) add_named(b, of_graph, modes[i]);
    if (of_graph != NULL && p->type == DTYPE_F32) add_others(b, of_graph);
    if (b->workspace_bytes > 0 && cudaMalloc(&b->workspace, b->workspace_bytes) != cudaSuccess) {
        cudaGetLastError(); /* a failed cudaMalloc leaves its error for the next launch to find */
        b->workspace = NULL;
        conv_baseline_forget(b);
    }
    return b->count;
}

void conv_baseline_forget(conv_baseline *b) {
    for (int i = 0; i < CONV_BASELINE_PACKS; i++) cudnn_destroy(b->packs[i].pack);
    while (b->made_count > 0) cudnn_destroy(b->made[--b->made_count]);
    if (b->workspace != NULL) CUDA_CHECK(cudaFree(b->workspace));
    free(b->made);
    free(b->plans);
    *b = (conv_baseline){0};
}

const char *conv_baseline_library(bool transformed) {
    return transformed ? "cudnn transformed" : "cudnn";
}

void conv_baseline_call(const conv_baseline *b, int call, bench_call *c) {
    snprintf(c->name, sizeof c->name, "%.*s", RECORD_TEXT - 1, b->plans[call].name);
    c->library = conv_baseline_library(b->transformed);
    c->version = cudnn_version();
    c->inexact = b->transformed;
}

/* ---- launches --------------------------------------------------------------------------------------------------- */

static cudnn_descriptor pack_of(conv_baseline *b, const conv_problem *p) {
    conv_pack *kept = &b->packs[values_hash(0, (uint64_t)(uintptr_t)p->y) % CONV_BASELINE_PACKS];
    if (kept->pack != NULL && kept->x == p->x && kept->f == p->f && kept->y == p->y && kept->bias == p->bias)
        return kept->pack;
    const void *const pointers[] = {p->x, p->f, p->y, p->bias};
    static const int64_t ids[] = {X, F, Y, BIAS};
    const int count = p->bias != NULL ? 4 : 3;
    cudnn_destroy(kept->pack);
    *kept = (conv_pack){p->x, p->f, p->y, p->bias, cudnn_create(CUDNN_VARIANT_PACK)};
    if (cudnn_set(kept->pack, CUDNN_PACK_IDS, CUDNN_TYPE_INT64, count, ids) &&
        cudnn_set(kept->pack, CUDNN_PACK_POINTERS, CUDNN_TYPE_POINTER, count, pointers) &&
        cudnn_set(kept->pack, CUDNN_PACK_WORKSPACE, CUDNN_TYPE_POINTER, 1, &b->workspace) && cudnn_finalize(kept->pack))
        return kept->pack;
    cudnn_destroy(kept->pack);
    return kept->pack = NULL;
}

cudaError_t conv_baseline_launch(conv_baseline *b, const conv_problem *p, int call, cudaStream_t stream) {
    if (call >= b->count || p->alpha != b->asked.alpha || p->beta != b->asked.beta) return cudaErrorNotSupported;
    cudnn_descriptor pack = pack_of(b, p);
    return pack != NULL ? cudnn_execute(b->plans[call].plan, pack, stream) : cudaErrorNotSupported;
}
