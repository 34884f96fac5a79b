/* Decoders of wgmma.* and setmaxnreg, and the guards in front of instructions that touch a wgmma's registers. */
#include <stdio.h>
#include <string.h>

#include "isa/decode.h"
#include "ptx/instruction.h"

static bool sync_aligned(decoder *d) {
    if (take(d, "sync") && take(d, "aligned")) return true;
    refuse(d, ".sync.aligned is missing");
    return false;
}

static int take_wgmma_type(decoder *d) {
    return take_one(d, "f16 bf16 tf32 e4m3 e5m2 s8 u8 f32 s32"); /* wgmma_type */
}

/* imm-scale-a, imm-scale-b: 1 or -1; imm-trans-a, imm-trans-b: 0 or 1. */
static bool immediate(decoder *d, const ptx_operand *o, int64_t plain, int64_t other, bool *is_other) {
    if (o->kind != PTX_OPERAND_INTEGER || (o->integer != plain && o->integer != other)) {
        refuse(d, "%lld or %lld is needed for imm-scale or imm-trans", (long long)plain, (long long)other);
        return false;
    }
    *is_other = o->integer == other;
    return true;
}

/* wgmma.mma_async.sync.aligned.m64nNkK.dtype.atype.btype d, {a-desc, a}, b-desc, scale-d
 *                                                        {, imm-scale-a, imm-scale-b{, imm-trans-a}{, imm-trans-b}};
 * f16: d f16 or f32; bf16, tf32: d f32; e4m3, e5m2 in any pair: d f16 or f32; s8, u8 in any pair: d s32, {.satfinite}.
 * K is 32 bytes. N goes from 8 to 256 by 8, for integers by 16 from 32 on. Of 16-bit types only, what is in shared
 * memory may be transposed. */
static decoded decode_mma_async(decoder *d) {
    insn *i = d->i;
    const ptx_instruction *t = d->text;
    if (take(d, "sp")) return refuse(d, "the simulator does not do sparse matrices");
    if (!sync_aligned(d)) return REFUSED;
    unsigned n = 0, k = 0;
    int used = 0;
    if (d->next_part >= d->part_count || sscanf(d->parts[d->next_part], "m64n%uk%u%n", &n, &k, &used) != 2 ||
        (size_t)used != d->part_lengths[d->next_part])
        return refuse(d, "a shape m64nNkK is needed");
    d->next_part++;
    bool satfinite = take(d, "satfinite");
    const int to = take_wgmma_type(d), a = take_wgmma_type(d), b = take_wgmma_type(d);
    if (!satfinite) satfinite = take(d, "satfinite");
    if (!taken_all(d)) return REFUSED;
    if (to < 0 || a < 0 || b < 0) return refuse(d, "the simulator does not know these types of wgmma.mma_async");
    const bool integer = (a == WGMMA_S8 || a == WGMMA_U8) && (b == WGMMA_S8 || b == WGMMA_U8) && to == WGMMA_S32;
    const bool bytes = (a == WGMMA_E4M3 || a == WGMMA_E5M2) && (b == WGMMA_E4M3 || b == WGMMA_E5M2);
    const bool half = a == b && (a == WGMMA_F16 || a == WGMMA_BF16), tf32 = a == b && a == WGMMA_TF32;
    const bool to_half = to == WGMMA_F16 && (bytes || a == WGMMA_F16);
    if (!integer && !((bytes || half || tf32) && (to == WGMMA_F32 || to_half)))
        return refuse(d, "wgmma.mma_async has no such combination of types");
    if (satfinite && !integer) return refuse(d, ".satfinite is for integers");
    if (k != (half ? 16u : tf32 ? 8u : 32u)) return refuse(d, "K is not what these types take");
    if (n < 8 || n > 256 || n % 8 != 0 || (integer && n > 32 && n % 16 != 0))
        return refuse(d, "N = %u is none that these types take", n);

    wgmma_form *form = put_form(d, FORM_WGMMA, sizeof *form);
    form->n = (uint16_t)n;
    form->k = (uint16_t)k;
    form->d_count = (uint16_t)(to == WGMMA_F16 ? n / 4 : n / 2);
    form->d_type = (uint8_t)to;
    form->a_type = (uint8_t)a;
    form->b_type = (uint8_t)b;
    form->satfinite = satfinite;
    const ptx_operand *o = t->operands;
    form->a_in_registers = t->operand_count > 1 && o[1].kind == PTX_OPERAND_VECTOR;
    const int wanted = integer ? 4 : !half ? 6 : form->a_in_registers ? 7 : 8;
    if (t->operand_count != wanted) return refuse(d, "%d operands where it takes %d", t->operand_count, wanted);
    if (!vector_slots(d, &o[0], form->d_count, 'w', ELEMENTS_REGISTERS, form->d_slots)) return REFUSED;
    for (int k1 = 0; k1 < form->d_count; k1++)
        for (int k2 = 0; k2 < k1; k2++)
            if (form->d_slots[k1] == form->d_slots[k2]) return refuse(d, "a register stands twice in D");
    if (form->a_in_registers) {
        if (!vector_slots(d, &o[1], 4, 'w', ELEMENTS_REGISTERS, form->a_slots)) return REFUSED;
    } else {
        i->op[WGMMA_A] = operand_slot(d, &o[1], 'l');
    }
    i->op[WGMMA_B] = operand_slot(d, &o[2], 'l');
    ptx_operand scale = o[3];
    form->scale_negated = scale.kind == PTX_OPERAND_REGISTER && scale.negated;
    if (form->scale_negated) scale.negated = false;
    if (scale.kind == PTX_OPERAND_INTEGER && scale.integer != 0 && scale.integer != 1)
        return refuse(d, "scale-d is a predicate, 0 or 1");
    i->op[WGMMA_SCALE_D] = operand_slot(d, &scale, 'p');
    i->op[WGMMA_MEMBERS] = constant_slot(d, ALL_LANES, 4);
    if (!integer && (!immediate(d, &o[4], 1, -1, &form->negate_a) || !immediate(d, &o[5], 1, -1, &form->negate_b)))
        return REFUSED;
    if (wanted == 8 && !immediate(d, &o[6], 0, 1, &form->trans_a)) return REFUSED;
    if (wanted >= 7 && !immediate(d, &o[wanted - 1], 0, 1, &form->trans_b)) return REFUSED;
    return run_row(d, ROW_op_wgmma);
}

