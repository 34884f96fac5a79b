#include "base/ceilings.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the files that cudasim has ---------------------------------------------------------------------------------- */

#define SHIPPED(symbol, file)                                                                                          \
    __asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"devices/" file ".csv\"\n.byte 0\n.popsection\n");           \
    extern const char symbol[] __attribute__((visibility("hidden")))
SHIPPED(ceilings_h200, "nvidia-h200");
SHIPPED(ceilings_h100, "nvidia-h100");

static const struct shipped {
    const char *name, *text;
} shipped[] = {{"nvidia-h200", ceilings_h200}, {"nvidia-h100", ceilings_h100}};
#define SHIPPED_COUNT ((int)(sizeof shipped / sizeof *shipped))

/* ---- a file ------------------------------------------------------------------------------------------------------ */

/* Of a rate in this unit, what one clock of one SM has of it; 0: no such unit. */
static double per_clock(const ceilings *c, const char *unit) {
    static const char *const as_they_are[] = {"FLOP/clk", "B/clk", "add/clk", "FMA/clk", "bar/clk", "clk", "us"};
    for (size_t k = 0; k < sizeof as_they_are / sizeof *as_they_are; k++)
        if (strcmp(unit, as_they_are[k]) == 0) return 1;
    const bool of_gpu = strcmp(unit, "GB/s") == 0 || strcmp(unit, "Gadd/s") == 0;
    return of_gpu && c->clock_mhz > 0 && c->sms > 0 ? 1e3 / (c->clock_mhz * c->sms) : 0;
}

/* "lds_32,127.3,B/clk" */
static bool parse_row(ceilings *c, const char *line, char *why, size_t size) {
    char name[32], unit[16], rest;
    double rate;
    if (sscanf(line, "%31[a-z0-9_],%lf,%15[A-Za-z/]%c", name, &rate, unit, &rest) != 3 || !(rate > 0 && rate < 1e12)) {
        snprintf(why, size, "'%.40s' is not NAME,RATE,UNIT", line);
        return false;
    }
    if (strcmp(name, "clock") == 0 && strcmp(unit, "MHz") == 0) {
        c->clock_mhz = rate;
    } else if (strcmp(name, "sms") == 0 && strcmp(unit, "SM") == 0) {
        c->sms = rate;
    } else if (per_clock(c, unit) == 0) {
        snprintf(why, size, "no unit %s is known%s", unit, c->sms > 0 ? "" : " before the lines of clock and sms");
        return false;
    } else if (c->count == MOST_CEILINGS) {
        snprintf(why, size, "there are more than %d ceilings", MOST_CEILINGS);
        return false;
    } else {
        struct ceiling *next = &c->all[c->count++];
        strcpy(next->name, name);
        next->rate = rate * per_clock(c, unit);
    }
    return true;
}

bool ceilings_parse(ceilings *c, const char *text, char *why, size_t size) {
    int number = 0;
    *c = (ceilings){.measured = true};
    for (const char *end; *text != '\0'; text = *end != '\0' ? end + 1 : end) {
        char line[256], reason[128];
        end = text + strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        line[strcspn(line, "\r")] = '\0';
        number++;
        if (number == 1 && sscanf(line, "# %63[^,]", c->device) == 1) continue;
        if (number == 2 && strcmp(line, "name,rate,unit") == 0) continue;
        if (number == 1)
            snprintf(reason, sizeof reason, "it does not begin with '# ' and the GPU's name");
        else if (number == 2)
            snprintf(reason, sizeof reason, "it is not name,rate,unit");
        else if (parse_row(c, line, reason, sizeof reason))
            continue;
        snprintf(why, size, "%d: %s", number, reason);
        return false;
    }
    if (c->count > 0 && c->clock_mhz > 0 && c->sms > 0) return true;
    snprintf(why, size, "%d: it ends without clock, sms and a ceiling", number);
    return false;
}

/* ---- the data sheet ---------------------------------------------------------------------------------------------- */

static void add(ceilings *c, const char *name, double rate) {
    struct ceiling *next = &c->all[c->count++];
    snprintf(next->name, sizeof next->name, "%s", name);
    next->rate = rate;
}

