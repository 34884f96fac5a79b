/* The figures of real GPUs, one an architecture, and CUDA's occupancy calculation. */
#include "base/device_model.h"

#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KB         1024u
#define WARP       32u
#define PARTITIONS 4u /* of an SM: a warp lies within one */

/* sm_90's were asked of an H200; the others' are from NVIDIA's tables and from what such GPUs are known to answer. */
static const device_model models[] = {
    {.arch = "sm_75",
     .gpu = "T4",
     .cc_major = 7,
     .cc_minor = 5,
     .sms = 40,
     .max_threads_per_sm = 1024,
     .max_blocks_per_sm = 16,
     .shared_per_sm = 64 * KB,
     .shared_per_block_optin = 64 * KB,
     .shared_granularity = 256,
     .l2_bytes = 4 * KB * KB,
     .memory_bytes = 15655829504ull,
     .clock_khz = 1590000,
     .memory_clock_khz = 5001000,
     .memory_bus_bits = 256,
     .copy_engines = 3,
     .pci_device = 0x1eb810de},
    {.arch = "sm_80",
     .gpu = "A100",
     .cc_major = 8,
     .sms = 108,
     .max_threads_per_sm = 2048,
     .max_blocks_per_sm = 32,
     .shared_per_sm = 164 * KB,
     .shared_per_block_optin = 163 * KB,
     .shared_reserved = 1 * KB,
     .shared_granularity = 128,
     .l2_bytes = 40 * KB * KB,
     .memory_bytes = 42505273344ull,
     .clock_khz = 1410000,
     .memory_clock_khz = 1215000,
     .memory_bus_bits = 5120,
     .copy_engines = 3,
     .persisting_l2_16ths = 10,
     .access_window_bytes = 134213632,
     .pci_device = 0x20b010de},
    {.arch = "sm_86",
     .gpu = "A10",
     .cc_major = 8,
     .cc_minor = 6,
     .sms = 72,
     .max_threads_per_sm = 1536,
     .max_blocks_per_sm = 16,
     .shared_per_sm = 100 * KB,
     .shared_per_block_optin = 99 * KB,
     .shared_reserved = 1 * KB,
     .shared_granularity = 128,
     .l2_bytes = 6 * KB * KB,
     .memory_bytes = 23609475072ull,
     .clock_khz = 1695000,
     .memory_clock_khz = 6251000,
     .memory_bus_bits = 384,
     .copy_engines = 2,
     .persisting_l2_16ths = 11,
     .access_window_bytes = 134213632,
     .pci_device = 0x223610de},
    {.arch = "sm_89",
     .gpu = "L40",
     .cc_major = 8,
     .cc_minor = 9,
     .sms = 142,
     .max_threads_per_sm = 1536,
     .max_blocks_per_sm = 24,
     .shared_per_sm = 100 * KB,
     .shared_per_block_optin = 99 * KB,
     .shared_reserved = 1 * KB,
     .shared_granularity = 128,
     .l2_bytes = 96 * KB * KB,
     .memory_bytes = 47697362944ull,
     .clock_khz = 2490000,
     .memory_clock_khz = 9001000,
     .memory_bus_bits = 384,
     .copy_engines = 2,
     .persisting_l2_16ths = 11,
     .access_window_bytes = 134213632,
     .pci_device = 0x26b510de},
    {.arch = "sm_90",
     .gpu = "H200",
     .cc_major = 9,
     .sms = 132,
     .max_threads_per_sm = 2048,
     .max_blocks_per_sm = 32,
     .shared_per_sm = 228 * KB,
     .shared_per_block_optin = 227 * KB,
     .shared_reserved = 1 * KB,
     .shared_granularity = 128,
     .l2_bytes = 62914560,
     .memory_bytes = 150110011392ull,
     .clock_khz = 1980000,
     .memory_clock_khz = 3201000,
     .memory_bus_bits = 6016,
     .copy_engines = 3,
     .persisting_l2_16ths = 10,
     .access_window_bytes = 134217728,
     .pci_device = 0x233510de,
     .pci_subsystem = 0x18bf10de},
};

#define MODEL_COUNT ((int)(sizeof(models) / sizeof(models[0])))

const device_model *device_model_named(const char *arch) {
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (strcmp(models[i].arch, arch) == 0) return &models[i];
    }
    return NULL;
}

static const device_model *current;
static pthread_once_t current_once = PTHREAD_ONCE_INIT;

static void choose_current(void) {
    const char *name = getenv("CUDASIM_DEVICE");
    if (!name || !*name) name = "sm_90";
    current = device_model_named(name);
    if (!current) {
        fprintf(stderr, "cudasim: CUDASIM_DEVICE=%s is none of", name);
        for (int i = 0; i < MODEL_COUNT; i++) fprintf(stderr, " %s", models[i].arch);
        fprintf(stderr, "\n");
        /* Not exit(): this may be inside a static constructor, and nothing of ours is worth its handlers. */
        _Exit(2);
    }
}

const device_model *device_model_current(void) {
    pthread_once(&current_once, choose_current);
    return current;
}

static uint64_t round_up(uint64_t value, uint64_t to) {
    return (value + to - 1) / to * to;
}

unsigned device_model_warps_by_registers(unsigned registers) {
    if (registers == 0) return UINT_MAX;
    const unsigned per_warp = (unsigned)round_up((uint64_t)registers * WARP, REGISTER_GRANULARITY);
    return REGISTERS_PER_SM / PARTITIONS / per_warp * PARTITIONS;
}

unsigned device_model_blocks_by_shared(const device_model *model, uint64_t shared_bytes) {
    const uint64_t each = round_up(shared_bytes + model->shared_reserved, model->shared_granularity);
    return each > 0 ? (unsigned)(model->shared_per_sm / each) : model->max_blocks_per_sm;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

int device_model_blocks_per_sm(const device_model *model, unsigned threads, unsigned registers, uint64_t shared_bytes) {
    if (threads == 0 || threads > 1024) return 0;
    if (shared_bytes > model->shared_per_block_optin) return 0;
    unsigned warps = (threads + WARP - 1) / WARP;
    unsigned blocks = least(model->max_blocks_per_sm, model->max_threads_per_sm / WARP / warps);
    blocks = least(blocks, device_model_warps_by_registers(registers) / warps);
    blocks = least(blocks, device_model_blocks_by_shared(model, shared_bytes));
    return (int)blocks;
}
