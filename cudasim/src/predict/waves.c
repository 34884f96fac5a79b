#include "predict/waves.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ceilings.h"
#include "base/memory.h"
#include "predict/constants.h"
#include "predict/replay.h"

#define UNIT_BOUNDS 75         /* percent: a unit that is busy for more of the time bounds it */
#define MOST_ISSUES 150000000u /* half a minute, of one replay */
#define DRAM_COUNTS 10         /* percent of the time that it is busy: with less nobody waits for others' words */

typedef struct plan {
    const device_model *device;
    lane_launch launch;
    uint64_t blocks;      /* of the grid */
    int per_sm, resident; /* that the busiest SM runs, and holds at once */
    double active;        /* SMs that have blocks */
    uint64_t footprint;   /* bytes of the allocations that the parameters point to */
    replay_spec spec;
} plan;

/* Bank 0. A parameter's place in the bank, not in the buffer, is a multiple of its alignment. */
static void set_constants(lane_launch *l, const sim_launch_config *config, const sim_kernel *kernel,
                          const void *params) {
    const uint64_t pointer = (uintptr_t)l->constants + PARAMS_AT;
    const uint32_t clustered = config->cluster[0] * config->cluster[1] * config->cluster[2] > 1;
    memcpy(l->grid, config->grid, sizeof l->grid);
    memcpy(l->block, config->block, sizeof l->block);
    memcpy(l->constants, l->block, sizeof l->block);
    memcpy(l->constants + 12, l->grid, sizeof l->grid);
    memcpy(l->cluster, config->cluster, sizeof l->cluster);
    memcpy(l->constants + PARAMS_POINTER, &pointer, sizeof pointer);
    memcpy(l->constants + IN_CLUSTER, &clustered, sizeof clustered);
    size_t at = PARAMS_AT, offset, size;
    for (unsigned k = 0; sim_kernel_param(kernel, k, &offset, &size); k++) {
        const size_t align = sim_kernel_param_align(kernel, k);
        at = (at + align - 1) / align * align;
        if (at + size > CONSTANT_BYTES) break;
        memcpy(l->constants + at, (const uint8_t *)params + offset, size);
        at += size;
    }
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
    while (k + 1 < sizeof sizes / sizeof *sizes && sizes[k + 1] * 1024 <= d->shared_per_sm && sizes[k] * 1024 < needed)
        k++;
    return d->shared_per_sm / 1024 + L1_LEAST_KIB - sizes[k];
}

/* Replays side by side: of so many blocks, from block `first` on. */
typedef struct task {
    replay_spec spec;
    replay_result result;
    pthread_t thread;
    bool running;
} task;

static void *work(void *argument) {
    task *t = argument;
    t->result = replay(&t->spec);
    return NULL;
}

static void begin(task *t, const plan *p, uint64_t first, int blocks) {
    t->spec = p->spec;
    t->spec.first = first;
    t->spec.blocks = blocks;
    t->spec.resident = p->resident < blocks ? p->resident : blocks;
    t->running = pthread_create(&t->thread, NULL, work, t) == 0;
    if (!t->running) work(t);
}

static replay_result end(task *t) {
    if (t->running) pthread_join(t->thread, NULL);
    return t->result;
}

/* All of an SM's blocks. Blocks may differ in what they do: the slowest of a few SMs counts. */
static replay_result all_blocks(const plan *p) {
    const uint64_t sms = p->device->sms, active = p->blocks < sms ? p->blocks : sms;
    const uint64_t some[] = {0, active / 3, active - 1};
    task tasks[sizeof some / sizeof *some];
    replay_result slowest = {.complete = true};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        begin(&tasks[k], p, some[k], (int)((p->blocks - some[k] + sms - 1) / sms));
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        const replay_result one = end(&tasks[k]);
        if (!one.complete || (slowest.complete && one.clocks > slowest.clocks)) slowest = one;
    }
    return slowest;
}

/* Many blocks: the last wave of a few stands for the others. */
static replay_result some_waves(const plan *p) {
    const int r = p->resident, few = r + p->per_sm % r;
    task tasks[2];
    begin(&tasks[0], p, 0, few);
    begin(&tasks[1], p, 0, few + r);
    const replay_result fewer = end(&tasks[0]);
    replay_result more = end(&tasks[1]);
    const double others = (double)(p->per_sm - few - r) / r;
    more.complete = more.complete && fewer.complete;
    more.clocks += (more.clocks - fewer.clocks) * others;
    more.dram_sectors += (uint64_t)((double)(more.dram_sectors - fewer.dram_sectors) * others);
    more.written_sectors += (uint64_t)((double)(more.written_sectors - fewer.written_sectors) * others);
    return more;
}

static replay_result blocks_of_an_sm(const plan *p) {
    return p->per_sm <= 3 * p->resident ? all_blocks(p) : some_waves(p);
}

/* Replays the first two blocks, each alone. Do blocks read what others have read before them, and does L2 keep it? And
 * how much of what one reads does its neighbour, too? */
