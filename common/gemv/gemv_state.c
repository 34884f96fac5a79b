#include "gemv/gemv_state.h"

const gemv_variant *gemv_variant_of(const bench_variant *v) {
    return v->self;
}

gemv_launcher *gemv_launcher_of(const bench_launch *l) {
    const gemv_variant *v = gemv_variant_of(l->variant);
    return v->candidates != NULL ? v->candidates[l->number].launch : v->launch;
}

size_t gemv_cold_bytes(const session *s) {
    return 4 * s->device.l2_bytes;
}
