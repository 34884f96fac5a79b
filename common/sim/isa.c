#include "isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern sim_handler *const sim_handlers_baseline[ROW_COUNT];
#ifdef __x86_64__
extern sim_handler *const sim_handlers_v3[ROW_COUNT], *const sim_handlers_v4[ROW_COUNT];
#endif

sim_handler *const *sim_handlers;

void isa_choose(void) {
    if (sim_handlers != NULL) return;
    const struct {
        const char *name;
        sim_handler *const *handlers;
        bool runs_here;
    } sets[] = {
#ifdef __x86_64__
        {"v4", sim_handlers_v4,
         __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512cd")},
        {"v3", sim_handlers_v3,
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt")},
#endif
        {"baseline", sim_handlers_baseline, true},
    };
    const char *wanted = getenv("CUDASIM_ISA");
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        if (wanted != NULL && *wanted != '\0' && strcmp(wanted, sets[k].name) != 0) continue;
        if (!sets[k].runs_here) {
            if (wanted == NULL || *wanted == '\0') continue;
            fprintf(stderr, "CUDASIM_ISA=%s: this processor does not have it\n", wanted);
            exit(2);
        }
        sim_handlers = sets[k].handlers;
        return;
    }
    fprintf(stderr, "CUDASIM_ISA=%s: unknown; baseline, v3 and v4 are known\n", wanted);
    exit(2);
}
