#include "fit.h"

#include <math.h>

/* What is lessened is the mean regret, which alone has steps and is blind for what is not chosen, and so many times the
 * square of the error: first the error above all, from which the way to the least regret is short. By less than this
 * nothing is changed. */
static const double error_shares[] = {5, 0.25}, LEAST_GAIN = 5e-6;

fit_quality fit_judge(const fit_data *d, const plan_costs *costs) {
    fit_quality q = {0};
    double weights = 0, sums = 0, squares = 0;
    for (int first = 0, end, chosen; first < d->count; first = end) {
        double fastest = INFINITY, least = INFINITY, off[64] = {0};
        for (end = chosen = first; end < d->count && d->rows[end].problem == d->rows[first].problem; end++) {
            const double estimate = d->estimate(d->context, end, costs);
            if (estimate < least) least = estimate, chosen = end;
            fastest = fmin(fastest, d->rows[end].us);
            off[(end - first) % 64] = log(d->rows[end].us / estimate);
        }
        const double regret = d->rows[chosen].us / fastest - 1;
        if (regret > q.worst) q.worst = regret, q.worst_row = chosen;
        q.mean += regret, q.problems++;
        for (int i = first; i < end; i++) {
            const double weight = pow(fastest / d->rows[i].us, 2), x = off[(i - first) % 64];
            weights += weight, sums += weight * x, squares += weight * x * x;
        }
    }
    q.mean /= fmax(q.problems, 1);
    q.error = weights > 0 ? sqrt(fmax(squares / weights - pow(sums / weights, 2), 0)) : 0;
    return q;
}

static double to_lessen(const fit_data *d, const plan_costs *costs, double error_share) {
    const fit_quality q = fit_judge(d, costs);
    return q.mean + error_share * q.error * q.error;
}

/* Each constant up, then down, by a factor of `step`; true: something is better than `least`. */
static bool improve(const fit_data *d, plan_costs *costs, double step, double error_share, double *least) {
    bool better = false;
    for (int i = 0; i < 2 * PLAN_COST_COUNT; i++) {
        double *value = (double *)costs + i / 2;
        const double before = *value, shipped = ((const double *)&shipped_costs)[i / 2];
        *value = fmin(fmax(i % 2 == 0 ? before * step : before / step, shipped / COST_RANGE), shipped * COST_RANGE);
        const double now = to_lessen(d, costs, error_share);
        if (now < *least - LEAST_GAIN)
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
