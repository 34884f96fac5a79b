/* Decoders of loads, stores, atomics, asynchronous copies, address conversions and mov's special forms. */
#include <string.h>

#include "isa/decode.h"
#include "isa/specials.h"

/* ---- the words that loads, stores and atomics share -------------------------------------------------------------- */

typedef struct qualifiers {
    ptx_space space;
    bool strong; /* volatile, relaxed, acquire, release: other threads may be writing */
    bool poll;   /* may be what a loop waits on */
    bool acquire;
    int vector;
    bool hint; /* .L2::cache_hint: one operand more */
} qualifiers;

static ptx_space space_word(decoder *d) {
    if (take(d, "global")) return PTX_GLOBAL;
    if (take(d, "shared") || take(d, "shared::cta")) return PTX_SHARED;
    if (take(d, "shared::cluster")) return PTX_SHARED_CLUSTER;
    if (take(d, "local")) return PTX_LOCAL;
    if (take(d, "const")) return PTX_CONST;
    if (take(d, "param") || take(d, "param::entry") || take(d, "param::func")) return PTX_PARAM;
    return PTX_NO_SPACE;
}

/* Everything between the mnemonic and the type: semantics, scope, space, cache operators, eviction and prefetch hints,
 * vector. Hints have no effect here. */
static void take_qualifiers(decoder *d, qualifiers *q) {
    static const char ignored[] =
        "weak ca cs lu wb wt nc unified noftz L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "
        "L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::64B L2::128B L2::256B "
        "level::eviction_priority cta gpu sys cluster";
    *q = (qualifiers){.vector = 1};
    for (bool more = true; more && d->next_part < d->part_count;) {
        more = take_one(d, ignored) >= 0;
        if (take(d, "cv") || take(d, "cg") || take(d, "mmio")) q->poll = more = true; /* __ldcg in a loop waits, too */
        if (take(d, "volatile") || take(d, "relaxed")) q->strong = q->poll = more = true;
        if (take(d, "acquire")) q->strong = q->poll = q->acquire = more = true;
        if (take(d, "release")) q->strong = more = true;
        if (take(d, "acq_rel")) q->strong = q->acquire = more = true;
        if (take(d, "L2::cache_hint")) q->hint = more = true;
        if (take(d, "v2")) q->vector = 2, more = true;
        if (take(d, "v4")) q->vector = 4, more = true;
        if (take(d, "v8")) q->vector = 8, more = true;
        ptx_space space = space_word(d);
        if (space != PTX_NO_SPACE) q->space = space, more = true;
    }
}

static void address_into(decoder *d, const address *a, int slot) {
    insn *i = d->i;
    i->op[slot] = a->slot;
    i->imm = a->offset;
    if (a->frame) i->flags |= MODE_FRAME;
    if (!a->wide) i->flags |= MODE_NARROW;
}

/* Data registers of a load or store into op[0..3]. */
static bool data_registers(decoder *d, const ptx_operand *o, int vector, bool store) {
    insn *i = d->i;
    unsigned size = ptx_type_size((ptx_type)i->type);
    const ptx_operand *elements = vector > 1 ? o->elements : o;
    if (vector > 1 && (o->kind != PTX_OPERAND_VECTOR || o->element_count != vector))
        return refuse(d, "a vector of %d registers is needed", vector), false;
    i->width = 0;
    for (int k = 0; k < vector; k++) {
        unsigned bytes = register_bytes(d, &elements[k]);
        if (elements[k].kind == PTX_OPERAND_SINK && !store) {
            i->op[k] = SLOT_SINK;
            continue;
        }
        if (elements[k].kind == PTX_OPERAND_REGISTER) {
            if (d->source->registers[elements[k].reg].type == PTX_PRED)
                return refuse(d, "a predicate cannot be loaded or stored"), false;
            if (bytes < size) return refuse(d, "a register of %u bits for a type of %u", 8 * bytes, 8 * size), false;
            if (i->width != 0 && i->width != bytes) return refuse(d, "registers of different widths"), false;
            i->width = (uint8_t)bytes;
        } else if (!store) {
            return refuse(d, "the destination must be a register"), false;
        }
        if (elements[k].kind == PTX_OPERAND_REGISTER)
            i->op[k] = operand_slot(d, &elements[k], 'x');
        else
            i->op[k] = 0;
        if (d->failed) return false;
    }
    if (i->width == 0) i->width = (uint8_t)(size < 4 ? 4 : size);
    for (int k = 0; store && k < vector; k++)
        if (elements[k].kind != PTX_OPERAND_REGISTER)
            i->op[k] = operand_slot(d, &elements[k], i->width == 8 ? 'g' : i->width == 16 ? 'q' : 'f');
    return !d->failed;
}

