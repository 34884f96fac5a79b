#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

typedef struct {
    void (*part)(void *context, int i, int threads);
    void *context;
    int i, threads;
} job;

int parallel_threads(double work, double least) {
    cpu_set_t cpus;
    const double most = work / least;
    if (most < 2 || sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
    const int count = CPU_COUNT(&cpus) < PARALLEL_MAX ? CPU_COUNT(&cpus) : PARALLEL_MAX;
    return most < count ? (int)most : count;
}

static void *start(void *argument) {
    const job *j = argument;
    j->part(j->context, j->i, j->threads);
    return NULL;
}

void parallel_run(int threads, void (*part)(void *context, int i, int threads), void *context) {
    pthread_t started[PARALLEL_MAX];
    job jobs[PARALLEL_MAX];
    bool running[PARALLEL_MAX];
    for (int i = 0; i < threads; i++) {
        jobs[i] = (job){part, context, i, threads};
        running[i] = i + 1 < threads && pthread_create(&started[i], NULL, start, &jobs[i]) == 0;
        if (!running[i]) part(context, i, threads);
    }
    for (int i = 0; i < threads; i++)
        if (running[i]) pthread_join(started[i], NULL);
}
