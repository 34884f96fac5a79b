/* The running program's own code. */
#ifndef KL_PROGRAM_H
#define KL_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* 16 hexadecimal digits that change when the program's code does, its kernels' or the host's: whatever was found out by
 * timing this code holds for the same digits. "unknown" where the program's file cannot be read. */
const char *program_build(void);

/* The same of a program's file in memory: a hash of its sections .text and .nv_fatbin, so that a version in .rodata or
 * debug information make no difference; of all of it where it is no 64-bit ELF file with these. */
uint64_t program_hash(const unsigned char *file, size_t size);

#endif
