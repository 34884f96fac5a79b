/* The constants of the estimates by which best chooses among its plans (plan.c, multistage.cu, thin.cu). */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* Name and shipped value, in clocks of a multiprocessor where nothing else is said. `make tune` fits them to any GPU.
 * They come from times on an H200: those of persistent from all plans for 96 problems, drawn as those of the sets are,
 * few rows and 1 x 1 layers, but shared from few rows alone, and parted from one row times 4096 x 14336; those of
 * multistage, of thin and of little from times of 584 problems before. words is an assumption, which times of 160
 * problems of tf32 in nn bear out. What is about TMA and wgmma matters on sm_90 alone. All are above zero. */
/* clang-format off */
#define PLAN_COSTS(X) \
    X(row_128, 2.61) X(row_32, 2.75) X(row_16, 3.55)     /* L2 delivers 128 bytes of a row that begins on so many */   \
    X(once, 0.939) X(port, 1.93)                         /* of that in a single wave; a multiprocessor takes it in */  \
    X(narrow, 52)                                        /* more for a step of a tile of less than 192 columns */      \
    X(words, 120)                                        /* the same for words through registers, by the consumers */  \
    X(store, 475) X(store_bn, 9.16)                      /* storing a tile: always, and for each column */             \
    X(between, 477)                                      /* of that, where the other consumer multiplies meanwhile */  \
    X(scattered, 14)                                     /* any alignment: more for each column of 64 rows */          \
    X(cluster, 908) X(launch, 90)                        /* the start of a cluster; the launch */                      \
    X(shared, 1.04)                                      /* so many times DRAM takes, where there are clusters */      \
    X(full, 474)                                         /* the start of a launch on most multiprocessors */           \
    X(exact, 534)                                        /* the start of an exact tile */                              \
    X(meet, 988) X(each_part, 28.9)                      /* parts: leaving one and meeting; for each of a tile */      \
    X(sums, 20.6)                                        /* bytes of them written or read in a clock */                \
    X(dram, 3130) X(start, 2120)                         /* bytes in a clock, by all; until the first are there */     \
    X(alternate, 0.296)                                  /* of that time, during which nothing is multiplied */        \
    X(parted, 0.01)                                      /* so much more of it for each part, where all have some */   \
    X(copy, 2940) X(copied, 2850)                        /* a launch of copies; bytes they read or write in a clock */ \
    /* Multistage. So many times count its tiles' own clocks (multistage.cuh), rows on 16 bytes or any: */             \
    X(step, 1.65) X(alone, 1.27) X(overhead, 0.988) X(any_step, 3.13) X(any_alone, 2.3) X(any_overhead, 0.697)         \
    X(stage_launch, 2290) X(stage_meet, 4690)            /* the launch; until a tile's blocks have met */              \
    X(stage_sums, 61.7) X(stage_memory, 0.525)           /* as sums; the part of its rate that memory delivers */      \
    X(thin, 0.458) X(little, 0.572)                      /* so many times count thin.cu's and little.cu's estimates */ \
    X(thin_memory, 1.33)                                 /* and what memory takes at its peak rate, for thin.cu */
/* clang-format on */

typedef struct {
#define COST(name, value) double name;
    PLAN_COSTS(COST)
#undef COST
} plan_costs;

enum { PLAN_COST_COUNT = sizeof(plan_costs) / sizeof(double), COST_RANGE = 16 };
extern const char *const plan_cost_names[PLAN_COST_COUNT]; /* in their order in plan_costs */
extern const plan_costs shipped_costs;

/* Reads "GPU<tab>constant<tab>value" a line, the latest last; others begin with #. What is about `gpu` replaces values
 * in `costs`. False: a line makes no sense, or a value lies beyond COST_RANGE times the shipped one or below that part
 * of it; then `costs` are as before. */
bool read_costs(FILE *f, const char *gpu, plan_costs *costs);

/* Bytes that the device's memory delivers in a clock of a multiprocessor at their peak rates; 0: not known. */
double memory_per_clock(int device);

/* The shipped ones, with `dram` for such a memory, as memory_per_clock gives it. */
plan_costs shipped_with(double memory);

/* Those for the current device: of tensorcore.costs in the cache folder (bench/tune.h), which is read once per process
 * and device, and its memory's rate. A file that makes no sense is told in one line on stderr. */
const plan_costs *current_costs(void);

__END_DECLS
