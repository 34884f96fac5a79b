/* cuDNN made up: descriptors with the attributes that are set, and some engines, each with a habit, that convolve in
 * host memory as the descriptors of the graph say. */
#pragma once

#include <math.h>

#include "../gpu/fake_library.h"
#include "gpu/cudnn.h"
#include "tensor/dtype.h"

enum { FAKE_ATTRIBUTES = 16, FAKE_VALUES = 4, FAKE_ENGINES = 11 };

typedef struct {
    int kind, sets;
    bool final;
    int64_t number, knob; /* of an engine, a configuration and its knob */
    struct {
        int attribute;
        int64_t count, values[FAKE_VALUES]; /* of any type, in its bytes */
    } set[FAKE_ATTRIBUTES];
} fake_descriptor;

/* What an engine does besides. */
static const struct {
    int notes[2], note_count;
    bool unbuildable, fails, wrong, huge, rounds;
} fake_engines[FAKE_ENGINES] = {
    [1] = {.unbuildable = true},
    [2] = {.wrong = true},
    [3] = {.notes = {CUDNN_NOTE_WINOGRAD, CUDNN_NOTE_WINOGRAD + 1}, .note_count = 2, .rounds = true},
    [4] = {.huge = true},
    [5] = {.notes = {CUDNN_NOTE_TENSOR_CORE}, .note_count = 1},
    [6] = {.fails = true},
    [7] = {.fails = false}, /* with a knob of three values, of which the heuristics name two */
    [8] = {.notes = {CUDNN_NOTE_FFT}, .note_count = 1, .wrong = true},
    [9] = {.notes = {CUDNN_NOTE_REDUCED_SUMS}, .note_count = 1},
    [10] = {.fails = false}, /* no heuristics name it */
};

/* Engine and knob of what the heuristics name, by their modes. */
static const int fake_named[4][6][2] = {[CUDNN_HEUR_A] = {{7, 1}, {0, 0}, {1, 0}, {5, 0}, {-1}},
                                        [CUDNN_HEUR_B] = {{7, 2}, {2, 0}, {0, 0}, {9, 0}, {-1}},
                                        [CUDNN_HEUR_FALLBACK] = {{3, 0}, {4, 0}, {6, 0}, {8, 0}, {0, 0}, {-1}}};

static struct {
    bool absent, refuses;
    const char *beside; /* only this file is cuDNN */
    int packs;          /* made */
    int64_t last;       /* the engine that computed */
    void *graph;        /* the latest */
} fake;

/* ---- descriptors ---- */

/* Value number i of an attribute; 0 where it is not set. */
static int64_t fake_value(const void *d, int attribute, int i) {
    const fake_descriptor *x = d;
    for (int j = 0; x != NULL && j < x->sets; j++)
        if (x->set[j].attribute == attribute && i < x->set[j].count) return x->set[j].values[i];
    return 0;
}

static void *fake_other(const void *d, int attribute, int i) {
    return (void *)(intptr_t)fake_value(d, attribute, i);
}

static int fake_create(int kind, void **d) {
    fake_descriptor *x = create(sizeof *x);
    x->kind = kind;
    *d = x;
    fake.packs += kind == CUDNN_VARIANT_PACK;
    return 0;
}

static size_t fake_size(int type) {
    static const bool long_ones[CUDNN_TYPE_DESCRIPTOR + 1] = {[CUDNN_TYPE_HANDLE] = true,
                                                              [CUDNN_TYPE_INT64] = true,
                                                              [CUDNN_TYPE_POINTER] = true,
                                                              [CUDNN_TYPE_DESCRIPTOR] = true};
    return type == CUDNN_TYPE_BOOLEAN ? 1 : long_ones[type] ? 8 : 4;
}

static int fake_set(void *d, int attribute, int type, int64_t count, const void *elements) {
    fake_descriptor *x = d;
    assert_true(x != NULL && !x->final && x->sets < FAKE_ATTRIBUTES && count <= FAKE_VALUES);
    x->set[x->sets].attribute = attribute;
    x->set[x->sets].count = count;
    for (int64_t i = 0; i < count; i++)
        memcpy(&x->set[x->sets].values[i], (const char *)elements + (size_t)i * fake_size(type), fake_size(type));
    x->sets++;
    return 0;
}

static int fake_finalize(void *d) {
    fake_descriptor *x = d;
    const fake_descriptor *config = fake_other(d, CUDNN_PLAN_ENGINECFG, 0);
    if (x->kind == CUDNN_GRAPH && fake.refuses) return 3001;
    if (x->kind == CUDNN_GRAPH) fake.graph = d;
    if (x->kind == CUDNN_PLAN && fake_engines[config->number].unbuildable) return 3000;
    if (x->kind == CUDNN_ENGINE) x->number = fake_value(d, CUDNN_ENGINE_INDEX, 0);
    if (x->kind == CUDNN_ENGINE && x->number >= FAKE_ENGINES) return 3000;
    if (x->kind == CUDNN_ENGINECFG) {
        x->number = ((fake_descriptor *)fake_other(d, CUDNN_ENGINECFG_ENGINE, 0))->number;
        x->knob = fake_value(fake_other(d, CUDNN_ENGINECFG_KNOBS, 0), CUDNN_KNOB_VALUE, 0);
    }
    x->final = true;
    return 0;
}

