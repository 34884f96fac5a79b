/* Decoders of instructions on clusters. */
#include "isa/decode.h"

/* barrier.cluster.arrive{.release,.relaxed}{.aligned};  barrier.cluster.wait{.acquire}{.aligned}; */
decoded decode_barrier_cluster(decoder *d) {
    const bool arrive = take(d, "arrive");
    if (!arrive && !take(d, "wait")) return refuse(d, "arrive or wait is meant");
    if (arrive ? !take(d, "release") : !take(d, "acquire"))
        if (arrive) take(d, "relaxed");
    take(d, "aligned");
    if (!taken_all(d)) return REFUSED;
    if (d->text->operand_count != 0) return refuse(d, "barrier.cluster has no operands");
    return run_row(d, arrive ? ROW_op_cluster_arrive : ROW_op_cluster_wait);
}

/* What mapa and getctarank share: {.shared::cluster}.{u32,u64}, and the address: a register, or a shared variable with
 * the space named. */
static bool space_and_address(decoder *d, int operands) {
    insn *i = d->i;
    i->space = take(d, "shared::cluster") ? PTX_SHARED_CLUSTER : PTX_NO_SPACE;
    const bool wide = take(d, "u64");
    if (!wide && !take(d, "u32")) return refuse(d, "u32 or u64 is meant"), false;
    if (!taken_all(d)) return false;
    if (d->text->operand_count != operands) return refuse(d, "%d operands are needed", operands), false;
    if (!wide && i->space == PTX_NO_SPACE) return refuse(d, "a generic address has 64 bits"), false;
    const ptx_operand *a = &d->text->operands[1];
    if (a->kind == PTX_OPERAND_SYMBOL) {
        place p;
        if (!find_place(d, a->symbol, &p)) return false;
        if (p.space != PTX_SHARED || i->space == PTX_NO_SPACE)
            return refuse(d, "an address of shared memory is needed here"), false;
    }
    i->width = wide ? 8 : 4;
    i->op[1] = operand_slot(d, a, wide ? 'l' : 'w');
    return !d->failed;
}

/* mapa{.shared::cluster}.{u32,u64} d, a, b; */
decoded decode_mapa(decoder *d) {
    if (!space_and_address(d, 3)) return REFUSED;
    d->i->op[0] = destination_slot(d, &d->text->operands[0], d->i->width == 8 ? 'l' : 'w');
    d->i->op[2] = operand_slot(d, &d->text->operands[2], 'w');
    return run_row(d, ROW_op_mapa);
}

/* getctarank{.shared::cluster}.{u32,u64} d, a; */
decoded decode_getctarank(decoder *d) {
    if (!space_and_address(d, 2)) return REFUSED;
    d->i->op[0] = destination_slot(d, &d->text->operands[0], 'w');
    return run_row(d, ROW_op_getctarank);
}
