#include "tensor/verify.h"

#include <stdlib.h>

#include "base/parallel.h"

float verify_exact_scalar(float x) {
    if (x == 0.0f) return x;
    float quarters = roundf(fabsf(x) * 4.0f);
    if (!(quarters >= 1.0f)) quarters = 1.0f;
    if (quarters > 64.0f) quarters = 64.0f;
    return copysignf(quarters / 4.0f, x);
}

/* ---- on the host ---- */

/* C is computed in tiles of a few rows by a panel of columns: the sums stay in the L1 cache, the panel of B in L2. */
enum { ROWS = 4, PANEL = 64 };
static const double PRODUCTS_PER_THREAD = 5e5; /* below this, a thread costs more to start than it saves */

/* The widest vectors the processor has; products of two elements are exact in double, so all give the same result. */
#if defined(__x86_64__) && defined(__linux__)
#define BEST_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BEST_VECTORS
#endif

typedef struct {
    double sum[ROWS][PANEL], sum_abs[ROWS][PANEL];
} tile_sums;

/* `width` elements of row l of B from column j0 on. */
static inline void load_b(const verify_case *v, int l, int j0, int width, double *b) {
    const float *from = v->b.data + (size_t)l * v->b.ld + j0;
    if (v->b.type != DTYPE_F32 || v->b_transposed)
        for (int j = 0; j < width; j++) b[j] = verify_b_at(v, l, j0 + j);
    else if (width == PANEL)
        for (int j = 0; j < PANEL; j++) b[j] = from[j];
    else
        for (int j = 0; j < width; j++) b[j] = from[j];
}

/* Sums of products, and of their magnitudes, of `rows` rows from i0 and `width` columns from j0. `panel`: these
 * columns of B, PANEL doubles a row, or NULL. */
BEST_VECTORS static void sum_tile(const verify_case *v, int i0, int rows, int j0, int width, int k, const double *panel,
                                  tile_sums *t) {
    double sum[ROWS][PANEL] = {{0.0}}, sum_abs[ROWS][PANEL] = {{0.0}}, loaded[PANEL] = {0.0};
    for (int l = 0; l < k; l++) {
        const double *b = panel != NULL ? panel + (size_t)l * PANEL : loaded;
        if (panel == NULL) load_b(v, l, j0, width, loaded);
        for (int i = 0; i < rows; i++) {
            double a = verify_a_at(v, i0 + i, l);
            for (int j = 0; j < PANEL; j++) {
                sum[i][j] += a * b[j];
                sum_abs[i][j] += fabs(a * b[j]);
            }
        }
    }
    memcpy(t->sum, sum, sizeof sum);
    memcpy(t->sum_abs, sum_abs, sizeof sum_abs);
}

static bool before(const verify_element *a, const verify_element *b) {
    return a->row != b->row ? a->row < b->row : a->col < b->col;
}

/* Tiles and threads finish in any order; report the first wrong element in row order, and of equally wrong ones the
 * first. */
static void note_wrong(verify_result *r, const verify_element *first, const verify_element *worst, double share) {
    if (r->wrong == 0 || before(first, &r->first)) r->first = *first;
    if (share > r->worst_share || (share == r->worst_share && before(worst, &r->worst))) r->worst = *worst;
}

static void check_element(const verify_case *v, int row, int col, double sum, double sum_abs, verify_result *r) {
    double c0 = verify_c0(v, row, col), d0 = verify_d0(v, col);
    double ref = verify_expected(v, sum, c0, d0);
    double bound = verify_bound(v, verify_magnitude(v, row, col, sum_abs), ref, c0, d0);
    double c = verify_c_at(v, row, col);
    double share = verify_judge(v, c, ref, bound);
    if (share > 1.0) {
        verify_element e = {row, col, ref, c, bound};
        note_wrong(r, &e, &e, share);
        r->wrong++;
    }
    if (share > r->worst_share) r->worst_share = share;
}

/* A panel for a single column would be mostly empty. */
static void check_vector(const verify_case *v, int first_row, int end_row, int k, verify_result *r) {
    for (int i = first_row; i < end_row; i++) {
        double sum = 0.0, sum_abs = 0.0;
        for (int l = 0; l < k; l++) {
            double product = verify_a_at(v, i, l) * verify_b_at(v, l, 0);
            sum += product;
            sum_abs += fabs(product);
        }
        check_element(v, i, 0, sum, sum_abs, r);
    }
}

