/* The command line: one table of options that every program has, one of its family's, and rules between options.
 * getopt_long's list and --help are both made from the tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu/simulator.h"

/* No size and no leading dimension is larger, so that a kernel's `k0 += BK` or `m + BM - 1` cannot pass INT_MAX. */
enum { OPTIONS_MAX_SIZE = 2000000000 };

/* A macro's number as text, for an option's help: "4096". */
#define OPTIONS_QUOTE(number)  OPTIONS_QUOTE_(number)
#define OPTIONS_QUOTE_(number) #number

typedef enum {
    SWEEP_NONE,
    SWEEP_SQUARE,   /* 256 ... 16384 and sizes no tile divides */
    SWEEP_ARTICLE,  /* the article's shapes */
    SWEEP_ODD,      /* shapes that no tile divides, skinny and rectangular */
    SWEEP_NETWORKS, /* layers of networks */
    SWEEP_RANDOM,   /* shapes drawn by a seed (random_shapes.h) */
    SWEEP_CHECK     /* verify a long list of problems; time nothing */
} sweep_kind;

/* How an option's argument is read, and the type of the field that it is stored in. */
typedef enum {
    OPTION_FLAG,     /* bool, becomes true */
    OPTION_OFF,      /* bool, becomes false: --no-baseline */
    OPTION_SIZE,     /* int, 0 ... OPTIONS_MAX_SIZE */
    OPTION_INT,      /* int, 0 ... INT_MAX */
    OPTION_POSITIVE, /* int, 1 ... INT_MAX */
    OPTION_SEED,     /* uint64_t */
    OPTION_SCALAR,   /* float, finite */
    OPTION_SECONDS,  /* double, above 0, at most a day */
    OPTION_RANGE,    /* int[2]: "A:B", 1 <= A <= B */
    OPTION_CHOICE,   /* const char *: one of `choices` */
    OPTION_FORM,     /* the same, --name or --name=WORD: the first one where none is given */
    OPTION_TEXT,     /* const char *: anything but the empty text */
    OPTION_FILE,     /* const char *: a file's name, not empty */
    OPTION_OUTPUT,   /* the same of a file that is written: no other option may name it */
    OPTION_SWEEP,    /* sweep_kind: one of the program's sweeps */
    OPTION_VARIANT,  /* chosen[]: repeatable */
    OPTION_HELP,
    OPTION_VERSION
} option_kind;

typedef struct {
    const char *name;     /* "size" */
    const char *argument; /* as --help shows it: "N"; NULL: takes none */
    option_kind kind;
    size_t field;     /* offsetof its value in the table's struct (options, or the family's) */
    const char *help; /* what it does; --help breaks it into lines and appends the choices */
    /* OPTION_CHOICE: NULL-terminated; the one that the field held before parsing is marked as the default. NULL: the
     * program has no such option. */
    const char *const *choices;
} option;

/* A rule for each of the options named in `option`, in force when that option was given. Names are without dashes,
 * separated by single blanks; a name that the program lacks counts as not given. Checked in their order. */
typedef enum {
    RULE_NEEDS,      /* `other` must be given too */
    RULE_CONTRADICTS /* `other` must not be given */
} rule_kind;

typedef struct {
    const char *option; /* "lda"; "lda ldb ldc" */
    rule_kind kind;
    const char *other;   /* "csv"; or name and value, of a choice or a sweep, given or the default: "sweep check" */
    const char *because; /* ends the message: "which chooses the shapes"; NULL: nothing to say */
} option_rule;

/* What SWEEP_RANDOM draws. */
typedef struct {
    int count, max, multiple; /* shapes; no side is larger; all are multiples of it: 1 <= multiple <= max */
    const char *spread;       /* of the sides: "uniform", "log" */
} random_sweep;

/* What every run has. */
typedef struct {
    bool *chosen;       /* by index into variants; all true where none was named; free with options_free */
    int first;          /* the one named first, by index; -1: none */
    bool variant_given; /* any was named */
    bool list, verbose, resume;
    sweep_kind sweep;
    bool verify;  /* only verify; SWEEP_CHECK does nothing else */
    int max_size; /* sweeps leave out problems with a side above it; INT_MAX: no limit */
    int every;    /* SWEEP_CHECK takes every Nth of its problems */
    random_sweep random;
    uint64_t seed;
    int device;
    bool simulate;          /* --sim or an option that needs it, or this is the simulator already */
    const char *sim_device; /* NULL: the simulator's own choice */
    simulator_watched watch;
    double time_s;   /* budget of one measurement */
    const char *csv; /* NULL: none */
} options;

typedef struct option_parse option_parse;

/* What a program's command line is made of. */
typedef struct {
    const char *program;         /* "step04_vectorized" */
    const char *summary;         /* --help's first sentence */
    const char *noun;            /* "variant", or "method": the option's name, where --variant is known too */
    const char *const *variants; /* names */
    int variant_count;
    const char *const *sweeps; /* NULL-terminated names of its kinds ("square", "article", "odd", "random", "check");
                                * NULL: none */
    int simulated_max_size;    /* --max-size of --sweep check in the simulator */
    bool simulated;            /* this process runs in the simulator, also without --sim */
    const option *table;       /* the family's own options; ends with a row without a name; NULL: none */
    const option_rule *rules;  /* the family's rules; ends with a row without an option; NULL: none */
    void *values;              /* the family's struct, holding its defaults */
    /* What depends on several options: fills in defaults and checks. False after options_fail. NULL: nothing. */
    bool (*complete)(const option_parse *p, const options *common, void *values);
} options_program;

/* For `complete`. Was the option on the command line? */
bool options_given(const option_parse *p, const char *name);

/* Prints "PROGRAM: MESSAGE" as one line, with '?' for control characters. Returns false. */
__attribute__((format(printf, 2, 3))) bool options_fail(const option_parse *p, const char *format, ...);

/* The one of `choices` (NULL-terminated) that is `text`, or NULL after options_fail: "--out: 'f61' is unknown: did you
 * mean 'f16'? (known: f16, f32)". */
const char *options_choice(const option_parse *p, const char *option, const char *text, const char *const *choices);

typedef enum { OPTIONS_RUN, OPTIONS_EXIT_OK, OPTIONS_EXIT_USAGE } options_result;

/* Parses argv (getopt_long syntax; prints nothing but --help and --version to `out` and one line naming the argument
 * and the reason to `err`). OPTIONS_RUN: `o` and program->values are filled; OPTIONS_EXIT_OK: --help or --version was
 * printed; OPTIONS_EXIT_USAGE: bad arguments, exit status 2. Strings point into argv or the tables. May be called again
 * in the same process. Whatever it returns, options_free gives back what `o` holds. */
options_result options_parse(int argc, char **argv, const options_program *program, options *o, FILE *out, FILE *err);
void options_free(options *o);
