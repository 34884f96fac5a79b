/* What tests of groups share. */
#pragma once

#include "sim_case.h"

/* %r2 = 0xbad in lanes that are not all together here. */
#define TOGETHER "activemask.b32 %r30; setp.ne.b32 %p19, %r30, 0xffffffff; @%p19 mov.u32 %r2, 0xbad;\n"
#define BELOW(n) "setp.lt.u32 %p1, %r1, " #n ";\n"
/* What stops a kernel: its status and what is said. */
typedef struct stop_case {
    const char *ptx;
    unsigned threads;
    sim_status status;
    const char *said;
} stop_case;

#define ILLEGAL   "cudasim: illegal instruction in kernel k: "
#define LOC(line) ".loc 1 " #line " 0\n"

static inline void check_stops(const stop_case *cases, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const sim_status status = run(cases[k].ptx, 1, cases[k].threads);
        assert_said("%s", cases[k].said);
        assert_int_equal(status, cases[k].status);
    }
}
