/* --show limits: the ceilings that the lessons reckon with, measured. limits.cuh says how; what is measured stands at
 * the head of each file beside this one. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/stats.h"
#include "gpu/error.h"
#include "gpu/simulator.h"
#include "limits.cuh"

enum { RUNS = 9, WARM_UPS = 3, LAUNCHES = 1000, SIMULATED_BLOCKS = 2, SIMULATED_BYTES = 1 << 20, MOST_BLOCKS = 1024 };

static const size_t ROOM_LEAST = (size_t)16 << 20; /* what L1 and L2 read */

static __global__ void fill(float *words, size_t count) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        words[i] = 1.0f;
}

static __global__ void empty() {
}

typedef struct {
    const device_facts *device;
    int blocks; /* one a SM */
    size_t bytes;
    limit_room room;
    limit_span *spans;
    float *sums;
    FILE *out;
} bench;

static double peak_of(const limit *l, const device_facts *device) {
    const double f16 = device_tensor_flops(device->cc);
    switch (l->peak) {
    case FP32_PEAK:
        return 2.0 * device_fp32_lanes(device->cc);
    case F16_PEAK:
        return f16;
    case TF32_PEAK:
        return f16 / 2;
    case S8_PEAK:
        return f16 * 2;
    case PORT_PEAK:
        return 128;
    case DRAM_PEAK:
        return device->peak_gbps;
    default:
        return 0;
    }
}

static bool has(const limit *l, const device_facts *device) {
    return (l->needs == 90 ? device->cc == 90 : device->cc >= l->needs) && !(l->texture && device->simulated);
}

static double predicted_ns(const bench *b, const limit *l, const limit_room &room, int rounds) {
    simulator_predict(false);
    l->kernel<<<b->blocks, l->threads, l->shared>>>(room, rounds);
    CUDA_CHECK(cudaGetLastError());
    return 1e6 * simulator_predicted_ms();
}

/* By the simulator's model of time, which takes its constants from some of these: the rest are held against it. */
static void predict(const bench *b, const limit *l, const limit_room &room, double *rate, double *clocks, double *mhz) {
    const int rounds = l->rounds / 10;
    *rate = *clocks = *mhz = NAN;
    if (rounds == 0) return; /* gigabytes of DRAM, which the simulator does not have */
    const double ns = predicted_ns(b, l, room, 2 * rounds) - predicted_ns(b, l, room, rounds);
    *mhz = b->device->clock_mhz;
    *rate = l->work * rounds * (l->of_gpu ? b->blocks * l->threads / ns : l->threads / (ns * *mhz / 1e3));
    *clocks = ns * *mhz / 1e3 / (l->instructions * rounds * l->threads / 32);
}

