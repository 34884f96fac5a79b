/* Decoders of control flow, barriers, fences and warp-wide instructions. */
#include <string.h>

#include "base/demangle.h"
#include "isa/decode.h"

/* bra{.uni} label; */
decoded decode_bra(decoder *d) {
    take(d, "uni");
    if (!taken_all(d) || !operands_are(d, 1, 1)) return REFUSED;
    if (d->text->operands[0].kind != PTX_OPERAND_LABEL) return refuse(d, "a label is needed");
    d->i->imm = d->text->operands[0].integer;
    return run_row(d, d->i->imm <= d->index ? ROW_op_bra_back : ROW_op_bra);
}

static const ptx_table *table_named(decoder *d, const ptx_operand *o, int kind) {
    if (o->symbol != NULL)
        for (int k = 0; k < d->source->table_count; k++)
            if (strcmp(d->source->tables[k].name, o->symbol) == 0 && (int)d->source->tables[k].kind == kind)
                return &d->source->tables[k];
    return NULL;
}

/* brx.idx{.uni} index, targets; */
decoded decode_brx(decoder *d) {
    if (!take(d, "idx")) return refuse(d, "the simulator does not know this form of brx");
    take(d, "uni");
    if (!taken_all(d) || !operands_are(d, 2, 2)) return REFUSED;
    const ptx_table *table = table_named(d, &d->text->operands[1], PTX_BRANCH_TARGETS);
    if (table == NULL) return refuse(d, "a list of .branchtargets is needed");
    d->i->op[0] = operand_slot(d, &d->text->operands[0], 'w');
    d->i->imm = table->count;
    uint32_t *targets = put_form(d, FORM_TARGETS, ((size_t)table->count + 1) * sizeof *targets);
    for (int k = 0; k < table->count; k++) targets[k] = (uint32_t)table->targets[k];
    return run_row(d, ROW_op_brx);
}

static int call_offsets(decoder *d, const ptx_operand *list, call_site *site, int at) {
    for (int k = 0; k < list->element_count; k++) {
        const ptx_operand *o = &list->elements[k];
        place p;
        if (o->kind != PTX_OPERAND_SYMBOL || o->integer != 0)
            return refuse(d, "the simulator takes .param variables as a call's arguments"), -1;
        if (!find_place(d, o->symbol, &p)) return -1;
        if (p.space != PTX_LOCAL)
            return refuse(d, "%s is no .param variable of this function", READABLE(o->symbol)), -1;
        site->offsets[at] = (uint32_t)p.address;
        site->sizes[at] = (uint32_t)p.size;
        at++;
    }
    return at;
}

/* call{.uni} {(results),} function {, (arguments)}{, targets or prototype}; */
decoded decode_call(decoder *d) {
    take(d, "uni");
    if (!taken_all(d)) return REFUSED;
    const ptx_operand *o = d->text->operands, *end = o + d->text->operand_count;
    static const ptx_operand none = {.kind = PTX_OPERAND_LIST};
    const ptx_operand *results = &none, *arguments = &none, *callee;
    if (o < end && o->kind == PTX_OPERAND_LIST) results = o++;
    if (o >= end) return refuse(d, "no function to call");
    callee = o++;
    if (o < end && o->kind == PTX_OPERAND_LIST) arguments = o++;
    function *f = d->f;
    call_site site = {.return_count = results->element_count, .param_count = arguments->element_count};
    int count = site.return_count + site.param_count;
    site.offsets = decode_take(d, ((size_t)count + 1) * sizeof *site.offsets);
    site.sizes = decode_take(d, ((size_t)count + 1) * sizeof *site.sizes);
    int at = call_offsets(d, results, &site, 0);
    if (at >= 0) at = call_offsets(d, arguments, &site, at);
    if (at >= 0 && callee->kind == PTX_OPERAND_SYMBOL) {
        symbol symbol;
        if (!d->context->symbol(d->context->module, f, callee->symbol, &symbol) || symbol.kind != SYMBOL_FUNCTION) {
            refuse(d, "unknown function %s", READABLE(callee->symbol));
        } else if (symbol.function == NULL && symbol.builtin == BUILTIN_NONE) {
            refuse(d, "%s is not in the program and the simulator has none", READABLE(callee->symbol));
        } else {
            site.callee = symbol.function;
            site.builtin = symbol.builtin;
            if (site.callee != NULL && (site.callee->source->return_count != site.return_count ||
                                        site.callee->source->param_count != site.param_count))
                refuse(d, "%s takes other arguments", READABLE(callee->symbol));
        }
    } else if (at >= 0) {
        site.pointer = operand_slot(d, callee, 'l');
    }
    if (d->failed) return REFUSED;
    f->calls = decode_grow(d, f->calls, f->call_count, sizeof *f->calls);
    f->calls[f->call_count] = site;
    d->i->imm = f->call_count++;
    return run_row(d, ROW_op_call);
}

