/* For clang-tidy from PyPI, which brings no headers: gcc's serve it, but gcc's stdatomic.h is of gcc's own built-ins.
 * Only what this project uses. */
#ifndef CLANG_STDATOMIC_H
#define CLANG_STDATOMIC_H

typedef enum {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;

#define atomic_init                     __c11_atomic_init
#define atomic_load_explicit            __c11_atomic_load
#define atomic_load(object)             __c11_atomic_load(object, memory_order_seq_cst)
#define atomic_store_explicit           __c11_atomic_store
#define atomic_store(object, value)     __c11_atomic_store(object, value, memory_order_seq_cst)
#define atomic_exchange(object, value)  __c11_atomic_exchange(object, value, memory_order_seq_cst)
#define atomic_fetch_add(object, value) __c11_atomic_fetch_add(object, value, memory_order_seq_cst)
#define atomic_fetch_sub(object, value) __c11_atomic_fetch_sub(object, value, memory_order_seq_cst)

#endif