/* The handler for this very type and space, where there is one (exec/memory.c). */
static void plain_access(const insn *i, bool store, uint16_t *row) {
    enum { U8, S8, U16, S16, U32, U64, TYPES };
    static const uint16_t loads[2][TYPES] = {{ROW_op_load_global_u8, ROW_op_load_global_s8, ROW_op_load_global_u16,
                                              ROW_op_load_global_s16, ROW_op_load_global_u32, ROW_op_load_global_u64},
                                             {ROW_op_load_shared_u8, ROW_op_load_shared_s8, ROW_op_load_shared_u16,
                                              ROW_op_load_shared_s16, ROW_op_load_shared_u32, ROW_op_load_shared_u64}};
    static const uint16_t stores[2][TYPES] = {
        {ROW_op_store_global_u8, ROW_op_store_global_u8, ROW_op_store_global_u16, ROW_op_store_global_u16,
         ROW_op_store_global_u32, ROW_op_store_global_u64},
        {ROW_op_store_shared_u8, ROW_op_store_shared_u8, ROW_op_store_shared_u16, ROW_op_store_shared_u16,
         ROW_op_store_shared_u32, ROW_op_store_shared_u64}};
    const bool shared = i->space == PTX_SHARED, is_signed = i->type == PTX_S8 || i->type == PTX_S16;
    if (!shared && i->space != PTX_GLOBAL && i->space != PTX_NO_SPACE) return;
    int type;
    switch (ptx_type_size((ptx_type)i->type)) {
    case 1:
        if (i->width > 4 || (is_signed && !store && i->width != 4)) return;
        type = is_signed ? S8 : U8;
        break;
    case 2:
        if (i->width > 4) return;
        type = is_signed && i->width == 4 ? S16 : U16;
        break;
    case 4:
        if (i->width != 4) return;
        type = U32;
        break;
    case 8:
        if (i->width != 8) return;
        type = U64;
        break;
    default:
        return;
    }
    *row = (store ? stores : loads)[shared][type];
}

static decoded load_or_store(decoder *d, bool store) {
    insn *i = d->i;
    qualifiers q;
    take_qualifiers(d, &q);
    ptx_type type = take_type(d);
    if (type == PTX_NO_TYPE || type == PTX_PRED) return refuse(d, "a type is missing");
    if (!taken_all(d)) return REFUSED;
    int operands = 2 + (q.hint ? 1 : 0);
    if (d->text->operand_count != operands) return refuse(d, "%d operands are needed", operands);
    const ptx_operand *where = &d->text->operands[store ? 0 : 1], *what = &d->text->operands[store ? 1 : 0];
    i->type = (uint8_t)type;
    i->vector = (uint8_t)q.vector;
    i->space = (uint8_t)q.space;
    if (ptx_type_size(type) * (unsigned)q.vector > 16 || q.vector > 4) return refuse(d, "more than 128 bits");
    address a;
    if (!operand_address(d, where, q.space, &a)) return REFUSED;
    if (!data_registers(d, what, q.vector, store)) return REFUSED;
    if (q.space == PTX_PARAM) {
        if (a.param) {
            if (store) return refuse(d, "the kernel's parameters cannot be written");
            i->imm = a.offset;
            uint64_t end = (uint64_t)a.offset + ptx_type_size(type) * (unsigned)q.vector;
            if (a.offset < 0 || end > d->f->param_bytes || (uint64_t)a.offset % ptx_type_size(type))
                return refuse(d, "outside of the kernel's parameters");
            return run_row(d, ROW_op_load_param);
        }
        /* A function's parameters lie in its frame; a kernel's address of them is generic (decode_mov). */
        i->space = a.frame || !d->source->is_entry ? PTX_LOCAL : PTX_NO_SPACE;
    } else if (q.space == PTX_CONST) {
        if (store) return refuse(d, "constant memory cannot be written");
        i->space = PTX_GLOBAL;
    } else if (q.space == PTX_NO_SPACE && a.frame) {
        i->space = PTX_LOCAL;
    }
    address_into(d, &a, 4);
    if (q.strong) i->flags |= MODE_STRONG;
    if (q.poll) i->flags |= MODE_POLL;
    uint16_t row = store ? ROW_op_store : ROW_op_load;
    if (!q.strong && !(q.poll && !store) && !(i->flags & MODE_FRAME)) plain_access(i, store, &row);
    return run_row(d, row);
}

