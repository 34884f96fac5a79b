/* What a GPU can do at most. */
#include <string.h>

#include "base/array.h"
#include "gpu/device.h"

/* devices.csv, made into C by scripts/make/devices.awk; an empty field is 0. NVIDIA's data sheets round to "67 TFLOPS"
 * and print tensor cores' rates for sparse matrices, twice the dense ones; the table has the architecture white papers'
 * digits where they give more. For Hopper's SXM parts these belong to two clocks: FP32's 66.9 TFLOP/s to 1980 MHz
 * (132 SMs x 128 lanes x 2), the tensor cores' 989.4 to 1830 MHz (132 SMs x 4096). */
typedef struct {
    const char *name; /* as the driver says it */
    int sms;
    double tflops[DEVICE_ARITHMETICS], dram_gbps;
} sheet;

static const sheet sheets[] = {
#include "gpu/devices.inc"
};

/* Partitions of a GPU have other names or fewer multiprocessors. */
static const sheet *sheet_of(const device_facts *d) {
    for (int i = 0; i < ARRAY_SIZE(sheets); i++)
        if (strcmp(sheets[i].name, d->name) == 0 && sheets[i].sms == d->sms) return &sheets[i];
    return NULL;
}

/* Per clock and SM: 32-bit multiply-adds (CUDA C++ Programming Guide, "Arithmetic Instructions"), and FLOP of dense
 * FP16 with FP32 accumulation. */
typedef struct {
    int cc, fp32_lanes, tensor_flops;
} sm_rates;

static sm_rates rates_of(int cc) {
    static const sm_rates all[] = {{75, 64, 1024},   {80, 64, 2048},  {86, 128, 1024},  {87, 128, 2048},
                                   {88, 128, 0},     {89, 128, 1024}, {90, 128, 4096},  {100, 128, 8192},
                                   {103, 128, 8192}, {110, 128, 0},   {120, 128, 1024}, {121, 128, 1024}};
    for (int i = 0; i < ARRAY_SIZE(all); i++)
        if (all[i].cc == cc) return all[i];
    return (sm_rates){0};
}

int device_fp32_lanes(int cc) {
    return rates_of(cc).fp32_lanes;
}

int device_tensor_flops(int cc) {
    return rates_of(cc).tensor_flops;
}

/* FLOP per clock and SM. */
static double rate(const device_facts *d, device_arithmetic what) {
    const double tensor = device_tensor_flops(d->cc);
    const bool halved = strstr(d->name, "GeForce") != NULL; /* those accumulate in FP32 at half the rate */
    switch (what) {
    case DEVICE_FP32:
        return 2.0 * device_fp32_lanes(d->cc);
    case DEVICE_F16:
        return halved ? tensor / 2 : tensor;
    case DEVICE_TF32: /* since Ampere */
        return d->cc < 80 ? 0.0 : halved ? tensor / 4 : tensor / 2;
    case DEVICE_S8: /* 10.3 has given most of it up */
        return d->cc == 103 ? 0.0 : 2.0 * tensor;
    default:
        return 0.0;
    }
}

double device_peak_at(const device_facts *d, device_arithmetic what, double clock_mhz) {
    return rate(d, what) * d->sms * clock_mhz / 1e3;
}

void device_peaks(device_facts *d) {
    const sheet *known = sheet_of(d);
    d->sheet = known != NULL;
    for (int i = 0; i < DEVICE_ARITHMETICS; i++)
        d->peak_gflops[i] = known != NULL ? 1e3 * known->tflops[i] : device_peak_at(d, i, d->clock_mhz);
    d->peak_gbps = known != NULL ? known->dram_gbps : 2.0 * d->memory_clock_mhz * d->bus_bits / 8 / 1e3;
}
