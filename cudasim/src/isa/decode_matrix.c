/* Decoders of the tensor cores' instructions: ldmatrix, stmatrix, movmatrix, mma, wmma. */
#include "isa/decode.h"
#include "isa/matrix.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static bool address_into(decoder *d, const ptx_operand *o) {
    address a;
    insn *i = d->i;
    if (!operand_address(d, o, (ptx_space)i->space, &a)) return false;
    if (a.frame || a.param) return refuse(d, "a matrix lies in global or shared memory"), false;
    i->op[4] = a.slot;
    i->imm = a.offset;
    if (!a.wide) i->flags |= MODE_NARROW;
    return true;
}

/* op[5]: the lanes that must come, which is all of them. */
static void whole_warp(decoder *d) {
    d->i->op[5] = constant_slot(d, ALL_LANES, 4);
}

/* ---- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------------------------- */

/* ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p];   stmatrix likewise, [p], r;
 *   .num = { .x1, .x2, .x4 }   .ss = { .shared{::cta} }; without it the address is generic */
static decoded row_matrices(decoder *d, bool store) {
    insn *i = d->i;
    bool sync = false, aligned = false, shape = false, type = false;
    i->space = PTX_NO_SPACE;
    for (bool more = true; more && d->next_part < d->part_count;) {
        more = true;
        if (take(d, "sync"))
            sync = true;
        else if (take(d, "aligned"))
            aligned = true;
        else if (take(d, "m8n8"))
            shape = true;
        else if (take(d, "x1"))
            i->vector = 1;
        else if (take(d, "x2"))
            i->vector = 2;
        else if (take(d, "x4"))
            i->vector = 4;
        else if (take(d, "trans"))
            i->flags |= MODE_TRANS;
        else if (take(d, "shared") || take(d, "shared::cta"))
            i->space = PTX_SHARED;
        else if (take(d, "b16"))
            type = true;
        else
            more = false;
    }
    if (!taken_all(d)) return REFUSED;
    if (!sync || !aligned || !shape || !type || i->vector == 0)
        return refuse(d, "the simulator does not know this form of %s", store ? "stmatrix" : "ldmatrix");
    if (d->text->operand_count != 2) return refuse(d, "2 operands are needed");
    const ptx_operand *o = d->text->operands;
    whole_warp(d);
    if (!address_into(d, &o[store ? 0 : 1]) ||
        !vector_slots(d, &o[store ? 1 : 0], i->vector, 'w', store ? ELEMENTS_ANY : ELEMENTS_REGISTERS, i->op))
        return REFUSED;
    return run_row(d, store ? ROW_op_stmatrix : ROW_op_ldmatrix);
}

decoded decode_ldmatrix(decoder *d) {
    return row_matrices(d, false);
}

