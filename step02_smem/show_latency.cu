/* --show latency: how long a load waits for its word. One thread follows pointers: each load's address is what the load
 * before it brought, so that no two of them overlap, and the time of many divided by their number is the latency of
 * one. Every pointer lies in a cache line of its own, and the next one is in any other line, at random.
 *
 *   line 0 -> line 7      line 3 -> line 0      line 7 -> line 3      ...      128 bytes each
 *
 * Which memory answers is a matter of how many lines there are, and of what was read before:
 *
 *   shared memory           lines in an array of the block
 *   L1                      few lines, read once before, by loads that L1 keeps
 *   L2                      more lines than L1 holds, read once before, by loads that pass L1 by
 *   DRAM, few pages         each line once, after so much else was read that L2 has lost them
 *   DRAM, many pages        the same, far apart: do the TLBs know the addresses of so many pages?
 *
 * And for comparison, an FMA whose addend is the result of the FMA before. */
#include <stdlib.h>

#include "base/array.h"
#include "base/stats.h"
#include "gemm/gemm.h"
#include "gpu/error.h"
#include "ptx/cp_async.cuh"

enum { LINE = 128, RUNS = 9, WARM_UPS = 20 };

struct chase_end {
    unsigned long long at, clocks, ns; /* where the last pointer led, from the first line on, in bytes */
};

struct reading {
    unsigned long long clocks, ns;
};

static __device__ __forceinline__ reading read_clocks() {
    reading now;
    asm volatile("mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%globaltimer;" : "=l"(now.clocks), "=l"(now.ns)::"memory");
    return now;
}

static __device__ __forceinline__ chase_end ended(unsigned long long at, reading begin, reading end) {
    return {at, end.clocks - begin.clocks, end.ns - begin.ns};
}

/* Line offsets[i] points to line offsets[i + 1], the last to the first. */
static __global__ void link_lines(char *memory, const size_t *offsets, int lines) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines) *(char **)(memory + offsets[i]) = memory + offsets[(i + 1) % lines];
}

static __device__ __forceinline__ const char *follow(const char *p, bool through_l1) {
    const char *next;
    if (through_l1)
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
    return next;
}

template <bool THROUGH_L1>
static __global__ void chase_global(const char *memory, const char *first, int before, int steps, chase_end *end) {
    const char *p = first;
    for (int i = 0; i < before; i++) p = follow(p, THROUGH_L1);
    const reading begin = read_clocks();
#pragma unroll 16
    for (int i = 0; i < steps; i++) p = follow(p, THROUGH_L1);
    *end = ended(p - memory, begin, read_clocks());
}

static __global__ void chase_shared(const size_t *offsets, int lines, int steps, chase_end *end) {
    extern __shared__ char memory[];
    const unsigned base = shared_address(memory);
    for (int i = 0; i < lines; i++) *(unsigned *)(memory + offsets[i]) = base + (unsigned)offsets[(i + 1) % lines];
    unsigned p = base + (unsigned)offsets[0];
    const reading begin = read_clocks();
#pragma unroll 16
    for (int i = 0; i < steps; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    *end = ended(p - base, begin, read_clocks());
}

static __global__ void chain_fmas(float one, int steps, chase_end *end) {
    float sum = 0.0f;
    const reading begin = read_clocks();
#pragma unroll 128
    for (int i = 0; i < steps; i++) sum = fmaf(one, one, sum);
    *end = ended((unsigned long long)sum, begin, read_clocks());
}

/* So that L2 holds this and nothing else. */
static __global__ void read_all(const uint4 *memory, size_t count, unsigned *sink) {
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        sum += memory[i].x;
    if (sum != 0) *sink = sum; /* it is all zeros */
}

typedef struct {
    const char *name;
    size_t bytes;                   /* the lines are spread over so many */
    int lines, steps;               /* 0 lines: of no memory, the steps are FMAs */
    bool shared, through_l1, again; /* again: every line has been read once before */
} memory_level;

/* What all levels use: device memory. */
typedef struct {
    char *memory;
    size_t *offsets;
    uint4 *others;
    size_t other_bytes;
    unsigned *sink;
    chase_end *end;
} chase_room;

static unsigned next_random(unsigned long long *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33);
}

