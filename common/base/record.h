/* Recorded measurements: CSV, a row each (RECORD_HEADER has the columns). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RECORD_HEADER                                                                                                  \
    "step,variant,op,dtype,layout,m,n,k,d,alpha,beta,cache,mode,ms_median,ms_min,ms_max,gflops,gbps,peak_share,"       \
    "baseline,baseline_ms,ratio,ratio_min,ratio_max,max_err_bound_share,clock_mhz,power_w,device,cc,driver,cuda,date," \
    "baseline_call,cublas,version,pairs,sets,ms_low,ms_high,ratio_low,ratio_high,calls_tried,calls_failed,calls_wrong"

enum { RECORD_TEXT = 64 };

/* A NAN or an empty string means "not measured" and becomes an empty field. */
typedef struct {
    char step[RECORD_TEXT], variant[RECORD_TEXT], op[RECORD_TEXT], dtype[RECORD_TEXT], layout[RECORD_TEXT];
    int64_t m, n, k, d; /* d is -1 (an empty field) where it does not apply */
    double alpha, beta;
    char cache[RECORD_TEXT], mode[RECORD_TEXT]; /* cold | warm; events | graph | pdl | sustained |
                                                 * chain |
                                                 * transfers (events, with copies from and to the host) | cpu; sim */
    double ms_median, ms_min, ms_max;           /* milliseconds per launch */
    double gflops, gbps;                        /* 1e9 FLOP/s; 1e9 compulsory bytes/s */
    double peak_share;                          /* of the device's peak, 1 = all of it: the data sheet's dense
                                                 * one, of arithmetic or DRAM, where common/gpu/devices.csv has it */
    char baseline[RECORD_TEXT];
    double baseline_ms, ratio, ratio_min, ratio_max; /* ratio = baseline time / our time, pair by pair */
    double max_err_bound_share;                      /* worst |c - ref| / bound */
    double clock_mhz, power_w;
    char device[RECORD_TEXT], cc[RECORD_TEXT], driver[RECORD_TEXT], cuda[RECORD_TEXT], date[RECORD_TEXT];
    char baseline_call[RECORD_TEXT]; /* the fastest of the library's calls: "cublasSgemm", "cublasLt heuristic 3" */
    char cublas[RECORD_TEXT];        /* its version: "13.1.0" */
    char version[RECORD_TEXT];       /* this repository's: "0.10.0 1a2b3c4" */
    int64_t pairs, sets;             /* samples of each side; operand sets that they rotated through; -1: empty */
    double ms_low, ms_high;          /* the median's 95 % confidence interval; so has the ratio's */
    double ratio_low, ratio_high;
    int64_t calls_tried, calls_failed, calls_wrong; /* as the baseline: all; those that refused the problem; those whose
                                                     * result was wrong; -1: empty */
} record;

/* A row in which nothing is known. */
record record_empty(void);

/* Checks, before anything is measured, that `path` can be appended to: it can be opened for writing and, if it is not
 * empty, starts with RECORD_HEADER and ends with a newline (no newline means a write was cut short). "-" and what is
 * already open as standard output always can be; a named pipe cannot, as what reads it would see its end at once. The
 * file is left unchanged; one that did not exist still does not, and record_csv_append creates it, header first.
 * Returns 0, or 2 after one line on `err`. */
int record_csv_prepare(const char *path, FILE *err);

/* Appends one whole line with a single write() to the file opened with O_APPEND, so concurrent writers do not tear
 * lines and no partial line is left behind (a short write is cut off again). Returns 0, or 2 after one line on `err`.
 */
int record_csv_append(const char *path, const record *r, FILE *err);

/* The same for any other file of lines below a header line: `option` names the file in the message; `text` is the
 * header followed by the lines, and its first `header` bytes are left out if the file already has a header. */
int record_text_prepare(const char *option, const char *path, const char *header, FILE *err);
int record_text_append(const char *path, const char *text, size_t header, FILE *err);

/* Reads a CSV written by record_csv_append. *rows is malloc'ed (to be freed) and *count set.
 * Returns 0, or 2 after one line on `err` naming the file, the line and the reason. A file that does not exist has no
 * rows. */
int record_csv_load(const char *path, record **rows, int *count, FILE *err);

/* True if both rows measure the same thing (step to layout, shape, scalars, cache, device, cc), so that --resume skips
 * it. A row of another version of this repository still counts: rows carry their version. */
bool record_same_case(const record *a, const record *b);
