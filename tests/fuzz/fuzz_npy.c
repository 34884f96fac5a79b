/* Any bytes as an .npy file. scripts/tests/fuzz.sh builds and runs it. */
#include "table_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    table_fuzz(data, size, size % 2 ? LABELS_ONLY : LABELS_LAST, 0);
    return 0;
}
