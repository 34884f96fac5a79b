#include "watch/metrics.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/device_model.h"
#include "base/suggest.h"
#include "watch/floor.h"

const metric metrics[METRIC_COUNT] = {
#define GROUP(heading)
#define METRIC(id, plain, nsight, unit, explanation) {#id, plain, nsight, unit, explanation},
#include "watch/metrics.def"
#undef GROUP
#undef METRIC
};

/* ---- what an instruction counts as ------------------------------------------------------------------------------- */

static bool begins(const char *opcode, const char *with) {
    return strncmp(opcode, with, strlen(with)) == 0;
}

static int of_fp32(const char *opcode) {
    if (begins(opcode, "fma.")) return METRIC_FFMA;
    if (begins(opcode, "add.") || begins(opcode, "sub.")) return METRIC_FADD;
    if (begins(opcode, "mul.")) return METRIC_FMUL;
    return METRIC_FP32;
}

/* The metric of instructions that this one belongs to; -1: memory, which has others. */
static int metric_of(const counted_insn *i) {
    switch (i->class) {
    case CLASS_FP32:
        return of_fp32(i->opcode);
    case CLASS_FP64:
        return METRIC_FP64;
    case CLASS_FP16:
        return METRIC_FP16;
    case CLASS_TENSOR:
        return begins(i->opcode, "wgmma.") && !begins(i->opcode, "wgmma.mma") ? METRIC_SYNC : METRIC_TENSOR;
    case CLASS_INTEGER:
        return METRIC_INTEGER;
    case CLASS_CONVERT:
        return METRIC_CONVERT;
    case CLASS_MOVE:
        return METRIC_MOVE;
    case CLASS_CONTROL:
        return METRIC_CONTROL;
    case CLASS_WARP:
        return METRIC_WARP;
    case CLASS_BARRIER: {
        const bool block = (begins(i->opcode, "bar.") && !begins(i->opcode, "bar.warp")) ||
                           (begins(i->opcode, "barrier.") && !begins(i->opcode, "barrier.cluster"));
        return block ? METRIC_BARRIERS : METRIC_SYNC;
    }
    default:
        return -1;
    }
}

static void add_load(const access_sum *a, double *sums) {
    sums[METRIC_LOAD_REQUESTS] += (double)a->requests;
    sums[METRIC_LOAD_SECTORS] += (double)a->sectors;
    sums[METRIC_LOAD_LINES] += (double)a->lines;
}

static void add_shared_load(const access_sum *a, double *sums) {
    sums[METRIC_SHARED_LOAD_WAVEFRONTS] += (double)a->shared_wavefronts;
    sums[METRIC_SHARED_LOAD_IDEAL] += (double)a->shared_phases;
}

static void add_shared_store(const access_sum *a, double *sums) {
    sums[METRIC_SHARED_STORE_WAVEFRONTS] += (double)a->shared_wavefronts;
    sums[METRIC_SHARED_STORE_IDEAL] += (double)a->shared_phases;
}

static void add_copy(const counted_insn *i, double *sums) {
    const bool bypass = begins(i->opcode, "cp.async.cg");
    sums[bypass ? METRIC_COPY_BYPASS_REQUESTS : METRIC_COPY_ACCESS_REQUESTS] += (double)i->sum.requests;
    sums[bypass ? METRIC_COPY_BYPASS_SECTORS : METRIC_COPY_ACCESS_SECTORS] += (double)i->sum.sectors;
    sums[METRIC_SHARED_COPY_WAVEFRONTS] += (double)i->sum.shared_wavefronts;
    add_load(&i->sum, sums);
}

static void add_access(const counted_insn *i, double *sums) {
    const access_sum *a = &i->sum;
    if (!begins(i->opcode, "cp.")) sums[METRIC_SHARED_WAVEFRONTS] += (double)a->shared_wavefronts;
    if (begins(i->opcode, "cp.async.bulk") || begins(i->opcode, "cp.reduce")) {
        sums[METRIC_BULK_IN] += (double)a->bytes_in;
        sums[begins(i->opcode, "cp.reduce") ? METRIC_BULK_ADDED : METRIC_BULK_OUT] += (double)a->bytes_out;
    } else if (begins(i->opcode, "cp.async")) {
        add_copy(i, sums);
    } else if (begins(i->opcode, "ldmatrix")) {
        sums[METRIC_LDMATRIX] += (double)a->shared_requests;
        add_shared_load(a, sums);
    } else if (begins(i->opcode, "stmatrix")) {
        sums[METRIC_STMATRIX] += (double)a->shared_requests;
        add_shared_store(a, sums);
    } else if (i->class == CLASS_ATOMIC) {
        sums[METRIC_ATOMIC_REQUESTS] += (double)a->requests;
        sums[METRIC_ATOMIC_SECTORS] += (double)a->sectors;
        sums[METRIC_SHARED_ATOMICS] += (double)a->shared_requests;
        sums[METRIC_SHARED_ATOMIC_WAVEFRONTS] += (double)a->shared_wavefronts;
    } else if (begins(i->opcode, "st") || begins(i->opcode, "wmma.store")) {
        sums[METRIC_STORE_REQUESTS] += (double)a->requests;
        sums[METRIC_STORE_SECTORS] += (double)a->sectors;
        sums[METRIC_STORE_LINES] += (double)a->lines;
        sums[METRIC_SHARED_STORES] += (double)a->shared_requests;
        add_shared_store(a, sums);
    } else {
        add_load(a, sums);
        sums[METRIC_CONSTANT_LOADS] += (double)a->constant_requests;
        sums[METRIC_CONSTANT_WORDS] += (double)a->constant_words;
        sums[METRIC_SHARED_LOADS] += (double)a->shared_requests;
        add_shared_load(a, sums);
    }
}

