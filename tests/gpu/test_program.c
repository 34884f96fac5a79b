/* A program's own code: what changes its hash, and what does not. */
#include <elf.h>

#include "../unit.h"
#include "gpu/program.h"

enum { SECTION = 96, SECTIONS = 5 }; /* bytes of each section */

/* A program as small as can be: a header, the sections' contents, and the table of them. */
typedef struct {
    Elf64_Ehdr header;
    unsigned char content[SECTIONS][SECTION];
    Elf64_Shdr sections[SECTIONS];
} image;

static const char names[SECTION] = "\0.text\0.rodata\0.nv_fatbin\0.shstrtab";
enum { NONE, TEXT, RODATA, FATBIN, NAMES };

static image program(void) {
    static const unsigned name_at[SECTIONS] = {0, 1, 7, 15, 26};
    image p;
    memset(&p, 0, sizeof p);
    memcpy(p.header.e_ident, ELFMAG, SELFMAG);
    p.header.e_ident[EI_CLASS] = ELFCLASS64;
    p.header.e_shoff = offsetof(image, sections);
    p.header.e_shentsize = sizeof(Elf64_Shdr);
    p.header.e_shnum = SECTIONS;
    p.header.e_shstrndx = NAMES;
    for (int i = 0; i < SECTIONS; i++) {
        memset(p.content[i], 'a' + i, SECTION);
        p.sections[i] = (Elf64_Shdr){.sh_name = name_at[i],
                                     .sh_type = i == NONE ? SHT_NULL : SHT_PROGBITS,
                                     .sh_offset = offsetof(image, content) + (size_t)i * SECTION,
                                     .sh_size = SECTION - 1}; /* not a multiple of what is hashed at once */
    }
    memcpy(p.content[NAMES], names, SECTION);
    return p;
}

static uint64_t hash_of(const image *p) {
    return program_hash((const unsigned char *)p, sizeof *p);
}

TEST(code_makes_the_hash) {
    const image original = program();
    const uint64_t h = hash_of(&original);
    for (int section = TEXT; section <= FATBIN; section++)
        for (int at = 0; at < SECTION - 1; at++)
            for (int bit = 0; bit < 8; bit++) {
                image p = original;
                p.content[section][at] ^= 1u << bit;
                if (section == RODATA) /* a version, say */
                    assert_true(hash_of(&p) == h);
                else
                    assert_true(hash_of(&p) != h);
            }
    assert_true(hash_of(&original) == h);
}

/* Words that differ only in their upper bits, or stand in another order, are not the same code. */
TEST(every_bit_counts) {
    unsigned char a[16] = {0}, b[16] = {0};
    a[7] = 0x80;
    b[15] = 0x80;
    assert_true(program_hash(a, 16) != program_hash(b, 16));
    a[15] = 0x80;
    memset(b, 0, sizeof b);
    assert_true(program_hash(a, 16) != program_hash(b, 16));
}

/* Whatever a file claims, nothing is read outside it; it is then hashed as a whole. */
TEST(damaged_files_are_hashed_whole) {
    const image original = program();
    image damaged[8];
    for (int i = 0; i < 8; i++) damaged[i] = original;
    damaged[0].header.e_ident[0] = 'x';
    damaged[1].header.e_ident[EI_CLASS] = ELFCLASS32;
    damaged[2].header.e_shoff = UINT64_MAX - 8;
    damaged[3].header.e_shnum = 6;
    damaged[4].header.e_shstrndx = SECTIONS;
    damaged[5].sections[NAMES].sh_size = UINT64_MAX;
    damaged[6].sections[TEXT].sh_offset = sizeof(image) - 1;
    damaged[7].sections[TEXT].sh_name = damaged[7].sections[FATBIN].sh_name = 1000;
    for (int i = 0; i < 8; i++) {
        const uint64_t h = hash_of(&damaged[i]);
        damaged[i].content[RODATA][0] ^= 1;
        assert_true(hash_of(&damaged[i]) != h);
    }
    program_hash((const unsigned char *)&original, sizeof original.header - 1);
    assert_true(program_hash(NULL, 0) == program_hash(NULL, 0));
}

TEST(this_program_has_a_build) {
    const char *build = program_build();
    assert_int_equal(strlen(build), 16);
    assert_int_equal(strspn(build, "0123456789abcdef"), 16);
    assert_string_equal(program_build(), build);
}

int main(void) {
    return unit_run(NULL, NULL);
}
