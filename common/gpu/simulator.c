#include "gpu/simulator.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "cudasim.h"
#include "gpu/error.h"

const char *const simulator_devices[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", NULL};

const char *const simulator_counters[] = {"table", "lines", NULL};

/* Set while the program restarts itself; holds the LD_PRELOAD that was there before, or nothing. */
static const char marker[] = "CUDASIM_STARTED_AGAIN";

bool simulator_active(void) {
    static int known = -1;
    if (known < 0) known = dlsym(RTLD_DEFAULT, "cudasim_active") != NULL;
    return known;
}

bool simulator_is(const char *device) {
    const char *current = getenv("CUDASIM_DEVICE");
    return simulator_active() && (device == NULL || (current != NULL && strcmp(current, device) == 0));
}

static bool set_variable(const char *name, const char *value) {
    const char *now = getenv(name);
    if (value == NULL || (now != NULL && strcmp(now, value) == 0)) return false;
    setenv(name, value, 1);
    return true;
}

/* The parent of the program's folder, without a trailing slash; false if there is none. */
static bool find_root(char path[PATH_MAX]) {
    const ssize_t size = readlink("/proc/self/exe", path, PATH_MAX);
    if (size < 0 || size == PATH_MAX) return false;
    path[size] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) return false;
        *slash = '\0';
    }
    return true;
}

/* nvdisasm, unless one is named: that of `make deps WHEELS=1`, of the CUDA Toolkit or of the PATH. False: there is
 * none.
 */
static bool name_disassembler(void) {
    const char *home = getenv("CUDA_HOME"), *path = getenv("PATH");
    char root[PATH_MAX], *folders = NULL, tool[PATH_MAX] = "", *rest = NULL;
    if (getenv("CUDASIM_NVDISASM") != NULL) return access(getenv("CUDASIM_NVDISASM"), X_OK) == 0;
    if (!find_root(root) || asprintf(&folders, "%s/build/cuda/bin:%s/bin:/usr/local/cuda/bin:%s", root,
                                     home != NULL ? home : "", path != NULL ? path : "") < 0)
        return false;
    for (char *f = strtok_r(folders, ":", &rest); f != NULL && access(tool, X_OK) != 0; f = strtok_r(NULL, ":", &rest))
        snprintf(tool, sizeof tool, "%s/nvdisasm", f);
    free(folders);
    return access(tool, X_OK) == 0 && setenv("CUDASIM_NVDISASM", tool, 1) == 0;
}

bool simulator_watch(const simulator_watched *watched) {
    char blocks[16];
    snprintf(blocks, sizeof blocks, "%d", watched->trace_blocks);
    if (watched->predict && !simulator_active()) name_disassembler();
    const struct {
        const char *variable, *value;
    } all[] = {{"CUDASIM_CHECK", watched->unchecked || watched->predict_only ? "0" : NULL},
               {"CUDASIM_LEAK_CHECK", watched->leak_check ? "1" : NULL},
               {"CUDASIM_COUNTERS", watched->counters},
               {"CUDASIM_COUNTERS_CSV", watched->counters_csv},
               {watched->predict ? "CUDASIM_PREDICT_TRACE" : "CUDASIM_TRACE", watched->trace},
               {"CUDASIM_TRACE_BLOCKS", watched->trace_blocks > 0 ? blocks : NULL},
               {"CUDASIM_PREDICT", watched->predict ? "request" : NULL},
               {"CUDASIM_WHY", watched->why ? "1" : NULL},
               {"CUDASIM_EXPLAIN", watched->explain}};
    bool any = false;
    for (int i = 0; i < ARRAY_SIZE(all); i++) any = set_variable(all[i].variable, all[i].value) || any;
    return any;
}

void simulator_count(const char *what, const char *problem) {
    if (!simulator_active()) return;
    cudasim_count_function *count;
    *(void **)&count = dlsym(RTLD_DEFAULT, "cudasim_count");
    if (count != NULL) count(what, problem);
}

void simulator_check(bool on) {
    if (!simulator_active()) return;
    cudasim_check_function *check;
    *(void **)&check = dlsym(RTLD_DEFAULT, "cudasim_check");
    if (check != NULL) check(on);
}

bool simulator_predicts(void) {
    const char *how = getenv("CUDASIM_PREDICT");
    return simulator_active() && how != NULL && strcmp(how, "request") == 0;
}

void simulator_predict(bool soon) {
    cudasim_predict_function *predict;
    *(void **)&predict = dlsym(RTLD_DEFAULT, "cudasim_predict");
    if (predict != NULL) predict(soon);
}

double simulator_predicted_ms(void) {
    cudasim_predicted_function *predicted;
    *(void **)&predicted = dlsym(RTLD_DEFAULT, "cudasim_predicted");
    const double seconds = predicted != NULL ? predicted() : -1.0;
    return seconds >= 0.0 ? 1e3 * seconds : NAN;
}

