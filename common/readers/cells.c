/* Elements of a binary file: left where they are in the file and converted only on access. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "readers/table_build.h"

enum { BYTES_PER_THREAD = 4 << 20, TILE = 64 };

/* IEEE 754 binary16, for which C11 has no type. */
static float half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                            : exponent == 0 ? ldexpf((float)fraction, -24)
                                            : ldexpf((float)(fraction + 1024), exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

#define AS_IT_IS(x) (x)
#define SWAP_1(x)   (x)
#define SWAP_2(x)   __builtin_bswap16(x)
#define SWAP_4(x)   __builtin_bswap32(x)
#define SWAP_8(x)   __builtin_bswap64(x)

/* For each element type: its C type, the integer type for swapping its bytes, its size, and how to convert it to a
 * value. */
#define EACH_CELL(row)                                                                                                 \
    row(CELL_U8, uint8_t, uint8_t, 1, AS_IT_IS) row(CELL_I8, int8_t, uint8_t, 1, AS_IT_IS)                             \
        row(CELL_U16, uint16_t, uint16_t, 2, AS_IT_IS) row(CELL_I16, int16_t, uint16_t, 2, AS_IT_IS)                   \
            row(CELL_U32, uint32_t, uint32_t, 4, AS_IT_IS) row(CELL_I32, int32_t, uint32_t, 4, AS_IT_IS)               \
                row(CELL_U64, uint64_t, uint64_t, 8, AS_IT_IS) row(CELL_I64, int64_t, uint64_t, 8, AS_IT_IS)           \
                    row(CELL_F16, uint16_t, uint16_t, 2, half) row(CELL_F32, float, uint32_t, 4, AS_IT_IS)             \
                        row(CELL_F64, double, uint64_t, 8, AS_IT_IS)

/* Copies `count` elements, `step` bytes apart, to every `every`-th place of `to`. */
#define CONVERT(result, name)                                                                                          \
    KL_VECTORISED static void name(const table *t, const unsigned char *at, size_t step, size_t count, result *to,     \
                                   size_t every) {                                                                     \
        switch (t->type) { EACH_CELL(CASE_##result) }                                                                  \
    }
#define CASE_float(cell, type, bits, size, value)  CASE(float, cell, type, bits, size, value)
#define CASE_double(cell, type, bits, size, value) CASE(double, cell, type, bits, size, value)
#define CASE(result, cell, type, bits, size, value)                                                                    \
    case cell:                                                                                                         \
        for (size_t i = 0; i < count; i++) {                                                                           \
            bits raw;                                                                                                  \
            type element;                                                                                              \
            memcpy(&raw, at + i * step, size);                                                                         \
            if (t->swapped) raw = SWAP_##size(raw);                                                                    \
            memcpy(&element, &raw, size);                                                                              \
            to[i * every] = (result)value(element);                                                                    \
        }                                                                                                              \
        break;
CONVERT(float, to_floats)
CONVERT(double, to_doubles)

size_t table_cell_size(cell_type type) {
#define SIZE_CASE(cell, type, bits, size, value)                                                                       \
    case cell:                                                                                                         \
        return size;
    switch (type) { EACH_CELL(SIZE_CASE) }
    return 0;
}

int table_take_cells(table *t, bool by_column) {
    const size_t size = table_cell_size(t->type), bytes = (size_t)t->rows * (size_t)t->columns * size;
    if (!input_rest(t->in, bytes + 1, &t->block)) return 2;
    if (t->block.length < bytes)
        return table_reject(t, 0, -1, "truncated: it ends before its %d x %d elements do", t->rows, t->columns);
    if (t->block.length > bytes)
        return table_reject(t, 0, -1, "bytes follow its %d x %d elements", t->rows, t->columns);
    t->cells = t->block.bytes;
    t->row_stride = by_column ? size : (size_t)t->columns * size;
    t->column_stride = by_column ? (size_t)t->rows * size : size;
    return 0;
}

static const unsigned char *cell_at(const table *t, int row, int column) {
    return t->cells + (size_t)row * t->row_stride + (size_t)column * t->column_stride;
}

double table_cell(const table *t, int row, int column) {
    double value;
    to_doubles(t, cell_at(t, row, column), 0, 1, &value, 1);
    return value;
}

void table_cells(const table *t, int row, int first, int count, double *to) {
    to_doubles(t, cell_at(t, row, first), t->column_stride, (size_t)count, to, 1);
}

/* ---- whole tables ---- */

typedef struct {
    const table *t;
    const int *rows;
    int from, count, first, columns;
    float *to;
    size_t beyond[PARALLEL_MAX]; /* the first value in each thread's share that is too large, or SIZE_MAX */
} copy_job;

static void copy_row(const copy_job *c, int row, float *to) {
    const table *t = c->t;
    const unsigned char *from = cell_at(t, row, c->first);
    if (t->type == CELL_F32 && !t->swapped && t->column_stride == sizeof *to)
        memcpy(to, from, (size_t)c->columns * sizeof *to);
    else
        to_floats(t, from, t->column_stride, (size_t)c->columns, to, 1);
}

/* One thread's share of the rows; a tile of rows at a time if the file stores column after column. */
static void copy_rows(void *context, int thread, int threads) {
    copy_job *c = context;
    const table *t = c->t;
    const int begin = (int)((int64_t)c->count * thread / threads);
    const int end = (int)((int64_t)c->count * (thread + 1) / threads);
    const size_t width = (size_t)c->columns;
    const bool by_column = t->column_stride > t->row_stride && c->rows == NULL;
    c->beyond[thread] = SIZE_MAX;
    for (int i = begin, rows; i < end; i += rows) {
        float *const to = c->to + (size_t)i * width;
        rows = !by_column ? 1 : end - i < TILE ? end - i : TILE;
        if (!by_column) copy_row(c, c->rows != NULL ? c->rows[c->from + i] : c->from + i, to);
        for (size_t j = 0; by_column && j < width; j++)
            to_floats(t, cell_at(t, c->from + i, c->first + (int)j), t->row_stride, (size_t)rows, to + j, width);
        if (t->type != CELL_F64) continue; /* the values of all other types fit in FP32 */
        for (size_t j = 0; j < (size_t)rows * width; j++)
            if (!isfinite(to[j])) {
                c->beyond[thread] = (size_t)i * width + j;
                return;
            }
    }
}

size_t table_copy(const table *t, const int *rows, int from, int count, int first, int columns, float *to) {
    const double bytes = (double)count * columns * (double)(sizeof *to + table_cell_size(t->type));
    const int threads = parallel_threads(bytes, BYTES_PER_THREAD);
    copy_job job = {.t = t, .rows = rows, .from = from, .count = count, .first = first, .columns = columns, .to = to};
    parallel_run(threads, copy_rows, &job);
    for (int i = 0; i < threads; i++)
        if (job.beyond[i] != SIZE_MAX) return job.beyond[i];
    return SIZE_MAX;
}

/* ---- what is refused ---- */

/* Consecutive elements, some of which may have to be skipped between rows. */
typedef struct {
    const table *t;
    size_t lines, length; /* rows; or columns, if these are contiguous */
    size_t stride;
    size_t first[PARALLEL_MAX]; /* the refused element of each thread's share, or SIZE_MAX */
} check_job;

/* A float or double is finite if its exponent is not all ones; an integer is exact in FP64 up to 2^53. The whole line
 * is checked before answering, so that the compiler can vectorise the loop. */
#define REFUSES(name, bits, size, refused)                                                                             \
    KL_VECTORISED static bool name(const unsigned char *at, size_t count, bool swapped) {                              \
        int any = 0;                                                                                                   \
        if (swapped)                                                                                                   \
            for (size_t i = 0; i < count; i++) {                                                                       \
                bits x;                                                                                                \
                memcpy(&x, at + i * size, size);                                                                       \
                x = SWAP_##size(x);                                                                                    \
                any |= refused;                                                                                        \
            }                                                                                                          \
        else                                                                                                           \
            for (size_t i = 0; i < count; i++) {                                                                       \
                bits x;                                                                                                \
                memcpy(&x, at + i * size, size);                                                                       \
                any |= refused;                                                                                        \
            }                                                                                                          \
        return any;                                                                                                    \
    }
REFUSES(refuses_f16, uint16_t, 2, (x & 0x7c00) == 0x7c00)
REFUSES(refuses_f32, uint32_t, 4, (x & 0x7f800000) == 0x7f800000)
REFUSES(refuses_f64, uint64_t, 8, (x & UINT64_C(0x7ff0000000000000)) == UINT64_C(0x7ff0000000000000))
REFUSES(refuses_u64, uint64_t, 8, x > UINT64_C(1) << 53)
REFUSES(refuses_i64, uint64_t, 8, x + (UINT64_C(1) << 53) > UINT64_C(1) << 54)

typedef bool (*refusal)(const unsigned char *at, size_t count, bool swapped);

static refusal refusal_of(cell_type type) {
    static const refusal of_type[] = {[CELL_F16] = refuses_f16,
                                      [CELL_F32] = refuses_f32,
                                      [CELL_F64] = refuses_f64,
                                      [CELL_U64] = refuses_u64,
                                      [CELL_I64] = refuses_i64};
    return of_type[type];
}

static void check_lines(void *context, int thread, int threads) {
    check_job *c = context;
    const table *t = c->t;
    const refusal refuses = refusal_of(t->type);
    const size_t begin = c->lines * (size_t)thread / (size_t)threads,
                 end = c->lines * ((size_t)thread + 1) / (size_t)threads, size = table_cell_size(t->type);
    c->first[thread] = SIZE_MAX;
    for (size_t i = begin; i < end; i++) {
        const unsigned char *line = t->cells + i * c->stride;
        if (!refuses(line, c->length, t->swapped)) continue;
        size_t j = 0;
        while (!refuses(line + j * size, 1, t->swapped)) j++;
        c->first[thread] = i * c->length + j;
        return;
    }
}

int table_check_cells(table *t) {
    if (refusal_of(t->type) == NULL) return 0;
    const bool by_column = t->column_stride > t->row_stride;
    check_job c = {.t = t,
                   .lines = (size_t)(by_column ? t->columns : t->rows),
                   .length = (size_t)(by_column ? t->rows : t->columns),
                   .stride = by_column ? t->column_stride : t->row_stride};
    const double bytes = (double)t->rows * t->columns * (double)table_cell_size(t->type);
    const int threads = parallel_threads(bytes, BYTES_PER_THREAD);
    parallel_run(threads, check_lines, &c);
    for (int i = 0; i < threads; i++) {
        if (c.first[i] == SIZE_MAX) continue;
        const int line = (int)(c.first[i] / c.length), place = (int)(c.first[i] % c.length);
        const int row = by_column ? place : line, column = by_column ? line : place;
        const double value = table_cell(t, row, column);
        if (isfinite(value))
            return table_complain(t, row, column, t->err, "%.0f: integers beyond 2^53 would not be exact", value);
        return table_complain(t, row, column, t->err, "%s: not a finite number",
                              isnan(value) ? "NaN"
                              : value > 0  ? "Inf"
                                           : "-Inf");
    }
    return 0;
}
