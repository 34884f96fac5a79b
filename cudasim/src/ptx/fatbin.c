/* Fat binaries and cubins. Every offset and length in the file is checked before it is used, since neither the compiler
 * nor the driver says what it may be. */
#include "ptx/fatbin.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

__attribute__((format(printf, 3, 4))) static bool fail(char *error, size_t error_size, const char *format, ...) {
    if (error_size == 0) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, error_size, format, arguments);
    va_end(arguments);
    return false;
}

/* Does [offset, offset + length) lie in `size` bytes? */
static bool inside(uint64_t offset, uint64_t length, uint64_t size) {
    return offset <= size && length <= size - offset;
}

/* ---- the fat binary ---------------------------------------------------------------------------------------------- */

enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_ARCH_SPECIFIC = 0x100000 };

/* Layouts in the file. */
typedef struct container_header {
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size;
} container_header;

typedef struct entry_header {
    uint16_t kind, version;
    uint32_t header_size;
    uint64_t padded_size;
    uint32_t compressed_size, unknown;
    uint16_t minor, major;
    uint32_t arch, name, name_length;
    uint64_t flags, zero, size;
} entry_header;

_Static_assert(sizeof(container_header) == 16 && sizeof(entry_header) == 64, "the layout of nvcc");

static fatbin_entry *add_entry(fatbin *fatbin) {
    /* The room doubles at powers of two. */
    const size_t count = (size_t)fatbin->count;
    if ((count & (count - 1)) == 0) {
        fatbin_entry *entries = realloc(fatbin->entries, (count ? 2 * count : 1) * sizeof *entries);
        if (!entries) return NULL;
        fatbin->entries = entries;
    }
    fatbin->count++;
    return memset(&fatbin->entries[count], 0, sizeof *fatbin->entries);
}

static void describe(fatbin_entry *entry, const entry_header *header, const uint8_t *data) {
    entry->kind = header->kind;
    entry->arch = header->arch;
    entry->arch_specific = header->flags & FLAG_ARCH_SPECIFIC;
    entry->compressed = header->flags & (FLAG_LZ4 | FLAG_ZSTD);
    entry->data = data;
    entry->size = entry->compressed ? header->compressed_size : header->padded_size;
    if (entry->kind == FATBIN_PTX && !entry->compressed)
        while (entry->size > 0 && data[entry->size - 1] == '\0') entry->size--;
}

static bool read_entries(fatbin *fatbin, const uint8_t *bytes, uint64_t size, char *error, size_t error_size) {
    for (uint64_t at = 0; at < size;) {
        entry_header header;
        if (!inside(at, sizeof header, size)) return fail(error, error_size, "fat binary: an entry is cut off");
        memcpy(&header, bytes + at, sizeof header);
        if (header.header_size < sizeof header || !inside(at, header.header_size, size))
            return fail(error, error_size, "fat binary: an entry's header of %u bytes does not fit",
                        header.header_size);
        at += header.header_size;
        if (!inside(at, header.padded_size, size) || header.compressed_size > header.padded_size)
            return fail(error, error_size, "fat binary: an entry of %llu bytes does not fit",
                        (unsigned long long)header.padded_size);
        fatbin_entry *entry = add_entry(fatbin);
        if (!entry) return fail(error, error_size, "fat binary: " OUT_OF_MEMORY);
        describe(entry, &header, bytes + at);
        at += header.padded_size;
    }
    return true;
}

bool fatbin_open(fatbin *fatbin, const void *data, size_t limit, char *error, size_t error_size) {
    *fatbin = (struct fatbin){0};
    container_header header;
    if (limit < sizeof header) return fail(error, error_size, "fat binary: the header is cut off");
    memcpy(&header, data, sizeof header);
    if (header.magic != FATBIN_MAGIC)
        return fail(error, error_size, "no fat binary: it starts with 0x%08x", header.magic);
    if (header.version != 1) return fail(error, error_size, "fat binary: unknown version %u", header.version);
    if (header.header_size < sizeof header || !inside(header.header_size, header.size, limit))
        return fail(error, error_size, "fat binary: %llu bytes do not fit", (unsigned long long)header.size);
    if (read_entries(fatbin, (const uint8_t *)data + header.header_size, header.size, error, error_size)) return true;
    fatbin_close(fatbin);
    return false;
}

