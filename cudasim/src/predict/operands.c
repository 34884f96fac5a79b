/* What an instruction's operands hold, and where its results go. */
#include <string.h>

#include "predict/lanes.h"

#define ALL 0xffffffffu

uint32_t lanes_predicate(const lane_warp *w, const sass_operand *o) {
    const uint32_t value = o->kind == KIND_PREDICATE ? w->predicates[o->reg] : ALL;
    return o->inverted ? ~value : value;
}

static uint32_t constant(const lane_warp *w, const sass_operand *o, int lane) {
    uint32_t value = 0;
    int64_t at = o->number;
    if (o->reg >= 0 && o->reg != SASS_RZ) at += (int32_t)w->registers[o->reg][lane];
    if (o->uniform >= 0 && o->uniform != SASS_URZ) at += (int32_t)w->uniform[o->uniform];
    if (o->bank == 0 && at >= 0 && at + 4 <= CONSTANT_BYTES) memcpy(&value, w->launch->constants + at, sizeof value);
    return value;
}

static uint32_t scalar(const lane_warp *w, const sass_operand *o) {
    if (o->kind == KIND_UNIFORM) return o->reg == SASS_URZ ? 0 : w->uniform[o->reg];
    if (o->kind == KIND_CONSTANT) return constant(w, o, 0);
    return (uint32_t)o->number;
}

const uint32_t *lanes_value(const lane_warp *w, const sass_operand *o, uint32_t temporary[LANES]) {
    static const uint32_t zeros[LANES];
    if (o->kind == KIND_REGISTER) {
        const uint32_t *r = o->reg == SASS_RZ ? zeros : w->registers[o->reg];
        if (!o->negative && !o->inverted) return r;
        memcpy(temporary, r, LANES * sizeof *r);
    } else {
        const uint32_t value = scalar(w, o);
        for (int t = 0; t < LANES; t++) temporary[t] = value;
    }
    if (o->negative)
        for (int t = 0; t < LANES; t++) temporary[t] = 0u - temporary[t];
    if (o->inverted)
        for (int t = 0; t < LANES; t++) temporary[t] = ~temporary[t];
    return temporary;
}

void lanes_set(lane_warp *w, const sass_operand *o, int further, const uint32_t *value, uint32_t active) {
    if (active == 0) return;
    if (o->kind == KIND_UNIFORM) {
        if (o->reg != SASS_URZ) w->uniform[(o->reg + further) & 63] = value[__builtin_ctz(active)];
    } else if (o->kind == KIND_REGISTER && o->reg != SASS_RZ) {
        uint32_t *r = w->registers[(o->reg + further) & 255];
        if (active == ALL)
            memmove(r, value, LANES * sizeof *r);
        else
            for (int t = 0; t < LANES; t++)
                if (active >> t & 1) r[t] = value[t];
    }
}
