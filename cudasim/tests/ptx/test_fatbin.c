/* Fat binaries and cubins, made here byte by byte, whole and damaged. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/fatbin.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- fat binaries ------------------------------------------------------------------------------------------------ */

enum { LZ4 = 0x2000, ZSTD = 0x8000, SPECIFIC = 0x100000, HEADER = 16, ENTRY = 64 };

typedef struct image {
    uint8_t bytes[4096];
    size_t size;
} image;

static void put(image *image, size_t at, uint64_t value, size_t bytes) {
    memcpy(image->bytes + at, &value, bytes);
}

static image empty_container(void) {
    image image = {.size = HEADER};
    put(&image, 0, FATBIN_MAGIC, 4);
    put(&image, 4, 1, 2);
    put(&image, 6, HEADER, 2);
    return image;
}

static void add_entry(image *image, int kind, unsigned arch, uint64_t flags, const char *text) {
    const size_t at = image->size, padded = (strlen(text) + 8) & ~(size_t)7;
    put(image, at, (uint64_t)kind, 2);
    put(image, at + 2, 0x101, 2);
    put(image, at + 4, ENTRY, 4);
    put(image, at + 8, padded, 8);
    put(image, at + 16, flags & (LZ4 | ZSTD) ? strlen(text) : 0, 4);
    put(image, at + 28, arch, 4);
    put(image, at + 40, flags, 8);
    memcpy(image->bytes + at + ENTRY, text, strlen(text));
    image->size += ENTRY + padded;
    put(image, 8, image->size - HEADER, 8);
}

static void assert_fatbin_refused(const image *image, const char *expected) {
    char error[200] = "";
    fatbin fatbin;
    assert_false(fatbin_open(&fatbin, image->bytes, image->size, error, sizeof error));
    assert_string_equal(error, expected);
    assert_int_equal(fatbin.count, 0);
    assert_null(fatbin.entries);
}

static void assert_choice(const image *image, unsigned arch, const char *expected) {
    char error[200] = "";
    fatbin fatbin;
    assert_true(fatbin_open(&fatbin, image->bytes, image->size, error, sizeof error));
    const fatbin_entry *entry = fatbin_choose_ptx(&fatbin, arch, error, sizeof error);
    if (entry) {
        assert_int_equal(entry->size, strlen(expected));
        assert_memory_equal(entry->data, expected, entry->size);
    } else {
        assert_string_equal(error, expected);
    }
    fatbin_close(&fatbin);
}

static void entries_are_listed(void **state) {
    image image = empty_container();
    add_entry(&image, FATBIN_ELF, 90, SPECIFIC, "elf");
    add_entry(&image, FATBIN_PTX, 90, 0x11, "ptx");
    add_entry(&image, FATBIN_PTX, 80, LZ4, "squeezed");
    add_entry(&image, 8, 75, 0, "something else");
    fatbin fatbin;
    char error[100];
    assert_true(fatbin_open(&fatbin, image.bytes, SIZE_MAX, error, sizeof error));
    assert_int_equal(fatbin.count, 4);
    assert_int_equal(fatbin.entries[0].kind, FATBIN_ELF);
    assert_int_equal(fatbin.entries[0].arch, 90);
    assert_true(fatbin.entries[0].arch_specific);
    assert_int_equal(fatbin.entries[0].size, 8);
    assert_false(fatbin.entries[1].arch_specific);
    assert_false(fatbin.entries[1].compressed);
    assert_int_equal(fatbin.entries[1].size, 3);
    assert_ptr_equal(fatbin.entries[1].data, image.bytes + HEADER + ENTRY + 8 + ENTRY);
    assert_true(fatbin.entries[2].compressed);
    assert_int_equal(fatbin.entries[2].size, 8);
    assert_int_equal(fatbin.entries[3].kind, 8);
    fatbin_close(&fatbin);
    assert_null(fatbin.entries);
}