void fatbin_close(fatbin *fatbin) {
    free(fatbin->entries);
    *fatbin = (struct fatbin){0};
}

/* How well PTX suits a device. Best is the newest PTX that is not newer than the device, first of all with the features
 * of its own architecture; then the oldest that is newer, then PTX for another architecture alone. */
static long rank(const fatbin_entry *entry, unsigned arch) {
    const bool runs_there = entry->arch_specific ? entry->arch == arch : entry->arch <= arch;
    if (runs_there) return 2l * entry->arch + entry->arch_specific;
    return -2l * entry->arch - entry->arch_specific;
}

const fatbin_entry *fatbin_choose_ptx(const fatbin *fatbin, unsigned arch, char *error, size_t error_size) {
    const fatbin_entry *best = NULL;
    bool compressed = false;
    for (int i = 0; i < fatbin->count; i++) {
        const fatbin_entry *entry = &fatbin->entries[i];
        if (entry->kind != FATBIN_PTX) continue;
        compressed |= entry->compressed;
        if (!entry->compressed && (!best || rank(entry, arch) > rank(best, arch))) best = entry;
    }
    if (!best && compressed)
        fail(error, error_size, "the PTX in this program is compressed: build with --no-compress");
    else if (!best)
        fail(error, error_size, "no PTX in this program: build it with -gencode arch=compute_%u,code=compute_%u", arch,
             arch);
    return best;
}

/* ---- the cubin --------------------------------------------------------------------------------------------------- */

enum {
    SECTION_CUDA_INFO = 0x70000000, /* SHT_LOPROC: .nv.info */
    SYMBOL_ENTRY = 0x10,            /* STO_CUDA_ENTRY in st_other: a kernel, not a device function */
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_REGCOUNT = 0x2f,
    RESERVED_SHARED = 1024, /* part of .nv.shared on sm_90 and newer */
    MOST_REGISTERS = 255,   /* the most that an instruction can name */
};

typedef struct reader {
    const uint8_t *data;
    size_t size;
    Elf64_Ehdr header;
    Elf64_Shdr names, symbols, strings; /* .shstrtab, .symtab, .strtab */
    int *kernel_of_section;
    cubin *cubin;
    char *error;
    size_t error_size;
} reader;

#define DAMAGED(r, ...) fail((r)->error, (r)->error_size, "damaged cubin: " __VA_ARGS__)

static Elf64_Shdr section(const reader *r, unsigned index) {
    Elf64_Shdr header;
    memcpy(&header, r->data + r->header.e_shoff + (uint64_t)index * sizeof header, sizeof header);
    return header;
}

static Elf64_Sym symbol(const reader *r, uint64_t index) {
    Elf64_Sym symbol;
    memcpy(&symbol, r->data + r->symbols.sh_offset + index * sizeof symbol, sizeof symbol);
    return symbol;
}

static uint64_t symbol_count(const reader *r) {
    return r->symbols.sh_size / sizeof(Elf64_Sym);
}

/* Are the section's bytes in the file? Sections such as .nv.shared have none. */
static bool check_section(reader *r, const Elf64_Shdr *header, const char *what) {
    if (header->sh_type != SHT_NOBITS && inside(header->sh_offset, header->sh_size, r->size)) return true;
    return DAMAGED(r, "%s lies outside of the file", what);
}

/* `text` with its final NUL, or its first `length` characters. */
static bool name_starts(const reader *r, const Elf64_Shdr *header, const char *text, size_t length) {
    return inside(header->sh_name, length, r->names.sh_size) &&
           memcmp(r->data + r->names.sh_offset + header->sh_name, text, length) == 0;
}

#define NAME_IS(r, header, text)     name_starts(r, header, text, sizeof(text))
#define NAME_STARTS(r, header, text) name_starts(r, header, text, sizeof(text) - 1)

