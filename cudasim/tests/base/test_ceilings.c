/* What GPUs do at most: the files that cudasim has, faulty ones, data sheets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ceilings.h"

#define HEAD "# NVIDIA X, of a day\nname,rate,unit\n"

static void of_the_modelled_gpu(void **state) {
    const ceilings *c = ceilings_current();
    assert_string_equal(c->device, "NVIDIA H200");
    assert_true(c->measured);
    assert_true(c->sms == 132 && c->clock_mhz > 1900 && c->clock_mhz < 2000);
    const double ffma = ceiling_best(c, "ffma_"), l2 = ceiling_of(c, "l2_read");
    assert_true(ffma > 250 && ffma <= 256 && ceiling_of(c, "ffma_8x8_rows") < ffma);
    assert_true(l2 > 20 && l2 < 64); /* bytes a clock and SM */
    assert_true(ceiling_of(c, "latency_l1") == 32);
    assert_true(ceiling_of(c, "no_such") == 0);
}

static void units(void **state) {
    ceilings c;
    char why[200];
    assert_true(ceilings_parse(&c, HEAD "clock,2000,MHz\nsms,10,SM\nl2_read,4000,GB/s\nlds_32,127.5,B/clk\r\n", why,
                               sizeof why));
    assert_string_equal(c.device, "NVIDIA X");
    assert_true(ceiling_of(&c, "l2_read") == 200);
    assert_true(ceiling_of(&c, "lds_32") == 127.5);
}

static void faulty_files(void **state) {
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "0: it ends without clock, sms and a ceiling"},
        {"name,rate,unit\n", "1: it does not begin with '# ' and the GPU's name"},
        {"# NVIDIA X\nname,rate\n", "2: it is not name,rate,unit"},
        {HEAD "clock,2000,MHz\nlds_32,127\n", "4: 'lds_32,127' is not NAME,RATE,UNIT"},
        {HEAD "lds_32,-1,B/clk\n", "3: 'lds_32,-1,B/clk' is not NAME,RATE,UNIT"},
        {HEAD "lds_32,nan,B/clk\n", "3: 'lds_32,nan,B/clk' is not NAME,RATE,UNIT"},
        {HEAD "lds_32,1,B/clk,1\n", "3: 'lds_32,1,B/clk,1' is not NAME,RATE,UNIT"},
        {HEAD "\n", "3: '' is not NAME,RATE,UNIT"},
        {HEAD "l2_read,1,GB/s\n", "3: no unit GB/s is known before the lines of clock and sms"},
        {HEAD "clock,2000,MHz\nsms,10,SM\nl2_read,1,TB/s\n", "5: no unit TB/s is known"},
        {HEAD "clock,2000,MHz\nlds_32,1,B/clk\n", "4: it ends without clock, sms and a ceiling"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ceilings c;
        char why[200] = "";
        assert_false(ceilings_parse(&c, cases[k].text, why, sizeof why));
        assert_string_equal(why, cases[k].why);
    }
    char many[1 << 14] = HEAD;
    for (int k = 0; k <= MOST_CEILINGS; k++) strcat(many, "lds_32,1,B/clk\n");
    ceilings c;
    char why[200];
    assert_false(ceilings_parse(&c, many, why, sizeof why));
    assert_non_null(strstr(why, "more than 128"));
}

static void data_sheets(void **state) {
    static const char *const archs[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"};
    for (size_t k = 0; k < sizeof archs / sizeof *archs; k++) {
        const device_model *m = device_model_named(archs[k]);
        ceilings c;
        ceilings_of_data_sheet(&c, m);
        assert_false(c.measured);
        assert_true(c.sms == m->sms && ceiling_best(&c, "ffma_") >= 128 && ceiling_best(&c, "mma_f16") >= 1024);
        assert_true(ceiling_of(&c, "l2_read") == 0 && ceiling_of(&c, "launch_graph") == 0);
    }
    ceilings a100;
    ceilings_of_data_sheet(&a100, device_model_named("sm_80"));
    assert_true(ceiling_best(&a100, "mma_tf32") == 1024);
    const double gbps = ceiling_of(&a100, "dram_read") * a100.sms * a100.clock_mhz / 1e3;
    assert_true(gbps > 1555 && gbps < 1556);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_the_modelled_gpu), cmocka_unit_test(units),
                                       cmocka_unit_test(faulty_files), cmocka_unit_test(data_sheets)};
    unsetenv("CUDASIM_CEILINGS");
    unsetenv("CUDASIM_DEVICE");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
