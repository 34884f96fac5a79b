/* Random programs in the simulator against a plain model of the PTX ISA (random/): integers, floating point,
 * predicates, conversions, memory of every space, branches, loops, calls, warp-wide and matrix instructions, mbarriers,
 * clusters; many registers that are the same in all threads or grow with the thread's number.
 *
 * RANDOM_COUNT programs from seed RANDOM_SEED on, or as many as RANDOM_SECONDS allow. What differs is cut down to a
 * program as short as can be, and printed. */
#include "sim_case.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "random/model.h"
#include "random/print.h"

static program_steps candidate;
static model expected;
static char ptx[TEXT_BYTES];
static uint8_t *device[3]; /* input, output, counters */

typedef enum outcome { SAME, DIFFERENT, NO_PROGRAM } outcome;

static const uint32_t first_sums[8] = {7, 0x7fffffff, 3, 0xffffffff, 0, 0x12345678, 0, 0xffffffff};

/* What differs first, in words. */
static void describe(const program_steps *p, char *text, size_t size) {
    for (size_t i = 0; i < ALL_OUTPUT; i += 8) {
        uint64_t is, should;
        memcpy(&is, device[OUTPUT] + i, 8);
        memcpy(&should, expected.output + i, 8);
        if (is == should) continue;
        const size_t thread = i / (SLOTS * 8), slot = i / 8 % SLOTS;
        const char *const names[] = {"%p", "%h", "%r", "%rd"};
        if (i < OUTPUT_BYTES && slot < (size_t)CLASSES * DATA)
            snprintf(text, size, "thread %zu of block %zu: %s%zu is 0x%llx, not 0x%llx", thread % p->threads,
                     thread / p->threads, names[slot / DATA], slot % DATA, (unsigned long long)is,
                     (unsigned long long)should);
        else
            snprintf(text, size, "byte %zu of the output is 0x%llx, not 0x%llx", i, (unsigned long long)is,
                     (unsigned long long)should);
        return;
    }
    snprintf(text, size, "what the threads have added up differs");
}

static outcome try_program(const program_steps *p, char *why, size_t size) {
    memset(expected.input, 0, sizeof expected.input);
    memcpy(expected.input, p->input, INPUT_BYTES);
    memset(expected.output, 0x5a, ALL_OUTPUT);
    memcpy(expected.counters, first_sums, sizeof first_sums);
    memcpy(device[INPUT], expected.input, sizeof expected.input);
    memcpy(device[OUTPUT], expected.output, ALL_OUTPUT);
    memcpy(device[COUNTERS], expected.counters, COUNTER_BYTES);
    if (!model_run(&expected, p)) {
        snprintf(why, size, "%s", expected.failure);
        return NO_PROGRAM;
    }
    print_program(p, ptx);
    struct {
        uint8_t *places[3];
        uint8_t params[PARAM_BYTES];
    } arguments = {{device[0], device[1], device[2]}, {0}};
    memcpy(arguments.params, p->params, PARAM_BYTES);
    program loaded = program_load(ptx);
    sim_launch_config config = shape(p->blocks, p->width);
    config.block[1] = p->threads / p->width;
    config.cluster[0] = p->cluster;
    const sim_status status = launch_kernel(kernel_of(&loaded, "k"), config, &arguments);
    program_unload(&loaded);
    if (status != SIM_OK || said[0] != '\0') {
        snprintf(why, size, "the launch ends with %d and says: %.400s", status, said);
        return DIFFERENT;
    }
    if (memcmp(device[OUTPUT], expected.output, ALL_OUTPUT) == 0 &&
        memcmp(device[COUNTERS], expected.counters, COUNTER_BYTES) == 0)
        return SAME;
    describe(p, why, size);
    return DIFFERENT;
}

/* Leaves out what can be left out. */
static void reduce(program_steps *p, char *why, size_t size) {
    char reason[600];
    for (int stride = 64; stride > 0; stride /= 2) {
        for (int first = 0; first < p->count; first += stride) {
            int dropped[64], count = 0;
            for (int i = first; i < first + stride && i < p->count; i++)
                if (!p->steps[i].off && !p->steps[i].fixed) dropped[count++] = i;
            for (int i = 0; i < count; i++) p->steps[dropped[i]].off = true;
            if (count > 0 && try_program(p, reason, sizeof reason) == DIFFERENT) {
                snprintf(why, size, "%s", reason);
                continue;
            }
            for (int i = 0; i < count; i++) p->steps[dropped[i]].off = false;
        }
    }
    for (unsigned threads = 1; threads < p->threads; threads++) {
        const program_steps had = *p;
        p->threads = p->width = threads;
        if (try_program(p, reason, sizeof reason) == DIFFERENT) {
            snprintf(why, size, "%s", reason);
            break;
        }
        *p = had;
    }
    print_program(p, ptx);
}