/* One launch; false if a sum is wrong. *mhz: of the SMs. */
static bool run(const bench *b, const limit *l, double *rate, double *clocks, double *mhz) {
    limit_room room = b->room;
    const int threads = b->blocks * l->threads;
    const size_t bytes = l->bytes < b->bytes ? l->bytes : b->bytes;
    int rounds = l->rounds > 0 ? l->rounds : (int)((double)bytes / threads / l->work);
    if (b->device->simulated || rounds < 1) rounds = 1;
    room.words = bytes / sizeof(float);
    if (simulator_predicts()) {
        predict(b, l, room, rate, clocks, mhz);
        return true;
    }
    CUDA_CHECK(cudaMemset(room.scratch, 0, threads * sizeof(float)));
    l->kernel<<<b->blocks, l->threads, l->shared>>>(room, rounds);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(b->spans, room.spans, b->blocks * sizeof *b->spans, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(b->sums, room.sums, threads * sizeof *b->sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < threads; i++)
        if (b->sums[i] != l->sum * rounds) {
            fprintf(b->out, "WRONG: %s: thread %d has %.0f, not %.0f\n", l->name, i, b->sums[i], l->sum * rounds);
            return false;
        }
    double of_block[MOST_BLOCKS], all_mhz[MOST_BLOCKS];
    unsigned long long first = b->spans[0].ns_begin, last = 0;
    for (int i = 0; i < b->blocks; i++) {
        const limit_span *s = &b->spans[i];
        of_block[i] = (double)(s->clocks_end - s->clocks_begin);
        all_mhz[i] = 1e3 * of_block[i] / (double)(s->ns_end - s->ns_begin);
        first = s->ns_begin < first ? s->ns_begin : first;
        last = s->ns_end > last ? s->ns_end : last;
    }
    const double a_block = stats_summarise(of_block, b->blocks).median;
    *rate = l->work * rounds * (l->of_gpu ? threads / (double)(last - first) : l->threads / a_block);
    *clocks = a_block / (l->instructions * rounds * l->threads / 32);
    *mhz = stats_summarise(all_mhz, b->blocks).median;
    return true;
}

static void print_number(FILE *out, const char *format, int width, double value) {
    if (isfinite(value) && value > 0)
        fprintf(out, format, width, value);
    else
        fprintf(out, "  %*s", width, "-");
}

/* The simulator has no time: of all its numbers it prints none but the peak. */
static void print_row(const bench *b, const char *name, const char *unit, const double *rates, double peak,
                      double clocks, double mhz) {
    const bool timed = !b->device->simulated, predicted = simulator_predicts();
    const stats_summary s = stats_summarise(rates, predicted ? 1 : RUNS);
    fprintf(b->out, "    %-24s", name);
    print_number(b->out, "  %*.2f", 9, timed || predicted ? s.median : NAN);
    if (timed)
        fprintf(b->out, "  %9.2f-%-9.2f", s.min, s.max);
    else
        fprintf(b->out, "  %-19s", "-");
    fprintf(b->out, "  %-8s", unit);
    print_number(b->out, "  %*.0f", 6, peak);
    print_number(b->out, "  %*.3f", 8, timed || predicted ? clocks : NAN);
    print_number(b->out, "  %*.0f", 5, timed ? mhz : NAN);
    fputc('\n', b->out);
}

static bool measure(const bench *b, const limit *l) {
    double rates[RUNS] = {0}, clocks[RUNS], mhz[RUNS];
    char unit[16];
    if (!has(l, b->device)) {
        if (l->texture && b->device->simulated) {
            fprintf(b->out, "    %-24s  skipped: the simulator has no textures\n", l->name);
            return true;
        }
        fprintf(b->out, "    %-24s  skipped: needs compute capability %d.%d%s\n", l->name, l->needs / 10, l->needs % 10,
                l->needs == 90 ? " exactly" : "");
        return true;
    }
    for (int i = b->device->simulated ? 0 : -WARM_UPS; i < (b->device->simulated ? 1 : RUNS); i++) {
        const int at = i < 0 ? 0 : i;
        if (!run(b, l, &rates[at], &clocks[at], &mhz[at])) return false;
    }
    snprintf(unit, sizeof unit, l->of_gpu ? "G%s/s" : "%s/clk", l->unit);
    const int runs = b->device->simulated ? 1 : RUNS;
    print_row(b, l->name, unit, rates, peak_of(l, b->device), stats_summarise(clocks, runs).median,
              stats_summarise(mhz, runs).median);
    return true;
}

/* Microseconds of an empty kernel among many, one after the other. */
static void measure_launches(const bench *b, bool in_graph) {
    const int launches = b->device->simulated ? 4 : LAUNCHES;
    double us[RUNS] = {0};
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraph_t graph;
    cudaGraphExec_t exec = NULL;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    if (in_graph) {
        CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < launches; i++) empty<<<1, 32, 0, stream>>>();
        CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
        CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    for (int run = -WARM_UPS; run < RUNS; run++) {
        float ms;
        CUDA_CHECK(cudaEventRecord(begin, stream));
        if (in_graph) CUDA_CHECK(cudaGraphLaunch(exec, stream));
        for (int i = 0; i < launches && !in_graph; i++) empty<<<1, 32, 0, stream>>>();
        CUDA_CHECK(cudaEventRecord(end, stream));
        CUDA_CHECK(cudaEventSynchronize(end));
        CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
        us[run < 0 ? 0 : run] = 1e3 * ms / launches;
    }
    if (exec != NULL) CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
    CUDA_CHECK(cudaStreamDestroy(stream));
    print_row(b, in_graph ? "launch_graph" : "launch_stream", "us", us, 0, NAN, NAN);
}

/* What there is for read_texture: as many words as a linear texture may have. */
static cudaTextureObject_t texture_of(const float *memory, size_t bytes) {
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = bytes < ((size_t)64 << 20) ? bytes : (size_t)64 << 20;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

/* The largest power of two that leaves half of the memory free, up to 8 GiB. */
static size_t room_bytes(bool simulated) {
    size_t unused, total, bytes = ROOM_LEAST;
    CUDA_CHECK(cudaMemGetInfo(&unused, &total));
    while (!simulated && bytes < (size_t)8 << 30 && bytes <= unused / 4) bytes *= 2;
    return simulated ? (size_t)SIMULATED_BYTES : bytes;
}

extern "C" bool show_limits(const device_facts *device, FILE *out) {
    static const limit *const lists[] = {limits_ffma,   limits_mma,     limits_wgmma,
                                         limits_memory, limits_atomics, limits_paths};
    const bool all_sms = !device->simulated || simulator_predicts();
    bench b = {device, all_sms ? device->sms : SIMULATED_BLOCKS, room_bytes(device->simulated), {}, 0, 0, out};
    const int threads = b.blocks * 1024;
    CUDA_ALLOCATE(&b.room.memory, b.bytes);
    CUDA_ALLOCATE(&b.room.scratch, threads * sizeof *b.room.scratch);
    CUDA_ALLOCATE(&b.room.sums, threads * sizeof *b.room.sums);
    CUDA_ALLOCATE(&b.room.spans, b.blocks * sizeof *b.room.spans);
    b.spans = (limit_span *)malloc(b.blocks * sizeof *b.spans);
    b.sums = (float *)malloc(threads * sizeof *b.sums);
    bool ok = b.spans != NULL && b.sums != NULL && b.blocks <= MOST_BLOCKS;
    if (!ok) fprintf(out, "no memory for %d blocks\n", b.blocks);
    fill<<<1024, 256>>>(b.room.memory, b.bytes / sizeof(float));
    CUDA_CHECK(cudaGetLastError());
    if (!device->simulated) b.room.texture = texture_of(b.room.memory, b.bytes);
    fprintf(out,
            "\nOne block a SM; rates per clock and SM, or of the GPU in 1e9 a second (G); medians of %d runs.\n"
            "\n    %-24s  %9s  %19s  %-8s  %6s  %8s  %5s\n",
            RUNS, "limit", "rate", "least-most     ", "unit", "peak", "clocks*", "MHz");
    for (int i = 0; i < ARRAY_SIZE(lists); i++)
        for (const limit *l = lists[i]; ok && l->name != NULL; l++) ok = measure(&b, l);
    if (ok && !simulator_predicts()) measure_launches(&b, false);
    if (ok && !simulator_predicts()) measure_launches(&b, true);
    if (ok) fprintf(out, "\n* of the SM for an instruction of a warp (wgmma: of a warpgroup)\n");
    if (ok && device->simulated && !simulator_predicts())
        fprintf(out, "Every sum is what it should be. The simulator has no time; rates need a GPU.\n");
    if (!device->simulated) CUDA_CHECK(cudaDestroyTextureObject(b.room.texture));
    CUDA_CHECK(cudaFree(b.room.memory));
    CUDA_CHECK(cudaFree(b.room.scratch));
    CUDA_CHECK(cudaFree(b.room.sums));
    CUDA_CHECK(cudaFree(b.room.spans));
    free(b.spans);
    free(b.sums);
    return ok;
}
