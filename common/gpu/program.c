#include "gpu/program.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint64_t FNV_BASIS = 0xcbf29ce484222325, FNV_PRIME = 0x100000001b3;

/* FNV-1a, eight bytes at a time. */
static uint64_t hash(uint64_t h, const unsigned char *bytes, size_t count) {
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        h = (h ^ word) * FNV_PRIME;
        h ^= h >> 32; /* or the word's upper bits would only reach the hash's upper bits */
    }
    for (; count > 0; bytes++, count--) h = (h ^ *bytes) * FNV_PRIME;
    return h;
}

/* What is loaded of the program and cannot be written: its code, that of its kernels (.nv_fatbin) and its constants,
 * but not the first segment, whose notes may have a hash of the whole file, the version (version.c) included. */
static int hash_program(struct dl_phdr_info *info, size_t size, void *h) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const bool counts = segment->p_type == PT_LOAD && (segment->p_flags & PF_W) == 0 && segment->p_offset > 0;
        const unsigned char *bytes = (const unsigned char *)(info->dlpi_addr + segment->p_vaddr);
        if (counts) *(uint64_t *)h = hash(*(uint64_t *)h, bytes, segment->p_filesz);
    }
    return 1; /* the program comes first: its libraries do not count */
}

const char *program_build(void) {
    static char digits[17];
    uint64_t h = FNV_BASIS;
    if (*digits != '\0') return digits;
    dl_iterate_phdr(hash_program, &h);
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)h);
    return digits;
}
