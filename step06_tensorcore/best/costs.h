/* The constants of the estimates by which best chooses among its plans (plan.c, multistage.cu, thin.cu). */
#ifndef KL_STEP06_COSTS_H
#define KL_STEP06_COSTS_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name and shipped value, in clocks of a multiprocessor where nothing else is said. Measured on an H200, but for those
 * that end in 0.0, which are guesses; `make tune` fits all to the GPU that is there. What is about TMA and wgmma
 * matters on sm_90 alone. All are above zero. */
/* clang-format off */
#define PLAN_COSTS(X) \
    X(row_128, 1.6) X(row_32, 2) X(row_16, 4)            /* L2 delivers 128 bytes of a row that begins on so many */   \
    X(narrow, 10)                                        /* more for a step of a tile of 128 columns */                \
    X(store, 1500) X(store_bn, 13)                       /* storing a tile: always, and for each column */             \
    X(between, 500)                                      /* of that, where the other consumer multiplies meanwhile */  \
    X(scattered, 10.0)                                   /* any alignment: more for each column of 64 rows */          \
    X(cluster, 1000) X(launch, 500.0)                    /* the start of a cluster; the launch */                      \
    X(meet, 2500.0) X(each_part, 20.0)                   /* parts: leaving one and meeting; for each of a tile */      \
    X(sums, 40.0)                                        /* bytes of them written or read in a clock */                \
    X(dram, 2000.0) X(start, 1500.0)                     /* bytes in a clock, by all; until the first are there */     \
    X(alternate, 0.1)                                    /* of that time, during which nothing is multiplied */        \
    X(copy, 3000.0) X(copied, 1800.0)                    /* a launch of copies; bytes they read or write in a clock */ \
    /* Multistage. So many times count its tiles' own clocks (multistage.cuh), rows on 16 bytes or any: */             \
    X(step, 1) X(alone, 1) X(overhead, 1) X(any_step, 1) X(any_alone, 1) X(any_overhead, 1)                            \
    X(stage_launch, 2000) X(stage_meet, 2500)            /* the launch; until a tile's blocks have met */              \
    X(stage_sums, 48) X(stage_memory, 0.9)               /* as sums; the part of its rate that memory delivers */      \
    X(thin, 1)                                           /* thin.cu's estimate counts so many times */
/* clang-format on */

typedef struct {
#define COST(name, value) double name;
    PLAN_COSTS(COST)
#undef COST
} plan_costs;

enum { PLAN_COST_COUNT = sizeof(plan_costs) / sizeof(double), COST_RANGE = 16 };
extern const char *const plan_cost_names[PLAN_COST_COUNT]; /* in their order in plan_costs */
extern const plan_costs shipped_costs;

/* Reads "GPU<tab>constant<tab>value" a line, the latest last; others begin with #. What is about `gpu` replaces the
 * shipped values in `costs`. False: a line makes no sense, or a value lies beyond COST_RANGE times the shipped one or
 * below that part of it; then `costs` are the shipped ones. */
bool read_costs(FILE *f, const char *gpu, plan_costs *costs);

/* Those for the current device: of tensorcore.costs in the cache folder (bench/tune.h), which is read once per process
 * and device. A file that makes no sense is told in one line on stderr. */
const plan_costs *current_costs(void);

#ifdef __cplusplus
}
#endif

#endif
