#include "fit.h"

#include <math.h>

#include "base/progress.h"
#include "base/values.h"

/* What is lessened is the mean regret, which alone has steps and is blind for what is not chosen, and so many times the
 * square of the error: first the error above all, from which the way to the least regret is short. A constant pays for
 * leaving the value it begins with, so many times the square of the logarithm of their ratio: fitted to a few hundred
 * problems, dozens of constants learn accidents, too, and choose worse plans for other problems. */
static const double ERROR_FIRST = 5, ERROR_THEN = 2, LEAVING = 0.003;
static const double LEAST_GAIN = 5e-6; /* by less nothing is changed at first */
static const double HEAT = 0.002;      /* at the beginning of the second part; its unit is what is lessened */
enum { ROUNDS = 20000, MOST_PLANS = 256 /* of a problem */ };

fit_quality fit_judge(const fit_data *d, const plan_costs *costs) {
    fit_quality q = {0};
    double weights = 0, sums = 0, squares = 0;
    for (int first = 0, end, chosen; first < d->count; first = end) {
        double fastest = INFINITY, least = INFINITY, off[MOST_PLANS] = {0};
        for (end = chosen = first; end < d->count && d->rows[end].problem == d->rows[first].problem; end++) {
            const double estimate = d->estimate(d->context, end, costs);
            if (estimate < least) least = estimate, chosen = end;
            fastest = fmin(fastest, d->rows[end].us);
            off[(end - first) % MOST_PLANS] = log(d->rows[end].us / estimate);
        }
        const double regret = d->rows[chosen].us / fastest - 1;
        if (regret > q.worst) q.worst = regret, q.worst_row = chosen;
        q.mean += regret, q.problems++;
        for (int i = first; i < end; i++) {
            const double weight = pow(fastest / d->rows[i].us, 2), x = off[(i - first) % MOST_PLANS];
            weights += weight, sums += weight * x, squares += weight * x * x;
        }
    }
    q.mean /= fmax(q.problems, 1);
    q.error = weights > 0 ? sqrt(fmax(squares / weights - pow(sums / weights, 2), 0)) : 0;
    return q;
}

static double to_lessen(const fit_data *d, const plan_costs *costs, const plan_costs *first, double error_share) {
    const fit_quality q = fit_judge(d, costs);
    double left = 0;
    for (int i = 0; i < PLAN_COST_COUNT; i++)
        left += pow(log(((const double *)costs)[i] / ((const double *)first)[i]), 2);
    return q.mean + error_share * q.error * q.error + LEAVING * left;
}

/* Each constant up, then down, by a factor of `step`; true: something is better than `least`. */
static bool improve(const fit_data *d, plan_costs *costs, const plan_costs *first, double step, double *least) {
    bool better = false;
    for (int i = 0; i < 2 * PLAN_COST_COUNT; i++) {
        double *value = (double *)costs + i / 2;
        const double before = *value, shipped = ((const double *)&shipped_costs)[i / 2];
        *value = fmin(fmax(i % 2 == 0 ? before * step : before / step, shipped / COST_RANGE), shipped * COST_RANGE);
        const double now = to_lessen(d, costs, first, ERROR_FIRST);
        if (now < *least - LEAST_GAIN)
            *least = now, better = true;
        else
            *value = before;
    }
    return better;
}

static double draw(uint64_t *drawn) {
    return ldexp((double)(values_hash(0, (*drawn)++) >> 11), -53);
}

/* One to four constants times what was drawn: mostly a little. */
static plan_costs change_some(const plan_costs *costs, uint64_t *drawn) {
    plan_costs c = *costs;
    const double size = 0.74 * exp(-3.5 * draw(drawn));
    for (int more = (int)(4 * draw(drawn)); more >= 0; more--) {
        const int i = (int)(PLAN_COST_COUNT * draw(drawn));
        const double shipped = ((const double *)&shipped_costs)[i];
        double *value = (double *)&c + i;
        *value *= exp(size * (draw(drawn) + draw(drawn) - 1));
        *value = fmin(fmax(*value, shipped / COST_RANGE), shipped * COST_RANGE);
    }
    return c;
}

/* Simulated annealing (Kirkpatrick, Gelatt, Vecchi: "Optimization by Simulated Annealing", 1983). */
static void anneal(const fit_data *d, plan_costs *costs, const plan_costs *first) {
    uint64_t drawn = 0;
    plan_costs now = *costs;
    double at = to_lessen(d, &now, first, ERROR_THEN), least = at;
    for (int round = 0; round < ROUNDS; round++) {
        progress_show(stderr, "fitting constants", round, ROUNDS);
        const plan_costs next = change_some(&now, &drawn);
        const double then = to_lessen(d, &next, first, ERROR_THEN), left = 1 - (double)round / ROUNDS;
        if (then > at && draw(&drawn) > exp((at - then) / (HEAT * left * left))) continue;
        now = next, at = then;
        if (at < least) least = at, *costs = now;
    }
    progress_clear(stderr);
}

void fit_costs(const fit_data *d, plan_costs *costs) {
    static const double steps[] = {2, 1.4, 1.15, 1.05};
    const plan_costs first = *costs;
    double least = to_lessen(d, costs, &first, ERROR_FIRST);
    for (int s = 0; s < 4; s++)
        for (int pass = 0; pass < 30 && improve(d, costs, &first, steps[s], &least);) pass++;
    anneal(d, costs, &first);
}