/* A single number of an attribute. */
static int64_t fake_number(const fake_descriptor *x, int attribute) {
    static const int64_t knob[] = {2, 3, 1, 1}; /* type, from 1 to 3 by 1 */
    const fake_descriptor *config = fake_other(x, CUDNN_PLAN_ENGINECFG, 0);
    if (attribute >= CUDNN_KNOB_INFO_TYPE && attribute <= CUDNN_KNOB_INFO_STEP)
        return knob[attribute - CUDNN_KNOB_INFO_TYPE];
    if (attribute == CUDNN_KNOB_TYPE) return knob[0];
    if (attribute == CUDNN_GRAPH_ENGINES) return FAKE_ENGINES + 2;
    if (attribute != CUDNN_PLAN_WORKSPACE) return x->number;
    return fake_engines[config->number].huge ? INT64_C(1) << 40 : 512;
}

static int fake_get(void *d, int attribute, int type, int64_t room, int64_t *count, void *elements) {
    fake_descriptor *x = d, **others = elements;
    *count = 1;
    if (attribute == CUDNN_ENGINEHEUR_RESULTS) {
        const int(*named)[2] = fake_named[fake_value(d, CUDNN_ENGINEHEUR_MODE, 0)];
        for (*count = 0; named[*count][0] >= 0; ++*count)
            if (*count < room) others[*count]->number = named[*count][0], others[*count]->knob = named[*count][1];
    } else if (attribute == CUDNN_ENGINECFG_ENGINE) {
        others[0]->number = x->number;
    } else if (attribute == CUDNN_ENGINECFG_KNOBS) {
        *count = x->knob > 0 && room > 0; /* the real one does not say how many there are without room */
        if (*count > 0) others[0]->number = x->knob;
    } else if (attribute == CUDNN_ENGINE_KNOBS) {
        *count = x->number == 7;
    } else if (attribute == CUDNN_ENGINE_NOTES) {
        *count = fake_engines[x->number].note_count;
        memcpy(elements, fake_engines[x->number].notes, sizeof fake_engines[0].notes);
    } else {
        const int64_t value = fake_number(x, attribute);
        assert_int_equal(room, 1);
        memcpy(elements, &value, fake_size(type));
    }
    return 0;
}

/* ---- launches ---- */

typedef struct {
    dtype type;
    void *data;
    int64_t sides[4], strides[4];
} fake_tensor;

static fake_tensor fake_tensor_of(const void *d, const void *pack) {
    fake_tensor t = {.type = DTYPE_F32, .data = NULL};
    const int64_t type = fake_value(d, CUDNN_TENSOR_TYPE, 0);
    if (type != CUDNN_FLOAT) t.type = type == CUDNN_HALF ? DTYPE_F16 : DTYPE_BF16;
    for (int i = 0; i < 4; i++) {
        t.sides[i] = fake_value(d, CUDNN_TENSOR_DIMENSIONS, i);
        t.strides[i] = fake_value(d, CUDNN_TENSOR_STRIDES, i);
        if (fake_value(pack, CUDNN_PACK_IDS, i) == fake_value(d, CUDNN_TENSOR_ID, 0))
            t.data = fake_other(pack, CUDNN_PACK_POINTERS, i);
    }
    assert_true(t.data != NULL && fake_value(d, CUDNN_TENSOR_VIRTUAL, 0) == 0);
    assert_true((uintptr_t)t.data % (uintptr_t)fake_value(d, CUDNN_TENSOR_ALIGNMENT, 0) == 0);
    return t;
}

static size_t fake_at(const fake_tensor *t, int64_t n, int64_t c, int64_t h, int64_t w) {
    return (size_t)(n * t->strides[0] + c * t->strides[1] + h * t->strides[2] + w * t->strides[3]);
}

static double fake_load(const fake_tensor *t, int64_t n, int64_t c, int64_t h, int64_t w) {
    return dtype_load(t->type, t->data, fake_at(t, n, c, h, w));
}

