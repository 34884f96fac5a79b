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

int device_fp32_lanes(int cc) {
    /* CUDA C++ Programming Guide, "Arithmetic Instructions": 32-bit add, multiply, multiply-add per clock and SM. */
    switch (cc) {
    case 60:
    case 70:
    case 72:
    case 75:
    case 80:
        return 64;
    case 50:
    case 52:
    case 53:
    case 61:
    case 62:
    case 86:
    case 87:
    case 88:
    case 89:
    case 90:
    case 100:
    case 101:
    case 103:
    case 110:
    case 120:
    case 121:
        return 128;
    default:
        return 0;
    }
}

int device_tensor_flops(int cc) {
    /* Dense FP16 with FP32 accumulation, FLOP per clock and SM. */
    switch (cc) {
    case 70:
    case 72:
    case 75:
        return 1024;
    case 80:
    case 87:
        return 2048;
    case 86:
    case 89:
    case 120:
    case 121:
        return 1024;
    case 90:
        return 4096;
    case 100:
    case 103:
        return 8192;
    default:
        return 0;
    }
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
    case DEVICE_S8: /* since Turing; 10.3 has given most of it up */
        return d->cc < 72 || d->cc == 103 ? 0.0 : 2.0 * tensor;
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
