/* Choosing a device, and what a step does if there is none.
 *
 * The CUDA runtime's calls that device_open makes are defined here and answer as each test says (a program's own
 * functions come before libcudart's), so that every kind of machine can be had on any. The steps are run as they are,
 * with CUDA_VISIBLE_DEVICES empty, which hides the GPUs of a machine that has some, and without the simulator. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit.h"
#include "base/record.h"
#include "gpu/device.h"
#include "gpu/error.h"
#include "tensor/verify.h"

/* ---- a fake CUDA runtime ---- */

static struct {
    bool real; /* ask libcudart instead */
    cudaError_t count_error, set_error, code_error;
    int count, driver, major, minor;
    int set_to;
} fake;

cudaError_t cudaGetDeviceCount(int *count) {
    if (fake.real) {
        cudaError_t (*real)(int *);
        *(void **)&real = dlsym(RTLD_NEXT, "cudaGetDeviceCount");
        return real(count);
    }
    *count = fake.count;
    return fake.count_error;
}

cudaError_t cudaDriverGetVersion(int *version) {
    if (fake.real) {
        cudaError_t (*real)(int *);
        *(void **)&real = dlsym(RTLD_NEXT, "cudaDriverGetVersion");
        return real(version);
    }
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
    switch (which) {
    case cudaDevAttrClockRate:
        *value = 1980000; /* kHz */
        break;
    case cudaDevAttrMemoryClockRate:
        *value = 3201000;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = 6144;
        break;
    case cudaDevAttrL2CacheSize:
        *value = 60 << 20;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = 233472;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = 232448;
        break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = 65536;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = 2048;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
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
static char line[1024];
static char *const arguments[] = {(char *)"never started", NULL};

static int open_device(int ordinal) {
    memset(line, 0, sizeof line);
    memset(&facts, 0xAA, sizeof facts);
    FILE *err = fmemopen(line, sizeof line, "w");
    assert_non_null(err);
    device_choice choice = wanted;
    choice.ordinal = ordinal;
    const int status = device_open(&choice, &facts, err);
    fclose(err);
    return status;
}

static void one_gpu(void) {
    memset(&fake, 0, sizeof fake);
    fake.count = 1;
    fake.driver = 13000;
    fake.major = 9;
    fake.set_to = -1;
    wanted = (device_choice){.program = "step", .has_code = verify_has_device_code};
    unsetenv("CUDA_VISIBLE_DEVICES");
}

static void assert_no_device(const char *expected) {
    assert_int_equal(open_device(0), EXIT_CUDA);
    assert_string_equal(line, expected);
}

TEST(each_cause_has_its_line) {
    one_gpu();
    fake.count = 0;
    fake.count_error = cudaErrorInsufficientDriver;
    fake.driver = 0;
    assert_no_device("no NVIDIA driver is installed on this machine: run this on one with a GPU and its driver\n");

    fake.driver = 12020;
    char expected[256];
    snprintf(expected, sizeof expected,
             "the NVIDIA driver is too old: it supports CUDA 12.2, this program needs %d.%d: update the driver\n",
             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    assert_no_device(expected);

    fake.driver = 13000;
    fake.count_error = cudaErrorNoDevice;
    assert_no_device("the NVIDIA driver finds no GPU on this machine\n");
    fake.count_error = cudaSuccess; /* and none counted */
    assert_no_device("the NVIDIA driver finds no GPU on this machine\n");

    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    fake.count_error = cudaErrorNoDevice;
    assert_no_device("CUDA_VISIBLE_DEVICES=\"7\" hides every GPU: unset it or name one that exists\n");

    fake.count_error = cudaErrorSystemNotReady;
    snprintf(expected, sizeof expected, "no usable GPU: %s (cudaErrorSystemNotReady)\n",
             cudaGetErrorString(cudaErrorSystemNotReady));
    assert_no_device(expected);
    assert_int_equal(fake.set_to, -1);
}

/* With main's arguments it can be started again on the simulator, whose library is not there in this test
 * (test_simulator.c has one): where there is nothing to repair, or it is asked for, that is tried. */
TEST(the_simulator_is_tried_or_offered) {
    setenv("CUDASIM_LIB", "/no/such/library", 1);
    one_gpu();
    wanted.arguments = arguments;
    fake.count = 0;
    fake.count_error = cudaErrorInsufficientDriver;
    fake.driver = 0;
    assert_no_device("no NVIDIA driver here, and the simulator is missing (/no/such/library): make sim builds it\n");
    fake.count_error = cudaErrorNoDevice;
    fake.driver = 13000;
    assert_no_device("no NVIDIA GPU here, and the simulator is missing (/no/such/library): make sim builds it\n");
    fake.count_error = cudaSuccess; /* and none counted */
    assert_no_device("no NVIDIA GPU here, and the simulator is missing (/no/such/library): make sim builds it\n");

    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    fake.count_error = cudaErrorNoDevice;
    assert_no_device("CUDA_VISIBLE_DEVICES=\"\" hides every GPU: unset it or name one that exists; --sim runs it "
                     "without a GPU\n");
    char expected[256];
    fake.count_error = cudaErrorInsufficientDriver;
    fake.driver = 12020;
    snprintf(expected, sizeof expected,
             "the NVIDIA driver is too old: it supports CUDA 12.2, this program needs %d.%d: update the driver; --sim "
             "runs it without a GPU\n",
             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    assert_no_device(expected);

    one_gpu();
    wanted.arguments = arguments;
    fake.code_error = cudaErrorNoKernelImageForDevice;
    assert_no_device("Made-up 0 has compute capability 9.0, for which this program has no code: make clean && make "
                     "ARCHS=90a; --sim runs it without a GPU\n");
    fake.set_to = -1;
    wanted.simulate = true;
    assert_no_device("the simulator is missing (/no/such/library): make sim builds it\n");
    wanted.simulate = false;
    wanted.sim_device = "sm_75";
    assert_no_device("the simulator is missing (/no/such/library): make sim builds it\n");
    assert_int_equal(fake.set_to, -1); /* before any device is opened */
    assert_null(getenv("CUDASIM_DEVICE"));
    unsetenv("CUDASIM_LIB");
}

TEST(a_device_that_is_not_there) {
    one_gpu();
    assert_int_equal(open_device(1), EXIT_USAGE);
    assert_string_equal(line, "step: --device 1: there is 1 GPU here, numbered from 0\n");
    fake.count = 2;
    assert_int_equal(open_device(3), EXIT_USAGE);
    assert_string_equal(line, "step: --device 3: there are 2 GPUs here, numbered from 0\n");
    assert_int_equal(fake.set_to, -1);
    assert_int_equal(open_device(1), EXIT_OK);
    assert_int_equal(fake.set_to, 1);
    assert_int_equal(facts.ordinal, 1);
}

TEST(a_device_that_cannot_be_used) {
    one_gpu();
    fake.set_error = cudaErrorDevicesUnavailable;
    assert_int_equal(open_device(0), EXIT_CUDA);
    char expected[256];
    snprintf(expected, sizeof expected, "GPU 0 cannot be used: %s (cudaErrorDevicesUnavailable)\n",
             cudaGetErrorString(cudaErrorDevicesUnavailable));
    assert_string_equal(line, expected);

    one_gpu();
    fake.code_error = cudaErrorNoKernelImageForDevice;
    const struct {
        int major, minor;
        const char *archs;
    } devices[] = {{7, 0, "70"}, {8, 6, "86"}, {9, 0, "90a"}, {10, 0, "100a"}, {12, 0, "120"}};
    for (int i = 0; i < ARRAY_SIZE(devices); i++) {
        fake.major = devices[i].major;
        fake.minor = devices[i].minor;
        snprintf(expected, sizeof expected,
                 "Made-up 0 has compute capability %d.%d, for which this program has no code: make clean && make "
                 "ARCHS=%s\n",
                 fake.major, fake.minor, devices[i].archs);
        assert_no_device(expected);
    }
}

TEST(facts_of_a_device) {
    one_gpu();
    assert_int_equal(open_device(0), EXIT_OK);
    assert_string_equal(line, "");
    assert_int_equal(facts.ordinal, 0);
    assert_false(facts.simulated);
    assert_string_equal(facts.name, "Made-up 0");
    assert_int_equal(facts.cc, 90);
    assert_int_equal(facts.sms, 132);
    assert_true(facts.clock_mhz == 1980.0 && facts.memory_clock_mhz == 3201.0);
    assert_int_equal(facts.bus_bits, 6144);
    assert_true(facts.l2_bytes == 62914560 && facts.memory_bytes == (size_t)141 << 30);
    assert_true(facts.shared_per_sm == 233472 && facts.shared_per_block == 232448);
    assert_true(facts.registers_per_sm == 65536 && facts.threads_per_sm == 2048);
    assert_false(facts.sheet);                                            /* nobody's data sheet: its clocks' peaks */
    assert_true(fabs(facts.peak_gflops[DEVICE_FP32] - 66908.16) < 0.01);  /* 2 * 128 * 132 * 1.98 GHz */
    assert_true(fabs(facts.peak_gflops[DEVICE_F16] - 1070530.56) < 0.01); /* 4096 * 132 * 1.98 GHz */
    assert_true(fabs(facts.peak_gflops[DEVICE_TF32] - 535265.28) < 0.01);
    assert_true(fabs(facts.peak_gflops[DEVICE_S8] - 2141061.12) < 0.01);
    assert_true(fabs(facts.peak_gbps - 4916.736) < 0.001); /* 2 * 3.201 GHz * 768 bytes */
    assert_string_equal(facts.driver, "for CUDA 13.0");    /* no NVML */
    char runtime[16];
    snprintf(runtime, sizeof runtime, "%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    assert_string_equal(facts.cuda, runtime);

    fake.major = 47; /* a device of the future: no peaks rather than wrong ones */
    assert_int_equal(open_device(0), EXIT_OK);
    assert_int_equal(facts.cc, 470);
    for (int i = 0; i < DEVICE_ARITHMETICS; i++) assert_true(facts.peak_gflops[i] == 0.0);
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
    d.cc = 70;
    assert_true(device_peak_at(&d, DEVICE_S8, 1000) == 0.0 && device_peak_at(&d, DEVICE_F16, 1000) == 40960.0);
    d.cc = 470;
    for (int what = 0; what < DEVICE_ARITHMETICS; what++) assert_true(device_peak_at(&d, what, 1000) == 0.0);
}

/* FMA lanes per SM: CUDA C++ Programming Guide, "Arithmetic Instructions". Tensor FLOP per clock and SM: the
 * datasheets' dense FP16 rate, e.g. H100 SXM 989.4 TFLOP/s at 1.83 GHz on 132 SMs, A100 312 at 1.41 on 108, L40S 362
 * at 2.52 on 142, V100 125 at 1.53 on 80. */
TEST(lanes_and_tensor_flops) {
    const int table[][3] = {{70, 64, 1024},  {75, 64, 1024},  {80, 64, 2048},   {86, 128, 1024},
                            {89, 128, 1024}, {90, 128, 4096}, {100, 128, 8192}, {120, 128, 1024},
                            {60, 64, 0},     {61, 128, 0},    {0, 0, 0},        {37, 0, 0},
                            {91, 0, 0},      {9, 0, 0},       {900, 0, 0},      {-1, 0, 0}};
    for (int i = 0; i < ARRAY_SIZE(table); i++) {
        assert_int_equal(device_fp32_lanes(table[i][0]), table[i][1]);
        assert_int_equal(device_tensor_flops(table[i][0]), table[i][2]);
    }
    const int made_for[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}; /* ARCHS with CUDA 13 */
    for (int i = 0; i < ARRAY_SIZE(made_for); i++) assert_true(device_fp32_lanes(made_for[i]) > 0);
}

/* The real thing, on machines like this one. */
TEST(no_gpu_here) {
    int count = 0;
    one_gpu();
    fake.real = true;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) skip();
    assert_int_equal(open_device(0), EXIT_CUDA);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    assert_true(strstr(line, "driver") != NULL || strstr(line, "GPU") != NULL);
}

/* ---- a step without a GPU ---- */

static char directory[] = "/tmp/test_device_XXXXXX";
static char out_text[4096], err_text[4096];

static void read_file(const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    const size_t length = fread(text, 1, size - 1, f);
    text[length] = '\0';
    fclose(f);
}

static void write_file(const char *name, const char *text) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* ./step01/run with these arguments (shell words; $d is the directory). Returns the exit status. */
static int run_step(const char *arguments) {
    char command[512];
    assert_int_equal(access("step01/run", X_OK), 0); /* `make test` builds it and starts the tests at the top */
    snprintf(command, sizeof command,
             "d=%s; CUDA_VISIBLE_DEVICES= CUDASIM_LIB=/no/such/library ./step01/run %s >$d/out 2>$d/err </dev/null",
             directory, arguments);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    read_file("out", out_text, sizeof out_text);
    read_file("err", err_text, sizeof err_text);
    return WEXITSTATUS(status);
}

static void assert_stops_for_want_of_a_gpu(const char *arguments) {
    assert_int_equal(run_step(arguments), EXIT_CUDA);
    assert_string_equal(out_text, "");
    assert_true(strlen(err_text) > 20);
    assert_ptr_equal(strchr(err_text, '\n'), err_text + strlen(err_text) - 1); /* one line */
    assert_true(strstr(err_text, "driver") != NULL || strstr(err_text, "hides every GPU") != NULL);
}

static int make_directory(void **state) {
    return mkdtemp(directory) != NULL ? 0 : -1;
}

static int remove_directory(void **state) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

TEST(a_step_without_a_gpu_says_so_in_one_line) {
    assert_stops_for_want_of_a_gpu("");
    assert_stops_for_want_of_a_gpu("--size 64 --verbose");
    assert_stops_for_want_of_a_gpu("--sweep check");
    assert_stops_for_want_of_a_gpu("--sweep square --no-baseline --warm");
    assert_stops_for_want_of_a_gpu("--device 3");
    assert_stops_for_want_of_a_gpu("--list --verbose"); /* registers and occupancy need the device */
}

static bool is_there(const char *name) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

/* Files are prepared before the device is looked for, so that a bad one is named on any machine. */
TEST(a_step_without_a_gpu_leaves_files_as_they_were) {
    char text[4096];
    assert_stops_for_want_of_a_gpu("--size 64 --csv $d/new.csv");
    assert_stops_for_want_of_a_gpu("--size 64 --csv $d/new.csv --resume");
    assert_false(is_there("new.csv"));

    const char *const rows =
        RECORD_HEADER "\nstep01_naive,coalesced,gemm,f32,nn,64,64,64,,1,0,cold,graph,0.01,0.01,0.01,52,4.9,0.001,"
                      "cublas,0.005,0.5,0.4,0.6,0.1,1980,200,made up,9.0,580,13.0,2026-01-01,cublasSgemm,13.1.0,0.10.0,"
                      "51,12,0.01,0.01,0.4,0.6,40,0,0\n";
    write_file("old.csv", rows);
    assert_stops_for_want_of_a_gpu("--size 64 --csv $d/old.csv");
    assert_stops_for_want_of_a_gpu("--size 64 --csv $d/old.csv --resume");
    read_file("old.csv", text, sizeof text);
    assert_string_equal(text, rows);
}

TEST(bad_arguments_come_before_the_missing_gpu) {
    assert_int_equal(run_step("--bogus"), EXIT_USAGE);
    assert_string_equal(err_text, "step01_naive: --bogus: unknown option (see --help)\n");
    assert_int_equal(run_step("--m 2100000000"), EXIT_USAGE);
    assert_string_equal(err_text, "step01_naive: --m: '2100000000' is out of range (at most 2000000000)\n");
    assert_int_equal(run_step("--every 5"), EXIT_USAGE);
    assert_string_equal(err_text, "step01_naive: --every: needs --sweep check\n");
    assert_int_equal(run_step("--csv $d/no/such.csv"), EXIT_USAGE);
    assert_ptr_equal(strchr(err_text, '\n'), err_text + strlen(err_text) - 1);
    assert_non_null(strstr(err_text, "--csv /tmp/"));
    assert_non_null(strstr(err_text, "No such file or directory"));
    assert_string_equal(out_text, "");
}

TEST(the_list_needs_no_gpu) {
    assert_int_equal(run_step("--list"), EXIT_OK);
    assert_string_equal(err_text, "");
    assert_memory_equal(out_text, "uncoalesced  ", 13);
    const char *second = strchr(out_text, '\n');
    assert_non_null(second);
    assert_memory_equal(second, "\ncoalesced  ", 12);
    assert_ptr_equal(strchr(second + 1, '\n'), out_text + strlen(out_text) - 1); /* two lines */
    assert_int_equal(run_step("--list --variant coalesced"), EXIT_OK);
    assert_memory_equal(out_text, "coalesced  ", 11);
    assert_int_equal(run_step("--help"), EXIT_OK);
    assert_non_null(strstr(out_text, "coalesced"));
    assert_string_equal(err_text, "");
}

TEST(what_cannot_be_printed_is_said) {
    const char *const arguments[] = {"--help", "--list"};
    for (int i = 0; i < ARRAY_SIZE(arguments); i++) {
        char command[512];
        snprintf(command, sizeof command, "./step01/run %s >/dev/full 2>%s/err", arguments[i], directory);
        const int status = system(command);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), EXIT_USAGE);
        read_file("err", err_text, sizeof err_text);
        assert_string_equal(err_text, "step01_naive: standard output cannot be written: No space left on device\n");
    }
}

int main(void) {
    return unit_run_group(make_directory, remove_directory, NULL, NULL);
}
