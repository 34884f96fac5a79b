/* A step on the simulator: how it gets there, and what it does then.
 *
 * This program is both the test and the step: with AS_STEP in its environment it is gemm_step_main on variants that
 * compute on the CPU, over a CUDA runtime that is made up here. The simulator's library is a made-up one too: all that
 * it has is the name by which the harness knows it. What the made-up cudaMalloc gives can be read and written only in
 * cudaMemcpy and in a launch, so that the harness cannot take a device's pointer for its own; kernels, events and
 * graphs, which the harness has no business with in the simulator, end the program. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit.h"
#include "base/record.h"
#include "base/version.h"
#include "gemm/gemm.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

/* ---- a CUDA runtime that is made up ---- */

static void *device_memory;
static size_t device_bytes;
static cudaError_t pending; /* what the next synchronisation reports */

static void open_memory(bool open) {
    if (device_memory != NULL) mprotect(device_memory, device_bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static bool machine_is(const char *what) {
    const char *machine = getenv("FAKE_MACHINE");
    return machine != NULL && strcmp(machine, what) == 0;
}

static void forbidden(const char *name) {
    fprintf(stderr, "FORBIDDEN: %s\n", name);
    _exit(99);
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 0;
    if (!simulator_active() && (machine_is("no driver") || machine_is("old driver")))
        return cudaErrorInsufficientDriver;
    if (!simulator_active() && machine_is("no gpu")) return cudaErrorNoDevice;
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = machine_is("no driver") ? 0 : machine_is("old driver") ? 12020 : 13000;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    memset(properties, 0, sizeof *properties);
    const char *model = getenv("CUDASIM_DEVICE");
    strcpy(properties->name, model != NULL && strcmp(model, "sm_75") == 0 ? "T4" : "H200");
    properties->major = model != NULL && strcmp(model, "sm_75") == 0 ? 7 : 9;
    properties->minor = model != NULL && strcmp(model, "sm_75") == 0 ? 5 : 0;
    properties->multiProcessorCount = 132;
    properties->totalGlobalMem = (size_t)141 << 30;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device) {
    *value = which == cudaDevAttrMaxThreadsPerMultiProcessor ? 2048 : which == cudaDevAttrL2CacheSize ? 60 << 20 : 1000;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    if (function == NULL) forbidden("cudaFuncGetAttributes"); /* a kernel of the harness */
    memset(attributes, 0, sizeof *attributes);
    attributes->numRegs = 77;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared) {
    *blocks = 4;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    assert_null(device_memory);
    device_bytes = bytes;
    device_memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *pointer = device_memory;
    return device_memory != MAP_FAILED ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *pointer) {
    if (pointer != NULL) munmap(device_memory, device_bytes);
    device_memory = NULL;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    *free_bytes = *total_bytes = (size_t)1 << 30;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    open_memory(true);
    memcpy(to, from, bytes);
    open_memory(false);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return pending;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    forbidden("cudaEventCreate");
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    forbidden("cudaMemsetAsync");
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream) {
    forbidden("a kernel of the harness");
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *address, int size, int device) {
    if (simulator_active()) forbidden("NVML");
    return cudaErrorInvalidDevice;
}

/* ---- the step ---- */

static cudaError_t launch_right(const gemm_problem *problem, cudaStream_t stream) {
    const sgemm_problem view = gemm_as_f32(problem), *p = &view;
    open_memory(true);
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++) {
            float sum = 0.0f, *c = &p->C[(size_t)i * p->ldc + j];
            if (p->alpha != 0.0f)
                for (int l = 0; l < p->k; l++) sum += p->A[(size_t)i * p->lda + l] * p->B[(size_t)l * p->ldb + j];
            *c = p->alpha * sum + (p->beta != 0.0f ? p->beta * *c : 0.0f);
        }
    open_memory(false);
    return cudaSuccess;
}

static cudaError_t launch_faulty(const gemm_problem *p, cudaStream_t stream) {
    pending = cudaErrorIllegalAddress;
    return cudaSuccess;
}

static kernel_info kernel(void) {
    return (kernel_info){(const void *)launch_right, 256, 0};
}

static const char *needs_sm_80(const device_facts *device) {
    return device->cc < 80 ? "needs sm_80" : NULL;
}

static int be_a_step(int argc, char **argv) {
    static const gemm_variant variants[] = {
        {"right", "one", launch_right, kernel, NULL, NULL, NULL, NULL},
        {"modern", "right too, on newer GPUs", launch_right, kernel, needs_sm_80, NULL, NULL, NULL},
        {"faulty", "an illegal address", launch_faulty, kernel, NULL, NULL, NULL, NULL},
    };
    const int status = gemm_step_main(argc, argv, "step77_made_up", variants, ARRAY_SIZE(variants), NULL);
    const char *preload = getenv("LD_PRELOAD"), *device = getenv("CUDASIM_DEVICE");
    printf("left: %s, preload %s, device %s, marker %s\n", simulator_active() ? "simulated" : "not simulated",
           preload != NULL ? preload : "unset", device != NULL ? device : "unset",
           getenv("CUDASIM_STARTED_AGAIN") != NULL ? "set" : "unset");
    return status;
}

/* ---- running it ---- */

static char program[512], directory[] = "/tmp/test_simulator_XXXXXX";
static char out_text[16384], err_text[4096];

static void read_file(const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    const size_t length = fread(text, 1, size - 1, f);
    text[length] = '\0';
    fclose(f);
}

/* The step on `machine` with these arguments; `environment` comes first ($d: the directory). Returns its status. */
static int run_on(const char *machine, const char *environment, const char *arguments) {
    char command[2048];
    snprintf(command, sizeof command,
             "d=%s; unset CUDA_VISIBLE_DEVICES CUDASIM_DEVICE LD_PRELOAD; cd $d && "
             "CUDASIM_LIB=$d/libsim.so AS_STEP=1 FAKE_MACHINE='%s' >$d/out 2>$d/err </dev/null timeout 60 env %s %s %s",
             directory, machine, environment, program, arguments);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    read_file("out", out_text, sizeof out_text);
    read_file("err", err_text, sizeof err_text);
    return WEXITSTATUS(status);
}

static void assert_said(const char *text, const char *wanted) {
    if (strstr(text, wanted) == NULL) fail_msg("\"%s\" is not in:\n%s", wanted, text);
}

static int set_up(void **state) {
    char command[512];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0 || mkdtemp(directory) == NULL) return -1;
    program[length] = '\0';
    snprintf(command, sizeof command,
             "cd %s && mkdir 'a folder: it has blanks' && echo 'int cudasim_active = 1;' >sim.c && "
             "echo 'int nothing = 1;' >other.c && ${CC:-cc} -shared -fPIC -o libsim.so sim.c && "
             "${CC:-cc} -shared -fPIC -o libother.so other.c && cp libsim.so 'a folder: it has blanks/'",
             directory);
    return system(command);
}