/* ret{.uni}; in a kernel it ends the thread. */
decoded decode_ret(decoder *d) {
    take(d, "uni");
    if (!taken_all(d) || !operands_are(d, 0, 0)) return REFUSED;
    return run_row(d, d->source->is_entry ? ROW_op_exit : ROW_op_ret);
}

decoded decode_exit(decoder *d) {
    if (!taken_all(d) || !operands_are(d, 0, 0)) return REFUSED;
    return run_row(d, ROW_op_exit);
}

decoded decode_trap(decoder *d) {
    if (!taken_all(d) || !operands_are(d, 0, 0)) return REFUSED;
    return run_row(d, ROW_op_trap);
}

/* brkpt; pmevent a; griddepcontrol.{launch_dependents,wait}; launches follow one another anyway. */
decoded decode_nop(decoder *d) {
    if (d->parts[0][0] == 'g' && !take(d, "launch_dependents") && !take(d, "wait"))
        return refuse(d, "launch_dependents or wait is meant");
    take(d, "mask");
    if (!taken_all(d)) return REFUSED;
    return run_row(d, ROW_op_nop);
}

/* nanosleep.u32 t; */
decoded decode_nanosleep(decoder *d) {
    if (!take(d, "u32") || !taken_all(d) || !operands_are(d, 1, 1)) return refuse(d, "nanosleep.u32 is meant");
    d->i->op[0] = operand_slot(d, &d->text->operands[0], 'w');
    return run_row(d, ROW_op_nanosleep);
}

/* ---- barriers and fences ----------------------------------------------------------------------------------------- */

/* bar{.cta}.sync a{, b};  bar{.cta}.arrive a, b;  bar{.cta}.red.{popc.u32,and.pred,or.pred} d, a{, b}, {!}c;
 * bar.warp.sync mask;  barrier{.cta}...{.aligned} likewise.
 * op[0] destination, op[1] number, op[2] count (-1: all), op[3] predicate. */
