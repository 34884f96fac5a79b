#include "watch/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "watch/floor.h"

/* ---- what all have ----------------------------------------------------------------------------------------------- */

static bool is_ratio(int m) {
    return m == METRIC_ACTIVE || m == METRIC_LOAD_PER_REQUEST || m == METRIC_STORE_PER_REQUEST ||
           m == METRIC_OCCUPANCY || m == METRIC_WAVES || m == METRIC_BALANCE;
}

/* 1234567 as 1,234,567; ratios, and means that are no whole numbers, with two decimals. */
static const char *say_number(double value, bool ratio, char *text, size_t size) {
    char plain[64];
    if (ratio || value != (double)(int64_t)value) {
        snprintf(text, size, "%.2f", value);
        return text;
    }
    const int length = snprintf(plain, sizeof plain, "%lld", (long long)value);
    size_t used = 0;
    for (int k = 0; k < length && used + 2 < size; k++) {
        if (k > 0 && (length - k) % 3 == 0) text[used++] = ',';
        text[used++] = plain[k];
    }
    text[used] = '\0';
    return text;
}

static void print_kernel(const counted_kernel *k, FILE *out) {
    fprintf(out, "\n%s%s%s%s%s\n", k->what, *k->what != '\0' ? ", " : "", k->problem, *k->problem != '\0' ? ": " : "",
            READABLE(k->name));
    fprintf(out, "  grid (%u,%u,%u), block (%u,%u,%u)", k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1],
            k->block[2]);
    if (k->cluster[0] * k->cluster[1] * k->cluster[2] > 1)
        fprintf(out, ", cluster (%u,%u,%u)", k->cluster[0], k->cluster[1], k->cluster[2]);
    fprintf(out, "; %s\n", k->launches == 1 ? "1 launch" : "counts of one launch");
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

typedef struct table_row {
    const char *heading; /* or NULL: */
    int metric;
} table_row;

static const table_row table_rows[] = {
#define GROUP(heading)                               {heading, 0},
#define METRIC(id, plain, nsight, unit, explanation) {NULL, METRIC_##id},
#include "watch/metrics.def"
#undef GROUP
#undef METRIC
};
#define TABLE_ROWS ((int)(sizeof table_rows / sizeof *table_rows))

/* Says what keeps more blocks from fitting on an SM. */
static const char *limited_by(const double *v) {
    const double least =
        v[METRIC_LIMIT_REGISTERS] < v[METRIC_LIMIT_SHARED] ? v[METRIC_LIMIT_REGISTERS] : v[METRIC_LIMIT_SHARED];
    if (v[METRIC_LIMIT_WARPS] <= least) return "threads";
    return v[METRIC_LIMIT_REGISTERS] <= v[METRIC_LIMIT_SHARED] ? "registers" : "shared memory";
}

/* Of the times of a launch's units: what they do. */
static const char *const works[METRIC_COUNT] = {[METRIC_FLOOR_ISSUE] = "instructions",
                                                [METRIC_FLOOR_FP32] = "instructions",
                                                [METRIC_FLOOR_INTEGER] = "instructions",
                                                [METRIC_FLOOR_MMA] = "FLOP",
                                                [METRIC_FLOOR_WGMMA] = "FLOP",
                                                [METRIC_FLOOR_SHARED] = "wavefronts",
                                                [METRIC_FLOOR_L1] = "clocks",
                                                [METRIC_FLOOR_LSU] = "clocks",
                                                [METRIC_FLOOR_SHARED_ADDS] = "additions",
                                                [METRIC_FLOOR_L2_READ] = "bytes",
                                                [METRIC_FLOOR_L2_WRITE] = "bytes",
                                                [METRIC_FLOOR_DRAM] = "bytes",
                                                [METRIC_FLOOR_DRAM_CACHED] = "bytes",
                                                [METRIC_FLOOR_ATOMICS] = "additions"};