static int tear_down(void **state) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

/* ---- getting there ---- */

#define SENTENCE ": the kernels run in the simulator on this machine's CPU (results are real, times are not a GPU's)\n"

TEST(without_a_driver_or_a_gpu_the_simulator_steps_in) {
    assert_int_equal(run_on("no driver", "", "--variant right --size 20"), EXIT_OK);
    assert_string_equal(err_text, "no NVIDIA driver here" SENTENCE);
    assert_said(out_text, "step77_made_up on H200 (simulated) (sm_90, CUDA 13.0)");
    assert_said(out_text, "\nleft: simulated, preload unset, device unset, marker unset\n");

    assert_int_equal(run_on("no gpu", "", "--variant right --size 20"), EXIT_OK);
    assert_string_equal(err_text, "no NVIDIA GPU here" SENTENCE);
    assert_said(out_text, "\nleft: simulated");
}

/* test_device.c has the other machines' lines. */
TEST(what_can_be_repaired_is_named_and_the_simulator_offered) {
    assert_int_equal(run_on("old driver", "", "--variant right --size 20"), EXIT_CUDA);
    assert_said(err_text, "; --sim runs it without a GPU\n");
    assert_string_equal(out_text, "left: not simulated, preload unset, device unset, marker unset\n");
}

TEST(sim_is_asked_for_on_any_machine) {
    const char *const machines[] = {"a gpu", "old driver", "no gpu", "no driver"};
    for (int i = 0; i < ARRAY_SIZE(machines); i++) {
        assert_int_equal(run_on(machines[i], "", "--sim --variant right --size 20"), EXIT_OK);
        assert_string_equal(err_text, "");
        assert_said(out_text, "H200 (simulated)");
        assert_said(out_text, "\nleft: simulated, preload unset, device unset, marker unset\n");
    }
}

TEST(the_simulated_gpu_can_be_chosen) {
    assert_int_equal(run_on("a gpu", "", "--sim-device sm_75 --variant right --variant modern --size 20"), EXIT_OK);
    assert_string_equal(err_text, "");
    assert_said(out_text, "T4 (simulated) (sm_75, ");
    assert_said(out_text, "modern                 20     20     20  skipped: needs sm_80\n");
    assert_said(out_text, "device sm_75, ");
    assert_int_equal(run_on("a gpu", "", "--sim-device sm_42"), EXIT_USAGE);
    assert_string_equal(err_text,
                        "step77_made_up: --sim-device: 'sm_42' is unknown (known: sm_75, sm_80, sm_86, sm_89, "
                        "sm_90)\n");
    /* Underneath already, but as another GPU: it is started again. */
    assert_int_equal(
        run_on("a gpu", "LD_PRELOAD=$d/libsim.so CUDASIM_DEVICE=sm_90", "--sim-device sm_75 --variant right --size 20"),
        EXIT_OK);
    assert_said(out_text, "T4 (simulated) (sm_75, ");
}

