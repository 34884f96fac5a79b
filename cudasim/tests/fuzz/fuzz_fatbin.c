/* libFuzzer: any bytes as a fat binary, as a cubin, and the cubins of the fat binary (tests/fuzz.sh). */
#include <stdlib.h>
#include <string.h>

#include "ptx/fatbin.h"

static void require(int condition) {
    if (!condition) abort();
}

static void open_cubin(const uint8_t *data, size_t size) {
    char error[120] = "";
    cubin cubin;
    if (!cubin_open(&cubin, data, size, error, sizeof error)) {
        require(error[0] && !strchr(error, '\n') && cubin.count == 0 && !cubin.kernels);
        return;
    }
    for (int i = 0; i < cubin.count; i++) require(cubin_find(&cubin, cubin.kernels[i].name) != NULL);
    cubin_close(&cubin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[120] = "";
    fatbin fatbin;
    open_cubin(data, size);
    if (!fatbin_open(&fatbin, data, size, error, sizeof error)) {
        require(error[0] && !strchr(error, '\n') && fatbin.count == 0 && !fatbin.entries);
        return 0;
    }
    for (int i = 0; i < fatbin.count; i++) {
        const fatbin_entry *entry = &fatbin.entries[i];
        require(entry->data >= data && entry->data + entry->size <= data + size);
        if (entry->kind == FATBIN_ELF) open_cubin(entry->data, entry->size);
    }
    for (unsigned arch = 80; arch <= 90; arch += 10) {
        const fatbin_entry *ptx = fatbin_choose_ptx(&fatbin, arch, error, sizeof error);
        require(ptx ? ptx->kind == FATBIN_PTX && !ptx->compressed : error[0] != '\0');
    }
    fatbin_close(&fatbin);
    return 0;
}
