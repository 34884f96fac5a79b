/* A program's own code. */
#include "../unit.h"
#include "base/version.h"
#include "gpu/program.h"

TEST(this_program_has_a_build) {
    const char *build = program_build();
    assert_int_equal(strlen(build), 16);
    assert_int_equal(strspn(build, "0123456789abcdef"), 16);
    assert_string_equal(program_build(), build);
}

/* The version is among what is not hashed: it can be written. */
TEST(a_version_is_no_code) {
    char *version = (char *)(uintptr_t)version_text();
    version[0] = 'x';
    assert_int_equal(version_text()[0], 'x');
}
