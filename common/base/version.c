#include "base/version.h"

#include "base/record.h"

#ifndef KL_VERSION
#define KL_VERSION "unknown"
#endif

/* As long as a record's field whatever it says: nothing behind it moves, and the code (program.h) stays the same. */
static const char text[RECORD_TEXT] = KL_VERSION;

const char *version_text(void) {
    return text;
}