/* Such a time, its share of the largest, and how it came about: " 2.146  100 %  8,192 instructions, 3.95 a clock". */
static void print_time(int m, const double *v, const floor_need *n, const ceilings *c, FILE *out) {
    char work[64];
    fprintf(out, "    %-38s %18.3f", metrics[m].plain, v[m]);
    if (m == METRIC_FLOOR_INTEGER)
        fprintf(out, "    -  ");
    else if (m != METRIC_FLOOR)
        fprintf(out, "  %3.0f %%", 100 * v[m] / v[METRIC_FLOOR]);
    if (n->rate > 0) {
        fprintf(out, "  %s %s, ", say_number(round(n->work), false, work, sizeof work), works[m]);
        fprintf(out,
                !n->of_gpu                  ? "%.4g a clock\n"
                : m == METRIC_FLOOR_ATOMICS ? "%.0f a ns\n"
                                            : "%.0f GB/s\n",
                n->of_gpu ? n->rate * c->sms * c->clock_mhz / 1e3 : n->rate);
    } else {
        fputc('\n', out);
    }
}

/* What stands under a group's heading. */
static void print_heading(const char *heading, const ceilings *c, FILE *out) {
    fprintf(out, "  %s\n", heading);
    if (strcmp(heading, "speed of light") == 0)
        fprintf(
            out,
            "    microseconds that each needs at least: a floor, no prediction\n    ceilings %s an %s, %.0f MHz%s\n",
            c->measured ? "measured on" : "from the data sheet of", c->device, c->clock_mhz,
            c->measured ? "" : " (nobody measured it: L2, atomics, launches unknown)");
}

static void print_table(const counted_kernel *k, FILE *out) {
    double v[METRIC_COUNT];
    char text[64];
    const char *heading = NULL;
    floor_need needs[METRIC_COUNT];
    const ceilings *c = ceilings_current();
    metrics_of(k, v);
    floor_of(k, c, v, needs);
    print_kernel(k, out);
    for (int r = 0; r < TABLE_ROWS; r++) {
        if (table_rows[r].heading != NULL) {
            heading = table_rows[r].heading;
            continue;
        }
        const int m = table_rows[r].metric;
        if (v[m] == 0) continue;
        if (heading != NULL) print_heading(heading, c, out);
        heading = NULL;
        if (m >= METRIC_FLOOR_ISSUE && m <= METRIC_FLOOR) {
            print_time(m, v, &needs[m], c, out);
            continue;
        }
        const char *nsight = m == METRIC_OCCUPANCY ? limited_by(v) : m == METRIC_BALANCE ? "%" : metrics[m].nsight;
        fprintf(out, "    %-38s %18s%s%s%s\n", metrics[m].plain, say_number(v[m], is_ratio(m), text, sizeof text),
                *nsight != '\0' ? "  " : "", m == METRIC_OCCUPANCY ? "%, limited by " : "", nsight);
    }
}