static bool read_header(reader *r) {
    if (r->size < sizeof r->header) return DAMAGED(r, "its header is cut off");
    memcpy(&r->header, r->data, sizeof r->header);
    const Elf64_Ehdr *h = &r->header;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) return fail(r->error, r->error_size, "no cubin: not an ELF file");
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_CUDA)
        return fail(r->error, r->error_size, "no cubin: not a 64-bit ELF file for CUDA");
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !inside(h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), r->size))
        return DAMAGED(r, "its section headers lie outside of the file");
    if (h->e_shstrndx >= h->e_shnum) return DAMAGED(r, "no section names");
    r->names = section(r, h->e_shstrndx);
    return check_section(r, &r->names, "the table of section names");
}

static bool find_symbols(reader *r) {
    for (unsigned i = 0; i < r->header.e_shnum; i++) {
        const Elf64_Shdr header = section(r, i);
        if (header.sh_type != SHT_SYMTAB) continue;
        if (header.sh_link >= r->header.e_shnum) return DAMAGED(r, "no symbol names");
        r->symbols = header;
        r->strings = section(r, header.sh_link);
        return check_section(r, &r->symbols, "the symbol table") &&
               check_section(r, &r->strings, "the table of symbol names");
    }
    return DAMAGED(r, "no symbol table");
}

static bool add_kernel(reader *r, const Elf64_Sym *s, uint64_t *name_bytes) {
    const Elf64_Shdr code = section(r, s->st_shndx);
    if (s->st_name >= r->strings.sh_size) return DAMAGED(r, "a kernel's name lies outside of its table");
    const char *name = (const char *)r->data + r->strings.sh_offset + s->st_name;
    const size_t length = strnlen(name, r->strings.sh_size - s->st_name);
    *name_bytes += length;
    /* Overlapping names could ask for far more memory than the file has bytes. */
    if (length == r->strings.sh_size - s->st_name || *name_bytes > r->size)
        return DAMAGED(r, "a kernel's name does not end");
    for (size_t i = 0; i < length; i++) /* it stands in messages of one line */
        if ((unsigned char)name[i] < ' ') return DAMAGED(r, "a kernel's name has a control character");
    if (r->kernel_of_section[s->st_shndx] >= 0) return DAMAGED(r, "two kernels share a section");
    r->kernel_of_section[s->st_shndx] = r->cubin->count;
    cubin_kernel *kernel = &r->cubin->kernels[r->cubin->count];
    kernel->name = strndup(name, length);
    if (!kernel->name) return fail(r->error, r->error_size, OUT_OF_MEMORY);
    kernel->code_bytes = (unsigned)code.sh_size;
    if (code.sh_type != SHT_NOBITS && inside(code.sh_offset, code.sh_size, r->size))
        kernel->code = r->data + code.sh_offset;
    r->cubin->count++;
    return true;
}

/* Kernels are the symbols with the flag of an entry. Each has a section .text.<kernel>. */
static bool is_kernel(const reader *r, const Elf64_Sym *s) {
    return ELF64_ST_TYPE(s->st_info) == STT_FUNC && (s->st_other & SYMBOL_ENTRY) && s->st_shndx > 0 &&
           s->st_shndx < r->header.e_shnum;
}

static bool read_kernels(reader *r) {
    r->cubin->kernels = calloc((size_t)r->header.e_shnum + 1, sizeof *r->cubin->kernels);
    r->kernel_of_section = malloc(((size_t)r->header.e_shnum + 1) * sizeof *r->kernel_of_section);
    if (!r->cubin->kernels || !r->kernel_of_section) return fail(r->error, r->error_size, OUT_OF_MEMORY);
    for (unsigned i = 0; i < r->header.e_shnum; i++) r->kernel_of_section[i] = -1;
    uint64_t name_bytes = 0;
    for (uint64_t i = 0; i < symbol_count(r); i++) {
        const Elf64_Sym s = symbol(r, i);
        if (is_kernel(r, &s) && !add_kernel(r, &s, &name_bytes)) return false;
    }
    return true;
}

static void set_attribute(reader *r, unsigned attribute, const uint8_t *value, unsigned size) {
    uint32_t index, number;
    if ((attribute != ATTRIBUTE_REGCOUNT && attribute != ATTRIBUTE_FRAME_SIZE) || size < 8) return;
    memcpy(&index, value, sizeof index);
    memcpy(&number, value + 4, sizeof number);
    if (index >= symbol_count(r)) return;
    const Elf64_Sym s = symbol(r, index);
    const int kernel = is_kernel(r, &s) ? r->kernel_of_section[s.st_shndx] : -1;
    if (kernel < 0) return; /* a device function */
    if (attribute == ATTRIBUTE_REGCOUNT)
        r->cubin->kernels[kernel].registers = number;
    else
        r->cubin->kernels[kernel].local_bytes = number;
}

