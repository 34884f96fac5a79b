/* Any bytes as an .npy file. scripts/fuzz.sh builds and runs it. */
#include "table_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    table *t = table_fuzz_read("x.npy", data, size, TABLE_HEADER_AUTO, NULL);
    if (t != NULL) {
        require((size_t)table_rows(t) * (size_t)table_columns(t) * 4 <= size || (size > 2 && data[0] == 0x1f));
        table_fuzz_use(t);
    }
    table_free(t);
    return 0;
}
