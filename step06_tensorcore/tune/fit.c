#include "fit.h"

#include <math.h>

/* What is lessened is the mean regret, which alone has steps and is blind for what is not chosen, and so many times the
 * square of the error: first the error above all, from which the way to the least regret is short. And this part of the
 * squares of the logarithm of every change: a constant that does not matter stays. */
static const double error_shares[] = {5, 0.25}, CHANGE_SHARE = 3e-5;

/* One problem's rows, from `first` on: their fastest time, and which has the least estimate. Returns where they end. */
static int look_at(const fit_data *d, int first, const plan_costs *costs, double *fastest, int *chosen) {
    double least = INFINITY;
    int i = first;
    *fastest = INFINITY, *chosen = first;
    for (; i < d->count && d->rows[i].problem == d->rows[first].problem; i++) {
        const double estimate = d->estimate(d->context, i, costs);
        if (estimate < least) least = estimate, *chosen = i;
        if (d->rows[i].us < *fastest) *fastest = d->rows[i].us;
    }
    return i;
}

fit_quality fit_judge(const fit_data *d, const plan_costs *costs) {
    fit_quality q = {0};
    double weights[FIT_KINDS] = {0}, sums[FIT_KINDS] = {0}, squares[FIT_KINDS] = {0}, all = 0, rest = 0, fastest;
    for (int first = 0, end, chosen; first < d->count; first = end) {
        end = look_at(d, first, costs, &fastest, &chosen);
        const double regret = d->rows[chosen].us / fastest - 1;
        if (regret > q.worst) q.worst = regret, q.worst_row = chosen;
        q.mean += regret;
        q.problems++;
        for (int i = first; i < end; i++) {
            const double off = log(d->rows[i].us / d->estimate(d->context, i, costs));
            const double weight = fastest / d->rows[i].us * (fastest / d->rows[i].us);
            const int kind = d->rows[i].kind;
            weights[kind] += weight, sums[kind] += weight * off, squares[kind] += weight * off * off;
        }
    }
    for (int kind = 0; kind < FIT_KINDS; kind++) {
        if (weights[kind] > 0) rest += squares[kind] - sums[kind] * sums[kind] / weights[kind];
        all += weights[kind];
    }
    q.mean /= q.problems > 0 ? q.problems : 1;
    q.error = all > 0 && rest > 0 ? sqrt(rest / all) : 0;
    return q;
}

static double to_lessen(const fit_data *d, const plan_costs *costs, double error_share) {
    const fit_quality q = fit_judge(d, costs);
    double changes = 0;
    for (int i = 0; i < PLAN_COST_COUNT; i++) {
        const double change = log(((const double *)costs)[i] / ((const double *)&shipped_costs)[i]);
        changes += change * change;
    }
    return q.mean + error_share * q.error * q.error + CHANGE_SHARE * changes;
}

/* Each constant up, then down, by a factor of `step`; true: something is better than `least`. */
static bool improve(const fit_data *d, plan_costs *costs, double step, double error_share, double *least) {
    bool better = false;
    for (int i = 0; i < 2 * PLAN_COST_COUNT; i++) {
        double *value = (double *)costs + i / 2;
        const double before = *value, shipped = ((const double *)&shipped_costs)[i / 2];
        *value = fmin(fmax(i % 2 == 0 ? before * step : before / step, shipped / COST_RANGE), shipped * COST_RANGE);
        const double now = to_lessen(d, costs, error_share);
        if (now < *least - 1e-7)
            *least = now, better = true;
        else
            *value = before;
    }
    return better;
}

void fit_costs(const fit_data *d, plan_costs *costs) {
    static const double steps[] = {2, 1.4, 1.15, 1.05};
    for (int share = 0; share < 2; share++) {
        double least = to_lessen(d, costs, error_shares[share]);
        for (int s = 0; s < 4; s++)
            for (int pass = 0; pass < 30 && improve(d, costs, steps[s], error_shares[share], &least);) pass++;
    }
}
