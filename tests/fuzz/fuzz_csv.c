/* Any bytes as CSV; the first says where its labels are. scripts/tests/fuzz.sh builds and runs it. */
#include "table_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 1 && data[1] != 0x93) table_fuzz(data + 1, size - 1, (labels_place)(data[0] % 4), data[0] >> 4);
    return 0;
}