/* wgmma.fence, wgmma.commit_group, wgmma.wait_group N, all .sync.aligned. insn.imm = N. */
decoded decode_wgmma(decoder *d) {
    const ptx_instruction *t = d->text;
    if (take(d, "mma_async")) return decode_mma_async(d);
    d->i->op[WGMMA_MEMBERS] = constant_slot(d, ALL_LANES, 4);
    const bool fence = take(d, "fence"), commit = !fence && take(d, "commit_group");
    if (!fence && !commit && !take(d, "wait_group")) return refuse(d, "the simulator does not know this form of wgmma");
    if (!sync_aligned(d) || !taken_all(d)) return REFUSED;
    if (t->operand_count != (fence || commit ? 0 : 1)) return refuse(d, "wrong number of operands");
    if (fence) return run_row(d, ROW_op_wgmma_fence);
    if (commit) return run_row(d, ROW_op_wgmma_commit);
    if (t->operands[0].kind != PTX_OPERAND_INTEGER || t->operands[0].integer < 0)
        return refuse(d, "a number of groups is needed here");
    d->i->imm = t->operands[0].integer;
    return run_row(d, ROW_op_wgmma_wait);
}

/* setmaxnreg.{inc,dec}.sync.aligned.u32 count; insn.imm = count, insn.choice: setmaxnreg_kind. */
decoded decode_setmaxnreg(decoder *d) {
    const ptx_instruction *t = d->text;
    d->i->choice = take(d, "inc") ? SETMAXNREG_INC : SETMAXNREG_DEC;
    if (d->i->choice == SETMAXNREG_DEC && !take(d, "dec")) return refuse(d, "inc or dec is meant");
    if (!sync_aligned(d)) return REFUSED;
    if (!take(d, "u32") || !taken_all(d) || t->operand_count != 1 || t->operands[0].kind != PTX_OPERAND_INTEGER)
        return refuse(d, "setmaxnreg takes a constant of type u32");
    const int64_t count = t->operands[0].integer;
    if (count < 24 || count > 256 || count % 8 != 0)
        return refuse(d, "setmaxnreg takes a multiple of 8 from 24 to 256");
    d->i->imm = count;
    d->i->op[WGMMA_MEMBERS] = constant_slot(d, ALL_LANES, 4);
    return run_row(d, ROW_op_setmaxnreg);
}