decoded decode_stmatrix(decoder *d) {
    return row_matrices(d, true);
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a; */
decoded decode_movmatrix(decoder *d) {
    if (!take(d, "sync") || !take(d, "aligned") || !take(d, "m8n8") || !take(d, "trans") || !take(d, "b16") ||
        !taken_all(d) || d->text->operand_count != 2)
        return refuse(d, "movmatrix.sync.aligned.m8n8.trans.b16 d, a is meant");
    whole_warp(d);
    if (!vector_slots(d, &d->text->operands[0], 1, 'w', ELEMENTS_REGISTERS, &d->i->op[0])) return REFUSED;
    d->i->op[1] = operand_slot(d, &d->text->operands[1], 'w');
    return run_row(d, ROW_op_movmatrix);
}

/* ---- which lane holds what --------------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    unsigned bits;
} types[MATRIX_TYPES] = {
    [MATRIX_F16] = {"f16", 16},  [MATRIX_BF16] = {"bf16", 16}, [MATRIX_TF32] = {"tf32", 32},
    [MATRIX_E4M3] = {"e4m3", 8}, [MATRIX_E5M2] = {"e5m2", 8},  [MATRIX_F32] = {"f32", 32},
    [MATRIX_F64] = {"f64", 64},  [MATRIX_S8] = {"s8", 8},      [MATRIX_U8] = {"u8", 8},
    [MATRIX_S4] = {"s4", 4},     [MATRIX_U4] = {"u4", 4},      [MATRIX_B1] = {"b1", 1},
    [MATRIX_S32] = {"s32", 32},
};

static char kind_of(matrix_type type) {
    return type == MATRIX_F64 ? 'g' : 'f';
}

static void start(fragment *f, matrix_type type, unsigned elements, unsigned columns) {
    const unsigned bits = types[type].bits;
    f->type = type;
    f->per = type == MATRIX_B1 || bits >= 32 ? 1 : 32 / bits;
    f->registers = elements / LANES / f->per;
    f->copies = 1;
    f->columns = columns;
}

/* The fragments of all shapes but m8n8k4 of f16. With g = lane / 4, t = lane % 4 and p elements a register:
 *
 *   A (m x k): a register is p neighbours of a row, 4 lanes have 4p of it, 8 times 4 lanes have 8 rows:
 *       register r, element e: row g + 8 (r mod m/8), column t p + e + 4p (r div m/8)
 *   B (k x n): the same with rows and columns exchanged:
 *       row t p + e + 4p (r mod k/4p), column g + 8 (r div k/4p)
 *   C and D (m x n): two neighbours of a row a lane, whatever the type:
 *       element e: row g + 8 (e/2 mod m/8), column 2t + e mod 2 + 8 (e/2 div m/8)
 *
 * Of b1 "an element" is a word of 32. mma has m = 8 or 16, n = 8. How wmma spreads its matrices the PTX ISA leaves
 * open: there the same is done with m and n up to 32. */
static void place_a(fragment *f, matrix_type type, unsigned m, unsigned k) {
    if (type == MATRIX_B1) k /= 32;
    start(f, type, m * k, k);
    for (unsigned j = 0; j < f->registers * f->per; j++)
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned r = j / f->per, row = l / 4 + 8 * (r % (m / 8));
            const unsigned column = l % 4 * f->per + j % f->per + 4 * f->per * (r / (m / 8));
            f->at[j * LANES + l] = (uint16_t)(row * k + column);
        }
}

static void place_b(fragment *f, matrix_type type, unsigned k, unsigned n) {
    if (type == MATRIX_B1) k /= 32;
    start(f, type, k * n, n);
    const unsigned blocks = k / (4 * f->per);
    for (unsigned j = 0; j < f->registers * f->per; j++)
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned r = j / f->per, row = l % 4 * f->per + j % f->per + 4 * f->per * (r % blocks);
            const unsigned column = l / 4 + 8 * (r / blocks);
            f->at[j * LANES + l] = (uint16_t)(row * n + column);
        }
}

static void place_c(fragment *f, matrix_type type, unsigned m, unsigned n) {
    start(f, type, m * n, n);
    for (unsigned j = 0; j < m * n / LANES; j++)
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned row = l / 4 + 8 * (j / 2 % (m / 8)), column = l % 4 * 2 + j % 2 + 8 * (j / 2 / (m / 8));
            f->at[j * LANES + l] = (uint16_t)(row * n + column);
        }
}

/* m8n8k4 of f16: lanes 4q..4q+3 and 16+4q..19+4q hold product q of four. With t = lane % 4 and h = 4 in the upper
 * lanes, 0 in the lower ones: A .row, element i: row t + h, column i            .col: row i + h, column t B .col: row
 * i, column t + h            .row: row t, column i + h C, D of f16:       row t + h, column i C, D of f32:       row t
 * mod 2 + (i & 2) + h, column (i & 1) + (t & 2) + (i & 4) */