decoded decode_ld(decoder *d) {
    return load_or_store(d, false);
}
decoded decode_st(decoder *d) {
    if (take(d, "async")) return decode_store_async(d, false);
    if (take(d, "bulk")) return refuse(d, "the simulator does not do st.bulk");
    return load_or_store(d, true);
}

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

static bool atomic_allowed(atomic_op op, ptx_type type, int vector) {
    bool floating = type == PTX_F32 || type == PTX_F64 || type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 ||
                    type == PTX_BF16X2;
    bool half = floating && type != PTX_F32 && type != PTX_F64;
    if (vector > 1 && !(half || (type == PTX_F32 && op == ATOMIC_ADD))) return false;
    switch (op) {
    case ATOMIC_ADD:
        return floating || type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
    case ATOMIC_MIN:
    case ATOMIC_MAX:
        return (half && vector > 1) || type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR:
        return type == PTX_B32 || type == PTX_B64;
    case ATOMIC_EXCH:
        return type == PTX_B32 || type == PTX_B64 || type == PTX_B128;
    case ATOMIC_CAS:
        return type == PTX_B16 || type == PTX_B32 || type == PTX_B64 || type == PTX_B128;
    default:
        return type == PTX_U32;
    }
}

/* Operands: op[0] result (the sink for red), op[4] the address, op[5..6] sources; of vectors atomic_vector. */
static decoded atomic(decoder *d, bool result) {
    insn *i = d->i;
    qualifiers q;
    atomic_op op;
    take_qualifiers(d, &q);
    if (take(d, "async")) return result ? refuse(d, "PTX has no atom.async") : decode_store_async(d, true);
    if ((op = take_atomic(d)) == ATOMIC_NONE) return refuse(d, "the simulator does not know this atomic operation");
    qualifiers after;
    take_qualifiers(d, &after);
    if (after.vector > 1) q.vector = after.vector;
    q.hint = q.hint || after.hint;
    q.acquire = q.acquire || after.acquire;
    if (after.space != PTX_NO_SPACE) q.space = after.space;
    ptx_type type = take_type(d);
    if (type == PTX_NO_TYPE) return refuse(d, "a type is missing");
    if (!taken_all(d)) return REFUSED;
    if (!atomic_allowed(op, type, q.vector) || ptx_type_size(type) * (unsigned)q.vector > 16)
        return refuse(d, "PTX has no such atomic operation for this type");
    if (q.space != PTX_NO_SPACE && q.space != PTX_GLOBAL && q.space != PTX_SHARED && q.space != PTX_SHARED_CLUSTER)
        return refuse(d, "atomic operations work on global and shared memory");
    int sources = op == ATOMIC_CAS ? 2 : 1;
    int operands = (result ? 1 : 0) + 1 + sources + (q.hint ? 1 : 0);
    if (d->text->operand_count != operands) return refuse(d, "%d operands are needed", operands);
    const ptx_operand *o = d->text->operands;
    unsigned size = ptx_type_size(type);
    char kind = size == 2 ? 'h' : size == 4 ? 'f' : size == 8 ? 'g' : 'q';
    i->type = (uint8_t)type;
    i->vector = (uint8_t)q.vector;
    i->space = (uint8_t)q.space;
    i->width = (uint8_t)size;
    i->type2 = (uint8_t)op;
    i->op[0] = SLOT_SINK;
    atomic_vector *v = q.vector > 1 ? put_form(d, FORM_ATOMIC_VECTOR, sizeof *v) : NULL;
    for (int k = 0; v != NULL && k < q.vector; k++) v->results[k] = SLOT_SINK;
    if (result && q.vector == 1) i->op[0] = destination_slot(d, o, kind);
    if (result && q.vector > 1 && !vector_slots(d, o, (unsigned)q.vector, kind, ELEMENTS_WRITTEN, v->results))
        return REFUSED;
    if (result) o++;
    address a;
    if (!operand_address(d, o++, q.space, &a)) return REFUSED;
    if (a.frame || a.param) return refuse(d, "atomic operations work on global and shared memory");
    address_into(d, &a, 4);
    if (q.vector == 1)
        for (int k = 0; k < sources; k++) i->op[5 + k] = operand_slot(d, o++, kind);
    else if (!vector_slots(d, o, (unsigned)q.vector, kind, ELEMENTS_ANY, v->sources))
        return REFUSED;
    if (result || q.acquire) i->flags |= MODE_POLL; /* atomicAdd(p, 0) is a way to read, too */
    return run_row(d, ROW_op_atomic);
}

