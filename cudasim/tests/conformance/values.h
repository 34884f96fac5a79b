/* The inputs of a case, from its name and types alone: the same on every machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "conformance.h"

size_t value_size(value_type type); /* in bytes; 0 for V_NONE */

/* Element i of every input: out[k] has room for n elements of types[k], or is NULL where that is V_NONE. Element i is
 * the same whatever n is. */
void values_make(const char *name, const value_type types[3], int n, void *const out[3]);

uint64_t values_checksum(uint64_t checksum, const void *bytes, size_t size); /* FNV-1a; start with VALUES_CHECKSUM */
#define VALUES_CHECKSUM 0xcbf29ce484222325u

/* Whether got[0] may stand for expected[0] under a case's rule (conformance.h). */
int value_agrees(value_type type, int ulps, const void *expected, const void *got);

void value_print(FILE *stream, value_type type, const void *value); /* 0x3f800000 (1) */
