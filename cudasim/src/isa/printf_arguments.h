/* What a call of vprintf is given: the compiler stores the arguments into a local array, right before the call. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

/* A value stored for the call: bytes [offset, offset + bytes) of the arguments. */
typedef struct stored_argument {
    int64_t offset;
    unsigned bytes;
    bool is_float;
} stored_argument;

#define MOST_ARGUMENTS 64

typedef struct printf_arguments {
    stored_argument stored[MOST_ARGUMENTS];
    int count;
    bool known; /* the array is known, and so what has been found of it is right */
    bool all;   /* nothing else can have been stored: code that others jump to may follow such a store */
} printf_arguments;

/* The arguments of the call that is instruction `pc` of the function. */
void printf_arguments_find(const ptx_function *f, int pc, printf_arguments *found);