void report_tables(const counted_kernel *first, FILE *out) {
    for (const counted_kernel *k = first; k != NULL; k = k->next) print_table(k, out);
    if (first != NULL)
        fprintf(
            out,
            "\nThese are the counts of the PTX that ran. ptxas merges neighbouring loads from shared memory and drops\n"
            "moves, so of instructions and of shared-memory requests a GPU counts fewer.\n");
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

typedef struct line_counts {
    const char *file;
    int line;
    double v[METRIC_COUNT];
} line_counts;

static int by_place(const void *a, const void *b) {
    const line_counts *x = a, *y = b;
    const int files = strcmp(x->file, y->file);
    return files != 0 ? files : x->line - y->line;
}

/* The kernel's lines with what they count, in order; to be freed. */
static line_counts *fold_lines(const counted_kernel *k, int *count) {
    line_counts *lines = calloc((size_t)k->count + 1, sizeof *lines);
    *count = 0;
    for (int n = 0; lines != NULL && n < k->count; n++) {
        const counted_insn *i = &k->instructions[n];
        if (i->file == NULL) continue;
        line_counts *l = lines;
        while (l < lines + *count && (l->line != i->line || strcmp(l->file, i->file) != 0)) l++;
        if (l == lines + *count) {
            ++*count;
            l->file = i->file;
            l->line = i->line;
        }
        metrics_add(i, l->v);
    }
    if (lines != NULL) qsort(lines, (size_t)*count, sizeof *lines, by_place);
    for (int n = 0; n < *count; n++) {
        for (int m = 0; m < METRIC_COUNT; m++) lines[n].v[m] /= (double)k->launches;
        metrics_ratios(lines[n].v);
    }
    return lines;
}

static void print_cell(double value, bool ratio, int width, FILE *out) {
    char text[64] = "";
    if (value != 0) say_number(value, ratio, text, sizeof text);
    fprintf(out, " %*s", width, text);
}

static void print_margin(const double *v, FILE *out) {
    static const double none[METRIC_COUNT];
    if (v == NULL) v = none;
    print_cell(v[METRIC_INSTRUCTIONS], false, 14, out);
    print_cell(v[METRIC_ACTIVE], true, 5, out);
    print_cell(v[METRIC_LOAD_SECTORS] + v[METRIC_STORE_SECTORS] + v[METRIC_ATOMIC_SECTORS], false, 13, out);
    print_cell(v[METRIC_SHARED_WAVEFRONTS], false, 13, out);
    print_cell(v[METRIC_SHARED_LOAD_CONFLICTS] + v[METRIC_SHARED_STORE_CONFLICTS], false, 12, out);
}

/* The lines of one file, from the first that counts anything to the last. */
static void print_file(const line_counts *lines, int count, FILE *out) {
    FILE *source = fopen(lines->file, "r");
    char text[512];
    int at = 0;
    fprintf(out, "  %s%s\n", lines->file,
            source == NULL ? " (which cannot be read: the lines that count something)" : "");
    fprintf(out, " %14s %5s %13s %13s %12s\n", "instructions", "lanes", "sectors", "wavefronts", "conflicts");
    if (source == NULL)
        for (; at < count; at++) {
            print_margin(lines[at].v, out);
            fprintf(out, " %5d\n", lines[at].line);
        }
    for (int line = 1; source != NULL && at < count && fgets(text, sizeof text, source) != NULL; line++) {
        const bool counts = line == lines[at].line;
        if (line < lines[0].line) continue;
        print_margin(counts ? lines[at].v : NULL, out);
        fprintf(out, " %5d  %s", line, text);
        if (strchr(text, '\n') == NULL) fputc('\n', out);
        at += counts;
    }
    if (source != NULL) fclose(source);
}

void report_lines(const counted_kernel *first, FILE *out) {
    for (const counted_kernel *k = first; k != NULL; k = k->next) {
        int count;
        line_counts *lines = fold_lines(k, &count);
        print_kernel(k, out);
        if (count == 0) fprintf(out, "  its PTX names no source lines: compile with -lineinfo\n");
        for (int from = 0, to; from < count; from = to) {
            for (to = from; to < count && strcmp(lines[to].file, lines[from].file) == 0;) to++;
            print_file(lines + from, to - from, out);
        }
        free(lines);
    }
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void put_field(const char *text, FILE *out) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void report_csv(const counted_kernel *first, FILE *out) {
    fprintf(out, "variant,problem,kernel,grid,block,launches,metric,plain,nsight,value,unit\n");
    for (const counted_kernel *k = first; k != NULL; k = k->next) {
        double v[METRIC_COUNT];
        metrics_of(k, v);
        for (int m = 0; m < METRIC_COUNT; m++) {
            put_field(k->what, out);
            fputc(',', out);
            put_field(k->problem, out);
            fputc(',', out);
            put_field(READABLE(k->name), out);
            fprintf(out, ",%ux%ux%u,%ux%ux%u,%lld,%s,\"%s\",%s,%.17g,%s\n", k->grid[0], k->grid[1], k->grid[2],
                    k->block[0], k->block[1], k->block[2], (long long)k->launches, metrics[m].id, metrics[m].plain,
                    metrics[m].nsight, v[m], metrics[m].unit);
        }
    }
}
