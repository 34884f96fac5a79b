#include "fragment.h"

#include <string.h>

static int slots(const fragment *f) {
    return FRAGMENT_LANES * f->elements;
}

/* ---- finding ---- */

/* Slot number i in the order of numbering: pack by pack, and within each pack lane by lane. */
static int counted(const fragment *f, int i) {
    const int in_pack = i % f->pack, lane = i / f->pack % FRAGMENT_LANES, pack = i / f->pack / FRAGMENT_LANES;
    return lane * f->elements + pack * f->pack + in_pack;
}

static int *row_of(fragment *f, int slot) {
    return &f->at[slot / f->elements][slot % f->elements].row;
}

static int *col_of(fragment *f, int slot) {
    return &f->at[slot / f->elements][slot % f->elements].col;
}

static void forget(fragment *f) {
    memset(f->at, -1, sizeof f->at);
}

/* Rows: the slots of D that a slot of A reaches are in the same row as it. */
static void find_rows(const fragment_mma *seen, fragment *a, fragment *d) {
    int next = 0;
    for (int i = 0; i < slots(d); i++) {
        const int first = counted(d, i);
        if (*row_of(d, first) >= 0) continue;
        for (int s = 0; s < slots(a); s++) {
            if (seen->met[s][first] < 0) continue;
            *row_of(a, s) = next;
            for (int t = 0; t < slots(d); t++)
                if (seen->met[s][t] >= 0) *row_of(d, t) = next;
        }
        next++;
    }
}

/* Columns: the slots of D that a slot of B reaches are in the same column as it. */
static void find_columns(const fragment_mma *seen, const fragment *a, fragment *b, fragment *d) {
    int next = 0;
    for (int i = 0; i < slots(d); i++) {
        const int first = counted(d, i);
        if (*col_of(d, first) >= 0) continue;
        for (int s = 0; s < slots(a); s++) {
            const int with = seen->met[s][first];
            if (with < 0) continue;
            *col_of(b, with) = next;
            for (int r = 0; r < slots(a); r++)
                for (int t = 0; t < slots(d); t++)
                    if (seen->met[r][t] == with) *col_of(d, t) = next;
        }
        next++;
    }
}

/* k: slots of A and B that meet have the same k. */
static void find_k(const fragment_mma *seen, fragment *a, fragment *b, const fragment *d) {
    int next = 0;
    for (int i = 0; i < slots(a); i++) {
        const int s = counted(a, i);
        int k = -1;
        for (int t = 0; t < slots(d); t++)
            if (seen->met[s][t] >= 0 && k < 0) k = *row_of(b, seen->met[s][t]);
        if (k < 0) k = next++;
        *col_of(a, s) = k;
        for (int t = 0; t < slots(d); t++)
            if (seen->met[s][t] >= 0) *row_of(b, seen->met[s][t]) = k;
    }
}

void fragment_find(const fragment_mma *seen, fragment *a, fragment *b, fragment *d) {
    forget(a);
    forget(b);
    forget(d);
    find_rows(seen, a, d);
    find_columns(seen, a, b, d);
    find_k(seen, a, b, d);
}

/* ---- comparing ---- */

/* The slot that holds element (row, col); -1: none. */
static int holder(const fragment *f, int row, int col) {
    for (int lane = 0; lane < FRAGMENT_LANES; lane++)
        for (int e = 0; e < f->elements; e++)
            if (f->at[lane][e].row == row && f->at[lane][e].col == col) return lane * f->elements + e;
    return -1;
}

bool fragment_agrees(const fragment_mma *seen, const fragment *a, const fragment *b, const fragment *d, FILE *out) {
    for (int t = 0; t < slots(d); t++) {
        const int lane = t / d->elements, e = t % d->elements;
        for (int s = 0; s < slots(a); s++) {
            const int of_a = s / a->elements, i = s % a->elements;
            const bool in_row = a->at[of_a][i].row == d->at[lane][e].row;
            const int expected = in_row ? holder(b, a->at[of_a][i].col, d->at[lane][e].col) : -1;
            if (seen->met[s][t] == expected) continue;
            fprintf(out, "WRONG: T%d's %c%d times slot %d of B goes into T%d's %c%d; documented: slot %d\n", of_a,
                    a->letter, i, seen->met[s][t], lane, d->letter, e, expected);
            return false;
        }
        if (seen->added[t] == t) continue;
        fprintf(out, "WRONG: slot %d of C is added to T%d's %c%d\n", seen->added[t], lane, d->letter, e);
        return false;
    }
    return true;
}

bool fragment_same(const fragment *found, const fragment *expected, FILE *out) {
    int wrong = 0, first = 0;
    for (int s = slots(found) - 1; s >= 0; s--) {
        const int lane = s / found->elements, e = s % found->elements;
        if (found->at[lane][e].row == expected->at[lane][e].row && found->at[lane][e].col == expected->at[lane][e].col)
            continue;
        wrong++;
        first = s;
    }
    if (wrong == 0) return true;
    const int lane = first / found->elements, e = first % found->elements;
    fprintf(out, "WRONG: T%d's %c%d is (%d, %d), documented (%d, %d); %d of %d are in the wrong place\n", lane,
            found->letter, e, found->at[lane][e].row, found->at[lane][e].col, expected->at[lane][e].row,
            expected->at[lane][e].col, wrong, slots(found));
    return false;
}

/* ---- drawing ---- */

enum { LABEL = 9 }; /* columns in front of the boxes */

static void draw_rule(const fragment *f, int row, int width, FILE *out) {
    fprintf(out, "%*s+", LABEL, "");
    for (int col = 0; col < f->cols; col++) {
        const int here = holder(f, row, col), next = col + 1 < f->cols ? holder(f, row, col + 1) : -1;
        for (int i = 1; i < width; i++) fputc('-', out);
        fputc(next >= 0 && here / f->elements == next / f->elements ? '-' : '+', out);
    }
    fputc('\n', out);
}

static void draw_row(const fragment *f, int row, int width, FILE *out) {
    fprintf(out, "%*s %2d |", LABEL - 4, f->row_name, row);
    for (int col = 0; col < f->cols;) {
        const int first = holder(f, row, col), lane = first / f->elements;
        char text[64] = "?";
        int used = 0, together = 1;
        if (first >= 0) {
            used = snprintf(text, sizeof text, "T%d", lane);
            for (together = 0; col + together < f->cols && together < f->elements; together++) {
                const int slot = holder(f, row, col + together);
                if (slot < 0 || slot / f->elements != lane) break;
                used += snprintf(text + used, sizeof text - (size_t)used, " %c%d", f->letter, slot % f->elements);
            }
        }
        fprintf(out, "%-*s|", width * together - 1, text);
        col += together;
    }
    fputc('\n', out);
}

void fragment_draw(const fragment *f, FILE *out) {
    const int width = f->cols > 8 ? 5 : 7;
    const bool upright = f->pack > 1 && f->at[0][0].col == f->at[0][1].col; /* a register holds a piece of a column */
    const int rows_together = upright ? f->pack : 8;
    fprintf(out, "%*s", LABEL, f->matrix);
    for (int col = 0; col < f->cols; col++) fprintf(out, "%*d", col == 0 ? width / 2 + 1 : width, col);
    fputc('\n', out);
    for (int row = 0; row < f->rows; row++) {
        if (row % rows_together == 0) draw_rule(f, row, width, out);
        draw_row(f, row, width, out);
    }
    draw_rule(f, f->rows - 1, width, out);
}
