/* Reads what nvcc puts into a program: the fat binary, and of its machine code the resources that PTX does not tell.
 *
 * Layout (found with nvcc 13.0; NVIDIA documents the container nowhere):
 *   wrapper    int magic 0x466243b1, int version, container *, void *     (in the section .nvFatBinSegment)
 *   container  u32 0xBA55ED50, u16 version 1, u16 header size 16, u64 size of the entries that follow
 *   entry      u16 kind (1 PTX, 2 ELF), u16 0x101, u32 header size, u64 padded size, u32 compressed size, u32,
 *              u16 minor, u16 major, u32 arch, u32 name, u32 name length, u64 flags, u64, u64 size
 *   flags      0x2000 LZ4, 0x8000 zstd, 0x100000 an architecture-specific target ("90a")
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATBIN_WRAPPER_LINKED 2 /* its version where device code was linked (-rdc=true) */
#define FATBIN_WRAPPER_MAGIC  0x466243b1
#define FATBIN_MAGIC          0xBA55ED50u

typedef enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 } fatbin_kind;

typedef struct fatbin_entry {
    int kind;
    unsigned arch;      /* 90 */
    bool arch_specific; /* the "a" of 90a */
    bool compressed;
    const uint8_t *data; /* points into the container */
    size_t size;         /* bytes, trailing NULs of PTX text not counted */
} fatbin_entry;

typedef struct fatbin {
    fatbin_entry *entries;
    int count;
} fatbin;

/* Reads the container at `data`; no byte beyond data + limit is touched (SIZE_MAX where the container's own size is
 * all there is to go by). False and one line in `error` when it is no fat binary, is truncated, or its sizes do not
 * fit one another. Compressed entries are listed as such, not an error yet. fatbin_close frees the list. */
bool fatbin_open(fatbin *fatbin, const void *data, size_t limit, char *error, size_t error_size);
void fatbin_close(fatbin *fatbin);

/* The PTX to execute on a device of `arch`: the newest that is not newer than the device. PTX for one architecture
 * alone ("90a") is taken only there, and first. If all of it is newer, the oldest is taken, since this simulator has
 * its instructions all the same. NULL and one line in `error` if there is none ("no PTX in this program: build it with
 * -gencode arch=...,code=compute_...") or only compressed PTX ("... is compressed: build with --no-compress"). */
const fatbin_entry *fatbin_choose_ptx(const fatbin *fatbin, unsigned arch, char *error, size_t error_size);

/* What ptxas decided for one kernel. */
typedef struct cubin_kernel {
    char *name;
    unsigned registers;    /* a thread: .nv.info EIATTR_REGCOUNT */
    unsigned shared_bytes; /* static, without the 1024 bytes that sm_90 reserves: .nv.shared.<kernel> */
    unsigned local_bytes;  /* a thread: EIATTR_FRAME_SIZE (spills included) */
    unsigned const_bytes;  /* user constants, .nv.constant3 of the module */
    unsigned code_bytes;   /* .text.<kernel> */
    const uint8_t *code;   /* they lie in the cubin; NULL where it does not hold them */
} cubin_kernel;

typedef struct cubin {
    cubin_kernel *kernels;
    int count;
} cubin;

/* Reads a cubin (64-bit ELF). False and one line in `error` where it is damaged. Never reads outside [data, data+size).
 */
bool cubin_open(cubin *cubin, const void *data, size_t size, char *error, size_t error_size);
void cubin_close(cubin *cubin);
const cubin_kernel *cubin_find(const cubin *cubin, const char *name);