static uint64_t setting(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static volatile uint64_t seed;
static int output; /* standard output, which may be captured */

/* The simulator has crashed: the seed, at least, is said. */
static void crashed(int signal_number) {
    dprintf(output, "RANDOM_SEED=%llu RANDOM_COUNT=1: signal %d\n", (unsigned long long)seed, signal_number);
    _exit(1);
}

static void test_random_programs(void **state) {
    output = dup(STDOUT_FILENO);
    signal(SIGSEGV, crashed);
    static const size_t sizes[] = {INPUT_BYTES + INPUT_SLACK, ALL_OUTPUT, COUNTER_BYTES};
    for (int i = 0; i < 3; i++) {
        device[i] = (uint8_t *)memory_allocate(sizes[i], 256, MEMORY_DEVICE, NULL, NULL);
        assert_non_null(device[i]);
    }
    const uint64_t first = setting("RANDOM_SEED", 1), seconds = setting("RANDOM_SECONDS", 0);
    const uint64_t count = setting("RANDOM_COUNT", seconds ? UINT64_MAX : 1500);
    const double end = now() + (double)seconds;
    uint64_t done = 0;
    for (; done < count && (seconds == 0 || now() < end); done++) {
        char why[600];
        seed = first + done;
        generate(&candidate, seed);
        const outcome is = try_program(&candidate, why, sizeof why);
        if (is == SAME) continue;
        if (is == DIFFERENT) reduce(&candidate, why, sizeof why);
        print_program(&candidate, ptx);
        fprintf(stderr, "%s", ptx);
        fail_msg("RANDOM_SEED=%llu RANDOM_COUNT=1: %s", (unsigned long long)(first + done), why);
    }
    if (seconds) printf("%llu programs from seed %llu on\n", (unsigned long long)done, (unsigned long long)first);
}

/* ---- texts that are nearly PTX ---- */

/* The word, number or sign at a random place of the text. */
static char *random_token(char *text, size_t length, size_t *size) {
    static const char *const words = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%";
    char *at = text + chance((uint32_t)length);
    while (at > text && strchr(words, *at) && strchr(words, at[-1])) at--;
    *size = strchr(words, *at) && *at ? strspn(at, words) : 1;
    return at;
}

/* Decoding them ends in a kernel, or in an error with words. */
static void test_nearly_ptx(void **state) {
    static char changed[2 * TEXT_BYTES];
    const uint64_t first = setting("RANDOM_SEED", 1);
    const uint64_t count = setting("RANDOM_COUNT", 2000);
    for (uint64_t i = 0; i < count; i++) {
        if (i % 16 == 0) {
            generate(&candidate, first + i);
            print_program(&candidate, ptx);
        }
        chance_state = first + i;
        size_t length = strlen(ptx);
        memcpy(changed, ptx, length + 1);
        for (uint32_t changes = 1 + chance(3); changes > 0; changes--) {
            size_t old_size, new_size;
            const char *by = random_token(ptx, strlen(ptx), &new_size);
            char *at = random_token(changed, length, &old_size);
            if (one_in(8)) new_size = 0;
            memmove(at + new_size, at + old_size, length + 1 - (size_t)(at - changed) - old_size);
            memcpy(at, by, new_size);
            length = length + new_size - old_size;
        }
        program p = program_load(changed);
        char error[1024] = "";
        if (p.module && !sim_module_kernel(p.module, "k", error, sizeof error) && error[0] == '\0' &&
            strstr(changed, ".entry k("))
            fail_msg("RANDOM_SEED=%llu RANDOM_COUNT=1: no kernel, and no word why", (unsigned long long)(first + i));
        if (!p.module && p.error[0] == '\0') fail_msg("no module, and no word why");
        program_unload(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs), cmocka_unit_test(test_nearly_ptx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