static void the_ptx_to_run_is_chosen(void **state) {
    image image = empty_container();
    assert_choice(&image, 90, "no PTX in this program: build it with -gencode arch=compute_90,code=compute_90");
    add_entry(&image, FATBIN_ELF, 90, 0, "elf");
    assert_choice(&image, 80, "no PTX in this program: build it with -gencode arch=compute_80,code=compute_80");
    add_entry(&image, FATBIN_PTX, 90, ZSTD, "zstd");
    assert_choice(&image, 90, "the PTX in this program is compressed: build with --no-compress");
    add_entry(&image, FATBIN_PTX, 100, SPECIFIC, "100a");
    assert_choice(&image, 90, "100a");
    add_entry(&image, FATBIN_PTX, 75, 0, "75");
    assert_choice(&image, 90, "75");
    add_entry(&image, FATBIN_PTX, 90, 0, "90");
    add_entry(&image, FATBIN_PTX, 80, 0, "80");
    assert_choice(&image, 90, "90");
    add_entry(&image, FATBIN_PTX, 90, SPECIFIC, "90a");
    assert_choice(&image, 90, "90a");
    assert_choice(&image, 80, "80");
    assert_choice(&image, 100, "100a");
    assert_choice(&image, 103, "90"); /* features of one architecture are no other's, not even a newer one's */
    add_entry(&image, FATBIN_PTX, 120, 0, "120");
    assert_choice(&image, 90, "90a");
    assert_choice(&image, 89, "80");
    assert_choice(&image, 120, "120");
}

/* Where all PTX is above the device, the nearest. */
static void newer_ptx_is_better_than_none(void **state) {
    image image = empty_container();
    add_entry(&image, FATBIN_PTX, 120, 0, "120");
    assert_choice(&image, 90, "120");
    add_entry(&image, FATBIN_PTX, 90, SPECIFIC, "90a");
    assert_choice(&image, 80, "90a");
    add_entry(&image, FATBIN_PTX, 90, 0, "90");
    assert_choice(&image, 80, "90");
    add_entry(&image, FATBIN_PTX, 86, 0, "86");
    assert_choice(&image, 80, "86");
}

static void damaged_containers(void **state) {
    image whole = empty_container();
    add_entry(&whole, FATBIN_PTX, 90, 0, "ptx");
    static const struct {
        size_t at;
        uint64_t value;
        size_t bytes;
        const char *error;
    } cases[] = {
        {0, 0x464c457f, 4, "no fat binary: it starts with 0x464c457f"},
        {4, 2, 2, "fat binary: unknown version 2"},
        {6, 15, 2, "fat binary: 72 bytes do not fit"},
        {6, 17, 2, "fat binary: 72 bytes do not fit"},
        {8, 73, 8, "fat binary: 73 bytes do not fit"},
        {8, UINT64_MAX, 8, "fat binary: 18446744073709551615 bytes do not fit"},
        {8, UINT64_MAX - 15, 8, "fat binary: 18446744073709551600 bytes do not fit"},
        {8, 63, 8, "fat binary: an entry is cut off"},
        {8, 71, 8, "fat binary: an entry of 8 bytes does not fit"},
        {HEADER + 4, 63, 4, "fat binary: an entry's header of 63 bytes does not fit"},
        {HEADER + 4, 73, 4, "fat binary: an entry's header of 73 bytes does not fit"},
        {HEADER + 4, UINT32_MAX, 4, "fat binary: an entry's header of 4294967295 bytes does not fit"},
        {HEADER + 8, 9, 8, "fat binary: an entry of 9 bytes does not fit"},
        {HEADER + 8, 7, 8, "fat binary: an entry is cut off"},
        {HEADER + 8, UINT64_MAX, 8, "fat binary: an entry of 18446744073709551615 bytes does not fit"},
        {HEADER + 16, 9, 4, "fat binary: an entry of 8 bytes does not fit"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        image image = whole;
        put(&image, cases[i].at, cases[i].value, cases[i].bytes);
        assert_fatbin_refused(&image, cases[i].error);
    }
}

static void truncated_containers(void **state) {
    image whole = empty_container();
    add_entry(&whole, FATBIN_PTX, 90, 0, "some ptx");
    add_entry(&whole, FATBIN_ELF, 90, 0, "some elf");
    for (size_t size = 0; size < whole.size; size++) {
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, whole.bytes, size);
        char error[100] = "";
        fatbin fatbin;
        assert_false(fatbin_open(&fatbin, copy, size, error, sizeof error));
        assert_true(strlen(error) > 0);
        free(copy);
    }
}

