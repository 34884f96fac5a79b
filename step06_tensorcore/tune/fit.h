/* Fits the constants of best's estimates to times of its plans. */
#pragma once

#include "../best/costs.h"

/* A plan's time, of a problem, counted from 0; the rows of one follow one another. */
typedef struct {
    int problem;
    double us;
} fit_row;

typedef struct {
    const fit_row *rows;
    int count;
    double (*estimate)(const void *context, int row, const plan_costs *costs); /* in any unit */
    const void *context;
} fit_data;

/* How the plan that each problem's estimates choose compares with the fastest that was timed, in time: 0.05 is 5 %
 * slower. And by how much estimates differ from times: the root mean square of the logarithm, in which plans count the
 * less the slower they are. */
typedef struct {
    double mean, worst, error;
    int worst_row, problems;
} fit_quality;

fit_quality fit_judge(const fit_data *data, const plan_costs *costs);

/* From `costs` on, changes constants within COST_RANGE of the shipped values, so that the mean regret and the error get
 * less: one after the other in ever smaller steps, then some at random. Always with the same result. Takes half a
 * minute for ten thousand rows. */
void fit_costs(const fit_data *data, plan_costs *costs);