/* One line from each of `lines` equal parts of the level's bytes, in random order. */
static size_t *shuffled_lines(const memory_level *level) {
    const size_t part = level->lines > 0 ? level->bytes / LINE / level->lines : 0;
    unsigned long long state = 2026;
    size_t *offsets = (size_t *)calloc(level->lines + 1, sizeof *offsets);
    for (int i = 0; offsets != NULL && i < level->lines; i++)
        offsets[i] = (i * part + next_random(&state) % part) * LINE;
    for (int i = level->lines - 1; offsets != NULL && i > 0; i--) {
        const int other = (int)(next_random(&state) % (unsigned)(i + 1));
        const size_t kept = offsets[i];
        offsets[i] = offsets[other];
        offsets[other] = kept;
    }
    return offsets;
}

static chase_end chase(const memory_level *level, const chase_room *room, size_t first) {
    chase_end end;
    const int before = level->again ? level->lines : 0;
    if (!level->again && !level->shared)
        read_all<<<1024, 256>>>(room->others, room->other_bytes / sizeof(uint4), room->sink);
    if (level->lines == 0)
        chain_fmas<<<1, 1>>>(1.0f, level->steps, room->end);
    else if (level->shared)
        chase_shared<<<1, 1, level->bytes>>>(room->offsets, level->lines, level->steps, room->end);
    else if (level->through_l1)
        chase_global<true><<<1, 1>>>(room->memory, room->memory + first, before, level->steps, room->end);
    else
        chase_global<false><<<1, 1>>>(room->memory, room->memory + first, before, level->steps, room->end);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&end, room->end, sizeof end, cudaMemcpyDeviceToHost));
    return end;
}

/* What the runs of a level measured, per load or FMA. */
typedef struct {
    double clocks[RUNS], ns[RUNS], mhz[RUNS];
} level_times;

static void print_level(const memory_level *level, const level_times *t, bool simulated, FILE *out) {
    fprintf(out, "    %-16s  %5d  %9zu", level->name, level->lines, level->bytes / 1024);
    if (simulated) {
        fprintf(out, "  %8s  %17s  %8s  %6s\n", "-", "-", "-", "-");
        return;
    }
    const stats_summary s = stats_summarise(t->clocks, RUNS);
    fprintf(out, "  %8.1f  %8.1f-%-8.1f  %8.1f  %6.0f\n", s.median, s.min, s.max, stats_summarise(t->ns, RUNS).median,
            stats_summarise(t->mhz, RUNS).median);
}

/* Follows a level's chain and prints its line; false if a chain led elsewhere. */
static bool measure(const memory_level *level, const chase_room *room, bool simulated, FILE *out) {
    level_times t;
    const int runs = simulated ? 1 : RUNS;
    size_t *offsets = shuffled_lines(level);
    if (offsets == NULL) {
        fprintf(out, "no memory for %d lines\n", level->lines);
        return false;
    }
    const size_t last = level->lines > 0 ? offsets[level->steps % level->lines] : level->steps;
    CUDA_CHECK(cudaMemcpy(room->offsets, offsets, level->lines * sizeof *offsets, cudaMemcpyHostToDevice));
    if (!level->shared) link_lines<<<(level->lines + 255) / 256, 256>>>(room->memory, room->offsets, level->lines);
    const int warm_ups = simulated ? 0 : WARM_UPS; /* a fifth of a second or more in all, for the clocks to settle */
    for (int i = -warm_ups; i < runs; i++) {
        const chase_end end = chase(level, room, offsets[0]);
        if (end.at != last) {
            fprintf(out, "WRONG: the chain in %s led to %llu, not to %zu\n", level->name, end.at, last);
            free(offsets);
            return false;
        }
        if (i < 0) continue;
        t.clocks[i] = (double)end.clocks / level->steps;
        t.ns[i] = (double)end.ns / level->steps;
        t.mhz[i] = end.ns > 0 ? 1e3 * (double)end.clocks / (double)end.ns : 0.0;
    }
    free(offsets);
    print_level(level, &t, simulated, out);
    return true;
}

