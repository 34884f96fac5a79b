/* How a process ends, by exit, by _exit or by a signal. However it ends, it tells what has been found, counted and
 * traced. Host code that touches the device's memory gets the signal that it would get on a machine with a GPU. */
#include "cuda/ending.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/threads.h"
#include "check/findings.h"
#include "cuda/runtime.h"
#include "cuda/unchecked.h"
#include "predict/predict.h"
#include "watch/watch.h"

#define PATIENCE 5.0 /* seconds that the kernel, and then the report, may take */

static pid_t begun_in; /* a child process has nothing to tell */
static int exit_status = -1;

static void note_status(int status, void *argument) {
    exit_status = status;
}

/* Once. What the process, which would end with `status`, is to end with; 0: leave it. */
static int report(int status) {
    static int reported;
    if (getpid() != begun_in || __atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED)) return 0;
    sim_printf_flush();
    unchecked_end(status);
    predict_end();
    return watch_end(status);
}

/* ---- _exit ------------------------------------------------------------------------------------------------------- */

_Noreturn static void told_exit(int status) {
    if (getpid() == begun_in) {
        machine_lock();
        const int ours = report(status);
        if (ours != 0) status = ours;
    }
    _exit(status);
}

/* The entry of the object's table of imports becomes ours; the loader may have made the table read-only. */
static void redirect(const struct dl_phdr_info *object, ElfW(Addr) offset) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = object->dlpi_addr + offset;
    bool read_only = false;
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[k];
        read_only |= p->p_type == PT_GNU_RELRO && offset >= p->p_vaddr && offset - p->p_vaddr < p->p_memsz;
    }
    void *start = (void *)(at & ~(page - 1));
    if (read_only && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return;
    *(uintptr_t *)at = (uintptr_t)told_exit;
    if (read_only) mprotect(start, page, PROT_READ);
}

static void redirect_all(const struct dl_phdr_info *object, const ElfW(Rela) * table, size_t bytes,
                         const ElfW(Sym) * symbols, const char *names) {
    for (size_t k = 0; k < bytes / sizeof *table; k++) {
        const unsigned type = ELF64_R_TYPE(table[k].r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
        const char *name = names + symbols[ELF64_R_SYM(table[k].r_info)].st_name;
        if (strcmp(name, "_exit") == 0 || strcmp(name, "_Exit") == 0) redirect(object, table[k].r_offset);
    }
}

/* Redirects the calls of _exit in the program and its libraries but this one: a library that exported the name would be
 * simpler, but then this one would export what the real runtime does not. */
static int redirect_object(struct dl_phdr_info *object, size_t size, void *unused) {
    const ElfW(Dyn) *dynamic = NULL;
    const ElfW(Rela) *table = NULL, *calls = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t bytes = 0, call_bytes = 0;
    bool ours = false;
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[k];
        const uintptr_t start = object->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC) dynamic = (const void *)start;
        ours |= p->p_type == PT_LOAD && (uintptr_t)&begun_in >= start && (uintptr_t)&begun_in - start < p->p_memsz;
    }
    for (; dynamic != NULL && !ours && dynamic->d_tag != DT_NULL; dynamic++) {
        const void *at = (const void *)dynamic->d_un.d_ptr;
        if (dynamic->d_tag == DT_SYMTAB) symbols = at;
        if (dynamic->d_tag == DT_STRTAB) names = at;
        if (dynamic->d_tag == DT_JMPREL) calls = at;
        if (dynamic->d_tag == DT_RELA) table = at;
        if (dynamic->d_tag == DT_PLTRELSZ) call_bytes = dynamic->d_un.d_val;
        if (dynamic->d_tag == DT_RELASZ) bytes = dynamic->d_un.d_val;
    }
    /* The kernel's own object (vdso) has addresses that are not relocated. */
    if (symbols == NULL || (uintptr_t)symbols < object->dlpi_addr) return 0;
    if (calls != NULL) redirect_all(object, calls, call_bytes, symbols, names);
    if (table != NULL) redirect_all(object, table, bytes, symbols, names);
    return 0;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* Those that end a process and whose report cannot be made where they interrupt it: a thread makes it. */
static const int handled[] = {SIGINT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS};
static int caught;
static sem_t wanted;

_Noreturn static void end_by(int number) {
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), number);
    for (;;) pause();
}

static void *report_signal(void *unused) {
    while (sem_wait(&wanted) != 0) {}
    sim_launch_interrupt(PATIENCE);
    report(128 + caught);
    end_by(caught);
    return unused;
}

/* The host's code at this address of the device's memory, by whose pointer it reads or writes. */
static void say_host_access(uint64_t address, bool writes) {
    memory_allocation m;
    bool freed;
    char where[160] = "no allocation", text[400];
    if (memory_nearest(address, &m, &freed) && address >= m.base && address - m.base < m.size)
        snprintf(where, sizeof where, "byte %llu of %s%s%llu bytes of %sdevice memory",
                 (unsigned long long)(address - m.base), m.name != NULL ? m.name : "", m.name != NULL ? ", " : "",
                 (unsigned long long)m.size, freed ? "freed " : "");
    snprintf(text, sizeof text,
             "the program's host code %s 0x%llx, %s, which only the device may touch (cudaMemcpy copies it; "
             "cudaMallocManaged makes memory for both)",
             writes ? "writes" : "reads", (unsigned long long)address, where);
    finding_say("host access", text);
}

static void catch (int number, siginfo_t *info, void *context) {
    static int faults;
    if (getpid() != begun_in) end_by(number);
    const bool fault = number == SIGSEGV || number == SIGBUS;
    const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (fault && __atomic_exchange_n(&faults, 1, __ATOMIC_RELAXED) == 0 && info->si_code > 0 &&
        memory_in_arena(address))
        say_host_access(address, ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2);
    caught = number;
    sem_post(&wanted);
    if (number == SIGINT || number == SIGTERM) return; /* what it interrupts may hold what the report needs */
    const struct timespec limit = {(time_t)(2 * PATIENCE), 0};
    nanosleep(&limit, NULL);
    end_by(number);
}

void ending_begin(void) {
    if (begun_in != 0) return;
    begun_in = getpid();
    on_exit(note_status, NULL);
    if (!memory_tracks() && !watch_records()) return;
    dl_iterate_phdr(redirect_object, NULL);
    if (sem_init(&wanted, 0, 0) != 0 || !pool_thread(report_signal, NULL)) return;
    for (size_t k = 0; k < sizeof handled / sizeof *handled; k++) {
        struct sigaction before,
            now = {.sa_sigaction = catch, .sa_flags = (int)(SA_SIGINFO | SA_RESTART | SA_RESETHAND)};
        if (sigaction(handled[k], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(handled[k], &now, NULL);
    }
}

int ending_report(void) {
    return report(exit_status);
}