void ceilings_of_data_sheet(ceilings *c, const device_model *m) {
    const int cc = (int)(10 * m->cc_major + m->cc_minor);
    const double f16 = cc == 90 ? 4096 : cc == 80 ? 2048 : 1024; /* FLOP of the tensor cores; 8.6: sums in FP16 */
    *c = (ceilings){.clock_mhz = m->clock_khz / 1e3, .sms = m->sms};
    snprintf(c->device, sizeof c->device, "NVIDIA %s", m->gpu);
    add(c, "ffma_peak", cc == 75 || cc == 80 ? 128 : 256);
    add(c, "mma_f16_peak", f16);
    add(c, "mma_s8_peak", 2 * f16);
    if (cc >= 80) add(c, "mma_bf16_peak", f16);
    if (cc >= 80) add(c, "mma_tf32_peak", f16 / 2);
    add(c, "lds_peak", 128);
    add(c, "l1_peak", 128);
    add(c, "dram_read", m->memory_clock_khz * 2.0 * m->memory_bus_bits / 8 * 1e3 / (c->clock_mhz * 1e6 * c->sms));
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

static ceilings current;
static pthread_once_t current_once = PTHREAD_ONCE_INIT;

/* Not exit(): this may be inside a static constructor. */
_Noreturn static void refuse(const char *name, const char *why) {
    fprintf(stderr, "cudasim: CUDASIM_CEILINGS=%s%s%s\n", name, isdigit((unsigned char)*why) ? ":" : " ", why);
    _Exit(2);
}

static const char *shipped_text(const char *name) {
    for (int k = 0; k < SHIPPED_COUNT; k++)
        if (strcmp(shipped[k].name, name) == 0) return shipped[k].text;
    return NULL;
}

static void read_file(const char *name) {
    static char text[1 << 16];
    char why[200];
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        snprintf(why, sizeof why, "cannot be read: %s", strerror(errno));
        refuse(name, why);
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    const bool whole = !ferror(file) && length < sizeof text - 1;
    fclose(file);
    if (!whole) refuse(name, "cannot be read as a file of ceilings");
    text[length] = '\0';
    if (!ceilings_parse(&current, text, why, sizeof why)) refuse(name, why);
}

static void choose_current(void) {
    const device_model *model = device_model_current();
    const char *name = getenv("CUDASIM_CEILINGS");
    char why[200], device[64];
    if (name != NULL && *name != '\0') {
        const char *text = shipped_text(name);
        if (text == NULL) read_file(name);
        if (text != NULL && !ceilings_parse(&current, text, why, sizeof why)) refuse(name, why);
        return;
    }
    snprintf(device, sizeof device, "NVIDIA %s", model->gpu);
    for (int k = 0; k < SHIPPED_COUNT; k++)
        if (ceilings_parse(&current, shipped[k].text, why, sizeof why) && strcmp(current.device, device) == 0) return;
    ceilings_of_data_sheet(&current, model);
}

const ceilings *ceilings_current(void) {
    pthread_once(&current_once, choose_current);
    return &current;
}

static ceilings for_times;

static void choose_for_times(void) {
    static const char *const lacking[] = {"latency_shared_memory",  "latency_l1", "latency_l2",
                                          "latency_dram_few_pages", "l2_read",    "launch_graph"};
    static ceilings h200;
    char why[200];
    for_times = *ceilings_current();
    ceilings_parse(&h200, shipped_text("nvidia-h200"), why, sizeof why);
    for (size_t k = 0; k < sizeof lacking / sizeof *lacking && for_times.count < MOST_CEILINGS; k++)
        if (ceiling_of(&for_times, lacking[k]) == 0) add(&for_times, lacking[k], ceiling_of(&h200, lacking[k]));
}

const ceilings *ceilings_for_times(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose_for_times);
    return &for_times;
}

double ceiling_of(const ceilings *c, const char *name) {
    for (int k = 0; k < c->count; k++)
        if (strcmp(c->all[k].name, name) == 0) return c->all[k].rate;
    return 0;
}

double ceiling_best(const ceilings *c, const char *prefix) {
    double best = 0;
    for (int k = 0; k < c->count; k++)
        if (strncmp(c->all[k].name, prefix, strlen(prefix)) == 0 && c->all[k].rate > best) best = c->all[k].rate;
    return best;
}
