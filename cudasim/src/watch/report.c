#include "watch/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

/* ---- what all have ----------------------------------------------------------------------------------------------- */

static bool is_ratio(int m) {
    return m == METRIC_ACTIVE || m == METRIC_LOAD_PER_REQUEST || m == METRIC_STORE_PER_REQUEST || m == METRIC_OCCUPANCY;
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

static void print_table(const counted_kernel *k, FILE *out) {
    double v[METRIC_COUNT];
    char text[64];
    const char *heading = NULL;
    metrics_of(k, v);
    print_kernel(k, out);
    for (int r = 0; r < TABLE_ROWS; r++) {
        if (table_rows[r].heading != NULL) {
            heading = table_rows[r].heading;
            continue;
        }
        const int m = table_rows[r].metric;
        if (v[m] == 0) continue;
        if (heading != NULL) fprintf(out, "  %s\n", heading);
        heading = NULL;
        const char *nsight = m == METRIC_OCCUPANCY ? limited_by(v) : metrics[m].nsight;
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