/* Records of a format, an attribute and 16 bits. In format 4 the 16 bits are the size of a value that follows. */
static bool read_attributes(reader *r, const Elf64_Shdr *header) {
    enum { FORMAT_NONE = 1, FORMAT_BYTE, FORMAT_HALF, FORMAT_SIZED };
    if (!check_section(r, header, ".nv.info")) return false;
    const uint8_t *bytes = r->data + header->sh_offset;
    for (uint64_t at = 0; at < header->sh_size;) {
        if (!inside(at, 4, header->sh_size)) return DAMAGED(r, "a record of .nv.info is cut off");
        const unsigned format = bytes[at], attribute = bytes[at + 1], value = bytes[at + 2] | bytes[at + 3] << 8;
        at += 4;
        if (format < FORMAT_NONE || format > FORMAT_SIZED)
            return DAMAGED(r, "unknown format %u of a record of .nv.info", format);
        if (format != FORMAT_SIZED) continue;
        if (!inside(at, value, header->sh_size)) return DAMAGED(r, "a record of .nv.info is cut off");
        set_attribute(r, attribute, bytes + at, value);
        at += value;
    }
    return true;
}

/* sm_90 and newer reserve 1 KiB of a block's shared memory for the system. The flags hold the architecture: in their
 * second byte since ABI 8 (CUDA 13), in their first before. */
static bool reserves_shared(const reader *r) {
    const unsigned flags = r->header.e_flags;
    return (r->header.e_ident[EI_ABIVERSION] >= 8 ? flags >> 8 & 0xff : flags & 0xff) >= 90;
}

static bool read_sections(reader *r) {
    unsigned constants = 0;
    for (unsigned i = 0; i < r->header.e_shnum; i++) {
        const Elf64_Shdr header = section(r, i);
        const int kernel = header.sh_info < r->header.e_shnum ? r->kernel_of_section[header.sh_info] : -1;
        if (header.sh_type == SECTION_CUDA_INFO && NAME_IS(r, &header, ".nv.info")) {
            if (!read_attributes(r, &header)) return false;
        } else if (NAME_IS(r, &header, ".nv.constant3")) {
            constants = (unsigned)header.sh_size;
        } else if (kernel >= 0 && (header.sh_flags & SHF_INFO_LINK) && NAME_STARTS(r, &header, ".nv.shared.")) {
            const unsigned bytes = (unsigned)header.sh_size;
            const bool reserved = reserves_shared(r) && bytes >= RESERVED_SHARED;
            r->cubin->kernels[kernel].shared_bytes = reserved ? bytes - RESERVED_SHARED : bytes;
        }
    }
    for (int i = 0; i < r->cubin->count; i++) {
        cubin_kernel *k = &r->cubin->kernels[i];
        k->const_bytes = constants;
        if (k->registers > MOST_REGISTERS) return DAMAGED(r, "%s takes %u registers per thread", k->name, k->registers);
    }
    return true;
}

bool cubin_open(cubin *cubin, const void *data, size_t size, char *error, size_t error_size) {
    *cubin = (struct cubin){0};
    reader r = {.data = data, .size = size, .cubin = cubin, .error = error, .error_size = error_size};
    const bool read = read_header(&r) && find_symbols(&r) && read_kernels(&r) && read_sections(&r);
    free(r.kernel_of_section);
    if (!read) cubin_close(cubin);
    return read;
}

void cubin_close(cubin *cubin) {
    for (int i = 0; i < cubin->count; i++) free(cubin->kernels[i].name);
    free(cubin->kernels);
    *cubin = (struct cubin){0};
}

const cubin_kernel *cubin_find(const cubin *cubin, const char *name) {
    for (int i = 0; i < cubin->count; i++)
        if (strcmp(cubin->kernels[i].name, name) == 0) return &cubin->kernels[i];
    return NULL;
}