static double fake_sum(const fake_tensor *x, const fake_tensor *f, void *how, int64_t n, int64_t k,
                       const int64_t at[2]) {
    double sum = 0.0;
    for (int64_t tap = 0; tap < f->sides[1] * f->sides[2] * f->sides[3]; tap++) {
        const int64_t c = tap / (f->sides[2] * f->sides[3]),
                      rs[] = {tap / f->sides[3] % f->sides[2], tap % f->sides[3]};
        int64_t pixel[2];
        for (int i = 0; i < 2; i++)
            pixel[i] = at[i] * fake_value(how, CUDNN_CONVOLUTION_STRIDES, i) -
                       fake_value(how, CUDNN_CONVOLUTION_PRE_PADDINGS, i) +
                       rs[i] * fake_value(how, CUDNN_CONVOLUTION_DILATIONS, i);
        if (pixel[0] < 0 || pixel[0] >= x->sides[2] || pixel[1] < 0 || pixel[1] >= x->sides[3]) continue;
        sum += fake_load(x, n, c, pixel[0], pixel[1]) * fake_load(f, k, c, rs[0], rs[1]);
    }
    return sum;
}

static int fake_execute(void *handle, void *plan, void *pack) {
    void *forward = fake_other(fake.graph, CUDNN_GRAPH_OPERATIONS, 0);
    void *add = fake_other(fake.graph, CUDNN_GRAPH_OPERATIONS, 1),
         *how = fake_other(forward, CUDNN_FORWARD_CONVOLUTION, 0);
    void *to = fake_other(forward, CUDNN_FORWARD_Y, 0);
    fake.last = ((fake_descriptor *)fake_other(plan, CUDNN_PLAN_ENGINECFG, 0))->number;
    if (fake_engines[fake.last].fails) return 5000;
    assert_true(handle != NULL && ((fake_descriptor *)plan)->final && ((fake_descriptor *)pack)->final);
    assert_non_null(fake_other(pack, CUDNN_PACK_WORKSPACE, 0));
    assert_int_equal(fake_value(how, CUDNN_CONVOLUTION_MODE, 0), CUDNN_CROSS_CORRELATION);
    for (int i = 0; i < 2; i++)
        assert_int_equal(fake_value(how, CUDNN_CONVOLUTION_PRE_PADDINGS, i),
                         fake_value(how, CUDNN_CONVOLUTION_POST_PADDINGS, i));
    if (add != NULL) assert_ptr_equal(fake_other(add, CUDNN_OF_ELEMENTS_X, 0), to);
    if (add != NULL) to = fake_other(add, CUDNN_OF_ELEMENTS_Y, 0);
    const fake_tensor x = fake_tensor_of(fake_other(forward, CUDNN_FORWARD_X, 0), pack);
    const fake_tensor f = fake_tensor_of(fake_other(forward, CUDNN_FORWARD_W, 0), pack), y = fake_tensor_of(to, pack);
    const fake_tensor b = add != NULL ? fake_tensor_of(fake_other(add, CUDNN_OF_ELEMENTS_B, 0), pack) : y;
    const float alpha = values_from_bits((uint32_t)fake_value(forward, CUDNN_FORWARD_ALPHA, 0));
    const float beta = values_from_bits((uint32_t)fake_value(forward, CUDNN_FORWARD_BETA, 0));
    for (int64_t e = 0; e < y.sides[0] * y.sides[1] * y.sides[2] * y.sides[3]; e++) {
        const int64_t at[] = {e / y.sides[3] % y.sides[2], e % y.sides[3]};
        const int64_t k = e / y.sides[3] / y.sides[2] % y.sides[1], n = e / y.sides[3] / y.sides[2] / y.sides[1];
        double result = alpha * fake_sum(&x, &f, how, n, k, at);
        if (beta != 0.0f) result += beta * fake_load(&y, n, k, at[0], at[1]);
        if (add != NULL) result += fake_load(&b, 0, k, 0, 0);
        if (fake_engines[fake.last].rounds) result += 1e-5;
        if (fake_engines[fake.last].wrong && e == 3) result += 1.0;
        const uint32_t bits = dtype_to_bits(y.type, result);
        memcpy((char *)y.data + fake_at(&y, n, k, at[0], at[1]) * dtype_size(y.type), &bits, dtype_size(y.type));
    }
    return 0;
}

/* ---- the library ---- */

static size_t fake_version(void) {
    return 91901;
}

static const fake_entry fake_entries[] = {
    ENTRY("cudnnCreate", handle_create),
    ENTRY("cudnnDestroy", destroy),
    ENTRY("cudnnSetStream", set_stream),
    ENTRY("cudnnGetVersion", fake_version),
    ENTRY("cudnnBackendCreateDescriptor", fake_create),
    ENTRY("cudnnBackendDestroyDescriptor", destroy),
    ENTRY("cudnnBackendSetAttribute", fake_set),
    ENTRY("cudnnBackendGetAttribute", fake_get),
    ENTRY("cudnnBackendFinalize", fake_finalize),
    ENTRY("cudnnBackendExecute", fake_execute),
    {0},
};

void *dlopen(const char *name, int flags) {
    assert_null(getenv("NVIDIA_TF32_OVERRIDE"));
    if (fake.absent || name == NULL || strstr(name, "libcudnn.so.9") == NULL) return NULL;
    return fake.beside == NULL || strcmp(name, fake.beside) == 0 ? (void *)fake_entries : NULL;
}