void metrics_add(const counted_insn *i, double *sums) {
    const int of = metric_of(i);
    const bool by_thread = of == METRIC_FFMA || of == METRIC_FADD || of == METRIC_FMUL;
    sums[METRIC_INSTRUCTIONS] += (double)i->warps;
    sums[METRIC_THREADS] += (double)i->threads;
    if (of >= 0) sums[of] += (double)(by_thread ? i->threads : i->warps);
    add_access(i, sums);
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

static double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

void metrics_ratios(double *v) {
    v[METRIC_ACTIVE] = ratio(v[METRIC_THREADS], v[METRIC_INSTRUCTIONS]);
    v[METRIC_LOAD_PER_REQUEST] = ratio(v[METRIC_LOAD_SECTORS], v[METRIC_LOAD_REQUESTS]);
    v[METRIC_STORE_PER_REQUEST] = ratio(v[METRIC_STORE_SECTORS], v[METRIC_STORE_REQUESTS]);
    v[METRIC_SHARED_LOAD_CONFLICTS] = v[METRIC_SHARED_LOAD_WAVEFRONTS] - v[METRIC_SHARED_LOAD_IDEAL];
    v[METRIC_SHARED_STORE_CONFLICTS] = v[METRIC_SHARED_STORE_WAVEFRONTS] - v[METRIC_SHARED_STORE_IDEAL];
}

static void launch_facts(const counted_kernel *k, double *v) {
    const device_model *model = device_model_current();
    const unsigned threads = k->block[0] * k->block[1] * k->block[2], warps = (threads + LANES - 1) / LANES;
    const uint64_t shared = k->static_shared + k->dynamic_shared;
    v[METRIC_REGISTERS] = k->registers;
    v[METRIC_SHARED_BYTES] = (double)shared;
    v[METRIC_LIMIT_WARPS] = model->max_threads_per_sm / LANES / warps;
    v[METRIC_LIMIT_REGISTERS] =
        k->registers > 0 ? device_model_warps_by_registers(k->registers) / warps : model->max_blocks_per_sm;
    v[METRIC_LIMIT_SHARED] = device_model_blocks_by_shared(model, shared);
    const int blocks = device_model_blocks_per_sm(model, threads, k->registers, shared);
    v[METRIC_OCCUPANCY] = 100.0 * blocks * warps * LANES / model->max_threads_per_sm;
}

void metrics_of(const counted_kernel *k, double *v) {
    for (int m = 0; m < METRIC_COUNT; m++) v[m] = 0;
    for (int n = 0; n < k->count; n++) metrics_add(&k->instructions[n], v);
    v[METRIC_DRAM_READ] = 32.0 * (double)k->sectors_read;
    v[METRIC_DRAM_WRITTEN] = 32.0 * (double)k->sectors_written;
    for (int m = 0; m < METRIC_COUNT; m++) v[m] = ratio(v[m], (double)k->launches);
    metrics_ratios(v);
    launch_facts(k, v);
    floor_of(k, ceilings_current(), v, NULL);
}

/* ---- --explain --------------------------------------------------------------------------------------------------- */

bool metrics_explain(const char *name, FILE *out) {
    bool any = false;
    for (int m = 0; m < METRIC_COUNT; m++) {
        const metric *x = &metrics[m];
        if (strcasecmp(name, x->id) != 0 && strcasecmp(name, x->plain) != 0 && strcmp(name, x->nsight) != 0) continue;
        fprintf(out, "%s: %s%s%s\n%s\n", x->id, x->plain, *x->nsight != '\0' ? "; in Nsight Compute " : "", x->nsight,
                x->explanation);
        any = true;
    }
    return any;
}

const char *metrics_nearest(const char *typed) {
    const char *nearest = NULL;
    int fewest = INT_MAX;
    for (int m = 0; m < METRIC_COUNT; m++) {
        const char *names[] = {metrics[m].id, metrics[m].plain, metrics[m].nsight};
        for (int k = 0; k < 3; k++) {
            const int d = suggest_distance(typed, names[k]);
            if (d >= fewest || d > suggest_limit(typed, names[k])) continue;
            fewest = d;
            nearest = names[k];
        }
    }
    return nearest;
}
