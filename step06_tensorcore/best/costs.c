#include "costs.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tune.h"

static const double FITTED_MEMORY = 2431; /* memory_per_clock of the H200 to which the shipped ones were fitted */

#define COST(name, value) #name,
const char *const plan_cost_names[PLAN_COST_COUNT] = {PLAN_COSTS(COST)};
#undef COST
#define COST(name, value) .name = value,
const plan_costs shipped_costs = {PLAN_COSTS(COST)};

/* Of a line "GPU<tab>constant<tab>value". */
static bool read_line(const char *line, const char *gpu, double *values) {
    char of[256], name[32], end;
    double x;
    if (sscanf(line, "%255[^\t]\t%31[^\t]\t%lf%c", of, name, &x, &end) != 4 || end != '\n') return false;
    if (strcmp(of, gpu) != 0) return true;
    for (int i = 0; i < PLAN_COST_COUNT; i++) {
        const double shipped = ((const double *)&shipped_costs)[i];
        if (strcmp(name, plan_cost_names[i]) != 0) continue;
        values[i] = x;
        return x >= shipped / COST_RANGE * 0.999 && x <= shipped * COST_RANGE * 1.001; /* NaN is not */
    }
    return false;
}

bool read_costs(FILE *f, const char *gpu, plan_costs *costs) {
    char line[512];
    const plan_costs before = *costs;
    bool ok = true;
    while (ok && fgets(line, sizeof line, f) != NULL) ok = *line == '#' || read_line(line, gpu, (double *)costs);
    if (!ok) *costs = before;
    return ok;
}

double memory_per_clock(int device) {
    int clock = 0, memory = 0, width = 0;
    if (cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device) != cudaSuccess)
        return 0;
    return clock > 0 ? 2.0 * memory * (width / 8) / clock : 0; /* twice a clock */
}

plan_costs shipped_with(double memory) {
    plan_costs costs = shipped_costs;
    if (memory > 0) costs.dram *= memory / FITTED_MEMORY;
    return costs;
}

/* cudaGetDeviceProperties takes long: not asked where there is no file. */
const plan_costs *current_costs(void) {
    static plan_costs costs;
    static int known = -1;
    struct cudaDeviceProp facts;
    int device;
    if (cudaGetDevice(&device) != cudaSuccess) return &shipped_costs;
    if (device == known) return &costs;
    char *path = tune_path("tensorcore.costs");
    FILE *f = path != NULL ? fopen(path, "re") : NULL;
    known = device, costs = shipped_with(memory_per_clock(device));
    if (f != NULL && cudaGetDeviceProperties(&facts, device) == cudaSuccess && !read_costs(f, facts.name, &costs))
        fprintf(stderr, "%s: has a line that makes no sense: the shipped constants count (make tune)\n", path);
    if (f != NULL) fclose(f);
    free(path);
    return &costs;
}
