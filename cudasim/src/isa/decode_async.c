/* Decoders of mbarriers, bulk copies and proxy fences. */
#include <string.h>

#include "isa/decode.h"

static bool address_of(decoder *d, const ptx_operand *o, bulk_space space, bulk_address *a) {
    address at;
    const ptx_space names[] = {PTX_NO_SPACE, PTX_GLOBAL, PTX_SHARED, PTX_SHARED};
    if (!operand_address(d, o, names[space], &at)) return false;
    if (at.frame) return refuse(d, "an address in local memory cannot stand here"), false;
    if (at.param) at.offset += (int64_t)(memory_arena() + WINDOW_PARAM);
    *a = (bulk_address){at.slot, at.wide, (uint8_t)space, at.offset};
    return true;
}

/* ---- mbarriers --------------------------------------------------------------------------------------------------- */

/* {.sem}{.scope}{.space}: the first two change nothing here. */
static bulk_space mbarrier_words(decoder *d) {
    bulk_space space = BULK_GENERIC;
    for (bool more = true; more;) {
        more = take_one(d, "release acquire relaxed cta cluster") >= 0;
        if (take(d, "shared") || take(d, "shared::cta")) space = BULK_CTA, more = true;
        if (take(d, "shared::cluster")) space = BULK_CLUSTER, more = true;
    }
    return space;
}

/* The instruction's form, with the address; NULL where it has been refused. */
static mbarrier_form *mbarrier_address(decoder *d, const ptx_operand *o, bulk_space space) {
    mbarrier_form *form = put_form(d, FORM_MBARRIER, sizeof *form);
    return address_of(d, o, space, &form->address) ? form : NULL;
}

/* mbarrier.arrive{_drop}{.expect_tx}{.noComplete}{.sem}{.scope}{.space}.b64 state or _, [addr]{, bytes}{, count}; */
static decoded decode_arrive(decoder *d, bool drop) {
    insn *i = d->i;
    const bool expect = take(d, "expect_tx"), incomplete = take(d, "noComplete");
    const bulk_space space = mbarrier_words(d);
    if (!take(d, "b64") || !taken_all(d)) return refuse(d, "the simulator does not know this form of mbarrier");
    /* .noComplete needs its count. */
    if (!operands_are(d, expect || incomplete ? 3 : 2, 3)) return REFUSED;
    const ptx_operand *o = d->text->operands;
    i->op[0] = SLOT_SINK;
    if (o[0].kind != PTX_OPERAND_SINK) {
        if (space == BULK_CLUSTER)
            return refuse(d, "an arrival at another block's mbarrier gives no state: _ is needed");
        i->op[0] = destination_slot(d, &o[0], 'l');
    }
    mbarrier_form *form = mbarrier_address(d, &o[1], space);
    if (form == NULL) return REFUSED;
    form->drop = drop;
    form->expect = expect;
    form->no_complete = incomplete;
    form->wants_state = o[0].kind != PTX_OPERAND_SINK;
    i->op[1] = constant_slot(d, 1, 4);
    i->op[2] = constant_slot(d, 0, 4);
    if (d->text->operand_count > 2) i->op[expect ? 2 : 1] = operand_slot(d, &o[2], 'w');
    return run_row(d, ROW_op_mbarrier_arrive);
}

/* mbarrier.{test,try}_wait{.parity}{.sem}{.scope}{.space}.b64 p, [addr], state or parity{, hint}; */
static decoded decode_wait(decoder *d, bool try) {
    insn *i = d->i;
    const bool parity = take(d, "parity");
    const bulk_space space = mbarrier_words(d);
    if (space == BULK_CLUSTER) return refuse(d, "only an mbarrier of the thread's own block can be waited for");
    if (!take(d, "b64") || !taken_all(d)) return refuse(d, "the simulator does not know this form of mbarrier");
    if (!operands_are(d, 3, try ? 4 : 3)) return REFUSED;
    const ptx_operand *o = d->text->operands;
    i->op[0] = destination_slot(d, &o[0], 'p');
    mbarrier_form *form = mbarrier_address(d, &o[1], space);
    if (form == NULL) return REFUSED;
    form->blocking = try;
    form->parity = parity;
    i->op[1] = operand_slot(d, &o[2], parity ? 'w' : 'l');
    if (d->text->operand_count == 4) operand_slot(d, &o[3], 'w');
    return run_row(d, ROW_op_mbarrier_wait);
}

