/* Any bytes behind a NUL as an idx file. scripts/fuzz.sh builds and runs it. */
#include "table_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || data[0] != 0) return 0;
    table *t = table_fuzz_read("x", data, size, TABLE_HEADER_AUTO, NULL);
    if (t != NULL) table_fuzz_use(t);
    table_free(t);
    return 0;
}
