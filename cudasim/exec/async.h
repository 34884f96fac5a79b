/* What isa/decode_async.c and exec/async.c agree on. */
#ifndef SIM_EXEC_ASYNC_H
#define SIM_EXEC_ASYNC_H

#include "machine/bulk.h"

/* insn.mode of the mbarrier instructions; insn.more is the address (bulk_address). */
#define MBARRIER_DROP        1u  /* arrive_drop */
#define MBARRIER_NO_COMPLETE 2u  /* arrive.noComplete */
#define MBARRIER_EXPECT      4u  /* arrive.expect_tx: op[2] bytes; mbarrier.expect_tx, not complete_tx: op[1] */
#define MBARRIER_STATE       8u  /* arrive: the state is wanted */
#define MBARRIER_PARITY      16u /* test_wait, try_wait: op[1] is a parity, not a state */
#define MBARRIER_TRY         32u /* try_wait */
#define MBARRIER_NO_INC      64u /* cp.async.mbarrier.arrive.noinc */

#endif
