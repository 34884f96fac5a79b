/* What a kernel needs, where the program has no machine code for it and a GPU's driver would compile the PTX. */
#include <string.h>

#include "base/align.h"
#include "base/device_model.h"
#include "isa/decode.h"
#include "isa/live.h"
#include "load/loaded.h"
#include "ptx/instruction.h"

#define FEWEST_REGISTERS 16u
#define MOST_REGISTERS   255u

unsigned declared_threads(const ptx_function *f) {
    const unsigned *given = f->reqntid[0] != 0 ? f->reqntid : f->maxntid;
    return given[0] * (given[1] ? given[1] : 1) * (given[2] ? given[2] : 1);
}

/* What the kernel's directives leave a thread: ptxas makes as many blocks fit an SM as they say, if so many can. */
static unsigned most_registers(const ptx_function *f) {
    const device_model *model = device_model_current();
    const unsigned threads = declared_threads(f);
    unsigned most = f->maxnreg != 0 && f->maxnreg < MOST_REGISTERS ? f->maxnreg : MOST_REGISTERS;
    if (threads == 0) return most;
    int blocks = f->minnctapersm > 1 ? (int)f->minnctapersm : 1;
    const int fit = device_model_blocks_per_sm(model, threads, FEWEST_REGISTERS, 0);
    if (blocks > fit) blocks = 1;
    while (most > FEWEST_REGISTERS && device_model_blocks_per_sm(model, threads, most, 0) < blocks)
        most = (most - 1) / 8 * 8;
    return most;
}

static bool has_setmaxnreg(const ptx_function *f) {
    for (int k = 0; k < f->instruction_count; k++)
        if (opcode_is(f->instructions[k].opcode, "setmaxnreg")) return true;
    return false;
}

/* The words that live at once are as many as ptxas's registers, in the median over this project's kernels: what it
 * takes for temporaries it saves on parameters and constants. A kernel whose warps exchange registers gets all that its
 * directives leave. */
static unsigned registers_of(const ptx_module *p, const ptx_function *f) {
    const unsigned most = most_registers(f);
    if ((f->maxnreg != 0 || declared_threads(f) != 0) && has_setmaxnreg(f)) return most;
    unsigned words = live_words(p, f);
    if (words < FEWEST_REGISTERS) words = FEWEST_REGISTERS;
    return words < most ? words : most;
}

static bool names_array(const function *f, const char *name) {
    for (int k = 0; k < f->array_count; k++)
        if (strcmp(f->arrays[k].name, name) == 0) return true;
    return false;
}

/* Static shared memory: its own arrays, those of functions, which it may call, and those of the module that it or a
 * function names. */
static unsigned shared_of(const sim_module *m, const function *entry) {
    const ptx_module *p = m->ptx;
    uint32_t bytes = 0;
    for (int v = 0; v < p->variable_count; v++) {
        const ptx_variable *variable = &p->variables[v];
        if (variable->space != PTX_SHARED || variable->is_extern) continue;
        bool named = names_array(entry, variable->name);
        for (int k = 0; k < p->function_count && !named; k++)
            named = !p->functions[k].is_entry && names_array(&m->functions[k], variable->name);
        if (named) bytes = (uint32_t)(align_up(bytes, variable->align) + variable->size);
    }
    for (int k = 0; k < p->function_count; k++)
        if (!p->functions[k].is_entry || &m->functions[k] == entry)
            bytes = function_shared_end(&p->functions[k], bytes);
    return bytes;
}

void kernel_estimate(sim_kernel *kernel) {
    const function *entry = kernel->entry;
    kernel->estimate = (cubin_kernel){.registers = registers_of(kernel->module->ptx, entry->source),
                                      .shared_bytes = shared_of(kernel->module, entry),
                                      .local_bytes = entry->frame_bytes};
}
