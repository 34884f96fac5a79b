#include "verify.h"

#include <stdlib.h>

float verify_exact_scalar(float x) {
    if (x == 0.0f) return x;
    float quarters = roundf(fabsf(x) * 4.0f);
    if (!(quarters >= 1.0f)) quarters = 1.0f;
    if (quarters > 64.0f) quarters = 64.0f;
    return copysignf(quarters / 4.0f, x);
}

/* Rows of C are computed in blocks of columns: one pass over a row of A and a panel of B. */
enum { PANEL = 512 };

void verify_host(const verify_case *v, verify_result *r) {
    int m = v->c.rows, n = v->c.cols, k = v->alpha == 0.0f ? 0 : v->a.cols;
    *r = (verify_result){0};
    double sum[PANEL], sum_abs[PANEL];
    for (int j0 = 0; j0 < n; j0 += PANEL) {
        int width = n - j0 < PANEL ? n - j0 : PANEL;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < width; j++) sum[j] = sum_abs[j] = 0.0;
            for (int l = 0; l < k; l++) {
                double a = v->a.data[(size_t)i * v->a.ld + l];
                const float *b = v->b.data + (size_t)l * v->b.ld + j0;
                for (int j = 0; j < width; j++) {
                    sum[j] += a * b[j];
                    sum_abs[j] += fabs(a * b[j]);
                }
            }
            for (int j = 0; j < width; j++) {
                int col = j0 + j;
                double c0 = v->beta == 0.0f ? 0.0 : values_at(v->c.kind, v->c.seed, (uint64_t)i * n + col);
                double ref = v->alpha * sum[j] + v->beta * c0;
                double bound = verify_bound(v, sum_abs[j], ref, c0);
                float c = v->c.data[(size_t)i * v->c.ld + col];
                double share = verify_share(c, ref, bound);
                verify_element e = {i, col, ref, c, bound};
                if (share > 1.0) {
                    /* Panels are walked first, so the first in row-major order is searched for. */
                    if (r->wrong++ == 0 || i < r->first.row) r->first = e;
                    if (share > r->worst_share) r->worst = e;
                }
                if (share > r->worst_share) r->worst_share = share;
            }
        }
    }
}

static void print_element(FILE *f, const char *which, const verify_element *e) {
    fprintf(f, "  %s at row %d, column %d: expected %.9g, got %.9g", which, e->row, e->col, e->expected, e->got);
    if (e->bound > 0.0) fprintf(f, " (off by %.3g, allowed %.3g)", fabs(e->got - e->expected), e->bound);
    fputc('\n', f);
}

void verify_report(FILE *f, const char *what, const verify_case *v, const verify_result *r) {
    fprintf(f, "%s: %s pass: %llu of %llu elements wrong (m %d, n %d, k %d, alpha %g, beta %g)\n", what,
            v->exact ? "exact" : "random", (unsigned long long)r->wrong,
            (unsigned long long)v->c.rows * (unsigned long long)v->c.cols, v->c.rows, v->c.cols, v->a.cols,
            (double)v->alpha, (double)v->beta);
    print_element(f, "first", &r->first);
    print_element(f, "worst", &r->worst);
}
