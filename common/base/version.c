#include "base/version.h"

#include "base/record.h"

#ifndef KL_VERSION
#define KL_VERSION "unknown"
#endif

/* As long as a record's field whatever it says, and no constant: the code and the constants (program.h) stay the same.
 */
static char text[RECORD_TEXT] = KL_VERSION;

const char *version_text(void) {
    return text;
}
