/* Any bytes as .fvecs, .bvecs or .ivecs, as the first byte says. scripts/fuzz.sh builds and runs it. */
#include "table_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"x.fvecs", "x.bvecs", "x.ivecs"};
    if (size == 0) return 0;
    table *t = table_fuzz_read(names[data[0] % 3], data + 1, size - 1, TABLE_HEADER_AUTO, data[0] & 64 ? "1" : NULL);
    if (t != NULL) table_fuzz_use(t);
    table_free(t);
    return 0;
}