static void place_quads(matrix_form *f, const matrix_type *type, bool a_column, bool b_column) {
    start(&f->a, type[0], 4 * 8 * 4, 4);
    start(&f->b, type[1], 4 * 4 * 8, 8);
    start(&f->c, type[2], 4 * 8 * 8, 8);
    start(&f->d, type[3], 4 * 8 * 8, 8);
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned q = l % 16 / 4, t = l % 4, h = l / 16 * 4;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned a = a_column ? (i + h) * 4 + t : (t + h) * 4 + i;
            const unsigned b = b_column ? i * 8 + t + h : t * 8 + i + h;
            f->a.at[i * LANES + l] = (uint16_t)(q * 32 + a);
            f->b.at[i * LANES + l] = (uint16_t)(q * 32 + b);
        }
        for (unsigned i = 0; i < 8; i++) {
            const unsigned narrow = (t + h) * 8 + i, wide = (t % 2 + (i & 2) + h) * 8 + (i & 1) + (t & 2) + (i & 4);
            f->c.at[i * LANES + l] = (uint16_t)(q * 64 + (type[2] == MATRIX_F16 ? narrow : wide));
            f->d.at[i * LANES + l] = (uint16_t)(q * 64 + (type[3] == MATRIX_F16 ? narrow : wide));
        }
    }
}

/* Forms are made once and kept: kernels repeat them. Types of a, b, c, d. NULL where there is no memory. */
static const matrix_form *form_of(bool wmma, unsigned m, unsigned n, unsigned k, const matrix_type *type, bool a_column,
                                  bool b_column) {
    static matrix_form *forms;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const bool quads = !wmma && k == 4 && type[0] == MATRIX_F16;
    uint64_t key = wmma | (quads && a_column) << 1 | (quads && b_column) << 2;
    key |= (uint64_t)m << 8 | (uint64_t)n << 16 | (uint64_t)k << 24;
    for (int j = 0; j < 4; j++) key |= (uint64_t)type[j] << (40 + 4 * j);
    pthread_mutex_lock(&lock);
    matrix_form *f = forms;
    while (f != NULL && f->key != key) f = f->next;
    if (f == NULL) {
        f = calloc(1, sizeof *f);
        if (f == NULL) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        *f = (matrix_form){.m = m, .n = n, .k = k, .batches = quads ? 4 : 1, .next = forms, .key = key};
        if (quads) {
            place_quads(f, type, a_column, b_column);
        } else {
            place_a(&f->a, type[0], m, k);
            place_b(&f->b, type[1], k, n);
            place_c(&f->c, type[2], m, n);
            place_c(&f->d, type[3], m, n);
            if (wmma && type[0] == MATRIX_F16) f->a.copies = 8 / f->a.registers, f->b.copies = 8 / f->b.registers;
        }
        forms = f;
    }
    pthread_mutex_unlock(&lock);
    return f;
}

/* ---- the opcode's words ------------------------------------------------------------------------------------------ */

typedef struct matrix_words {
    bool sync, aligned, popc, sparse;
    unsigned m, n, k;
    int layouts;
    bool column[2]; /* .col */
    int type_count;
    matrix_type type[4];
    int bit_op; /* 0, MODE_XOR, or 1 for .and */
} matrix_words;

static bool take_matrix_type(decoder *d, matrix_type *type) {
    for (int t = 0; t < MATRIX_TYPES; t++)
        if (take(d, types[t].word)) return *type = (matrix_type)t, true;
    return false;
}

static bool take_shape(decoder *d, matrix_words *w) {
    if (d->next_part >= d->part_count) return false;
    const char *part = d->parts[d->next_part];
    unsigned m, n, k;
    int length = 0;
    if (sscanf(part, "m%3un%3uk%3u%n", &m, &n, &k, &length) != 3 || (size_t)length != d->part_lengths[d->next_part])
        return false;
    w->m = m;
    w->n = n;
    w->k = k;
    d->next_part++;
    return true;
}