static void look_at_two(plan *p) {
    task tasks[2];
    replay_result of[2];
    const int count = p->blocks < 2 ? 1 : 2;
    p->spec.seen = true;
    for (int k = 0; k < count; k++) begin(&tasks[k], p, (uint64_t)k, 1);
    for (int k = 0; k < count; k++) of[k] = end(&tasks[k]);
    p->spec.seen = false;
    const double asked = (double)of[0].dram_sectors * SECTOR_BYTES * (double)p->blocks;
    p->spec.l2_holds_all =
        p->per_sm > p->resident && p->footprint <= p->device->l2_bytes && asked > 1.5 * (double)p->footprint;
    if (count == 2 && of[0].seen.lines != NULL && of[1].seen.lines != NULL)
        p->spec.clocks.l2_sector *= 1 - cache_common(&of[0].seen, &of[1].seen) * (1 - 1.0 / JOINED_SMS);
    for (int k = 0; k < count; k++) free(of[k].seen.lines);
}

/* Clocks that DRAM needs for what SMs read, each byte of the allocations once, and write; a sector's share of them, by
 * which an SM has to wait for it. */
static double dram_clocks(const plan *p, const replay_result *r, double *read_sector, double *written_sector) {
    const ceilings *c = ceilings_for_times();
    const double reading = 1 / (ceiling_of(c, "dram_read") * c->sms), copy = ceiling_of(c, "dram_copy") * c->sms;
    const double writing = copy > 0 ? 2 / copy - reading : reading; /* as much of one as of the other */
    const double sector = SECTOR_BYTES * p->active, there = (double)p->footprint;
    const double asked = (double)r->dram_sectors * sector, stored = (double)r->written_sectors * sector;
    const double written = there > 0 ? fmin(stored, there) : stored;
    /* What writes to all of it, or to a variable of the module, which is not in `there`, may read all of it. */
    const double read = there > 0 ? fmin(asked, there > written ? there - written : there) : asked;
    *read_sector = asked > 0 ? sector * reading * read / asked : 0;
    *written_sector = stored > 0 ? sector * writing * written / stored : 0;
    return read * reading + written * writing;
}

static launch_time failed(const char *why) {
    launch_time t = {.seconds = -1};
    snprintf(t.why, sizeof t.why, "%s", why);
    return t;
}

static launch_time unknown(const char *instruction) {
    launch_time t = {.seconds = -1};
    snprintf(t.why, sizeof t.why, "%s is not modelled", instruction);
    return t;
}

static int largest(const double *share, int first, int end) {
    int most = first;
    for (int k = first; k < end; k++)
        if (share[k] > share[most]) most = k;
    return most;
}

/* Which unit bounds which part of a block; where none is busy, what its warps wait for most. */
static void describe(const replay_result *r, char *text, size_t room) {
    static const char *const parts[] = {"until its first barrier", "until its last", "after that"};
    static const char *const units[] = {"issue slots", "FP32 lanes", "tensor cores", "load/store unit"};
    static const char *const waits[] = {"global memory", "shared memory", "the load/store unit", "a pipe",
                                        "results",       "a barrier",     "an mbarrier",         "their turn"};
    const double all = r->part[0][SHARE_TIME] + r->part[1][SHARE_TIME] + r->part[2][SHARE_TIME];
    int n = snprintf(text, room, "%-23s  time  issue  FP32  tensor  load/store  bound by\n", "of a block");
    for (int k = 0; k < PARTS; k++) {
        double share[SHARES];
        if (r->part[k][SHARE_TIME] <= 0) continue;
        for (int m = 0; m < SHARES; m++) share[m] = 100 * fmin(r->part[k][m] / r->part[k][SHARE_TIME], 1);
        const double time = 100 * r->part[k][SHARE_TIME] / all;
        const int unit = largest(share, BUSY_ISSUE, BUSY_END), wait = largest(share, WAIT_GLOBAL, SHARES);
        const bool bounds = share[unit] > UNIT_BOUNDS;
        n += snprintf(text + n, room - (size_t)n,
                      "%-23s  %3.0f%%   %3.0f%%  %3.0f%%    %3.0f%%        %3.0f%%  %s%s, %.0f%%\n",
                      time < 99.99 ? parts[k] : "all of it", time, share[BUSY_ISSUE], share[BUSY_FP32],
                      share[BUSY_TENSOR], share[BUSY_LSU], bounds ? "" : "waiting for ",
                      bounds ? units[unit - BUSY_ISSUE] : waits[wait - WAIT_GLOBAL], share[bounds ? unit : wait]);
    }
}

