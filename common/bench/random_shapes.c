#include "bench/random_shapes.h"

#include <string.h>

#include "base/values.h"

static uint32_t draw(random_draw *d) {
    return (uint32_t)(values_hash(d->seed, d->drawn++) >> 32);
}

int random_below(random_draw *d, int count) {
    return (int)((uint64_t)draw(d) * (uint64_t)count >> 32);
}

/* Draws an octave, and a place in it: uniformly at first, but a place at x times the octave's beginning is kept with
 * probability 1/x only, which leaves logarithms uniform. What lies beyond `most` is drawn again, too. */
static int draw_log(random_draw *d, int most) {
    int octaves = 0;
    while (most >> octaves > 0) octaves++;
    for (;;) {
        const int octave = random_below(d, octaves);
        const uint64_t x = UINT64_C(1) << 31 | draw(d) >> 1; /* 1 to 2, with 31 bits behind the point */
        const int factor = (int)(x << octave >> 31);
        if (draw(d) * x < UINT64_C(1) << 63 && factor <= most) return factor;
    }
}

int random_side(random_draw *d) {
    const int most = d->sweep.max / d->sweep.multiple;
    return d->sweep.multiple * (strcmp(d->sweep.spread, "log") == 0 ? draw_log(d, most) : 1 + random_below(d, most));
}

random_shape random_shape_next(random_draw *d) {
    const random_sweep *sweep = &d->sweep;
    int sides[3];
    random_shape r = {.pads = {0, 0, 0}};
    for (int i = 0; i < 3; i++) sides[i] = random_side(d);
    r.sides = (shape){sides[0], sides[1], sides[2]};
    for (int i = 0; i < 3 && sweep->multiple == 1 && d->count % 2 == 1; i++)
        r.pads[i] = random_below(d, RANDOM_MAX_PAD + 1);
    d->count++;
    return r;
}
