/* Reads machine code: nvdisasm's text for the operations, the encoding for the control words. */
#include "predict/sass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint8_t pipe;
} ops[] = {
#define OP(name, pipe, how) {#name, PIPE_##pipe},
#include "predict/opcodes.def"
#undef OP
};
static const char *const mods[] = {
#define MOD(name, text) text,
#include "predict/modifiers.def"
#undef MOD
};
_Static_assert(SASS_MODS <= 64, "mods is a word");

/* Bits 105 to 125 of the 128: stall count 4, yield 1, write scoreboard 3, read scoreboard 3, wait mask 6, reuse 4. */
void sass_control(const uint8_t bytes[16], sass_insn *i) {
    uint64_t high;
    memcpy(&high, bytes + 8, sizeof high);
    const unsigned c = (unsigned)(high >> 41 & 0x1fffff);
    i->stall = c & 15;
    i->write_board = c >> 5 & 7;
    i->read_board = c >> 8 & 7;
    i->wait = c >> 11 & 63;
    i->reuse = c >> 17 & 15;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* A register or predicate at *at, which is moved behind it: R12 UR4 RZ P3 UPT. */
static bool parse_register(const char **at, sass_operand *o) {
    const char *p = *at;
    const bool uniform = *p == 'U';
    if (uniform) p++;
    if ((*p != 'R' && *p != 'P') || (!isdigit((unsigned char)p[1]) && p[1] != 'Z' && p[1] != 'T')) return false;
    const bool predicate = *p++ == 'P';
    if ((*p == 'Z' && predicate) || (*p == 'T' && !predicate)) return false;
    long number = predicate ? SASS_PT : uniform ? SASS_URZ : SASS_RZ;
    char *end = (char *)p + 1;
    if (isdigit((unsigned char)*p)) number = strtol(p, &end, 10);
    if (isalnum((unsigned char)*end) || *end == '_') return false;
    *at = end;
    o->kind = predicate ? KIND_PREDICATE : uniform ? KIND_UNIFORM : KIND_REGISTER;
    o->reg = (int16_t)(predicate && uniform ? number + SASS_UPREDICATES : number);
    return true;
}

/* .64 .X4 .reuse ... behind a register. */
static const char *parse_suffixes(const char *p, sass_operand *o) {
    while (*p == '.') {
        if (strncmp(p, ".64", 3) == 0) o->wide = true;
        if (p[1] == 'X' && isdigit((unsigned char)p[2])) o->scale = (uint8_t)atoi(p + 2);
        for (p++; isalnum((unsigned char)*p) || *p == '_';) p++;
    }
    return p;
}

/* What stands between [ and ]: registers and an offset, with + between them. */
static void parse_address(const char *p, sass_operand *o) {
    o->kind = KIND_ADDRESS;
    o->reg = o->uniform = -1;
    for (; *p != '\0' && *p != ']';) {
        sass_operand part = {.scale = 1};
        if (*p == '+') {
            p++;
        } else if (parse_register(&p, &part)) {
            p = parse_suffixes(p, &part);
            if (part.kind == KIND_UNIFORM) {
                o->uniform = part.reg;
            } else {
                o->reg = part.reg;
                o->scale = part.scale;
            }
            o->wide = o->wide || part.wide;
        } else {
            char *end;
            o->number += strtoll(p, &end, 16);
            p = end > p ? end : p + 1;
        }
    }
}

/* c[0x0][R3+0x210] */
static void parse_constant(const char *p, sass_operand *o) {
    sass_operand inner = {0};
    o->bank = (uint16_t)strtol(strchr(p, '[') + 1, NULL, 16);
    const char *second = strchr(p, ']');
    if (second != NULL && second[1] == '[') parse_address(second + 2, &inner);
    o->kind = KIND_CONSTANT;
    o->reg = inner.reg;
    o->uniform = inner.uniform;
    o->number = inner.number;
}

static void parse_number(const char *p, sass_operand *o) {
    char *end;
    o->kind = KIND_NUMBER;
    const char *bare = p + (*p == '+' || *p == '-');
    if (strncmp(bare, "0x", 2) == 0) {
        o->number = (int64_t)strtoull(bare, &end, 16);
        if (*p == '-') o->number = -o->number;
        return;
    }
    /* +INF, -QNAN, 1.5 */
    o->value = *bare == 'Q' ? strtod("nan", NULL) : strtod(p, &end);
    const float value = (float)o->value;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    o->number = bits;
    o->real = true;
}

static void parse_operand(const char *text, sass_operand *o) {
    const char *p = text;
    *o = (sass_operand){.scale = 1, .reg = -1, .uniform = -1};
    if (strncmp(p, "desc[", 5) == 0) p = strchr(p, ']') + 1;
    const char *bare = p;
    for (;; bare++) {
        if (*bare == '!' || *bare == '~')
            o->inverted = true;
        else if (*bare == '|')
            o->absolute = true;
        else if (*bare == '-' && !isdigit((unsigned char)bare[1]) && bare[1] != 'I' && bare[1] != 'Q')
            o->negative = true;
        else
            break;
    }
    const char *end = bare;
    if (*bare == '[')
        parse_address(bare + 1, o);
    else if (strncmp(bare, "c[", 2) == 0)
        parse_constant(bare, o);
    else if (parse_register(&end, o))
        parse_suffixes(end, o);
    else if (isdigit((unsigned char)*bare) || *bare == '-' || *bare == '+')
        parse_number(bare, o);
    else
        o->kind = KIND_OTHER;
    if (o->kind == KIND_OTHER) snprintf(o->text, sizeof o->text, "%.*s", (int)sizeof o->text - 1, text);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void parse_name(const char *name, size_t length, sass_insn *i) {
    snprintf(i->name, sizeof i->name, "%.*s", (int)length, name);
    i->op = SASS_UNKNOWN;
    i->pipe = PIPE_NONE;
    size_t part = strcspn(i->name, ".");
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (strncmp(ops[k].name, i->name, part) == 0 && ops[k].name[part] == '\0') {
            i->op = (sass_op)k;
            i->pipe = ops[k].pipe;
        }
    for (const char *p = i->name + part; *p == '.'; p += part) {
        part = strcspn(++p, ".");
        for (int m = 0; m < SASS_MODS; m++)
            if (strncmp(mods[m], p, part) == 0 && mods[m][part] == '\0') i->mods |= 1ull << m;
    }
    if (strstr(i->name, "GMMA.64x") != NULL) i->columns = (uint16_t)atoi(strstr(i->name, ".64x") + 4);
    i->bytes = HAS(i, W128) ? 16 : HAS(i, W64) ? 8 : HAS(i, U16) || HAS(i, S16) ? 2 : HAS(i, U8) || HAS(i, S8) ? 1 : 4;
}

bool sass_parse(const char *line, sass_insn *i) {
    const char *p = line + strspn(line, " \t{");
    *i = (sass_insn){.predicate = SASS_PT, .write_board = 7, .read_board = 7};
    if (*p == '@') {
        sass_operand o = {0};
        i->predicate_not = *++p == '!';
        p += i->predicate_not;
        if (!parse_register(&p, &o)) return false;
        i->predicate = (int8_t)o.reg;
        p += strspn(p, " \t");
    }
    const size_t length = strcspn(p, " \t;");
    if (!isupper((unsigned char)*p)) return false;
    parse_name(p, length, i);
    for (p += length; *p != '\0' && *p != ';' && i->count < SASS_OPERANDS;) {
        p += strspn(p, " \t,");
        char text[64];
        size_t n = 0;
        for (int depth = 0; *p != '\0' && *p != ';' && (*p != ',' || depth > 0); p++) {
            depth += *p == '[' ? 1 : *p == ']' ? -1 : 0;
            if (n + 1 < sizeof text && !isspace((unsigned char)*p)) text[n++] = *p;
        }
        text[n] = '\0';
        if (n > 0) parse_operand(text, &i->operands[i->count++]);
    }
    return true;
}

/* ---- nvdisasm ---------------------------------------------------------------------------------------------------- */

typedef struct kernel_code {
    sass_code code; /* complete, or empty */
    uint8_t *bytes;
    size_t size;
    struct kernel_code *next;
} kernel_code;

static kernel_code *all;
static bool noted; /* since nvdisasm was started */

/* An instruction from the line that has its address between comment signs. */
static bool read_line(const char *line, long address, const uint8_t bytes[16], sass_insn *i) {
    const char *at = strstr(line, "/*"), *end = at != NULL ? strstr(at, "*/") : NULL;
    if (end == NULL || strtol(at + 2, NULL, 16) != address || !sass_parse(end + 2, i)) return false;
    sass_control(bytes, i);
    return true;
}

static void add(sass_code *code, const sass_insn *i, long first_address) {
    sass_insn *new = &code->insns[code->count++];
    *new = *i;
    for (int k = 0; k < i->count && (i->op == SASS_BRA || i->op == SASS_CALL); k++)
        if (i->operands[k].kind == KIND_NUMBER) new->operands[k].number -= first_address;
}

/* Reads what nvdisasm prints of the kernels' code, one behind the other. A kernel that is not complete stays empty. */
static void read_lines(FILE *from, kernel_code *first, const kernel_code *end) {
    char line[512];
    long address = 0, start = 0;
    kernel_code *k = first;
    while (k != end && fgets(line, sizeof line, from) != NULL) {
        sass_insn i;
        if (!read_line(line, address, k->bytes + (address - start), &i)) continue;
        add(&k->code, &i, start);
        address += 16;
        if (address - start < (long)k->size) continue;
        sass_parse("EXIT ;", &k->code.insns[k->code.count]); /* nothing runs past its end */
        start = address;
        k = k->next;
    }
    if (k != end) k->code.count = 0;
}

/* nvdisasm at work: on all kernels from `first` on, without `end`. It takes longer to start than for what it does. */
static struct {
    FILE *process; /* NULL: none */
    FILE *output;
    kernel_code *first, *end;
} reader;

/* A file without a name, where TMPDIR says: it is gone whatever happens. */
static FILE *nameless(void) {
    char file[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(file, sizeof file, "%s/cudasim-XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
    const int descriptor = mkstemp(file);
    if (descriptor < 0) return NULL;
    unlink(file);
    return fdopen(descriptor, "w+");
}

static void start(kernel_code *first, kernel_code *end) {
    char command[200];
    FILE *code = nameless(), *output = nameless();
    bool ok = code != NULL && output != NULL;
    for (const kernel_code *k = first; ok && k != end; k = k->next) ok = fwrite(k->bytes, k->size, 1, code) == 1;
    ok = ok && fflush(code) == 0;
    if (ok) {
        snprintf(command, sizeof command,
                 "LD_PRELOAD= \"${CUDASIM_NVDISASM:-nvdisasm}\" -raw -ndf -b SM90a /dev/fd/%d >/dev/fd/%d 2>/dev/null",
                 fileno(code), fileno(output));
        reader.process = popen(command, "r");
    }
    if (code != NULL) fclose(code); /* its reader has it open */
    if (reader.process == NULL && output != NULL) fclose(output);
    reader.output = output;
    reader.first = first;
    reader.end = end;
}

static void finish(void) {
    if (reader.process == NULL) return;
    pclose(reader.process);
    rewind(reader.output);
    read_lines(reader.output, reader.first, reader.end);
    fclose(reader.output);
    reader.process = NULL;
}

/* The kernel with this code; new ones come first. NULL: no memory. */
static kernel_code *find(const uint8_t *bytes, size_t size) {
    kernel_code *k = all;
    while (k != NULL && !(k->size == size && memcmp(k->bytes, bytes, size) == 0)) k = k->next;
    if (k != NULL || (k = calloc(1, sizeof *k)) == NULL) return k;
    *k = (kernel_code){.bytes = malloc(size), .size = size, .next = all};
    k->code.insns = calloc(size / 16 + 1, sizeof *k->code.insns);
    if (k->bytes == NULL || k->code.insns == NULL || size < 16 || size % 16 != 0) return NULL;
    memcpy(k->bytes, bytes, size);
    noted = true;
    return all = k;
}

/* All that has not been read. */
static void start_all(void) {
    kernel_code *end = all;
    while (end != NULL && end->code.count == 0) end = end->next;
    if (end != all) start(all, end);
    noted = false;
}

void sass_note(const uint8_t *bytes, size_t size) {
    find(bytes, size);
}

void sass_begin(void) {
    if (noted && reader.process == NULL) start_all();
}

const sass_code *sass_read(const uint8_t *bytes, size_t size, char *error, size_t error_size) {
    finish();
    kernel_code *k = find(bytes, size);
    if (k != NULL && k->code.count == 0) {
        start_all();
        finish();
    }
    if (k != NULL && k->code.count == 0) { /* another's stopped it */
        start(k, k->next);
        finish();
    }
    if (k != NULL && k->code.count > 0) return &k->code;
    snprintf(error, error_size,
             "nvdisasm is missing or cannot read it (pip install nvidia-cuda-nvdisasm, and CUDASIM_NVDISASM=its path)");
    return NULL;
}