static bool take_words(decoder *d, matrix_words *w) {
    static const struct {
        const char *word;
        rounding rounding;
    } modes[] = {{"rn", ROUND_RN}, {"rz", ROUND_RZ}, {"rm", ROUND_RM}, {"rp", ROUND_RP}};
    insn *i = d->i;
    for (bool more = true; more && d->next_part < d->part_count;) {
        matrix_type type;
        more = true;
        if (take(d, "sync"))
            w->sync = true;
        else if (take(d, "aligned"))
            w->aligned = true;
        else if (w->layouts < 2 && take(d, "row"))
            w->column[w->layouts++] = false;
        else if (w->layouts < 2 && take(d, "col"))
            w->column[w->layouts++] = true;
        else if (take(d, "satfinite"))
            i->satfinite = true;
        else if (take(d, "and"))
            w->bit_op = 1;
        else if (take(d, "xor"))
            w->bit_op = MODE_XOR;
        else if (take(d, "popc"))
            w->popc = true;
        else if (take(d, "global"))
            i->space = PTX_GLOBAL;
        else if (take(d, "shared") || take(d, "shared::cta"))
            i->space = PTX_SHARED;
        else if (w->m == 0 && take_shape(d, w))
            more = true;
        else if (w->type_count < 4 && take_matrix_type(d, &type))
            w->type[w->type_count++] = type;
        else
            more = false;
        for (size_t k = 0; !more && k < sizeof modes / sizeof *modes; k++)
            if (take(d, modes[k].word)) i->rounding = (uint8_t)modes[k].rounding, more = true;
    }
    if (!taken_all(d)) return false;
    if (!w->sync || !w->aligned) return refuse(d, ".sync.aligned is missing"), false;
    return true;
}

typedef enum matrix_family { F16, BF16, TF32, F8, F64, I8, I4, B1, NO_FAMILY } matrix_family;

/* Of multiplicands of these types; NO_FAMILY where PTX does not multiply them. */
static matrix_family family_of(matrix_type a, matrix_type b, bool wmma) {
    static const matrix_family families[MATRIX_TYPES] = {
        [MATRIX_F16] = F16, [MATRIX_BF16] = BF16,     [MATRIX_TF32] = TF32,    [MATRIX_E4M3] = F8, [MATRIX_E5M2] = F8,
        [MATRIX_F64] = F64, [MATRIX_S8] = I8,         [MATRIX_U8] = I8,        [MATRIX_S4] = I4,   [MATRIX_U4] = I4,
        [MATRIX_B1] = B1,   [MATRIX_S32] = NO_FAMILY, [MATRIX_F32] = NO_FAMILY};
    if (families[a] != families[b] || (wmma && (a != b || families[a] == F8))) return NO_FAMILY;
    return families[a];
}