/* ---- guards ------------------------------------------------------------------------------------------------------ */

static void put_set(uint64_t *set, int number) {
    set[number / 64] |= 1ull << number % 64;
}

/* The operand's registers that have a number go into the set; true where there is any. */
static bool collect(const ptx_operand *o, const int *numbers, uint64_t *set) {
    bool any = false;
    if (o->reg >= 0 && (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) && numbers[o->reg] >= 0) {
        put_set(set, numbers[o->reg]);
        any = true;
    }
    for (int k = 0; k < o->element_count; k++) any = collect(&o->elements[k], numbers, set) || any;
    return any;
}

/* Does the first operand take a result that the instruction computes or loads? mov is not among them: it is the
 * compiler that places moves, after a wgmma.fence as well, and ptxas keeps them in order. */
static bool computes(const char *opcode) {
    return !opcode_is_of(opcode, "st red stmatrix bar barrier mov mbarrier cp prefetch fence call wmma.store");
}

bool wgmma_guard_function(decoder *d, insn *code) {
    const ptx_function *s = d->source;
    int wgmmas = 0, count = 0;
    for (int k = 0; k < s->instruction_count; k++) wgmmas += code[k].row == ROW_op_wgmma;
    if (wgmmas == 0) return false;
    wgmma_function *w = decode_take(d, sizeof *w);
    int *numbers = decode_scratch(d, (size_t)(s->register_count + 1) * sizeof *numbers);
    w->registers = decode_take(d, ((size_t)s->register_count + 1) * sizeof *w->registers);
    for (int r = 0; r < s->register_count; r++) numbers[r] = -1;
    for (int k = 0; k < s->instruction_count; k++) {
        if (code[k].row != ROW_op_wgmma) continue;
        for (int o = 0; o < 2; o++) {
            const ptx_operand *list = &s->instructions[k].operands[o];
            for (int e = 0; e < list->element_count; e++) {
                const int r = list->elements[e].reg;
                if (numbers[r] >= 0) continue;
                numbers[r] = count;
                w->registers[count++] = r;
            }
        }
    }
    w->count = count;
    w->words = (count + 63) / 64;
    w->uses = decode_take(d, ((size_t)s->instruction_count + 1) * sizeof *w->uses);
    /* Two sets for each instruction that needs them: counted, then filled. */
    uint64_t *scratch = decode_scratch(d, (size_t)w->words * sizeof *scratch);
    size_t uses = 0;
    for (int fill = 0; fill <= 1; fill++) {
        size_t at = 0;
        if (fill) w->sets = decode_take(d, 2 * uses * (size_t)w->words * sizeof *w->sets);
        for (int k = 0; k < s->instruction_count; k++) {
            const ptx_instruction *t = &s->instructions[k];
            bool any = false;
            for (int o = 0; o < t->operand_count; o++) any = collect(&t->operands[o], numbers, scratch) || any;
            if (!any) continue;
            if (!fill) {
                uses++;
                continue;
            }
            uint64_t *first = w->sets + 2 * at * (size_t)w->words, *second = first + w->words;
            wgmma_use *use = &w->uses[k];
            at++;
            *use = (wgmma_use){.first = first, .second = second};
            if (code[k].row == ROW_op_wgmma) {
                collect(&t->operands[0], numbers, first);
                if (t->operands[1].kind == PTX_OPERAND_VECTOR) collect(&t->operands[1], numbers, second);
                continue;
            }
            for (int o = 0; o < t->operand_count; o++) collect(&t->operands[o], numbers, first);
            if (computes(t->opcode) && t->operands[0].kind != PTX_OPERAND_ADDRESS)
                collect(&t->operands[0], numbers, second);
            use->run = code[k].run;
        }
    }
    for (int k = 0; k <= s->instruction_count; k++) {
        if (code[k].row == ROW_op_ret) {
            w->uses[k].returns = true;
            w->uses[k].run = code[k].run;
        }
        if (w->uses[k].run != NULL) code[k].run = d->context->handlers[ROW_op_wgmma_guard];
    }
    d->f->wgmma = w;
    return true;
}
