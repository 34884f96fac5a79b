/* Choosing a device.
 *
 * The CUDA runtime's calls that device_open makes are defined here and answer as each test says (a program's own
 * functions come before libcudart's), so that every kind of machine can be had on any. */

#include "../unit.h"
#include "gpu/device.h"
#include "gpu/error.h"
#include "tensor/verify.h"

/* ---- a fake CUDA runtime ---- */

static struct {
    cudaError_t count_error, set_error, code_error;
    int count, driver, major, minor;
    int set_to;
} fake;

cudaError_t cudaGetDeviceCount(int *count) {
    *count = fake.count;
    return fake.count_error;
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = fake.driver;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    fake.set_to = device;
    return fake.set_error;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "Made-up %d", device);
    properties->major = fake.major;
    properties->minor = fake.minor;
    properties->multiProcessorCount = 132;
    properties->totalGlobalMem = (size_t)141 << 30;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device) {
    assert_int_equal(device, fake.set_to);
    const struct {
        enum cudaDeviceAttr which;
        int value;
    } attributes[] = {{cudaDevAttrClockRate, 1980000}, /* kHz */
                      {cudaDevAttrMemoryClockRate, 3201000},
                      {cudaDevAttrGlobalMemoryBusWidth, 6144},
                      {cudaDevAttrL2CacheSize, 60 << 20},
                      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472},
                      {cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448},
                      {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
                      {cudaDevAttrMaxThreadsPerMultiProcessor, 2048}};
    for (int i = 0; i < ARRAY_SIZE(attributes); i++) {
        *value = attributes[i].value;
        if (attributes[i].which == which) return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    return fake.code_error;
}

/* Keeps NVML, where there is one, out of it. */
cudaError_t cudaDeviceGetPCIBusId(char *address, int size, int device) {
    return cudaErrorInvalidDevice;
}

/* ---- device_open ---- */

static device_facts facts;
static device_choice wanted;
static char *const arguments[] = {(char *)"never started", NULL};

static int open_device(int ordinal) {
    memset(&facts, 0xAA, sizeof facts);
    device_choice choice = wanted;
    choice.ordinal = ordinal;
    return device_open(&choice, &facts, listen_in());
}

static int one_gpu(void **state) {
    memset(&fake, 0, sizeof fake);
    fake.count = 1;
    fake.driver = 13000;
    fake.major = 9;
    fake.set_to = -1;
    wanted = (device_choice){.program = "step", .has_code = verify_has_device_code};
    return unsetenv("CUDA_VISIBLE_DEVICES");
}

#define assert_device(ordinal, status, ...)                                                                            \
    do {                                                                                                               \
        assert_int_equal(open_device(ordinal), status);                                                                \
        assert_heard(__VA_ARGS__);                                                                                     \
    } while (0)

/* With main's arguments a program can be started again on the simulator, whose library is not there in this test
 * (test_simulator.sh has one): where there is nothing to repair that is tried, elsewhere it is offered. */
TEST(each_cause_has_its_line) {
    static const struct {
        cudaError_t error;
        int driver;
        const char *visible, *line, *tried; /* CUDA_VISIBLE_DEVICES; with and without the simulator; NULL: offered */
    } causes[] = {
        {cudaErrorInsufficientDriver, 0, NULL,
         "no NVIDIA driver is installed on this machine: run this on one with a GPU and its driver",
         "no NVIDIA driver here"},
        {cudaErrorNoDevice, 13000, NULL, "the NVIDIA driver finds no GPU on this machine", "no NVIDIA GPU here"},
        {cudaSuccess, 13000, NULL, "the NVIDIA driver finds no GPU on this machine", "no NVIDIA GPU here"},
        {cudaErrorInsufficientDriver, 12020, NULL,
         "the NVIDIA driver is too old: it supports CUDA 12.2, this program needs %s: update the driver", NULL},
        {cudaErrorNoDevice, 13000, "7", "CUDA_VISIBLE_DEVICES=\"7\" hides every GPU: unset it or name one that exists",
         NULL},
        {cudaErrorNoDevice, 13000, "", "CUDA_VISIBLE_DEVICES=\"\" hides every GPU: unset it or name one that exists",
         NULL},
    };
    char text[256], needed[16];
    snprintf(needed, sizeof needed, "%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    setenv("CUDASIM_LIB", "/no/such/library", 1);
    for (int i = 0; i < ARRAY_SIZE(causes); i++) {
        one_gpu(NULL);
        fake.count = 0;
        fake.count_error = causes[i].error;
        fake.driver = causes[i].driver;
        if (causes[i].visible != NULL) setenv("CUDA_VISIBLE_DEVICES", causes[i].visible, 1);
        snprintf(text, sizeof text, causes[i].line, needed);
        assert_device(0, EXIT_CUDA, "%s\n", text);
        wanted.arguments = arguments;
        if (causes[i].tried == NULL)
            assert_device(0, EXIT_CUDA, "%s; --sim runs it without a GPU\n", text);
        else
            assert_device(0, EXIT_CUDA, "%s, and the simulator is missing (/no/such/library): make sim builds it\n",
                          causes[i].tried);
        assert_int_equal(fake.set_to, -1);
    }
    one_gpu(NULL);
    fake.count_error = cudaErrorSystemNotReady;
    assert_device(0, EXIT_CUDA, "no usable GPU: %s (cudaErrorSystemNotReady)\n",
                  cudaGetErrorString(cudaErrorSystemNotReady));

    one_gpu(NULL);
    wanted.arguments = arguments;
    fake.code_error = cudaErrorNoKernelImageForDevice;
    assert_device(0, EXIT_CUDA,
                  "Made-up 0 has compute capability 9.0, for which this program has no code: make clean && make "
                  "ARCHS=90a; --sim runs it without a GPU\n");
    fake.set_to = -1;
    for (int named = 0; named < 2; named++) {
        wanted.simulate = named == 0;
        wanted.sim_device = named == 0 ? NULL : "sm_75";
        assert_device(0, EXIT_CUDA, "the simulator is missing (/no/such/library): make sim builds it\n");
    }
    assert_int_equal(fake.set_to, -1); /* before any device is opened */
    assert_null(getenv("CUDASIM_DEVICE"));
    unsetenv("CUDASIM_LIB");
}

TEST(a_device_that_is_not_there) {
    assert_device(1, EXIT_USAGE, "step: --device 1: there is 1 GPU here, numbered from 0\n");
    fake.count = 2;
    assert_device(3, EXIT_USAGE, "step: --device 3: there are 2 GPUs here, numbered from 0\n");
    assert_int_equal(fake.set_to, -1);
    assert_device(1, EXIT_OK, "%s", "");
    assert_int_equal(fake.set_to, 1);
    assert_int_equal(facts.ordinal, 1);
}

TEST(a_device_that_cannot_be_used) {
    fake.set_error = cudaErrorDevicesUnavailable;
    assert_device(0, EXIT_CUDA, "GPU 0 cannot be used: %s (cudaErrorDevicesUnavailable)\n",
                  cudaGetErrorString(cudaErrorDevicesUnavailable));
    one_gpu(NULL);
    fake.code_error = cudaErrorNoKernelImageForDevice;
    const struct {
        int major, minor;
        const char *archs;
    } devices[] = {{7, 0, "70"}, {8, 6, "86"}, {9, 0, "90a"}, {10, 0, "100a"}, {12, 0, "120"}};
    for (int i = 0; i < ARRAY_SIZE(devices); i++) {
        fake.major = devices[i].major;
        fake.minor = devices[i].minor;
        assert_device(0, EXIT_CUDA,
                      "Made-up 0 has compute capability %d.%d, for which this program has no code: make clean && make "
                      "ARCHS=%s\n",
                      fake.major, fake.minor, devices[i].archs);
    }
}

TEST(facts_of_a_device) {
    static const double peaks[] = {/* 128 lanes and 4096 FLOP of tensor cores a clock, 132 multiprocessors, 1.98 GHz */
                                   [DEVICE_FP32] = 66908.16,
                                   [DEVICE_F16] = 1070530.56,
                                   [DEVICE_TF32] = 535265.28,
                                   [DEVICE_S8] = 2141061.12};
    assert_device(0, EXIT_OK, "%s", "");
    assert_string_equal(facts.name, "Made-up 0");
    assert_true(facts.ordinal == 0 && !facts.simulated && facts.cc == 90 && facts.sms == 132);
    assert_true(facts.clock_mhz == 1980.0 && facts.memory_clock_mhz == 3201.0 && facts.bus_bits == 6144);
    assert_true(facts.l2_bytes == 62914560 && facts.memory_bytes == (size_t)141 << 30);
    assert_true(facts.shared_per_sm == 233472 && facts.shared_per_block == 232448);
    assert_true(facts.registers_per_sm == 65536 && facts.threads_per_sm == 2048);
    assert_false(facts.sheet); /* nobody's data sheet: its clocks' peaks */
    for (int i = 0; i < DEVICE_ARITHMETICS; i++) assert_true(fabs(facts.peak_gflops[i] - peaks[i]) < 0.01);
    assert_true(fabs(facts.peak_gbps - 4916.736) < 0.001); /* 2 * 3.201 GHz * 768 bytes */
    assert_string_equal(facts.driver, "for CUDA 13.0");    /* no NVML */
    char runtime[16];
    snprintf(runtime, sizeof runtime, "%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    assert_string_equal(facts.cuda, runtime);

    fake.major = 47; /* a device of the future: no peaks rather than wrong ones */
    assert_device(0, EXIT_OK, "%s", "");
    for (int i = 0; i < DEVICE_ARITHMETICS; i++) assert_true(facts.cc == 470 && facts.peak_gflops[i] == 0.0);
}

TEST(peaks_of_the_data_sheet) {
    device_facts d = {.name = "NVIDIA H200", .cc = 90, .sms = 132, .clock_mhz = 1980, .memory_clock_mhz = 3201};
    d.bus_bits = 6144;
    device_peaks(&d);
    assert_true(d.sheet);
    assert_true(d.peak_gflops[DEVICE_FP32] == 66900 && d.peak_gflops[DEVICE_TF32] == 494700);
    assert_true(d.peak_gflops[DEVICE_F16] == 989400 && d.peak_gflops[DEVICE_S8] == 1978900);
    assert_true(d.peak_gbps == 4800);
    strcpy(d.name, "NVIDIA H100 80GB HBM3");
    device_peaks(&d);
    assert_true(d.sheet && d.peak_gflops[DEVICE_F16] == 989400 && d.peak_gbps == 3350);

    d.sms = 60; /* a part of one */
    device_peaks(&d);
    assert_false(d.sheet);
    assert_true(fabs(d.peak_gflops[DEVICE_F16] - 4096 * 60 * 1.98) < 0.01);
    d.sms = 132;
    strcpy(d.name, "H200 (simulated)");
    device_peaks(&d);
    assert_false(d.sheet);
}

/* A data sheet's peak is that of its boost clock: H100 SXM 1830 MHz on tensor cores, A100 1410, L40S 2490 (2520 for
 * FP32), RTX 4090 2520. */
TEST(peaks_at_a_clock) {
    const struct {
        const char *name;
        int cc, sms;
        double tensor_mhz, fp32_mhz;
    } gpus[] = {{"NVIDIA H200", 90, 132, 1830, 1980},           {"NVIDIA H100 PCIe", 90, 114, 1620, 1755},
                {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, 1410}, {"NVIDIA A100-SXM4-80GB", 80, 108, 1410, 1410},
                {"NVIDIA L40S", 89, 142, 2490, 2520},           {"NVIDIA GeForce RTX 4090", 89, 128, 2520, 2520}};
    for (int i = 0; i < ARRAY_SIZE(gpus); i++) {
        device_facts d = {.cc = gpus[i].cc, .sms = gpus[i].sms};
        strcpy(d.name, gpus[i].name);
        device_peaks(&d);
        assert_true(d.sheet);
        for (int what = 0; what < DEVICE_ARITHMETICS; what++) {
            const double at = device_peak_at(&d, what, what == DEVICE_FP32 ? gpus[i].fp32_mhz : gpus[i].tensor_mhz);
            assert_true(fabs(at / d.peak_gflops[what] - 1.0) < 0.015); /* data sheets round */
        }
    }
    device_facts d = {.cc = 75, .sms = 40};
    assert_true(device_peak_at(&d, DEVICE_TF32, 1000) == 0.0);
    assert_true(device_peak_at(&d, DEVICE_S8, 1000) == 81920.0); /* 2 * 1024 * 40 * 1 GHz */
    d.cc = 470;
    for (int what = 0; what < DEVICE_ARITHMETICS; what++) assert_true(device_peak_at(&d, what, 1000) == 0.0);
}

/* FMA lanes per SM: CUDA C++ Programming Guide, "Arithmetic Instructions". Tensor FLOP per clock and SM: the
 * datasheets' dense FP16 rate, e.g. H100 SXM 989.4 TFLOP/s at 1.83 GHz on 132 SMs, A100 312 at 1.41 on 108, L40S 362
 * at 2.52 on 142. */
TEST(lanes_and_tensor_flops) {
    const int table[][3] = {{75, 64, 1024},   {80, 64, 2048},   {86, 128, 1024}, {89, 128, 1024}, {90, 128, 4096},
                            {100, 128, 8192}, {120, 128, 1024}, {0, 0, 0},       {37, 0, 0},      {91, 0, 0},
                            {9, 0, 0},        {900, 0, 0},      {-1, 0, 0}};
    for (int i = 0; i < ARRAY_SIZE(table); i++) {
        assert_int_equal(device_fp32_lanes(table[i][0]), table[i][1]);
        assert_int_equal(device_tensor_flops(table[i][0]), table[i][2]);
    }
    const int made_for[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}; /* ARCHS with CUDA 13 */
    for (int i = 0; i < ARRAY_SIZE(made_for); i++) assert_true(device_fp32_lanes(made_for[i]) > 0);
}

static const struct fixtures fixtures = {.before = one_gpu};