decoded decode_atom(decoder *d) {
    return atomic(d, true);
}
decoded decode_red(decoder *d) {
    return atomic(d, false);
}

/* ---- cp.async ---------------------------------------------------------------------------------------------------- */

/* cp.async.{ca,cg}.shared{::cta}.global{.hints} [dst], [src], cp-size{, src-size or ignore-src}{, cache-policy}; */
decoded decode_cp(decoder *d) {
    insn *i = d->i;
    if (take(d, "reduce")) return decode_bulk_reduce(d);
    if (!take(d, "async")) return refuse(d, "the simulator does not know this form of cp");
    if (take(d, "commit_group")) {
        taken_all(d);
        return run_row(d, ROW_op_cp_commit);
    }
    bool all = take(d, "wait_all");
    if (all || take(d, "wait_group")) {
        if (!taken_all(d)) return REFUSED;
        if (d->text->operand_count != (all ? 0 : 1)) return refuse(d, "wrong number of operands");
        if (!all && (d->text->operands[0].kind != PTX_OPERAND_INTEGER || d->text->operands[0].integer < 0))
            return refuse(d, "a constant number of groups is needed");
        i->imm = all ? -1 : d->text->operands[0].integer;
        return run_row(d, ROW_op_cp_wait);
    }
    if (take(d, "bulk")) return decode_bulk(d);
    if (take(d, "mbarrier")) return decode_cp_mbarrier(d);
    bool cg = take(d, "cg");
    if (!cg && !take(d, "ca")) return refuse(d, "the simulator does not know this form of cp.async");
    if (!(take(d, "shared") || take(d, "shared::cta")) || !take(d, "global"))
        return refuse(d, "cp.async copies from global to shared memory");
    bool hint = take(d, "L2::cache_hint");
    if (take(d, "L2::64B") || take(d, "L2::128B") || take(d, "L2::256B")) hint = hint || take(d, "L2::cache_hint");
    if (!taken_all(d)) return REFUSED;
    const ptx_instruction *t = d->text;
    int rest = t->operand_count - 3 - (hint ? 1 : 0);
    if (rest < 0 || rest > 1 || t->operands[2].kind != PTX_OPERAND_INTEGER)
        return refuse(d, "cp.async takes two addresses, a size and perhaps a source size");
    int64_t size = t->operands[2].integer;
    if (!(size == 16 || (!cg && (size == 4 || size == 8)))) return refuse(d, "a size of %d bytes", (int)size);
    address to, from;
    if (!operand_address(d, &t->operands[0], PTX_SHARED, &to) ||
        !operand_address(d, &t->operands[1], PTX_GLOBAL, &from))
        return REFUSED;
    i->op[0] = to.slot;
    i->op[1] = from.slot;
    i->op[2] = constant_slot(d, (uint64_t)size, 4);
    i->op[3] = SLOT_FALSE;
    if (rest == 1) {
        const ptx_operand *o = &t->operands[3];
        if (o->kind == PTX_OPERAND_REGISTER && d->source->registers[o->reg].type == PTX_PRED)
            i->op[3] = operand_slot(d, o, 'p');
        else
            i->op[2] = operand_slot(d, o, 'w');
    }
    i->width = (uint8_t)size;
    i->flags = (uint8_t)((to.wide ? 0 : MODE_NARROW) | (from.wide ? 0 : MODE_NARROW_SOURCE));
    copy_offsets *offsets = put_form(d, FORM_COPY, sizeof *offsets);
    *offsets = (copy_offsets){to.offset, from.offset};
    return run_row(d, ROW_op_cp_async);
}