static void ptx_of_nothing_but_nuls_is_empty(void **state) {
    image image = empty_container();
    add_entry(&image, FATBIN_PTX, 90, 0, "");
    assert_choice(&image, 90, "");
}

/* ---- cubins ------------------------------------------------------------------------------------------------------ */

enum { NAMES = 1, STRINGS, SYMBOLS, INFO, CONSTANT, TEXT, SHARED, DEVICE_TEXT, SECTIONS };

/* What ptxas writes for one kernel "k" and one device function "f", without code. */
static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.nv.info\0.nv.constant3\0.text.k\0.nv.shared.k\0.text.f";
static const char strings[] = "\0k\0f";

static uint32_t name_offset(const char *name) {
    for (size_t i = 1; i < sizeof names; i++)
        if (strcmp(names + i, name) == 0) return (uint32_t)i;
    fail_msg("no name %s", name);
    return 0;
}

typedef struct elf {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Sym symbols[3];
    uint32_t info[12];
    char names[sizeof names];
    char strings[sizeof strings];
} elf;

#define PLACE(field) offsetof(elf, field), sizeof(((elf *)0)->field)

static Elf64_Shdr make_section(const char *name, uint32_t type, size_t offset, size_t size) {
    return (Elf64_Shdr){.sh_name = name_offset(name), .sh_type = type, .sh_offset = offset, .sh_size = size};
}

static elf make_elf(void) {
    elf e = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1, 0x41, 8},
                        .e_type = ET_EXEC,
                        .e_machine = EM_CUDA,
                        .e_flags = 0x0a005a04,
                        .e_shoff = offsetof(elf, sections),
                        .e_shentsize = sizeof(Elf64_Shdr),
                        .e_shnum = SECTIONS,
                        .e_shstrndx = NAMES}};
    memcpy(e.names, names, sizeof names);
    memcpy(e.strings, strings, sizeof strings);
    e.sections[NAMES] = make_section(".shstrtab", SHT_STRTAB, PLACE(names));
    e.sections[STRINGS] = make_section(".strtab", SHT_STRTAB, PLACE(strings));
    e.sections[SYMBOLS] = make_section(".symtab", SHT_SYMTAB, PLACE(symbols));
    e.sections[SYMBOLS].sh_link = STRINGS;
    e.sections[INFO] = make_section(".nv.info", 0x70000000, PLACE(info));
    e.sections[CONSTANT] = make_section(".nv.constant3", SHT_PROGBITS, 0, 20);
    e.sections[TEXT] = make_section(".text.k", SHT_PROGBITS, 0, 512);
    e.sections[SHARED] = make_section(".nv.shared.k", SHT_NOBITS, 0, 1280);
    e.sections[SHARED].sh_flags = SHF_INFO_LINK;
    e.sections[SHARED].sh_info = TEXT;
    e.sections[DEVICE_TEXT] = make_section(".text.f", SHT_PROGBITS, 0, 128);
    e.symbols[1] = (Elf64_Sym){.st_name = 1, .st_info = STT_FUNC, .st_other = 0x10, .st_shndx = TEXT};
    e.symbols[2] = (Elf64_Sym){.st_name = 3, .st_info = STT_FUNC, .st_shndx = DEVICE_TEXT};
    /* REGCOUNT and FRAME_SIZE of k, REGCOUNT of f */
    const uint32_t info[] = {0x00082f04, 1, 40, 0x00081104, 1,          72,
                             0x00082f04, 2, 99, 0x00002a01, 0x00013603, 0x00004c02};
    memcpy(e.info, info, sizeof info);
    return e;
}

static void assert_cubin_refused(const elf *e, const char *expected) {
    char error[200] = "";
    cubin cubin;
    assert_false(cubin_open(&cubin, e, sizeof *e, error, sizeof error));
    assert_string_equal(error, expected);
    assert_null(cubin.kernels);
    assert_int_equal(cubin.count, 0);
}

