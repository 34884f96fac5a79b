#include "watch/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_model.h"

/* Warps' instructions a clock of one SM: four schedulers issue one each, 64 lanes do integers (CUDA C++ Programming
 * Guide, "Arithmetic Instructions": 7.5 to 9.0). */
#define ISSUED_PER_CLOCK   4
#define INTEGERS_PER_CLOCK 2
#define SECTOR             32.0

/* ---- what the instructions need ---------------------------------------------------------------------------------- */

typedef struct work {
    double fma, add, mul;   /* of warps: FP32 */
    double other;           /* of warps: others that machine code has, too */
    double integer;         /* of warps */
    double mma, mma_clocks; /* FLOP; clocks that one SM would take */
    double wgmma, wgmma_clocks;
    double shared, l1;        /* clocks likewise */
    double past_l1, stored;   /* bytes read from and written to L2 */
    double adds, shared_adds; /* by atomics: in L2; to FP32 in shared memory */
} work;

static bool has(const counted_insn *i, const char *part) {
    return strstr(i->opcode, part) != NULL;
}

/* The number behind the letter in "m16n8k16". */
static double extent(const char *shape, char letter) {
    const char *at = strchr(shape, letter);
    return at != NULL ? strtod(at + 1, NULL) : 0;
}

/* The m16n8k16 of an opcode; "" where there is none. */
static const char *shape_of(const char *opcode) {
    for (const char *at = opcode; (at = strstr(at, ".m")) != NULL; at++)
        if (at[2] >= '0' && at[2] <= '9') return at + 1;
    return "";
}

/* Ceilings of mma.sync by type; NULL: none is known. */
static const char *mma_ceiling(const counted_insn *i) {
    if (has(i, ".f64") || has(i, ".s4") || has(i, ".u4") || has(i, ".b1")) return NULL;
    if (has(i, ".tf32")) return "mma_tf32_";
    if (has(i, ".bf16")) return "mma_bf16_";
    const bool bytes = has(i, ".s8") || has(i, ".u8") || has(i, ".e4m3") || has(i, ".e5m2");
    return bytes ? "mma_s8_" : "mma_f16_";
}

/* Clocks of an SM for one wgmma of any type: 16-bit ones of the same n take as long. They are measured for some n;
 * another takes no less than the next smaller one, nor than its share of the largest rate. */
static double wgmma_clocks(const ceilings *c, double n) {
    double clocks = 0;
    for (int measured = 8; measured <= 256 && measured <= n; measured *= 2) {
        char name[24];
        snprintf(name, sizeof name, "wgmma_n%d_", measured);
        const double rate = ceiling_best(c, name);
        if (rate > 0) clocks = 2.0 * 64 * measured * 16 / rate;
    }
    const double best = ceiling_best(c, "wgmma_"), share = best > 0 ? 2.0 * 64 * n * 16 / best : 0;
    return share > clocks ? share : clocks;
}

static void add_tensor(work *w, const counted_insn *i, const ceilings *c) {
    const char *shape = shape_of(i->opcode);
    const double flop = 2 * extent(shape, 'm') * extent(shape, 'n') * extent(shape, 'k');
    if (strncmp(i->opcode, "wgmma.mma", 9) == 0) {
        w->wgmma += flop / 4 * (double)i->warps; /* four warps have it together */
        w->wgmma_clocks += wgmma_clocks(c, extent(shape, 'n')) / 4 * (double)i->warps;
    } else if (strncmp(i->opcode, "wgmma", 5) != 0 && mma_ceiling(i) != NULL) {
        const double rate = ceiling_best(c, mma_ceiling(i)), dense = has(i, ".sp") ? flop / 2 : flop;
        if (rate <= 0) return;
        w->mma += dense * (double)i->warps;
        w->mma_clocks += dense / rate * (double)i->warps;
    }
}

