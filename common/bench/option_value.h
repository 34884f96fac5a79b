/* The argument of one option, from text to the type of its field. */
#ifndef KL_OPTION_VALUE_H
#define KL_OPTION_VALUE_H

#include "bench/options.h"

/* Reads `text` (NULL where the option takes no argument) into *value, of the type that option_kind names. False after
 * options_fail, with *value undefined. Not for OPTION_SWEEP, OPTION_VARIANT, OPTION_HELP and OPTION_VERSION. */
bool option_value_read(const option_parse *p, const option *what, const char *text, void *value);

#endif