static cubin open_elf(const elf *e) {
    char error[200] = "";
    cubin cubin;
    if (!cubin_open(&cubin, e, sizeof *e, error, sizeof error)) fail_msg("%s", error);
    return cubin;
}

static void resources_of_a_kernel(void **state) {
    elf e = make_elf();
    cubin cubin = open_elf(&e);
    assert_int_equal(cubin.count, 1);
    const cubin_kernel *kernel = cubin_find(&cubin, "k");
    assert_non_null(kernel);
    assert_int_equal(kernel->registers, 40);
    assert_int_equal(kernel->local_bytes, 72);
    assert_int_equal(kernel->shared_bytes, 256);
    assert_int_equal(kernel->const_bytes, 20);
    assert_int_equal(kernel->code_bytes, 512);
    assert_null(cubin_find(&cubin, "f"));
    cubin_close(&cubin);
    assert_null(cubin.kernels);
}

/* More than an instruction can name would divide an SM's registers to nothing. */
static void too_many_registers_are_refused(void **state) {
    elf e = make_elf();
    e.info[2] = 255;
    cubin cubin = open_elf(&e);
    assert_int_equal(cubin.kernels[0].registers, 255);
    cubin_close(&cubin);
    e.info[2] = 1u << 27;
    assert_cubin_refused(&e, "damaged cubin: k takes 134217728 registers per thread");
    e.info[2] = 256;
    assert_cubin_refused(&e, "damaged cubin: k takes 256 registers per thread");
}

static void names_are_of_one_line(void **state) {
    elf e = make_elf();
    e.strings[1] = '\n';
    e.info[2] = 256;
    assert_cubin_refused(&e, "damaged cubin: a kernel's name has a control character");
}

static void older_gpus_reserve_no_shared_memory(void **state) {
    elf e = make_elf();
    static const struct {
        unsigned char abi;
        uint32_t flags;
        unsigned shared;
    } cases[] = {{8, 0x5004, 1280}, {8, 0x7804, 256}, {7, 0x500550, 1280}, {7, 0x5a055a, 256}};
    for (int i = 0; i < COUNT(cases); i++) {
        e.header.e_ident[EI_ABIVERSION] = cases[i].abi;
        e.header.e_flags = cases[i].flags;
        cubin cubin = open_elf(&e);
        assert_int_equal(cubin.kernels[0].shared_bytes, cases[i].shared);
        cubin_close(&cubin);
    }
}

static void attributes_of_unknown_symbols_are_skipped(void **state) {
    elf e = make_elf();
    e.info[1] = UINT32_MAX;
    e.info[4] = 3;
    cubin cubin = open_elf(&e);
    assert_int_equal(cubin.kernels[0].registers, 0);
    assert_int_equal(cubin.kernels[0].local_bytes, 0);
    cubin_close(&cubin);
}

static void damaged_cubins(void **state) {
    const elf whole = make_elf();
    elf e = whole;
#define REFUSED(change, expected)                                                                                      \
    do {                                                                                                               \
        e = whole;                                                                                                     \
        change;                                                                                                        \
        assert_cubin_refused(&e, expected);                                                                            \
    } while (0)
    REFUSED(e.header.e_ident[0] = 0, "no cubin: not an ELF file");
    REFUSED(e.header.e_ident[EI_CLASS] = ELFCLASS32, "no cubin: not a 64-bit ELF file for CUDA");
    REFUSED(e.header.e_ident[EI_DATA] = ELFDATA2MSB, "no cubin: not a 64-bit ELF file for CUDA");
    REFUSED(e.header.e_machine = EM_X86_64, "no cubin: not a 64-bit ELF file for CUDA");
    REFUSED(e.header.e_shentsize = 40, "damaged cubin: its section headers lie outside of the file");
    REFUSED(e.header.e_shoff = sizeof e - 8, "damaged cubin: its section headers lie outside of the file");
    REFUSED(e.header.e_shoff = UINT64_MAX - 8, "damaged cubin: its section headers lie outside of the file");
    REFUSED(e.header.e_shnum = 65535, "damaged cubin: its section headers lie outside of the file");
    REFUSED(e.header.e_shstrndx = SECTIONS, "damaged cubin: no section names");
    REFUSED(e.header.e_shnum = 0, "damaged cubin: no section names");
    REFUSED(e.sections[NAMES].sh_offset = sizeof e,
            "damaged cubin: the table of section names lies outside of the file");
    REFUSED(e.sections[NAMES].sh_type = SHT_NOBITS,
            "damaged cubin: the table of section names lies outside of the file");
    REFUSED(e.sections[SYMBOLS].sh_type = SHT_NULL, "damaged cubin: no symbol table");
    REFUSED(e.sections[SYMBOLS].sh_link = SECTIONS, "damaged cubin: no symbol names");
    REFUSED(e.sections[SYMBOLS].sh_size = UINT64_MAX, "damaged cubin: the symbol table lies outside of the file");
    REFUSED(e.sections[STRINGS].sh_offset = UINT64_MAX,
            "damaged cubin: the table of symbol names lies outside of the file");
    REFUSED(e.symbols[1].st_name = sizeof strings, "damaged cubin: a kernel's name lies outside of its table");
    REFUSED(memset(e.strings, 'x', sizeof e.strings), "damaged cubin: a kernel's name does not end");
    REFUSED(e.symbols[2] = e.symbols[1], "damaged cubin: two kernels share a section");
    REFUSED(e.sections[INFO].sh_offset = sizeof e, "damaged cubin: .nv.info lies outside of the file");
#undef REFUSED
}

