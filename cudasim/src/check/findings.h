/* Findings of the checks. Each is printed once, and counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

/* A place in a function's code. */
typedef struct site {
    const function *function;
    uint32_t pc;
} site;

typedef struct finding {
    const char *kind;  /* "race", ... */
    const char *entry; /* the kernel's PTX name */
    site at, other;    /* the other side, of those that have two; its function NULL else */
    const char *what;  /* who does what to what */
    const char *other_what;
} finding;

/* Prints it to stderr if it is the first of its kind, place and other place; counts it in any case. From any thread. */
void finding_add(const finding *f);

/* Has it been printed already? Then it is only counted, and the caller need not write a message. */
bool finding_repeats(const char *kind, site at, site other);

/* Counts the one that has stopped the launch, which is printed elsewhere. */
void finding_fault(void);

/* Prints and counts one without a place in the code: `text` is a line. */
void finding_say(const char *kind, const char *text);

/* The number of different findings, and of all with their repeats. */
unsigned long finding_count(unsigned long *with_repeats);