/* The lines of a level that is to hold all of them: as many as fit, each followed so often that the run is long. */
static memory_level held(const char *name, size_t bytes, bool shared, bool through_l1, bool simulated) {
    return {name, bytes, (int)(bytes / LINE), simulated ? 4096 : 65536, shared, through_l1, true};
}

/* A level that has lost all of its lines: each is followed once. */
static memory_level not_held(const char *name, size_t bytes, bool simulated) {
    const size_t wanted = simulated ? 1024 : 16384, there = bytes / LINE;
    const int lines = (int)(wanted < there ? wanted : there);
    return {name, bytes, lines, lines, false, false, false};
}

static chase_room allocate_room(size_t bytes, int lines, size_t other_bytes) {
    chase_room room;
    room.other_bytes = other_bytes;
    CUDA_ALLOCATE(&room.memory, bytes);
    CUDA_ALLOCATE(&room.offsets, lines * sizeof *room.offsets);
    CUDA_ALLOCATE(&room.others, other_bytes);
    CUDA_ALLOCATE(&room.sink, sizeof *room.sink);
    CUDA_ALLOCATE(&room.end, sizeof *room.end);
    CUDA_CHECK(cudaMemset(room.others, 0, other_bytes));
    return room;
}

static void free_room(const chase_room *room) {
    CUDA_CHECK(cudaFree(room->memory));
    CUDA_CHECK(cudaFree(room->offsets));
    CUDA_CHECK(cudaFree(room->others));
    CUDA_CHECK(cudaFree(room->sink));
    CUDA_CHECK(cudaFree(room->end));
}

static void print_heading(bool simulated, FILE *out) {
    fprintf(out, "\nOne thread follows pointers, each in a line of %d bytes: a load waits for the one before.\n", LINE);
    if (!simulated)
        fprintf(out, "Clocks and ns of a load: medians of %d runs, of the clocks also the least and the most.\n", RUNS);
    fprintf(out, "\n    %-16s  %5s  %9s  %8s  %17s  %8s  %6s\n", "memory", "lines", "in KiB", "clocks", "least-most",
            "ns", "MHz");
}

extern "C" bool show_latency(const device_facts *device, FILE *out) {
    const bool simulated = device->simulated;
    const size_t kib = 1024, small = device->shared_per_sm / 8 / kib * kib, large = device->l2_bytes / 8 / kib * kib;
    size_t unused, total;
    CUDA_CHECK(cudaMemGetInfo(&unused, &total));
    const size_t most = simulated ? 4 * device->l2_bytes : (size_t)8 << 30;
    const size_t far = (unused / 2 < most ? unused / 2 : most) / kib * kib;
    const memory_level levels[] = {
        held("shared memory", small, true, false, simulated), held("L1", small, false, true, simulated),
        held("L2", large, false, false, simulated),           not_held("DRAM, few pages", 2 * large, simulated),
        not_held("DRAM, many pages", far, simulated),         held("FMA", 0, true, false, simulated),
    };
    int most_lines = 0;
    for (int i = 0; i < ARRAY_SIZE(levels); i++)
        if (levels[i].lines > most_lines) most_lines = levels[i].lines;

    const chase_room room = allocate_room(far, most_lines, simulated ? kib : 2 * device->l2_bytes);
    print_heading(simulated, out);
    bool ok = true;
    for (int i = 0; i < ARRAY_SIZE(levels); i++) ok = measure(&levels[i], &room, simulated, out) && ok;
    if (ok && simulated)
        fprintf(out, "\nEvery chain ended where it should. "
                     "The simulator has no caches and no time; latencies need a GPU.\n");
    free_room(&room);
    return ok;
}