/* ---- without effect here ----------------------------------------------------------------------------------------- */

/* prefetch{u}, applypriority: hints about caches. Their addresses are not looked at, as on hardware. */
decoded decode_hint(decoder *d) {
    return run_row(d, ROW_op_nop);
}

/* createpolicy: some value; the hints that take it have no effect. */
decoded decode_createpolicy(decoder *d) {
    if (d->text->operand_count < 1) return refuse(d, "an operand is missing");
    d->i->op[0] = destination_slot(d, &d->text->operands[0], 'l');
    d->i->op[1] = constant_slot(d, 0, 8);
    return run_row(d, ROW_mov_b64);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* cvta{.to}.space.{u32,u64} d, a; */
decoded decode_cvta(decoder *d) {
    insn *i = d->i;
    bool to = take(d, "to");
    ptx_space space = space_word(d);
    if (space == PTX_NO_SPACE) return refuse(d, "a state space is missing");
    if (!take(d, "u64") || !taken_all(d)) return refuse(d, "the simulator knows cvta for 64-bit addresses only");
    if (d->text->operand_count != 2) return refuse(d, "two operands are needed");
    const ptx_operand *a = &d->text->operands[1];
    const bool in_frame = space == PTX_LOCAL || (space == PTX_PARAM && !d->source->is_entry);
    const bool shared = space == PTX_SHARED || space == PTX_SHARED_CLUSTER;
    uint64_t window = shared ? memory_arena() + WINDOW_SHARED : in_frame ? memory_arena() + WINDOW_LOCAL : 0;
    i->op[0] = destination_slot(d, &d->text->operands[0], 'l');
    i->imm = (int64_t)(to ? 0 - window : window);
    if (a->kind == PTX_OPERAND_SYMBOL) { /* cvta.shared.u64 %rd, symbol; symbol + constant */
        place p;
        if (to || !find_place(d, a->symbol, &p)) return refuse(d, "cvta needs a register here");
        i->imm += a->integer + (int64_t)p.address;
        if (p.space == PTX_PARAM) i->imm += (int64_t)(memory_arena() + WINDOW_PARAM);
        i->row = p.space == PTX_LOCAL ? ROW_op_mov_frame : ROW_op_add_imm;
        i->op[1] = p.space == PTX_SHARED ? shared_address_slot(d, 0, 8) : constant_slot(d, 0, 8);
    } else {
        i->op[1] = operand_slot(d, a, 'l');
        i->row = i->imm == 0 ? ROW_mov_b64 : ROW_op_add_imm;
    }
    return run_row(d, i->row);
}

/* isspacep.space p, a; */
decoded decode_isspacep(decoder *d) {
    insn *i = d->i;
    ptx_space space = space_word(d);
    if (space == PTX_NO_SPACE || !taken_all(d)) return refuse(d, "a state space is missing");
    if (d->text->operand_count != 2) return refuse(d, "two operands are needed");
    i->space = (uint8_t)space;
    i->op[0] = destination_slot(d, &d->text->operands[0], 'p');
    i->op[1] = operand_slot(d, &d->text->operands[1], 'l');
    return run_row(d, ROW_op_isspacep);
}

/* ---- mov --------------------------------------------------------------------------------------------------------- */

static decoded pack(decoder *d, ptx_type type) {
    insn *i = d->i;
    bool packing = d->text->operands[1].kind == PTX_OPERAND_VECTOR;
    const ptx_operand *vector = &d->text->operands[packing ? 1 : 0], *whole = &d->text->operands[packing ? 0 : 1];
    unsigned bytes = ptx_type_size(type), count = (unsigned)vector->element_count;
    if ((count != 2 && count != 4) || bytes / count * count != bytes)
        return refuse(d, "a vector of 2 or 4 elements is needed");
    unsigned part = bytes / count;
    i->width = (uint8_t)bytes;
    i->vector = (uint8_t)count;
    const char kind = bytes == 2 ? 'h' : bytes == 4 ? 'f' : bytes == 8 ? 'g' : 'q';
    i->op[4] = packing ? destination_slot(d, whole, kind) : operand_slot(d, whole, kind);
    for (unsigned k = 0; k < count; k++) {
        const ptx_operand *o = &vector->elements[k];
        unsigned wide = register_bytes(d, o);
        if (o->kind == PTX_OPERAND_REGISTER && wide != part && !(part == 1 && wide == 2))
            return refuse(d, "a part of %u bits where %u are needed", 8 * wide, 8 * part);
        if (!packing && o->kind != PTX_OPERAND_REGISTER && o->kind != PTX_OPERAND_SINK)
            return refuse(d, "the destination must be a register");
        i->op[k] = operand_slot(d, o, part == 8 ? 'g' : part == 4 ? 'f' : o->kind == PTX_OPERAND_REGISTER ? 'x' : 'w');
    }
    return run_row(d, packing ? ROW_op_pack : ROW_op_unpack);
}

/* mov: addresses, special registers and vectors; the plain ones are rows of the table. */
decoded decode_mov(decoder *d) {
    insn *i = d->i;
    if (d->text->operand_count != 2) return refuse(d, "two operands are needed");
    const ptx_operand *to = &d->text->operands[0], *from = &d->text->operands[1];
    ptx_type type = take_type(d);
    if (type == PTX_NO_TYPE || !taken_all(d)) return NOT_MINE;
    if (to->kind == PTX_OPERAND_VECTOR || from->kind == PTX_OPERAND_VECTOR) return pack(d, type);
    unsigned bytes = ptx_type_size(type);
    if (type == PTX_PRED && from->kind == PTX_OPERAND_SPECIAL && strcmp(from->symbol, "%is_explicit_cluster") == 0) {
        i->op[0] = destination_slot(d, to, 'p');
        return run_row(d, ROW_op_mov_explicit_cluster);
    }
    if (from->kind == PTX_OPERAND_SPECIAL) {
        int s = special_named(from->symbol);
        if (s < 0) return refuse(d, "the simulator does not know the special register %s", from->symbol);
        i->op[0] = destination_slot(d, to, bytes == 8 ? 'l' : bytes == 2 ? 'h' : 'w');
        if (special_is_fixed(s)) {
            i->op[1] = operand_slot(d, from, bytes == 8 ? 'l' : 'w');
            i->row = bytes == 8 ? ROW_mov_b64 : bytes == 2 ? ROW_op_mov_16 : ROW_mov_b32;
        } else {
            i->imm = s;
            i->width = (uint8_t)bytes;
            i->row = ROW_op_mov_special;
        }
        return run_row(d, i->row);
    }
    if (from->kind == PTX_OPERAND_SYMBOL) {
        place p;
        if (!find_place(d, from->symbol, &p)) return REFUSED;
        if (bytes != 4 && bytes != 8) return refuse(d, "an address has 32 or 64 bits");
        i->width = (uint8_t)bytes;
        i->op[0] = destination_slot(d, to, bytes == 8 ? 'l' : 'w');
        i->imm = (int64_t)p.address + from->integer;
        if (p.space == PTX_LOCAL) {
            i->row = ROW_op_mov_frame;
        } else {
            if (p.space == PTX_PARAM) i->imm += (int64_t)(memory_arena() + WINDOW_PARAM);
            i->op[1] = p.space == PTX_SHARED ? shared_address_slot(d, (uint64_t)i->imm, bytes)
                                             : constant_slot(d, (uint64_t)i->imm, bytes);
            i->row = bytes == 8 ? ROW_mov_b64 : ROW_mov_b32;
        }
        return run_row(d, i->row);
    }
    if (type == PTX_B128) {
        i->op[0] = destination_slot(d, to, 'q');
        i->op[1] = operand_slot(d, from, 'q');
        return run_row(d, ROW_op_mov_128);
    }
    return NOT_MINE;
}