decoded decode_mbarrier(decoder *d) {
    insn *i = d->i;
    const ptx_operand *o = d->text->operands;
    if (take(d, "arrive")) return decode_arrive(d, false);
    if (take(d, "arrive_drop")) return decode_arrive(d, true);
    if (take(d, "test_wait")) return decode_wait(d, false);
    if (take(d, "try_wait")) return decode_wait(d, true);
    if (take(d, "pending_count")) {
        if (!take(d, "b64") || !taken_all(d) || !operands_are(d, 2, 2)) return refuse(d, "pending_count.b64 is meant");
        i->op[0] = destination_slot(d, &o[0], 'w');
        i->op[1] = operand_slot(d, &o[1], 'l');
        return run_row(d, ROW_op_mbarrier_pending);
    }
    const bool init = take(d, "init"), inval = !init && take(d, "inval");
    const bool expect = !init && !inval && take(d, "expect_tx"), complete = !init && !inval && take(d, "complete_tx");
    if (!init && !inval && !expect && !complete) return refuse(d, "the simulator does not know this form of mbarrier");
    const bulk_space space = mbarrier_words(d);
    if ((init || inval) && space == BULK_CLUSTER) return refuse(d, "only the block's own shared memory can be meant");
    if (!take(d, "b64") || !taken_all(d)) return refuse(d, "the simulator does not know this form of mbarrier");
    if (!operands_are(d, inval ? 1 : 2, inval ? 1 : 2)) return REFUSED;
    mbarrier_form *form = mbarrier_address(d, &o[0], space);
    if (form == NULL) return REFUSED;
    if (!inval) i->op[1] = operand_slot(d, &o[1], 'w');
    form->expect = expect;
    return run_row(d, init ? ROW_op_mbarrier_init : inval ? ROW_op_mbarrier_inval : ROW_op_mbarrier_tx);
}

/* cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [addr]; */
decoded decode_cp_mbarrier(decoder *d) {
    if (!take(d, "arrive")) return refuse(d, "cp.async.mbarrier.arrive is meant");
    const bool no_increment = take(d, "noinc");
    const bulk_space space = take(d, "shared") || take(d, "shared::cta") ? BULK_CTA : BULK_GENERIC;
    if (!take(d, "b64") || !taken_all(d) || !operands_are(d, 1, 1)) return refuse(d, "a 64-bit mbarrier is meant");
    mbarrier_form *form = mbarrier_address(d, &d->text->operands[0], space);
    if (form == NULL) return REFUSED;
    form->no_increment = no_increment;
    return run_row(d, ROW_op_cp_mbarrier);
}

/* ---- bulk copies ------------------------------------------------------------------------------------------------- */

static bulk_space space_word(decoder *d) {
    if (take(d, "global")) return BULK_GLOBAL;
    if (take(d, "shared::cta")) return BULK_CTA;
    if (take(d, "shared::cluster")) return BULK_CLUSTER;
    return BULK_GENERIC;
}

static uint8_t rank_word(decoder *d) {
    return (uint8_t)(take_one(d, "1d 2d 3d 4d 5d") + 1);
}

static atomic_op reduce_word(decoder *d) {
    const atomic_op op = take_atomic(d);
    return op != ATOMIC_EXCH && op != ATOMIC_CAS ? op : ATOMIC_NONE;
}

/* [map, {c0, c1 ...}] */
static bool tensor_operand(decoder *d, const ptx_operand *o, bulk_form *form) {
    if (o->kind != PTX_OPERAND_TENSOR || o->element_count != 2 || o->elements[1].kind != PTX_OPERAND_VECTOR ||
        o->elements[1].element_count != form->rank)
        return refuse(d, "a tensor map and %u coordinates in braces are needed", form->rank), false;
    if (!address_of(d, &o->elements[0], BULK_GENERIC, &form->map)) return false;
    for (unsigned k = 0; k < form->rank; k++) form->coordinates[k] = operand_slot(d, &o->elements[1].elements[k], 'w');
    return !d->failed;
}

