/* Step 7's rungs, and the candidates of its `best`, by number: for scripts/other_languages.py. */
#include <stdio.h>

#include "../../step07_gemv/best.h"
#include "gemv/gemv.h"

#define RUNGS(RUNG)    RUNG(naive) RUNG(vectorized) RUNG(tree) RUNG(row_per_block) RUNG(shuffle) RUNG(streaming)
#define DECLARED(name) GEMV_VARIANT(name);
#define ROW(name)      {#name, 0, 0, 0, 0, launch_##name, kernel_##name},
#define EXPORT         __attribute__((visibility("default")))

RUNGS(DECLARED)
static const gemv_candidate rungs[] = {RUNGS(ROW)};
enum { RUNG_COUNT = sizeof rungs / sizeof *rungs };
static gemv_candidate candidates[BEST_CANDIDATES];

static const gemv_candidate *numbered(int i) {
    if (candidates[0].name == NULL) best_list(candidates);
    return i < RUNG_COUNT ? &rungs[i] : &candidates[i - RUNG_COUNT];
}

/* "tree", and behind the rungs "best n2 r32 u4 v1"; NULL: there are no more. */
EXPORT const char *ours_name(int i) {
    static char name[128];
    if (i >= RUNG_COUNT + BEST_CANDIDATES) return NULL;
    snprintf(name, sizeof name, "%s%s", i < RUNG_COUNT ? "" : "best ", numbered(i)->name);
    return name;
}

/* y = A*x in f16, A without gaps between its rows. The CUDA error of the launch, 0 if there is none. */
EXPORT int ours_launch(int i, int n, int k, const void *A, const void *x, void *y, void *stream) {
    const gemv_problem p = {DTYPE_F16, n, k, k, 1.0f, 0.0f, A, x, y, false};
    return (int)numbered(i)->launch(&p, (cudaStream_t)stream);
}
