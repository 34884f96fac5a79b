/* The constants of the estimates by which best chooses among its plans (plan.c, multistage.cu, thin.cu). */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* Name and shipped value, in clocks of a multiprocessor where nothing else is said. `make tune` fits them to any GPU.
 * Those for Hopper come from times of 419 problems in 16 bits and s8 on an H100; `once` and `exact` were then moved by
 * hand, until 1024^3 took its fastest tile.
 * What is about TMA and wgmma matters on sm_90 alone. All are above zero. */
/* clang-format off */
#define PLAN_COSTS(X) \
    X(row_128, 2.48) X(row_32, 2.9) X(row_16, 4.24)      /* L2 delivers 128 bytes of a row that begins on so many */   \
    X(once, 0.82) X(port, 1.61)                          /* of that in a single wave; a multiprocessor takes it in */  \
    X(narrow, 36.9)                                      /* more for a step of a tile of less than 192 columns; */     \
    X(one, 0.51) X(one_nn, 1.31)                         /* of 64 rows, whose consumer is alone; nn: so many times */  \
    X(store, 1050) X(store_bn, 5.69)                     /* storing a tile: always, and for each column */             \
    X(between, 228)                                      /* of that, where the other consumer multiplies meanwhile */  \
    X(scattered, 11.6)                                   /* any alignment: more for each column of 64 rows */          \
    X(cluster, 1410) X(launch, 964)                      /* the start of a cluster; the launch */                      \
    X(exact, 1000) X(box, 90)                            /* the start of an exact tile; nn: asking TMA for a box */    \
    X(meet, 3080) X(each_part, 62.5)                     /* parts: leaving one and meeting; for each of a tile */      \
    X(sums, 18.7)                                        /* bytes of them written or read in a clock */                \
    X(dram, 2130) X(start, 716)                          /* bytes in a clock, by all; until the first are there */     \
    X(alternate, 0.757)                                  /* of that time, during which nothing is multiplied */        \
    X(copy, 3790) X(copied, 1900)                        /* a launch of copies; bytes they read or write in a clock */ \
    /* Multistage. So many times count its tiles' own clocks (multistage.cuh), rows on 16 bytes or any: */             \
    X(step, 1.52) X(alone, 2.08) X(overhead, 1.31) X(any_step, 3.32) X(any_alone, 3.8) X(any_overhead, 1.51)           \
    X(stage_launch, 1990) X(stage_meet, 2520)            /* the launch; until a tile's blocks have met */              \
    X(stage_sums, 16) X(stage_memory, 0.659)             /* as sums; the part of its rate that memory delivers */      \
    X(thin, 0.849) X(little, 0.815)                      /* so many times count thin.cu's and little.cu's estimates */
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

__END_DECLS