/* Of the first launch: what its first block does, among those beside it. */
static void write_trace(const plan *p) {
    static bool written;
    const char *name = getenv("CUDASIM_PREDICT_TRACE");
    if (name == NULL || *name == '\0' || written) return;
    written = true;
    replay_spec spec = p->spec;
    spec.resident = spec.blocks = p->resident;
    spec.trace = fopen(name, "w");
    if (spec.trace == NULL) {
        fprintf(stderr, "cudasim: CUDASIM_PREDICT_TRACE=%s cannot be written\n", name);
        _Exit(2);
    }
    fprintf(spec.trace, "{\"otherData\": {\"time\": \"predicted\"}, \"traceEvents\": [\n{\"ph\": \"M\", \"pid\": 0, "
                        "\"name\": \"process_name\", \"args\": {\"name\": \"first block\"}}");
    replay(&spec);
    fprintf(spec.trace, "\n]}\n");
    fclose(spec.trace);
}

static launch_time timed(plan *p, const sim_kernel_info *info, const sim_launch_config *config) {
    const device_model *d = p->device;
    const ceilings *c = ceilings_for_times();
    const double hz = c->clock_mhz * 1e6;
    const uint64_t shared = info->static_shared + config->dynamic_shared;
    const unsigned threads = config->block[0] * config->block[1] * config->block[2];
    p->blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
    p->per_sm = (int)((p->blocks + d->sms - 1) / d->sms);
    p->resident = device_model_blocks_per_sm(d, threads, info->registers, shared);
    if (p->resident < 1) return failed("no block fits an SM");
    p->active = p->blocks < d->sms ? (double)p->blocks : d->sms;
    p->launch.shared_bytes = (uint32_t)(SHARED_RESERVED + shared + 64);
    p->spec = (replay_spec){.launch = &p->launch,
                            .stride = d->sms,
                            .l1_kib = l1_kib(d, shared, p->resident),
                            /* How much one SM can have of L2 while others are idle, nobody has measured. */
                            .clocks = {.l1 = ceiling_of(c, "latency_l1"),
                                       .l2 = ceiling_of(c, "latency_l2"),
                                       .dram = ceiling_of(c, "latency_dram_few_pages"),
                                       .l2_sector = SECTOR_BYTES / ceiling_of(c, "l2_read")},
                            .fma_clocks = c->measured ? FMA_CLOCKS : 256 / ceiling_of(c, "ffma_peak"),
                            .tensor_clocks = c->measured ? TENSOR_CLOCKS : 16384 / ceiling_of(c, "mma_f16_peak"),
                            .shared_clocks = ceiling_of(c, "latency_shared_memory"),
                            .most_issues = MOST_ISSUES,
                            .clock_mhz = c->clock_mhz,
                            .parts = getenv("CUDASIM_WHY") != NULL};
    for (int k = 0; k < PRODUCT_SIZES; k++) {
        char name[32];
        snprintf(name, sizeof name, "wgmma_n%d_registers_2", 8 << k);
        p->spec.product_clocks[k] = 2.0 * PRODUCT_ROWS * (8 << k) * PRODUCT_K_BYTES / 2 / fmax(ceiling_of(c, name), 1);
    }
    if (p->resident > p->per_sm) p->resident = p->per_sm;
    look_at_two(p);
    replay_result r = blocks_of_an_sm(p);
    struct cache_clocks *k = &p->spec.clocks;
    double read, written, least = dram_clocks(p, &r, &read, &written);
    if (r.complete && 100 * least > DRAM_COUNTS * r.clocks) {
        k->dram_read = read;
        k->dram_written = written;
        r = blocks_of_an_sm(p);
        least = dram_clocks(p, &r, &read, &written);
    }
    if (r.missing != NULL) return unknown(r.missing);
    if (!r.complete) return failed("its blocks wait for one another, or run too long");
    launch_time t = {.clocks = r.clocks};
    write_trace(p);
    least += k->dram;
    if (p->spec.parts) describe(&r, t.parts, sizeof t.parts);
    if (p->spec.parts && t.clocks < least) snprintf(t.parts, sizeof t.parts, "all of it: bound by DRAM's rate\n");
    if (t.clocks < least) t.clocks = least;
    t.seconds = t.clocks / hz + ceiling_of(c, "launch_graph") * 1e-6;
    return t;
}

launch_time waves_time(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t params_size,
                       bool soon) {
    plan p = {.device = device_model_current(), .footprint = footprint(params, params_size)};
    sim_kernel_info info;
    const uint8_t *bytes;
    size_t size;
    unsigned arch;
    char error[200];
    sim_kernel_describe(kernel, &info);
    if (!sim_kernel_code(kernel, &bytes, &size, &arch) || arch != 90)
        return failed(
            "the program has no machine code for sm_90 (-gencode arch=compute_90a,code=[sm_90a,compute_90a])");
    if (config->cluster[1] * config->cluster[2] > 1) return failed("clusters along y and z are not modelled");
    if (soon) sass_note(bytes, size);
    if (soon) return failed("");
    p.launch.code = sass_read(bytes, size, error, sizeof error);
    if (p.launch.code == NULL) return failed(error);
    set_constants(&p.launch, config, kernel, params);
    return timed(&p, &info, config);
}
