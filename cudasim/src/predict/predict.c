#include "predict/predict.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ceilings.h"
#include "base/demangle.h"
#include "predict/sass.h"
#include "predict/waves.h"

typedef struct predicted {
    sim_kernel *kernel; /* NULL: only its line is wanted */
    sim_launch_config config;
    uint8_t *params;
    size_t params_size;
    char *name;
    launch_time time;
    uint64_t launches;
    unsigned request; /* the latest one that it was of */
    struct predicted *next;
} predicted;

static bool wanted, replaces, on_request; /* on_request: only between predict_request and predict_seconds */
static predicted *all, **last = &all;
static unsigned requests;
static bool recording = true, noting;
static double sum; /* of the launches since predict_record; unknown: of one it is */
static int launches;
static bool unknown;
static const char *why_unknown;

void predict_begin(void) {
    const char *text = getenv("CUDASIM_PREDICT");
    if (text == NULL || *text == '\0') return;
    on_request = strcmp(text, "request") == 0;
    replaces = on_request || strcmp(text, "only") == 0;
    if (!replaces && strcmp(text, "run") != 0) {
        fprintf(stderr, "cudasim: CUDASIM_PREDICT=%s is neither only nor run nor request\n", text);
        _Exit(2);
    }
    recording = !on_request;
    wanted = true;
}

bool predict_wanted(void) {
    return wanted;
}

bool predict_replaces(void) {
    return wanted && replaces && recording;
}

void predict_record(bool on) {
    if (!on_request) recording = on;
}

void predict_request(bool soon) {
    if (!on_request) return;
    recording = true;
    requests++;
    noting = soon;
    sum = launches = 0;
    unknown = false;
}

/* Says why, the first time. */
static void say(const char *why) {
    static bool said;
    if (!said) fprintf(stderr, "cudasim: no predicted time: %s\n", why);
    said = true;
}

static void print_time(FILE *to, const predicted *p) {
    const unsigned *g = p->config.grid, *b = p->config.block;
    fprintf(to, "%.60s, %u x %u x %u blocks of %u threads: ", p->name, g[0], g[1], g[2], b[0] * b[1] * b[2]);
    if (p->time.seconds < 0)
        fprintf(to, "-  (%s)", p->time.why);
    else
        fprintf(to, "about %.2f us", p->time.seconds * 1e6);
}

const char *predict_why(void) {
    static char *text;
    size_t size;
    int kernels = 0;
    free(text);
    text = NULL;
    for (const predicted *p = all; p != NULL; p = p->next) kernels += p->request == requests;
    FILE *to = open_memstream(&text, &size);
    for (const predicted *p = all; to != NULL && p != NULL; p = p->next) {
        if (p->request != requests) continue;
        if (kernels > 1) print_time(to, p);
        fprintf(to, "%s%s", kernels > 1 ? "\n" : "", p->time.parts);
    }
    if (to != NULL) fclose(to);
    return text != NULL ? text : "";
}

const char *predict_gpu(void) {
    static char text[96];
    const ceilings *c = ceilings_for_times();
    const bool prefixed = strncmp(c->device, "NVIDIA ", 7) == 0;
    snprintf(text, sizeof text, "%s%s", c->device + (prefixed ? 7 : 0), c->measured ? "" : ", not validated");
    return text;
}

double predict_seconds(void) {
    if (!on_request) return -1;
    recording = false;
    if (unknown) say(why_unknown);
    return launches > 0 && !unknown ? sum : -1;
}

static predicted *find(const sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t size) {
    predicted *p = all;
    while (p != NULL && !(p->kernel == kernel && memcmp(&p->config, config, sizeof *config) == 0 &&
                          p->params_size == size && memcmp(p->params, params, size) == 0))
        p = p->next;
    return p;
}

static predicted *add(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t size) {
    predicted *p = calloc(1, sizeof *p);
    if (p == NULL || (p->params = malloc(size + 1)) == NULL) {
        free(p);
        return NULL;
    }
    sim_kernel_info info;
    sim_kernel_describe(kernel, &info);
    memcpy(p->params, params, size);
    p->kernel = kernel;
    p->config = *config;
    p->params_size = size;
    p->name = strdup(READABLE(info.name));
    p->time = waves_time(kernel, config, params, size, false);
    *last = p;
    last = &p->next;
    return p;
}

static void predict_one(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t size) {
    predicted *p = find(kernel, config, params, size);
    if (p == NULL) p = add(kernel, config, params, size);
    if (p == NULL) return;
    p->request = requests;
    p->launches++;
    launches++;
    if (p->time.seconds < 0) why_unknown = p->time.why;
    unknown = unknown || p->time.seconds < 0;
    sum += p->time.seconds;
}

void predict_launch(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t params_size) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!wanted) return;
    pthread_mutex_lock(&lock);
    if (!recording) sass_begin(); /* beside the kernel */
    if (recording && noting) waves_time(kernel, config, params, params_size, true);
    if (recording && !noting) predict_one(kernel, config, params, params_size);
    pthread_mutex_unlock(&lock);
}

void predict_end(void) {
    if (!wanted || on_request) return;
    if (all != NULL)
        printf("Predicted, on an NVIDIA %s (cudasim/docs/predict.md says how far to trust it):\n", predict_gpu());
    for (const predicted *p = all; p != NULL; p = p->next) {
        printf("  ");
        print_time(stdout, p);
        if (p->launches > 1) printf(", %llu times", (unsigned long long)p->launches);
        printf("\n%s", p->time.parts);
    }
    fflush(stdout);
}