/* {.tile} or {.im2col}; of stores and reductions, whose coordinates have no offsets beside them, {.im2col_no_offs}. */
static bool mode_word(decoder *d, bool store, bulk_form *form) {
    form->im2col = take(d, store ? "im2col_no_offs" : "im2col");
    if (!form->im2col) take(d, "tile");
    if (form->im2col && form->rank < 3) return refuse(d, "im2col is of 3 to 5 dimensions"), false;
    return true;
}

/* {offset W, H, D}, as many as an image has sides. */
static bool offsets_operand(decoder *d, const ptx_operand *o, bulk_form *form) {
    const int count = form->rank - 2;
    if (o->kind != PTX_OPERAND_VECTOR || o->element_count != count)
        return refuse(d, "%d im2col offsets in braces are needed", count), false;
    for (int k = 0; k < count; k++) form->offsets[k] = operand_slot(d, &o->elements[k], 'h');
    return !d->failed;
}

/* Which types a reduction takes (PTX ISA, cp.reduce.async.bulk): in global memory, and in shared memory. */
static bool reduction_allowed(atomic_op op, ptx_type type, bool global) {
    const bool half = type == PTX_F16 || type == PTX_BF16;
    switch (op) {
    case ATOMIC_ADD:
        return type == PTX_U32 || type == PTX_S32 || type == PTX_U64 ||
               (global && (half || type == PTX_F32 || type == PTX_F64));
    case ATOMIC_MIN:
    case ATOMIC_MAX:
        return type == PTX_U32 || type == PTX_S32 || (global && (half || type == PTX_U64 || type == PTX_S64));
    case ATOMIC_INC:
    case ATOMIC_DEC:
        return type == PTX_U32;
    default:
        return type == PTX_B32 || (global && type == PTX_B64);
    }
}

/* cp{.reduce}.async.bulk{.tensor.Nd}.dst.src ...; the words after "bulk".
 *
 *   .shared::{cluster,cta}.global{.tile,.im2col}.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint}
 *       [dst], [src] or [map, {..}], {size,} [mbar]{, {offsets}}{, mask}{, policy}
 *   .shared::cluster.shared::cta.mbarrier::complete_tx::bytes   [dst], [src], size, [mbar]
 *   .global.shared::cta{.tile,.im2col_no_offs}.bulk_group{.L2::cache_hint}      [dst] or [map, {..}], [src]{, size}{,
 * policy}
 */
static decoded copy(decoder *d, bool reduces) {
    bulk_form *form = put_form(d, FORM_BULK, sizeof *form);
    const bool tensor = take(d, "tensor");
    if (tensor && (form->rank = rank_word(d)) == 0) return refuse(d, "1d to 5d is meant");
    const bulk_space to = space_word(d), from = space_word(d);
    const bool store = to == BULK_GLOBAL;
    if (store ? from != BULK_CTA
              : !((to == BULK_CLUSTER && from == BULK_CTA && !tensor) ||
                  ((to == BULK_CLUSTER || to == BULK_CTA) && from == BULK_GLOBAL && !reduces)))
        return refuse(d, "the simulator does not know a bulk copy between these state spaces");
    atomic_op op = reduces && tensor ? reduce_word(d) : ATOMIC_NONE;
    if (tensor && !mode_word(d, store, form)) return REFUSED;
    if (!take(d, store ? "bulk_group" : "mbarrier::complete_tx::bytes"))
        return refuse(d, "%s is needed here", store ? ".bulk_group" : ".mbarrier::complete_tx::bytes");
    form->multicast = to == BULK_CLUSTER && from == BULK_GLOBAL && take(d, "multicast::cluster");
    const bool hint = take(d, "L2::cache_hint");
    if (reduces && !tensor) {
        op = reduce_word(d);
        const bool noftz = take(d, "noftz");
        const ptx_type type = take_type(d);
        if (op == ATOMIC_NONE || !reduction_allowed(op, type, store) ||
            noftz != (op == ATOMIC_ADD && (type == PTX_F16 || type == PTX_BF16)))
            return refuse(d, "PTX has no such reduction for this type");
        form->type = (uint8_t)type;
    }
    if (reduces && op == ATOMIC_NONE) return refuse(d, "an operation is missing");
    form->reduce = (uint8_t)op;
    if (!taken_all(d)) return REFUSED;
    const bool offsets = form->im2col && !store;
    const int operands =
        2 + (tensor ? 0 : 1) + (store ? 0 : 1) + (offsets ? 1 : 0) + (form->multicast ? 1 : 0) + (hint ? 1 : 0);
    if (!operands_are(d, operands, operands)) return REFUSED;
    const ptx_operand *o = d->text->operands;
    form->to.space = (uint8_t)to;
    form->from.space = (uint8_t)from;
    if (tensor && store ? !tensor_operand(d, o++, form) : !address_of(d, o++, to, &form->to)) return REFUSED;
    if (tensor && !store ? !tensor_operand(d, o++, form) : !address_of(d, o++, from, &form->from)) return REFUSED;
    if (!tensor) form->size = operand_slot(d, o++, 'w');
    if (!store && !address_of(d, o++, to, &form->mbarrier)) return REFUSED;
    if (offsets && !offsets_operand(d, o++, form)) return REFUSED;
    if (form->multicast) form->mask = operand_slot(d, o++, 'h');
    if (hint) operand_slot(d, o++, 'l');
    return run_row(d, ROW_op_bulk_copy);
}