decoded decode_bar(decoder *d) {
    insn *i = d->i;
    const ptx_instruction *t = d->text;
    if (take(d, "warp")) {
        if (!take(d, "sync") || !taken_all(d) || !operands_are(d, 1, 1)) return refuse(d, "bar.warp.sync is meant");
        i->op[0] = operand_slot(d, &t->operands[0], 'w');
        return run_row(d, ROW_op_bar_warp);
    }
    if (take(d, "cluster")) return decode_barrier_cluster(d);
    take(d, "cta");
    bool sync = take(d, "sync"), arrive = !sync && take(d, "arrive"), red = !sync && !arrive && take(d, "red");
    if (!sync && !arrive && !red) return refuse(d, "the simulator does not know this barrier");
    take(d, "aligned");
    if (red) {
        const int reduction = take_one(d, "popc and or"); /* barrier_reduction */
        if (reduction < 0) return refuse(d, "popc, and or or is meant");
        i->choice = (uint8_t)reduction;
    }
    take(d, "aligned");
    if (red && !(i->choice == BARRIER_COUNT ? take(d, "u32") : take(d, "pred"))) return refuse(d, "wrong type");
    if (!taken_all(d)) return REFUSED;
    const ptx_operand *o = t->operands;
    int left = t->operand_count;
    if (left < (red ? 3 : arrive ? 2 : 1) || left > (red ? 4 : 2)) return refuse(d, "wrong number of operands");
    i->op[0] = i->choice == BARRIER_COUNT ? SLOT_SINK : SLOT_SINK_P;
    i->op[3] = SLOT_TRUE;
    if (red) {
        i->op[0] = destination_slot(d, o++, i->choice == BARRIER_COUNT ? 'w' : 'p');
        left--;
    }
    i->op[1] = operand_slot(d, o++, 'w');
    left--;
    i->op[2] = constant_slot(d, 0xffffffffu, 4);
    if (left > (red ? 1 : 0)) i->op[2] = operand_slot(d, o++, 'w');
    if (red) {
        ptx_operand plain = *o;
        i->boolean_negate = plain.negated;
        plain.negated = false;
        i->op[3] = operand_slot(d, &plain, 'p');
        i->type2 = BARRIER_REDUCES;
    }
    return run_row(d, arrive ? ROW_op_bar_arrive : red ? ROW_op_bar_red : ROW_op_bar_sync);
}

/* membar.{cta,gl,sys}; fence{.sc,.acq_rel,.acquire,.release}.scope; fence.proxy.{alias,async}{.space}: what goes
 * through another proxy is not there yet, so that there is nothing to order. */