TEST(a_library_preloaded_by_hand_is_the_simulator_too) {
    assert_int_equal(run_on("no driver", "LD_PRELOAD=$d/libsim.so", "--variant right --size 20"), EXIT_OK);
    assert_string_equal(err_text, "");
    assert_said(out_text, "H200 (simulated)");
    assert_said(out_text, "/libsim.so, device unset, marker unset\n"); /* LD_PRELOAD stays the user's */
}

TEST(preloaded_libraries_stay) {
    char expected[128];
    snprintf(expected, sizeof expected, "left: simulated, preload %s/libother.so, ", directory);
    assert_int_equal(run_on("no driver", "LD_PRELOAD=$d/libother.so", "--variant right --size 20"), EXIT_OK);
    assert_said(out_text, expected);
}

TEST(arguments_and_awkward_folders_survive) {
    char expected[128];
    assert_int_equal(run_on("no driver", "CUDASIM_LIB=\"$d/a folder: it has blanks/libsim.so\"",
                            "--variant right --size 20 --csv \"$d/a folder: it has blanks/b c.csv\""),
                     EXIT_OK);
    assert_said(out_text, "\nleft: simulated, preload unset");
    snprintf(expected, sizeof expected, "%s/a folder: it has blanks/b c.csv", directory);
    assert_int_equal(access(expected, R_OK), 0);
    assert_int_equal(run_on("no driver", "CUDASIM_LIB=libsim.so", "--variant right --size 20"), EXIT_OK); /* relative */
}

TEST(a_missing_library_is_named) {
    assert_int_equal(run_on("no driver", "CUDASIM_LIB=/no/such.so", "--size 20"), EXIT_CUDA);
    assert_string_equal(err_text,
                        "no NVIDIA driver here, and the simulator is missing (/no/such.so): make sim builds it\n");
    assert_int_equal(run_on("a gpu", "CUDASIM_LIB=/no/such.so", "--sim --size 20"), EXIT_CUDA);
    assert_string_equal(err_text, "the simulator is missing (/no/such.so): make sim builds it\n");
    /* Without CUDASIM_LIB it belongs into cudasim/build beside the program's folder. */
    char expected[600];
    snprintf(expected, sizeof expected, "%s", program);
    *strrchr(expected, '/') = '\0';
    strcpy(strrchr(expected, '/'), "/cudasim/build/libcudart.so.13): make sim builds it\n");
    const char *const unset[] = {"-u CUDASIM_LIB", "CUDASIM_LIB="};
    for (int i = 0; i < ARRAY_SIZE(unset); i++) {
        assert_int_equal(run_on("a gpu", unset[i], "--sim --size 20"), EXIT_CUDA);
        assert_said(err_text, expected);
    }
}

TEST(what_is_no_simulator_is_not_started_for_ever) {
    assert_int_equal(run_on("no driver", "CUDASIM_LIB=$d/libother.so", "--size 20"), EXIT_CUDA);
    const char *second = strchr(err_text, '\n'); /* after the first process's sentence */
    assert_non_null(second);
    assert_memory_equal(second + 1, "the simulator was preloaded but is missing (LD_PRELOAD=", 55);
    assert_ptr_equal(strchr(second + 1, '\n'), err_text + strlen(err_text) - 1);
}

/* Without a GPU and without a simulator: bad arguments and files are named all the same, what needs no device works,
 * and no file is left behind or changed. */
