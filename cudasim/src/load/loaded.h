/* A loaded module, for the files of this folder. */
#pragma once

#include "isa/decode.h"
#include "load/module.h"
#include "ptx/fatbin.h"

struct sim_kernel {
    sim_module *module;
    function *entry;
    const cubin_kernel *resources; /* NULL where the fat binary has no machine code for it */
    cubin_kernel estimate;         /* there: what a compiler would make of the PTX */
    unsigned max_dynamic_shared;
    bool ready;      /* all of the above is known */
    bool decoded;    /* it can be launched */
    int async_proxy; /* 0: not yet looked, 1: no, 2: yes */
};

struct sim_module {
    arena memory; /* holds the arrays below */
    ptx_module *ptx;
    cubin cubin;
    unsigned cubin_arch;      /* 90 */
    uint64_t *variables;      /* addresses, by the number of the variable */
    uint64_t *shared_offsets; /* of module-scope .shared variables, likewise */
    function *functions;      /* by the number of the function */
    bool *named;              /* likewise: an instruction or a variable's value names it, so it may be called */
    uint64_t **local_statics; /* .global and .const declared inside functions, by function and local */
    sim_kernel *kernels;      /* by the number of the function; entry NULL for those that are no kernels */
    uint32_t shared_bytes;    /* module-scope .shared, and that of functions which are no kernels */
    uint32_t dynamic_offset;  /* where extern .shared begins, in every kernel of the module */
};

/* What a name stands for that is used in function `owner` (NULL: in a variable's value); false if there is none. A
 * function so named is noted as one that may be called. (symbols.c; a decode_context's `symbol`) */
bool symbol_find(void *module, const function *owner, const char *name, symbol *s);

/* The module's variables get memory and their values; false and a line in `error` where that cannot be. (variables.c)
 */
bool variables_load(sim_module *m, char *error, size_t error_size);
void variables_free(sim_module *m);
/* Places shared memory: first what functions other than kernels own (they may be called by any), then each kernel's
 * own, then, at one place for all kernels of the module, the dynamic part. */
void variables_place_shared(sim_module *m);

/* What a decoded kernel needs, where no machine code tells. (estimate.c) */
void kernel_estimate(sim_kernel *kernel);
/* How many threads a block may have by its .reqntid or .maxntid; 0: neither is given. */
unsigned declared_threads(const ptx_function *f);

/* Functions get addresses. (functions.c) */
bool functions_make(sim_module *m, char *error, size_t error_size);
void functions_free(sim_module *m);
/* Decodes a function, what it calls, and what that calls; false and a line in `error` where that cannot be. */
bool functions_decode(sim_module *m, function *f, char *error, size_t error_size);
/* Makes the watched code of a kernel and of all that it may call, which are decoded; false where there is no memory. */
bool functions_watch(sim_module *m, const function *entry);
/* Decodes all that are named. One that cannot be is refused only when it is called. False and a line in `error` where
 * there is no memory. */
bool functions_decode_named(sim_module *m, char *error, size_t error_size);