static void add_memory(work *w, const counted_insn *i, double cluster) {
    const access_sum *a = &i->sum;
    const bool bulk = strncmp(i->opcode, "cp.async.bulk", 13) == 0 || strncmp(i->opcode, "cp.reduce", 9) == 0;
    const bool copy = !bulk && strncmp(i->opcode, "cp.async", 8) == 0;
    const bool store = strncmp(i->opcode, "st", 2) == 0 || strncmp(i->opcode, "wmma.store", 10) == 0;
    const bool matrix = strncmp(i->opcode, "ldm", 3) == 0 || strncmp(i->opcode, "stm", 3) == 0;
    const double sectors = (double)a->sectors, requests = (double)a->requests, threads = (double)i->threads;
    w->shared += a->least_quarters > 0 ? (double)a->least_quarters / 4 : (double)a->shared_wavefronts;
    w->stored += (double)a->bytes_out;
    w->past_l1 += (double)a->bytes_in / (has(i, ".multicast") ? cluster : 1);
    if (bulk) return;
    w->other += requests + (double)a->shared_requests / (matrix || copy ? 1 : 4); /* four may become one */
    if (has(i, ".cg") && !store) w->past_l1 += SECTOR * sectors;
    if (copy) {
        w->other -= requests; /* it is a request to both */
    } else if (i->class == CLASS_ATOMIC) {
        if (a->requests > 0) w->adds += fmin(threads, 8 * sectors);
        if (a->shared_requests > 0 && has(i, ".add") && has(i, ".f32")) w->shared_adds += threads;
    } else if (store) {
        w->stored += SECTOR * sectors;
        w->l1 += requests;
    } else {
        w->l1 += fmax(requests, (double)a->l1_clocks);
    }
}

/* ptxas makes a multiply-add of an addition and a multiplication, if it may; it does without moves, conversions and
 * much of the integer arithmetic. */
static work work_of(const counted_kernel *k, const ceilings *c) {
    const double cluster = (double)k->cluster[0] * k->cluster[1] * k->cluster[2];
    work w = {0};
    for (int n = 0; n < k->count; n++) {
        const counted_insn *i = &k->instructions[n];
        const double warps = (double)i->warps;
        if (i->class == CLASS_FP32) {
            w.fma += strncmp(i->opcode, "fma.", 4) == 0 ? warps : 0;
            w.add += strncmp(i->opcode, "add.", 4) == 0 || strncmp(i->opcode, "sub.", 4) == 0 ? warps : 0;
            w.mul += strncmp(i->opcode, "mul.", 4) == 0 ? warps : 0;
        } else if (i->class == CLASS_TENSOR) {
            add_tensor(&w, i, c);
            w.other += has(i, "mma.") && !has(i, ".fence") && !has(i, ".commit") && !has(i, ".wait") ? warps : 0;
        }
        w.other += strncmp(i->opcode, "shfl", 4) == 0 ? warps : 0;
        w.integer += i->class == CLASS_INTEGER ? warps : 0;
        add_memory(&w, i, cluster > 0 ? cluster : 1);
    }
    return w;
}

/* ---- what that takes --------------------------------------------------------------------------------------------- */

typedef struct reckoning {
    const ceilings *c;
    double launches, blocks, busiest; /* busiest: an SM has at least so many blocks, which are taken to be alike */
    double *counts;
    floor_need *needs;
} reckoning;

static void need(const reckoning *r, int metric, double work, double clocks, bool of_gpu) {
    if (!(clocks > 0) || !isfinite(clocks)) return;
    const double sms = of_gpu ? r->c->sms : r->blocks / r->busiest;
    const double us = clocks / r->launches / sms / r->c->clock_mhz;
    r->counts[metric] = us;
    if (r->needs != NULL) r->needs[metric] = (floor_need){work / r->launches, work / clocks, of_gpu, us};
}