static bool shape_known(const matrix_words *w, matrix_family family, bool wmma) {
    static const struct {
        bool wmma;
        matrix_family family;
        unsigned m, n, k;
    } shapes[] = {
        {false, F16, 8, 8, 4},    {false, F16, 16, 8, 8},   {false, F16, 16, 8, 16}, {false, BF16, 16, 8, 8},
        {false, BF16, 16, 8, 16}, {false, TF32, 16, 8, 4},  {false, TF32, 16, 8, 8}, {false, F8, 16, 8, 16},
        {false, F8, 16, 8, 32},   {false, F64, 8, 8, 4},    {false, F64, 16, 8, 4},  {false, F64, 16, 8, 8},
        {false, F64, 16, 8, 16},  {false, I8, 8, 8, 16},    {false, I8, 16, 8, 16},  {false, I8, 16, 8, 32},
        {false, I4, 8, 8, 32},    {false, I4, 16, 8, 32},   {false, I4, 16, 8, 64},  {false, B1, 8, 8, 128},
        {false, B1, 16, 8, 128},  {false, B1, 16, 8, 256},  {true, F16, 16, 16, 16}, {true, F16, 32, 8, 16},
        {true, F16, 8, 32, 16},   {true, BF16, 16, 16, 16}, {true, BF16, 32, 8, 16}, {true, BF16, 8, 32, 16},
        {true, I8, 16, 16, 16},   {true, I8, 32, 8, 16},    {true, I8, 8, 32, 16},   {true, TF32, 16, 16, 8},
        {true, F64, 8, 8, 4},     {true, I4, 8, 8, 32},     {true, B1, 8, 8, 128},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (shapes[s].wmma == wmma && shapes[s].family == family && shapes[s].m == w->m && shapes[s].n == w->n &&
            shapes[s].k == w->k)
            return true;
    return false;
}

static matrix_type accumulator(matrix_family family) {
    return family == F64 ? MATRIX_F64 : family >= I8 ? MATRIX_S32 : MATRIX_F32;
}

/* ---- mma --------------------------------------------------------------------------------------------------------- */

static matrix_use *use_with(decoder *d, unsigned slots) {
    return put_form(d, FORM_MATRIX, sizeof(matrix_use) + slots * sizeof(uint32_t));
}

static bool fragment_into(decoder *d, const ptx_operand *o, const fragment *f, bool destination, uint32_t **slots) {
    const unsigned count = f->registers * f->copies;
    if (!vector_slots(d, o, count, kind_of(f->type), destination ? ELEMENTS_REGISTERS : ELEMENTS_ANY, *slots))
        return false;
    *slots += count;
    return true;
}

/* mma.sync.aligned.shape.alayout.blayout{.satfinite}{.rnd}.dtype.atype.btype.ctype{.bitop.popc} d, a, b, c;
 * wmma.mma.sync.aligned.alayout.blayout.shape...: .dtype.ctype alone where a and b are f16 */
static decoded multiply(decoder *d, bool wmma) {
    insn *i = d->i;
    matrix_words w = {0};
    if (!take_words(d, &w)) return REFUSED;
    if (wmma && w.type_count == 2) {
        w.type[3] = w.type[1];
        w.type[1] = w.type[2] = MATRIX_F16;
        w.type_count = 4;
    }
    if (w.type_count != 4 || w.layouts != 2 || w.m == 0 || i->space != PTX_NO_SPACE)
        return refuse(d, "the simulator does not know this form of %s", wmma ? "wmma.mma" : "mma");
    const matrix_type a = w.type[1], b = w.type[2], c = w.type[3], to = w.type[0];
    const matrix_family family = family_of(a, b, wmma);
    if (family == NO_FAMILY || !shape_known(&w, family, wmma))
        return refuse(d, "PTX for sm_90 has no product of this shape and these types");
    const bool quads = !wmma && family == F16 && w.k == 4;
    const bool half = family == F16 || family == F8, c_half = half && c == MATRIX_F16,
               d_half = half && to == MATRIX_F16;
    if ((c != accumulator(family) && !c_half) || (to != accumulator(family) && !d_half) ||
        (c != to && !(wmma && family == F16) && !(quads && c_half)))
        return refuse(d, "PTX has no accumulators of these types for this product");
    if ((!wmma || family == I4 || family == B1) && !quads && (w.column[0] || !w.column[1]))
        return refuse(d, "of this shape and type there is only .row.col");
    if (i->satfinite && family != I8 && family != I4) return refuse(d, ".satfinite belongs to integers");
    if (i->rounding != ROUND_DEFAULT && family != F64) return refuse(d, "a rounding belongs to f64");
    if ((family == B1) != (w.bit_op != 0 && w.popc) || (family != B1 && (w.bit_op != 0 || w.popc)))
        return refuse(d, ".and.popc and .xor.popc belong to b1");
    if (w.bit_op == MODE_XOR) i->flags |= MODE_XOR;
    if (d->text->operand_count != 4) return refuse(d, "4 operands are needed");
    const matrix_type order[] = {a, b, c, to};
    const matrix_form *f = form_of(wmma, w.m, w.n, w.k, order, w.column[0], w.column[1]);
    if (f == NULL) return refuse(d, OUT_OF_MEMORY);
    matrix_use *use = use_with(d, 4 * 8);
    use->product = f;
    uint32_t *slots = use->slots;
    const ptx_operand *o = d->text->operands;
    whole_warp(d);
    if (!fragment_into(d, &o[0], &f->d, true, &slots) || !fragment_into(d, &o[1], &f->a, false, &slots) ||
        !fragment_into(d, &o[2], &f->b, false, &slots) || !fragment_into(d, &o[3], &f->c, false, &slots))
        return REFUSED;
    return run_row(d, family == F64  ? ROW_op_mma_f64
                      : family == B1 ? ROW_op_mma_bits
                      : family >= I8 ? ROW_op_mma_integer
                                     : ROW_op_mma_float);
}

decoded decode_mma(decoder *d) {
    if (take(d, "sp") || take(d, "sp::ordered_metadata"))
        return refuse(d, "the simulator does not do products of sparse matrices");
    return multiply(d, false);
}

/* ---- wmma -------------------------------------------------------------------------------------------------------- */

/* wmma.load.{a,b,c}.sync.aligned.layout.shape{.ss}.type r, [p]{, stride};
 * wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
 *   The stride counts elements; without it rows (columns) follow one another. op[4] the address, op[6] the stride. */
static decoded move_matrix(decoder *d, bool store) {
    insn *i = d->i;
    matrix_words w = {0};
    const bool is_a = !store && take(d, "a"), is_b = !store && !is_a && take(d, "b");
    if (!is_a && !is_b && !take(d, store ? "d" : "c")) return refuse(d, "the matrix's letter is missing");
    i->space = PTX_NO_SPACE;
    if (!take_words(d, &w)) return REFUSED;
    if (w.type_count != 1 || w.layouts != 1 || w.m == 0 || w.bit_op != 0 || w.popc || i->satfinite ||
        i->rounding != ROUND_DEFAULT)
        return refuse(d, "the simulator does not know this form of wmma.%s", store ? "store" : "load");
    matrix_type type = w.type[0];
    matrix_family family = NO_FAMILY;
    if (is_a || is_b) {
        family = family_of(type, type, true);
        if (family != NO_FAMILY && !shape_known(&w, family, true)) family = NO_FAMILY;
    } else { /* of any product with such an accumulator */
        for (int f = 0; f < NO_FAMILY && family == NO_FAMILY; f++)
            if ((type == accumulator((matrix_family)f) || (f == F16 && type == MATRIX_F16)) &&
                shape_known(&w, (matrix_family)f, true))
                family = (matrix_family)f;
    }
    if (family == NO_FAMILY) return refuse(d, "PTX for sm_90 has no matrix of this shape and type");
    const bool column = w.column[0];
    unsigned bits = types[type].bits;
    if ((is_a || is_b) && bits < 8) {
        if (column != is_b) return refuse(d, "of this type a is .row and b is .col");
        w.k = w.k * bits; /* as words of 32 bits */
        type = MATRIX_B1;
    }
    const matrix_type input = is_a || is_b ? type : family == F16 ? MATRIX_F16 : MATRIX_F32;
    const matrix_type output = is_a || is_b ? MATRIX_F32 : type;
    const matrix_type order[] = {input, input, output, output};
    const matrix_form *form = form_of(true, w.m, w.n, w.k, order, false, true);
    if (form == NULL) return refuse(d, OUT_OF_MEMORY);
    const fragment *f = is_a ? &form->a : is_b ? &form->b : &form->c;
    if (d->text->operand_count != 2 && d->text->operand_count != 3) return refuse(d, "2 or 3 operands are needed");
    const ptx_operand *o = d->text->operands;
    matrix_use *use = use_with(d, 8);
    use->fragment = f;
    uint32_t *slots = use->slots;
    whole_warp(d);
    i->type = (uint8_t)type;
    i->vector = (uint8_t)bits;
    if (column) i->flags |= MODE_TRANS;
    /* The plain array's rows, or columns, that follow one another in memory; as many elements each: */
    const unsigned rows = f->registers * f->per * LANES / f->columns;
    const unsigned line = (column ? rows : f->columns) * (type == MATRIX_B1 ? 32 / bits : 1);
    i->op[6] = constant_slot(d, line, 4);
    if (d->text->operand_count == 3) i->op[6] = operand_slot(d, &o[2], 'w');
    if (!address_into(d, &o[store ? 0 : 1]) || !fragment_into(d, &o[store ? 1 : 0], f, !store, &slots)) return REFUSED;
    return run_row(d, store ? ROW_op_wmma_store : ROW_op_wmma_load);
}

decoded decode_wmma(decoder *d) {
    if (take(d, "load")) return move_matrix(d, false);
    if (take(d, "store")) return move_matrix(d, true);
    if (take(d, "mma")) return multiply(d, true);
    return refuse(d, "wmma.load, wmma.store or wmma.mma is meant");
}