TEST(files_and_arguments_are_checked_before) {
    static const struct {
        const char *arguments;
        int status;
        const char *err, *out; /* what they begin with */
    } runs[] = {
        {"--csv $d/no/such.csv", EXIT_USAGE, "--csv /tmp/", "left: not simulated"},
        {"--bogus", EXIT_USAGE, "step77_made_up: --bogus: unknown option (see --help)\n", "left: not simulated"},
        {"--help >/dev/full", EXIT_USAGE,
         "step77_made_up: standard output cannot be written: No space left on device\n", ""},
        {"--list >/dev/full", EXIT_USAGE,
         "step77_made_up: standard output cannot be written: No space left on device\n", ""},
        {"--list", EXIT_OK, "", "right              one\nmodern "},
        {"--list --variant modern", EXIT_OK, "", "modern             right too, on newer GPUs\nleft: not simulated"},
        {"--help", EXIT_OK, "", "Usage: "},
        {"--list --verbose", EXIT_CUDA, "no NVIDIA driver here, and ", "left: not simulated"},
        {"--sweep check", EXIT_CUDA, "no NVIDIA driver here, and ", "left: not simulated"},
        {"--size 64 --csv $d/new.csv --resume", EXIT_CUDA, "no NVIDIA driver here, and ", "left: not simulated"},
        {"--size 64 --csv $d/old.csv", EXIT_CUDA, "no NVIDIA driver here, and ", "left: not simulated"},
        {"--size 64 --csv $d/old.csv --resume", EXIT_CUDA, "no NVIDIA driver here, and ", "left: not simulated"},
    };
    char name[64], text[1024];
    snprintf(name, sizeof name, "%s/old.csv", directory);
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(RECORD_HEADER "\n", f);
    fclose(f);
    for (int i = 0; i < ARRAY_SIZE(runs); i++) {
        assert_int_equal(run_on("no driver", "CUDASIM_LIB=/no/such.so", runs[i].arguments), runs[i].status);
        assert_memory_equal(err_text, runs[i].err, strlen(runs[i].err));
        assert_memory_equal(out_text, runs[i].out, strlen(runs[i].out));
        const char *end = strchr(err_text, '\n');
        assert_true(runs[i].err[0] == '\0' ? err_text[0] == '\0' : end != NULL && end[1] == '\0'); /* one line */
    }
    read_file("old.csv", text, sizeof text);
    assert_string_equal(text, RECORD_HEADER "\n");
    snprintf(name, sizeof name, "%s/new.csv", directory);
    assert_int_equal(access(name, F_OK), -1);
}

/* ---- there ---- */

TEST(times_are_not_a_gpus) {
    assert_int_equal(run_on("no driver", "", "--variant right --size 40 --alpha 2 --beta -0.5"), EXIT_OK);
    assert_said(out_text, ": results are real, times are not a GPU's\nC = 2*A*B + -0.5*C in FP32\n");
    assert_said(out_text, "  simulated in  worst error, of its bound\n");
    assert_null(strstr(out_text, "TFLOP"));
    assert_null(strstr(out_text, "cuBLAS"));
    double seconds, share;
    const char *row = strstr(out_text, "\nright ");
    assert_non_null(row);
    assert_int_equal(sscanf(row, " right 40 40 40 %lf s %lf", &seconds, &share), 2);
    assert_true(seconds >= 0.0 && seconds < 10.0 && share > 0.0 && share <= 1.0);
}

TEST(rows_hold_what_is_true) {
    assert_int_equal(run_on("no driver", "", "--variant right --size 40 --csv $d/rows.csv"), EXIT_OK);
    char text[4096];
    record *rows;
    int count;
    snprintf(text, sizeof text, "%s/rows.csv", directory);
    assert_int_equal(record_csv_load(text, &rows, &count, stderr), 0);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].mode, "sim");
    assert_string_equal(rows[0].device, "H200 (simulated)");
    assert_string_equal(rows[0].driver, "none");
    assert_string_equal(rows[0].baseline, "");
    assert_string_equal(rows[0].version, version_text());
    assert_true(rows[0].pairs == -1 && isnan(rows[0].ms_low));
    assert_true(isnan(rows[0].ms_median) && isnan(rows[0].ms_min) && isnan(rows[0].ms_max));
    assert_true(isnan(rows[0].gflops) && isnan(rows[0].gbps) && isnan(rows[0].peak_share));
    assert_true(isnan(rows[0].baseline_ms) && isnan(rows[0].ratio) && isnan(rows[0].ratio_min));
    assert_true(isnan(rows[0].clock_mhz) && isnan(rows[0].power_w));
    assert_true(rows[0].max_err_bound_share > 0.0 && rows[0].max_err_bound_share <= 1.0);
    free(rows);
}

TEST(a_kernel_that_fails_ends_the_run) {
    assert_int_equal(run_on("no driver", "", "--variant faulty --size 40"), EXIT_CUDA);
    assert_said(err_text, "step77_made_up faulty, m 40, n 40, k 40: common/bench/sweep.c:");
    assert_said(err_text, "(cudaErrorIllegalAddress); the kernel is at fault: the simulator's report says where");
}

TEST(the_list_tells_registers_and_occupancy) {
    assert_int_equal(run_on("no driver", "", "--list --verbose --sim-device sm_75"), EXIT_OK);
    assert_said(out_text, "T4 (simulated) (sm_75)\n");
    assert_said(out_text, "256 threads per block, 77 registers per thread, 0 bytes of shared memory per block\n");
    assert_said(out_text, "4 blocks per SM: 32 of 64 warps, 50.0 % occupancy\n");
    assert_said(out_text, "not on this device: needs sm_80\n");
}

int main(int argc, char **argv) {
    if (getenv("AS_STEP") != NULL) return be_a_step(argc, argv);
    return unit_run_group(set_up, tear_down, NULL, NULL);
}