typedef struct {
    const verify_case *v;
    verify_result *results; /* of each thread */
} check_job;

/* A thread's share of the rows. */
static void check_rows(void *context, int thread, int threads) {
    const check_job *job = context;
    const verify_case *v = job->v;
    verify_result *result = &job->results[thread];
    const int m = verify_m(v), n = verify_n(v), k = v->alpha == 0.0f ? 0 : verify_k(v);
    const int first_row = (int)((int64_t)m * thread / threads);
    const int end_row = (int)((int64_t)m * (thread + 1) / threads);
    tile_sums t;
    if (n == 1) {
        check_vector(v, first_row, end_row, k, result);
        return;
    }
    /* What is dear to load is loaded once for all rows. */
    const bool dear = (v->b.type != DTYPE_F32 || v->b_transposed) && end_row - first_row > ROWS;
    double *panel = dear ? calloc((size_t)k + 1, PANEL * sizeof *panel) : NULL;
    for (int j0 = 0; j0 < n; j0 += PANEL) {
        int width = n - j0 < PANEL ? n - j0 : PANEL;
        for (int l = 0; panel != NULL && l < k; l++) load_b(v, l, j0, width, panel + (size_t)l * PANEL);
        for (int i0 = first_row; i0 < end_row; i0 += ROWS) {
            int rows = end_row - i0 < ROWS ? end_row - i0 : ROWS;
            sum_tile(v, i0, rows, j0, width, k, panel, &t);
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < width; j++) check_element(v, i0 + i, j0 + j, t.sum[i][j], t.sum_abs[i][j], result);
        }
    }
    free(panel);
}

void verify_host(const verify_case *v, verify_result *r) {
    verify_result results[PARALLEL_MAX] = {0};
    const int threads = parallel_threads((double)verify_m(v) * verify_n(v) * verify_k(v), PRODUCTS_PER_THREAD);
    parallel_run(threads, check_rows, &(check_job){v, results});
    *r = (verify_result){0};
    for (int t = 0; t < threads; t++) {
        const verify_result *part = &results[t];
        if (part->wrong > 0) note_wrong(r, &part->first, &part->worst, part->worst_share);
        r->wrong += part->wrong;
        if (part->worst_share > r->worst_share) r->worst_share = part->worst_share;
    }
}

/* ---- the report ---- */

static void print_difference(FILE *f, const verify_element *e) {
    fprintf(f, ": expected %.9g, got %.9g", e->expected, e->got);
    if (e->bound > 0.0) fprintf(f, " (off by %.3g, allowed %.3g)", fabs(e->got - e->expected), e->bound);
    fputc('\n', f);
}

static void print_element(FILE *f, const char *which, const verify_case *v, const verify_element *e) {
    const windows *w = &v->seen;
    if (w->there)
        fprintf(f, "  %s at image %d, filter %d, row %d, column %d", which, e->row / (w->p * w->q), e->col,
                e->row / w->q % w->p, e->row % w->q);
    else
        fprintf(f, "  %s at row %d, column %d", which, e->row, e->col);
    print_difference(f, e);
}

void verify_report(FILE *f, const char *what, const verify_case *v, const verify_result *r) {
    fprintf(f, "%s: %s pass: %llu of %llu elements wrong (m %d, n %d, k %d, alpha %g, beta %g)\n", what,
            v->exact ? "exact" : "random", (unsigned long long)r->wrong,
            (unsigned long long)verify_m(v) * (unsigned long long)verify_n(v), verify_m(v), verify_n(v), verify_k(v),
            (double)v->alpha, (double)v->beta);
    print_element(f, "first", v, &r->first);
    print_element(f, "worst", v, &r->worst);
}

void verify_report_vector(FILE *f, const char *what, const verify_case *v, const verify_result *r) {
    fprintf(f, "%s: %s pass: %llu of %d elements wrong (%s, n %d, k %d, alpha %g, beta %g)\n", what,
            v->exact ? "exact" : "random", (unsigned long long)r->wrong, v->c.rows, dtype_name(v->c.type), v->c.rows,
            v->a.cols, (double)v->alpha, (double)v->beta);
    fprintf(f, "  first: y[%d]", r->first.row);
    print_difference(f, &r->first);
    fprintf(f, "  worst: y[%d]", r->worst.row);
    print_difference(f, &r->worst);
}
