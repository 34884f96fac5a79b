/* Recorded measurements: one row, as CSV (schema in RECORD_HEADER) and as its JSON twin (one object a line). */
#ifndef KL_RECORD_H
#define KL_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RECORD_HEADER                                                                                                  \
    "step,variant,op,dtype,layout,m,n,k,d,alpha,beta,cache,mode,ms_median,ms_min,ms_max,gflops,gbps,peak_share,"       \
    "baseline,baseline_ms,ratio,ratio_min,ratio_max,max_err_bound_share,clock_mhz,power_w,device,cc,driver,cuda,date"

enum { RECORD_TEXT = 64 };

/* A NAN number and an empty string mean "not measured" and make an empty field (null in JSON). */
typedef struct {
    char step[RECORD_TEXT], variant[RECORD_TEXT], op[RECORD_TEXT], dtype[RECORD_TEXT], layout[RECORD_TEXT];
    int64_t m, n, k, d; /* d: -1 where it does not apply (empty field) */
    double alpha, beta;
    char cache[RECORD_TEXT], mode[RECORD_TEXT]; /* cold | warm; events | graph | pdl | sustained |
                                                 * transfers (events, with copies from and to the host) | cpu; sim */
    double ms_median, ms_min, ms_max;           /* milliseconds a launch */
    double gflops, gbps;                        /* 1e9 FLOP/s; 1e9 compulsory bytes/s */
    double peak_share;                          /* of the device's peak, 1 = all of it */
    char baseline[RECORD_TEXT];
    double baseline_ms, ratio, ratio_min, ratio_max; /* ratio = baseline time / ours, pair by pair */
    double max_err_bound_share;                      /* worst |c - ref| / bound */
    double clock_mhz, power_w;
    char device[RECORD_TEXT], cc[RECORD_TEXT], driver[RECORD_TEXT], cuda[RECORD_TEXT], date[RECORD_TEXT];
} record;

/* Checks that `path` can be appended to before anything is measured: it can be opened for writing and, when it is not
 * empty, starts with RECORD_HEADER. A last line without its newline (a write cut short) is refused too. A file that was
 * absent is absent again afterwards (and one that was there is untouched); record_csv_append makes it, header first.
 * Returns 0, or 2 after one line on `err`. */
int record_csv_prepare(const char *path, FILE *err);

/* The same for the JSON file (no header: when it is not empty it starts with '{'). */
int record_json_prepare(const char *path, FILE *err);

/* Appends one whole line with a single write() to the file opened O_APPEND: concurrent writers do not tear lines and
 * nothing half-written remains (a short write is cut off again). Returns 0, or 3 after one line on `err`. */
int record_csv_append(const char *path, const record *r, FILE *err);
int record_json_append(const char *path, const record *r, FILE *err);

/* The same for other files of lines below a header (a line, or ""): `option` names the file in the message; `text` is
 * the header and the lines below it, and its first `header` bytes are left out where the file has a header already. */
int record_text_prepare(const char *option, const char *path, const char *header, FILE *err);
int record_text_append(const char *path, const char *text, size_t header, FILE *err);

/* A field of a CSV file as RFC 4180 has it: in quotes, its own quotes doubled, where it holds a comma, a quote or a
 * line end. */
void record_put_csv_text(FILE *f, const char *text);

/* Reads a CSV written by record_csv_append. *rows is malloc'ed (free it) and *count set. Returns 0, or 2 after one line
 * on `err` naming file, line and reason. A file that does not exist has no rows. */
int record_csv_load(const char *path, record **rows, int *count, FILE *err);

/* True when both are measurements of the same thing (step to layout, shape, scalars, cache, device, cc): what
 * --resume skips. */
bool record_same_case(const record *a, const record *b);

#endif