const char *simulator_predicted_gpu(void) {
    cudasim_predicted_gpu_function *gpu;
    *(void **)&gpu = dlsym(RTLD_DEFAULT, "cudasim_predicted_gpu");
    return gpu != NULL ? gpu() : "H200";
}

const char *simulator_why(void) {
    cudasim_why_function *why;
    *(void **)&why = dlsym(RTLD_DEFAULT, "cudasim_why");
    return why != NULL ? why() : "";
}

void simulator_operand(const char *name, const void *elements, size_t element_bytes, size_t rows, size_t cols,
                       size_t ld) {
    if (!simulator_active()) return;
    cudasim_operand_function *operand;
    *(void **)&operand = dlsym(RTLD_DEFAULT, "cudasim_operand");
    if (operand != NULL) operand(name, elements, element_bytes, rows, cols, ld);
}

void simulator_operands_end(void) {
    if (!simulator_active()) return;
    cudasim_operands_end_function *end;
    *(void **)&end = dlsym(RTLD_DEFAULT, "cudasim_operands_end");
    if (end != NULL) end();
}

int simulator_arrive(FILE *err) {
    const char *before = getenv(marker);
    if (before == NULL) return EXIT_OK;
    if (!simulator_active()) {
        const char *preload = getenv("LD_PRELOAD");
        fprintf(err, "the simulator was preloaded but is missing (LD_PRELOAD=%s): make sim builds it again\n",
                preload != NULL ? preload : "");
        return EXIT_CUDA;
    }
    /* Programs started by this one should not run in the simulator. */
    if (*before != '\0')
        setenv("LD_PRELOAD", before, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv(marker);
    return EXIT_OK;
}

/* The path of the library, to be freed; NULL if out of memory. */
static char *name_library(void) {
    const char *named = getenv("CUDASIM_LIB");
    char root[PATH_MAX] = "..", *path;
    if (named != NULL && *named != '\0') {
        char *resolved = realpath(named, NULL); /* without a folder the loader would look elsewhere */
        return resolved != NULL ? resolved : strdup(named);
    }
    if (!find_root(root)) strcpy(root, "..");
    return asprintf(&path, "%s/cudasim/build/libcudart.so.13", root) >= 0 ? path : NULL;
}

/* LD_PRELOAD with the library in front. Blanks and colons separate its names, so a library whose path contains one is
 * preloaded through its open descriptor. */
static bool set_preload(const char *library) {
    const char *before = getenv("LD_PRELOAD");
    char by_number[64], *preload;
    if (strpbrk(library, " :") != NULL) {
        const int fd = open(library, O_RDONLY);
        if (fd < 0) return false;
        snprintf(by_number, sizeof by_number, "/proc/self/fd/%d", fd);
        library = by_number;
    }
    if (before == NULL) before = "";
    if (setenv(marker, before, 1) != 0) return false;
    if (asprintf(&preload, "%s%s%s", library, *before != '\0' ? ":" : "", before) < 0) return false;
    const bool ok = setenv("LD_PRELOAD", preload, 1) == 0;
    free(preload);
    return ok;
}

/* The first --sim on a machine with a GPU: runs `make sim` in the folder this program was built in, its output on
 * stderr. Does nothing if CUDASIM_LIB names the library or there is no such folder. */
static void build(FILE *err) {
    char root[PATH_MAX], *makefile = NULL;
    const char *named = getenv("CUDASIM_LIB");
    if ((named != NULL && *named != '\0') || !find_root(root)) return;
    const bool ours = asprintf(&makefile, "%s/cudasim/Makefile", root) >= 0 && access(makefile, R_OK) == 0;
    free(makefile);
    if (!ours) return;
    fprintf(err, "building the simulator first (make sim): about a minute on one core\n");
    fflush(err);
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("MAKEFLAGS");
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execlp("make", "make", "-C", root, "sim", (char *)NULL);
        _exit(127);
    }
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
}

int simulator_start(char *const *argv, const char *device, const char *reason, FILE *err) {
    char *library = name_library();
    if (library != NULL && access(library, R_OK) != 0) build(err);
    if (library == NULL || access(library, R_OK) != 0) {
        fprintf(err, "%s%sthe simulator is missing (%s): make sim builds it\n", reason != NULL ? reason : "",
                reason != NULL ? ", and " : "", library != NULL ? library : "no memory for its name");
        free(library);
        return EXIT_CUDA;
    }
    if (reason != NULL)
        fprintf(err,
                "%s: the kernels run in the simulator on this machine's CPU (results are real, times are not a "
                "GPU's)\n",
                reason);
    if (reason != NULL && name_disassembler()) setenv("CUDASIM_PREDICT", "request", 0);
    fflush(err);
    fflush(stdout);
    if ((device == NULL || setenv("CUDASIM_DEVICE", device, 1) == 0) && set_preload(library))
        execv("/proc/self/exe", argv);
    fprintf(err, "the simulator cannot be started: %s\n", strerror(errno));
    free(library);
    return EXIT_CUDA;
}