decoded decode_bulk_reduce(decoder *d) {
    if (!take(d, "async") || !take(d, "bulk")) return refuse(d, "the simulator does not know this form of cp");
    return copy(d, true);
}

/* st.async{.weak}{.shared::cluster}{.mbarrier::complete_tx::bytes}{.v2,.v4}.type [a], b, [mbar];
 * red.async.relaxed.cluster{.shared::cluster}{.mbarrier::complete_tx::bytes}.op.type [a], b, [mbar]; */
decoded decode_store_async(decoder *d, bool reduces) {
    store_form *form = put_form(d, FORM_STORE_ASYNC, sizeof *form);
    if (reduces && (!take(d, "relaxed") || !take(d, "cluster"))) return refuse(d, "red.async.relaxed.cluster is meant");
    if (!reduces) take(d, "weak");
    const bulk_space space = take(d, "shared::cluster") ? BULK_CLUSTER : BULK_GENERIC;
    take(d, "mbarrier::complete_tx::bytes");
    const atomic_op op = reduces ? reduce_word(d) : ATOMIC_NONE;
    form->count = reduces ? 1 : take(d, "v2") ? 2 : take(d, "v4") ? 4 : 1;
    const ptx_type type = take_type(d);
    const bool word = type == PTX_B32 || type == PTX_U32 || type == PTX_S32 || type == PTX_F32,
               wide = type == PTX_B64 || type == PTX_U64 || type == PTX_S64 || type == PTX_F64;
    if (!taken_all(d)) return REFUSED;
    if (reduces ? op == ATOMIC_NONE || !reduction_allowed(op, type, false) : !word && !wide)
        return refuse(d, "PTX has no %s of this type", reduces ? "red.async" : "st.async");
    if (!operands_are(d, 3, 3)) return REFUSED;
    form->reduce = (uint8_t)op;
    form->type = (uint8_t)type;
    form->size = wide ? 8 : 4;
    const ptx_operand *o = d->text->operands, *values = &o[1];
    if (form->count > 1) {
        if (values->kind != PTX_OPERAND_VECTOR || values->element_count != form->count)
            return refuse(d, "%u values in braces are needed", form->count);
        values = values->elements;
    }
    for (unsigned k = 0; k < form->count; k++) form->values[k] = operand_slot(d, &values[k], wide ? 'l' : 'w');
    if (!address_of(d, &o[0], space, &form->to) || !address_of(d, &o[2], space, &form->mbarrier)) return REFUSED;
    return run_row(d, ROW_op_store_async);
}

