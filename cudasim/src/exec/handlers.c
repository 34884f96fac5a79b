#include "exec/handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/lanes.h"

/* SIM_ISAS lists the instruction sets that handlers were compiled for, the best first: ISA(v4) ISA(baseline). */
#define ISA(name)                                                                                                      \
    extern sim_handler *const SIM_JOIN(sim_handlers, name)[ROW_COUNT];                                                 \
    extern const sim_other_handlers SIM_JOIN(sim_others, name)[ROW_COUNT];
SIM_ISAS
#undef ISA

sim_handler *const *sim_handlers;
const sim_other_handlers *sim_others;

/* Can this processor run handlers compiled with the Makefile's march_NAME? */
static bool processor_has(const char *name) {
#ifdef __x86_64__
    if (strcmp(name, "v4") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512cd");
    if (strcmp(name, "v3") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
#endif
    return strcmp(name, "baseline") == 0;
}

typedef struct isa_set {
    const char *name;
    sim_handler *const *handlers;
    const sim_other_handlers *others;
} isa_set;

/* The one that is wanted (NULL, "": the first) among those this processor has. */
static const isa_set *choose(const isa_set *sets, size_t count, const char *wanted) {
    const bool any = wanted == NULL || *wanted == '\0';
    char built[64] = "";
    for (size_t k = 0; k < count; k++) {
        snprintf(built + strlen(built), sizeof built - strlen(built), "%s%s", k > 0 ? ", " : "", sets[k].name);
        if (!any && strcmp(wanted, sets[k].name) != 0) continue;
        if (processor_has(sets[k].name)) return &sets[k];
        if (any) continue;
        fprintf(stderr, "cudasim: CUDASIM_ISA=%s: this processor does not have it\n", wanted);
        _Exit(2);
    }
    if (any)
        fprintf(stderr, "cudasim: the simulator was built for a processor with %s, which this one lacks: make sim\n",
                built);
    else
        fprintf(stderr, "cudasim: CUDASIM_ISA=%s: this simulator was built for %s (make lib-all: baseline, v3, v4)\n",
                wanted, built);
    _Exit(any ? 3 : 2);
}

void isa_choose(void) {
    static const isa_set sets[] = {
#define ISA(name) {#name, SIM_JOIN(sim_handlers, name), SIM_JOIN(sim_others, name)},
        SIM_ISAS
#undef ISA
    };
    if (sim_handlers != NULL) return;
    const isa_set *chosen = choose(sets, sizeof sets / sizeof *sets, getenv("CUDASIM_ISA"));
    sim_others = chosen->others;
    sim_handlers = chosen->handlers;
}
