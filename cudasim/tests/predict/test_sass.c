/* Machine code's text and control words: what nvdisasm prints of an instruction, and what its 16 bytes hold beside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "predict/sass.h"

static sass_insn parsed(const char *line) {
    sass_insn i;
    assert_true(sass_parse(line, &i));
    return i;
}

static void names(void **state) {
    const sass_insn i = parsed("  @!P2 IADD3.X R25, P1, RZ, -UR7, ~R4, P3, !PT ;");
    assert_int_equal(i.op, SASS_IADD3);
    assert_int_equal(i.pipe, PIPE_ALU);
    assert_true(HAS(&i, X));
    assert_int_equal(i.predicate, 2);
    assert_true(i.predicate_not);
    assert_int_equal(i.count, 7);
    assert_int_equal(i.operands[0].reg, 25);
    assert_int_equal(i.operands[1].kind, KIND_PREDICATE);
    assert_int_equal(i.operands[2].reg, SASS_RZ);
    assert_int_equal(i.operands[3].kind, KIND_UNIFORM);
    assert_true(i.operands[3].negative);
    assert_true(i.operands[4].inverted);
    assert_true(i.operands[6].inverted);
}

static void numbers(void **state) {
    const sass_insn i = parsed("IADD3 R1, R2, -0x100, RZ ;"), f = parsed("HFMA2.MMA R2, -RZ, RZ, 1.875, -0 ;");
    assert_int_equal(i.operands[2].number, -0x100);
    assert_true(f.operands[3].value == 1.875);
    assert_true(f.operands[3].real);
    assert_int_equal(parsed("BRA 0x2f0;").operands[0].number, 0x2f0);
    assert_int_equal(parsed("@P0 BRA.U UP1, 0x10 ;").operands[0].reg, SASS_UPREDICATES + 1);
}

static void addresses(void **state) {
    const sass_insn g = parsed("LDG.E.128.STRONG.GPU R4, desc[UR6][R2.64+0x10] ;"),
                    s = parsed("LDS.64 R6, [R9.X4+UR5+-0x20] ;"), c = parsed("ULDC.64 UR8, c[0x0][0x208] ;"),
                    a = parsed("LDGSTS.E.BYPASS.128 [R15+0x5100], desc[UR4][R6.64], !P5 ;");
    assert_int_equal(g.bytes, 16);
    assert_true(HAS(&g, STRONG));
    assert_int_equal(g.operands[1].reg, 2);
    assert_int_equal(g.operands[1].uniform, -1);
    assert_int_equal(g.operands[1].number, 0x10);
    assert_true(g.operands[1].wide);
    assert_int_equal(s.bytes, 8);
    assert_int_equal(s.operands[1].scale, 4);
    assert_int_equal(s.operands[1].uniform, 5);
    assert_int_equal(s.operands[1].number, -0x20);
    assert_int_equal(c.operands[1].kind, KIND_CONSTANT);
    assert_int_equal(c.operands[1].number, 0x208);
    assert_int_equal(a.operands[0].number, 0x5100);
    assert_int_equal(a.operands[2].kind, KIND_PREDICATE);
}

static void unknown(void **state) {
    assert_int_equal(parsed("UNHEARD.64x64x16.F32 R24, gdesc[UR4], R24 ;").pipe, PIPE_NONE);
    assert_int_equal(parsed("HGMMA.64x192x16.F32 R24, gdesc[UR4], R24 ;").columns, 192);
    sass_insn i;
    assert_false(sass_parse("\t.headerflags\t@\"EF_CUDA_SM90\"", &i));
}

/* The bits of a control word, each field with a value of its own. */
static void controls(void **state) {
    uint8_t bytes[16] = {0};
    const uint64_t word = (uint64_t)(13 | 1 << 4 | 2 << 5 | 5 << 8 | 0x21 << 11 | 6 << 17) << 41;
    memcpy(bytes + 8, &word, sizeof word);
    sass_insn i = parsed("NOP ;");
    sass_control(bytes, &i);
    assert_int_equal(i.stall, 13);
    assert_int_equal(i.write_board, 2);
    assert_int_equal(i.read_board, 5);
    assert_int_equal(i.wait, 0x21);
    assert_int_equal(i.reuse, 6);
}

/* nvdisasm is at work from sass_begin on, before anyone asks for the code. */
static void begun_before_it_is_asked_for(void **state) {
    char folder[] = "/tmp/test_sass.XXXXXX", script[64], mark[64], error[200];
    const uint8_t code[16] = {1};
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/nvdisasm", folder);
    snprintf(mark, sizeof mark, "%s/begun", folder);
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n: >%s\n", mark);
    fclose(f);
    chmod(script, 0755);
    setenv("CUDASIM_NVDISASM", script, 1);
    sass_note(code, sizeof code);
    sass_begin();
    for (int k = 0; k < 1000 && access(mark, F_OK) != 0; k++) usleep(10000);
    assert_int_equal(access(mark, F_OK), 0);
    assert_null(sass_read(code, sizeof code, error, sizeof error)); /* it has printed nothing */
    assert_non_null(strstr(error, "nvdisasm is missing or cannot read it"));
    unsetenv("CUDASIM_NVDISASM");
    unlink(mark);
    unlink(script);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names),     cmocka_unit_test(numbers),
                                       cmocka_unit_test(addresses), cmocka_unit_test(unknown),
                                       cmocka_unit_test(controls),  cmocka_unit_test(begun_before_it_is_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