/* cp.async.bulk.prefetch{.tensor.Nd}.L2.global{.tile,.im2col}{.L2::cache_hint} [src], size or [map, {..}]{, {offsets}}
 * {, policy}; brings something into a cache that is not there. */
static decoded prefetch(decoder *d) {
    bulk_form *form = put_form(d, FORM_BULK, sizeof *form);
    const bool tensor = take(d, "tensor");
    if (tensor && (form->rank = rank_word(d)) == 0) return refuse(d, "1d to 5d is meant");
    if (!take(d, "L2") || !take(d, "global"))
        return refuse(d, "the simulator does not know this form of cp.async.bulk");
    if (tensor && !mode_word(d, false, form)) return REFUSED;
    const bool hint = take(d, "L2::cache_hint");
    const int operands = (tensor ? 1 : 2) + (form->im2col ? 1 : 0) + (hint ? 1 : 0);
    if (!taken_all(d) || !operands_are(d, operands, operands)) return REFUSED;
    const ptx_operand *o = d->text->operands;
    if (tensor ? !tensor_operand(d, o, form) : !address_of(d, o, BULK_GLOBAL, &form->from)) return REFUSED;
    if (form->im2col && !offsets_operand(d, &o[1], form)) return REFUSED;
    if (!tensor) operand_slot(d, &o[1], 'w');
    return run_row(d, ROW_op_bulk_prefetch);
}

decoded decode_bulk(decoder *d) {
    insn *i = d->i;
    if (take(d, "commit_group")) {
        if (!taken_all(d) || !operands_are(d, 0, 0)) return REFUSED;
        return run_row(d, ROW_op_bulk_commit);
    }
    if (take(d, "wait_group")) {
        i->choice = take(d, "read") ? BULK_WAIT_READ : BULK_WAIT_DONE;
        if (!taken_all(d) || !operands_are(d, 1, 1)) return REFUSED;
        const ptx_operand *o = d->text->operands;
        if (o->kind != PTX_OPERAND_INTEGER || o->integer < 0) return refuse(d, "a constant number of groups is needed");
        i->imm = o->integer;
        return run_row(d, ROW_op_bulk_wait);
    }
    if (take(d, "prefetch")) return prefetch(d);
    return copy(d, false);
}

/* ---- fences ------------------------------------------------------------------------------------------------------ */

/* fence.proxy.alias; fence.proxy.async{.global, .shared::cta, .shared::cluster};
 * fence.proxy.tensormap::generic.{release,acquire}.scope{ [addr], 128};
 * fence.proxy.async::generic.{acquire,release}.sync_restrict::shared::{cta,cluster}.cluster; */
decoded decode_proxy_fence(decoder *d) {
    if (take(d, "alias")) {
        if (!taken_all(d) || !operands_are(d, 0, 0)) return REFUSED;
        return run_row(d, ROW_op_membar);
    }
    if (take(d, "async")) {
        const bool global = take(d, "global"); /* then it is no fence for shared memory */
        if (!global && !take(d, "shared::cta")) take(d, "shared::cluster");
        if (!taken_all(d) || !operands_are(d, 0, 0)) return REFUSED;
        return run_row(d, global ? ROW_op_membar : ROW_op_proxy_fence);
    }
    if (take(d, "tensormap::generic")) {
        const bool acquires = take(d, "acquire");
        if (!acquires && !take(d, "release")) return refuse(d, "acquire or release is meant");
        if (take_one(d, "cta cluster gpu sys") < 0 || !taken_all(d) ||
            !operands_are(d, acquires ? 2 : 0, acquires ? 2 : 0))
            return REFUSED;
        return run_row(d, ROW_op_membar);
    }
    if (take(d, "async::generic")) {
        const bool ordered = take(d, "acquire") || take(d, "release");
        const bool restricted = take(d, "sync_restrict::shared::cta") || take(d, "sync_restrict::shared::cluster");
        if (!ordered || !restricted || !take(d, "cluster") || !taken_all(d) || !operands_are(d, 0, 0))
            return refuse(d, "the simulator does not know this proxy fence");
        return run_row(d, ROW_op_proxy_fence);
    }
    return refuse(d, "the simulator does not know this proxy fence");
}
