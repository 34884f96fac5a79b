/* Where paths meet (src/ptx/flow.h), on random functions, against the definition: an instruction is passed by every
 * path from another one to the end if without it no path leads there; the first such one is the meeting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/flow.h"

enum { MOST = 14 };

static uint64_t seed;
static int pick(int below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)((seed >> 20) % (uint64_t)below);
}

static ptx_instruction instructions[MOST];
static ptx_operand operands[MOST];
static int targets[3];
static ptx_table table = {.kind = PTX_BRANCH_TARGETS, .targets = targets, .count = 3};
static ptx_function f = {.instructions = instructions, .tables = &table, .table_count = 1};

static void random_function(void) {
    static const char *const opcodes[] = {"add.s32", "bar.sync", "bra",  "bra", "bra.uni",
                                          "brx.idx", "ret",      "exit", "trap"};
    f.instruction_count = 1 + pick(MOST);
    for (int k = 0; k < 3; k++) targets[k] = pick(f.instruction_count);
    for (int k = 0; k < f.instruction_count; k++) {
        const int which = pick(3) > 0 ? pick(4) : pick(9);
        operands[k] = (ptx_operand){.reg = -1, .integer = pick(f.instruction_count)};
        instructions[k] = (ptx_instruction){
            .opcode = opcodes[which], .guard = pick(2) - 1, .operands = &operands[k], .operand_count = 1};
    }
}

/* Does a path lead from `from` to the end that does not pass `without`? Where instructions lead is told anew here. */
static bool leads_to_end(int from, int without) {
    bool seen[MOST + 1] = {false};
    int stack[MOST + 1], depth = 0;
    const int end = f.instruction_count;
    if (from == without) return false;
    seen[from] = true;
    stack[depth++] = from;
    while (depth > 0) {
        const int pc = stack[--depth];
        if (pc == end) return true;
        const char *opcode = instructions[pc].opcode;
        int to[6], count = 0;
        if (opcode[0] == 'r' || opcode[0] == 'e') to[count++] = end;
        if (strncmp(opcode, "bra", 3) == 0) to[count++] = (int)operands[pc].integer;
        for (int k = 0; k < 3 && strncmp(opcode, "brx", 3) == 0; k++) to[count++] = targets[k];
        if (instructions[pc].guard >= 0 || opcode[0] == 'a' || strcmp(opcode, "bar.sync") == 0) to[count++] = pc + 1;
        for (int k = 0; k < count; k++)
            if (to[k] != without && !seen[to[k]]) {
                seen[to[k]] = true;
                stack[depth++] = to[k];
            }
    }
    return false;
}

/* Every path from `from` passes it; `from` itself it does. */
static bool passed(int at, int from) {
    return !leads_to_end(from, at);
}

/* Of those that every path from both passes (`behind`: but for a itself), the one from which all others come later. */
static int first_passed(int a, int b, bool behind) {
    const int end = f.instruction_count;
    if (!leads_to_end(a, -1) || !leads_to_end(b, -1)) return -1;
    for (int n = 0; n <= end; n++) {
        bool first = !(behind && n == a) && passed(n, a) && passed(n, b);
        for (int m = 0; m <= end && first; m++)
            if (m != n && !(behind && m == a) && passed(m, a) && passed(m, b)) first = passed(m, n);
        if (first) return n;
    }
    return -1;
}

static void meetings_are_what_every_path_passes(void **state) {
    int several = 0;
    for (int round = 0; round < 3000; round++) {
        seed = 0x9e3779b97f4a7c15u * (uint64_t)(round + 1);
        random_function();
        int *meetings = flow_meetings(&f);
        assert_non_null(meetings);
        for (int a = 0; a < f.instruction_count; a++) {
            assert_int_equal(meetings[a], first_passed(a, a, true));
            for (int b = 0; b < f.instruction_count; b++) {
                const int meeting = flow_meeting(meetings, f.instruction_count, a, b);
                assert_int_equal(meeting, first_passed(a, b, false));
                several += meeting != a && meeting != b && meeting >= 0 && meeting < f.instruction_count;
            }
        }
        free(meetings);
    }
    assert_true(several > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meetings_are_what_every_path_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