decoded decode_membar(decoder *d) {
    while (take_one(d, "cta gl gpu sys cluster sc acq_rel acquire release") >= 0) {}
    if (take(d, "proxy")) return decode_proxy_fence(d);
    if (take(d, "mbarrier_init")) { /* fence.mbarrier_init.release.cluster: mbarriers are seen at once here */
        if (!take(d, "release") || !take(d, "cluster"))
            return refuse(d, "fence.mbarrier_init.release.cluster is meant");
    }
    if (!taken_all(d) || !operands_are(d, 0, 0)) return REFUSED;
    return run_row(d, ROW_op_membar);
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

/* shfl.sync.mode.b32 d{|p}, a, b, c, membermask; */
decoded decode_shfl(decoder *d) {
    insn *i = d->i;
    const ptx_instruction *t = d->text;
    if (!take(d, "sync")) return refuse(d, "shfl without .sync is no instruction of sm_70 and newer");
    const int mode = take_one(d, "up down bfly idx"); /* shuffle_kind */
    if (mode < 0) return refuse(d, "up, down, bfly or idx is meant");
    i->choice = (uint8_t)mode;
    if (!take(d, "b32") || !taken_all(d) || !operands_are(d, 5, 5)) return refuse(d, "shfl.sync.mode.b32 is meant");
    const ptx_operand *to = &t->operands[0];
    bool pair = to->kind == PTX_OPERAND_PAIR;
    i->op[0] = destination_slot(d, pair ? &to->elements[0] : to, 'w');
    i->op[1] = pair ? destination_slot(d, &to->elements[1], 'p') : SLOT_SINK_P;
    for (int k = 1; k <= 4; k++) i->op[1 + k] = operand_slot(d, &t->operands[k], k == 1 ? 'f' : 'w');
    return run_row(d, ROW_op_shfl);
}

/* vote.sync.{all,any,uni}.pred d, {!}a, membermask;  vote.sync.ballot.b32 d, {!}a, membermask; */
decoded decode_vote(decoder *d) {
    insn *i = d->i;
    const ptx_instruction *t = d->text;
    bool sync = take(d, "sync");                        /* ptxas also takes vote.ballot.sync, as CUB writes it */
    const int kind = take_one(d, "all any uni ballot"); /* vote_kind */
    if (kind < 0) return refuse(d, "all, any, uni or ballot is meant");
    i->choice = (uint8_t)kind;
    if (!sync && !take(d, "sync")) return refuse(d, "vote without .sync is no instruction of sm_70 and newer");
    if (!(i->choice == VOTE_BALLOT ? take(d, "b32") : take(d, "pred")) || !taken_all(d) || !operands_are(d, 3, 3))
        return refuse(d, "the simulator does not know this vote");
    ptx_operand a = t->operands[1];
    i->boolean_negate = a.negated;
    a.negated = false;
    i->op[0] = destination_slot(d, &t->operands[0], i->choice == VOTE_BALLOT ? 'w' : 'p');
    i->op[1] = operand_slot(d, &a, 'p');
    i->op[2] = operand_slot(d, &t->operands[2], 'w');
    return run_row(d, ROW_op_vote);
}

/* match.any.sync.type d, a, membermask;  match.all.sync.type d{|p}, a, membermask; */
decoded decode_match(decoder *d) {
    insn *i = d->i;
    const ptx_instruction *t = d->text;
    i->choice = take(d, "all") ? MATCH_ALL : MATCH_ANY;
    if (i->choice == MATCH_ANY && !take(d, "any")) return refuse(d, "any or all is meant");
    if (!take(d, "sync")) return refuse(d, "match.sync is meant");
    bool wide = take(d, "b64");
    if ((!wide && !take(d, "b32")) || !taken_all(d) || !operands_are(d, 3, 3))
        return refuse(d, "the simulator does not know this match");
    const ptx_operand *to = &t->operands[0];
    bool pair = to->kind == PTX_OPERAND_PAIR;
    i->width = wide ? 8 : 4;
    i->op[0] = destination_slot(d, pair ? &to->elements[0] : to, 'w');
    i->op[1] = pair ? destination_slot(d, &to->elements[1], 'p') : SLOT_SINK_P;
    i->op[2] = operand_slot(d, &t->operands[1], wide ? 'g' : 'f');
    i->op[3] = operand_slot(d, &t->operands[2], 'w');
    return run_row(d, ROW_op_match);
}

/* redux.sync.op.type d, a, membermask; */
decoded decode_redux(decoder *d) {
    insn *i = d->i;
    const ptx_instruction *t = d->text;
    if (!take(d, "sync")) return refuse(d, "redux.sync is meant");
    const int op = take_one(d, "add min max and or xor"); /* redux_kind */
    ptx_type type = take_type(d);
    bool fits = op >= REDUX_AND ? type == PTX_B32 : op >= 0 && (type == PTX_U32 || type == PTX_S32);
    if (!fits || !taken_all(d) || !operands_are(d, 3, 3)) return refuse(d, "the simulator does not know this redux");
    i->choice = (uint8_t)op;
    i->type = (uint8_t)type;
    i->op[0] = destination_slot(d, &t->operands[0], 'w');
    i->op[1] = operand_slot(d, &t->operands[1], 'w');
    i->op[2] = operand_slot(d, &t->operands[2], 'w');
    return run_row(d, ROW_op_redux);
}

/* activemask.b32 d; */
decoded decode_activemask(decoder *d) {
    if (!take(d, "b32") || !taken_all(d) || !operands_are(d, 1, 1)) return refuse(d, "activemask.b32 is meant");
    d->i->op[0] = destination_slot(d, &d->text->operands[0], 'w');
    return run_row(d, ROW_op_activemask);
}

/* elect.sync d|p, membermask; */
decoded decode_elect(decoder *d) {
    const ptx_instruction *t = d->text;
    if (!take(d, "sync") || !taken_all(d) || !operands_are(d, 2, 2) || t->operands[0].kind != PTX_OPERAND_PAIR)
        return refuse(d, "elect.sync d|p, membermask is meant");
    d->i->op[0] = destination_slot(d, &t->operands[0].elements[0], 'w');
    d->i->op[1] = destination_slot(d, &t->operands[0].elements[1], 'p');
    d->i->op[2] = operand_slot(d, &t->operands[1], 'w');
    return run_row(d, ROW_op_elect);
}