static void damaged_attributes(void **state) {
    elf e = make_elf();
    e.info[9] = 5;
    assert_cubin_refused(&e, "damaged cubin: unknown format 5 of a record of .nv.info");
    e.info[9] = 0;
    assert_cubin_refused(&e, "damaged cubin: unknown format 0 of a record of .nv.info");
    e.info[9] = 0x00092f04;
    assert_cubin_refused(&e, "damaged cubin: a record of .nv.info is cut off");
    e.info[9] = 0xffff2f04;
    assert_cubin_refused(&e, "damaged cubin: a record of .nv.info is cut off");
    e = make_elf();
    e.sections[INFO].sh_size = 3;
    assert_cubin_refused(&e, "damaged cubin: a record of .nv.info is cut off");
    /* Values that are too short say nothing. */
    e = make_elf();
    e.info[0] = 0x00042f04;
    e.info[2] = 0x00001101;
    cubin cubin = open_elf(&e);
    assert_int_equal(cubin.kernels[0].registers, 0);
    assert_int_equal(cubin.kernels[0].local_bytes, 72);
    cubin_close(&cubin);
}

static void truncated_and_mutated_cubins(void **state) {
    const elf whole = make_elf();
    char error[100];
    cubin cubin;
    for (size_t size = 0; size < sizeof whole; size++) {
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, &whole, size);
        /* The tables of names are the last part. */
        if (cubin_open(&cubin, copy, size, error, sizeof error)) assert_true(size + 8 >= sizeof whole);
        cubin_close(&cubin);
        free(copy);
    }
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        elf *e = malloc(sizeof *e);
        *e = whole;
        for (int change = 0; change <= round % 3; change++) {
            random = random * 1664525u + 1013904223u;
            ((uint8_t *)e)[(random >> 8) % sizeof *e] = round % 2 ? 0xff : (uint8_t)(random >> 24);
        }
        if (cubin_open(&cubin, e, sizeof *e, error, sizeof error)) cubin_close(&cubin);
        free(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_listed),
        cmocka_unit_test(the_ptx_to_run_is_chosen),
        cmocka_unit_test(newer_ptx_is_better_than_none),
        cmocka_unit_test(damaged_containers),
        cmocka_unit_test(truncated_containers),
        cmocka_unit_test(ptx_of_nothing_but_nuls_is_empty),
        cmocka_unit_test(resources_of_a_kernel),
        cmocka_unit_test(too_many_registers_are_refused),
        cmocka_unit_test(names_are_of_one_line),
        cmocka_unit_test(older_gpus_reserve_no_shared_memory),
        cmocka_unit_test(attributes_of_unknown_symbols_are_skipped),
        cmocka_unit_test(damaged_cubins),
        cmocka_unit_test(damaged_attributes),
        cmocka_unit_test(truncated_and_mutated_cubins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
