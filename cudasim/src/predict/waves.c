#include "predict/waves.h"

#include <stdio.h>
#include <string.h>

#include "base/ceilings.h"
#include "base/memory.h"
#include "predict/constants.h"
#include "predict/replay.h"

#define MOST_ISSUES 150000000u /* half a minute, of one replay */

typedef struct plan {
    const device_model *device;
    lane_launch launch;
    uint64_t blocks;      /* of the grid */
    int per_sm, resident; /* that the busiest SM runs, and holds at once */
    uint64_t footprint;   /* bytes of the allocations that the parameters point to */
    replay_spec spec;
} plan;

static void set_constants(lane_launch *l, const sim_launch_config *config, const void *params, size_t bytes) {
    memcpy(l->grid, config->grid, sizeof l->grid);
    memcpy(l->block, config->block, sizeof l->block);
    memcpy(l->constants, l->block, sizeof l->block);
    memcpy(l->constants + 12, l->grid, sizeof l->grid);
    memcpy(l->constants + PARAMS_AT, params, bytes < CONSTANT_BYTES - PARAMS_AT ? bytes : CONSTANT_BYTES - PARAMS_AT);
}

/* What the launch can touch: the allocations that its parameters point to. */
static uint64_t footprint(const void *params, size_t bytes) {
    const memory_allocation *known[16];
    int count = 0;
    uint64_t sum = 0;
    for (size_t at = 0; at + 8 <= bytes && count < 16; at += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)params + at, sizeof word);
        const memory_allocation *m = memory_find(word);
        bool again = m == NULL;
        for (int k = 0; k < count && !again; k++) again = known[k] == m;
        if (again) continue;
        known[count++] = m;
        sum += m->size;
    }
    return sum;
}

/* The driver gives shared memory the least of its sizes that holds all resident blocks, and L1 the rest. */
static unsigned l1_kib(const device_model *d, uint64_t shared, int resident) {
    static const unsigned sizes[] = {CARVEOUTS_KIB};
    const uint64_t needed = (shared + d->shared_reserved) * (uint64_t)resident;
    size_t k = 0;
    while (k + 1 < sizeof sizes / sizeof *sizes && sizes[k] * 1024ull < needed) k++;
    return L1_AND_SHARED_KIB - sizes[k];
}

static replay_result run(plan *p, int blocks) {
    p->spec.blocks = blocks;
    p->spec.resident = p->resident < blocks ? p->resident : blocks;
    return replay(&p->spec);
}

/* How many SMs ask DRAM for the same: what one block reads, times the blocks, by what there is. */
static double shared_by(plan *p, double *dram_bytes) {
    const replay_result one = run(p, 1);
    const double asked = (double)one.dram_sectors * 32 * (double)p->blocks, there = (double)p->footprint;
    const double least = there > 0 && there < asked ? there : asked;
    *dram_bytes = least;
    return least > 0 ? asked / least : 1;
}

/* All blocks of the busiest SM; where they are many, the last waves of a few are taken for the others. */
static bool clocks_of(plan *p, double *clocks) {
    const int r = p->resident, few = r + p->per_sm % r;
    if (p->per_sm <= 3 * r) {
        const replay_result all = run(p, p->per_sm);
        *clocks = all.clocks;
        return all.complete;
    }
    const replay_result begin = run(p, few), more = run(p, few + r);
    *clocks = begin.clocks + (more.clocks - begin.clocks) * (p->per_sm - few) / r;
    return begin.complete && more.complete;
}

static launch_time failed(const char *why) {
    launch_time t = {.seconds = -1};
    snprintf(t.why, sizeof t.why, "%s", why);
    return t;
}

static launch_time timed(plan *p, const sim_kernel_info *info, const sim_launch_config *config) {
    const device_model *d = p->device;
    const ceilings *c = ceilings_current();
    const double hz = c->clock_mhz * 1e6, dram = ceiling_of(c, "dram_read") * c->sms; /* bytes a clock */
    const uint64_t shared = info->static_shared + config->dynamic_shared;
    const unsigned threads = config->block[0] * config->block[1] * config->block[2];
    p->blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
    p->per_sm = (int)((p->blocks + d->sms - 1) / d->sms);
    p->resident = device_model_blocks_per_sm(d, threads, info->registers, shared);
    if (p->resident < 1) return failed("no block fits an SM");
    const double active = p->blocks < d->sms ? (double)p->blocks : d->sms;
    p->launch.shared_bytes = (uint32_t)(SHARED_RESERVED + shared + 64);
    p->spec = (replay_spec){.launch = &p->launch,
                            .stride = d->sms,
                            .l1_kib = l1_kib(d, shared, p->resident),
                            /* How much one SM can have of L2 while others are idle, nobody has measured. */
                            .clocks = {.l1 = ceiling_of(c, "latency_l1"),
                                       .l2 = ceiling_of(c, "latency_l2"),
                                       .dram = ceiling_of(c, "latency_dram_few_pages"),
                                       .l2_sector = SECTOR_BYTES / ceiling_of(c, "l2_read"),
                                       .dram_sector = SECTOR_BYTES * active / dram},
                            .shared_clocks = ceiling_of(c, "latency_shared_memory"),
                            .l2_holds_all = p->footprint <= d->l2_bytes,
                            .most_issues = MOST_ISSUES};
    if (p->resident > p->per_sm) p->resident = p->per_sm;
    double dram_bytes;
    p->spec.clocks.dram_sector /= shared_by(p, &dram_bytes);
    launch_time t = {0};
    if (!clocks_of(p, &t.clocks)) return failed("its blocks wait for one another, or run too long");
    const double least = dram_bytes / dram;
    t.seconds = (t.clocks > least ? t.clocks : least) / hz + ceiling_of(c, "launch_graph") * 1e-6;
    return t;
}

launch_time waves_time(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t params_size) {
    plan p = {.device = device_model_current(), .footprint = footprint(params, params_size)};
    sim_kernel_info info;
    const uint8_t *bytes;
    size_t size;
    unsigned arch;
    char error[200];
    sim_kernel_describe(kernel, &info);
    if (ceiling_of(ceilings_current(), "latency_l2") == 0)
        return failed("the model knows only GPUs with measured ceilings (CUDASIM_DEVICE=sm_90)");
    if (!sim_kernel_code(kernel, &bytes, &size, &arch) || arch != 90)
        return failed(
            "the program has no machine code for sm_90 (-gencode arch=compute_90a,code=[sm_90a,compute_90a])");
    if (config->cluster[0] * config->cluster[1] * config->cluster[2] > 1) return failed("clusters are not modelled");
    sass_code code;
    if (!sass_read(&code, bytes, size, error, sizeof error)) return failed(error);
    p.launch.code = &code;
    set_constants(&p.launch, config, params, params_size);
    launch_time t;
    if (code.missing[0] != '\0') {
        snprintf(error, sizeof error, "%s is not modelled", code.missing);
        t = failed(error);
    } else {
        t = timed(&p, &info, config);
    }
    sass_free(&code);
    return t;
}