/* DRAM turns round between reading and writing: as much of one as of the other goes at the rate of a copy. */
static void dram(const reckoning *r) {
    const double read = r->counts[METRIC_DRAM_READ], written = r->counts[METRIC_DRAM_WRITTEN], all = read + written;
    const double reading = ceiling_of(r->c, "dram_read"), copying = ceiling_of(r->c, "dram_copy");
    const double both = copying > 0 ? 2 * fmin(read, written) : 0, l2 = device_model_current()->l2_bytes;
    if (!(reading > 0) || !(all > 0)) return;
    const double clocks = (all - both) / reading + (both > 0 ? both / copying : 0);
    need(r, METRIC_FLOOR_DRAM, all * r->launches, clocks * r->launches, true);
    if (all > l2)
        need(r, METRIC_FLOOR_DRAM_CACHED, (all - l2) * r->launches, clocks * (all - l2) / all * r->launches, true);
}

static void of_sms(const reckoning *r, const work *w) {
    const ceilings *c = r->c;
    const double fp32 = w->fma + fmax(w->add, w->mul), issued = fp32 + w->other;
    const double wavefronts = ceiling_best(c, "lds_") / 128, loads = ceiling_best(c, "l1_") / 128;
    const double shared = w->shared / wavefronts, l1 = w->l1 / loads;
    need(r, METRIC_FLOOR_ISSUE, issued, issued / ISSUED_PER_CLOCK, false);
    need(r, METRIC_FLOOR_FP32, fp32, fp32 / (ceiling_best(c, "ffma_") / 64), false);
    need(r, METRIC_FLOOR_INTEGER, w->integer, w->integer / INTEGERS_PER_CLOCK, false);
    need(r, METRIC_FLOOR_MMA, w->mma, w->mma_clocks, false);
    need(r, METRIC_FLOOR_WGMMA, w->wgmma, w->wgmma_clocks, false);
    need(r, METRIC_FLOOR_SHARED, w->shared, shared, false);
    need(r, METRIC_FLOOR_L1, w->l1, l1, false);
    if (w->shared > 0 && w->l1 > 0) need(r, METRIC_FLOOR_LSU, w->shared + w->l1, shared + l1, false);
    need(r, METRIC_FLOOR_SHARED_ADDS, w->shared_adds, w->shared_adds / ceiling_of(c, "shared_add_f32_spread"), false);
}

static void of_gpu(const reckoning *r, const work *w) {
    const double l2 = ceiling_of(r->c, "l2_read"), adds = ceiling_best(r->c, "global_add_");
    const double read = fmax(w->past_l1, r->counts[METRIC_DRAM_READ] * r->launches);
    need(r, METRIC_FLOOR_L2_READ, read, read / l2, true);
    need(r, METRIC_FLOOR_L2_WRITE, w->stored, w->stored / l2, true);
    need(r, METRIC_FLOOR_ATOMICS, w->adds, w->adds / adds, true);
    dram(r);
    r->counts[METRIC_FLOOR_LAUNCH] = ceiling_of(r->c, "launch_graph");
}

void floor_of(const counted_kernel *k, const ceilings *c, double *counts, floor_need *needs) {
    reckoning r = {.c = c, .launches = (double)k->launches, .counts = counts, .needs = needs};
    r.blocks = (double)k->grid[0] * k->grid[1] * k->grid[2];
    r.busiest = ceil(r.blocks / c->sms);
    if (needs != NULL) memset(needs, 0, METRIC_COUNT * sizeof *needs);
    if (!(r.launches > 0) || !(r.blocks > 0)) return;
    const work w = work_of(k, c);
    of_sms(&r, &w);
    of_gpu(&r, &w);
    for (int m = METRIC_FLOOR_ISSUE; m < METRIC_FLOOR; m++)
        if (m != METRIC_FLOOR_INTEGER && counts[m] > counts[METRIC_FLOOR]) counts[METRIC_FLOOR] = counts[m];
    const unsigned threads = k->block[0] * k->block[1] * k->block[2];
    const int at_once =
        device_model_blocks_per_sm(device_model_current(), threads, k->registers, k->static_shared + k->dynamic_shared);
    counts[METRIC_WAVES] = at_once > 0 ? r.blocks / c->sms / at_once : 0;
    counts[METRIC_BALANCE] = 100 * r.blocks / c->sms / r.busiest;
}
