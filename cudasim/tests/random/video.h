/* What the video instructions do, as arithmetic.h says it of the others: parts of 8 or 16 bits side by side. */
#ifndef RANDOM_VIDEO_H
#define RANDOM_VIDEO_H

#include "arithmetic.h"

/* vmin4, vmax2 ...: how[1] bits of a part, how[2] the larger, how[3] their sum. */
static uint64_t run_video(const step *s, const uint64_t *x, bool *carry) {
    const value_type type = (value_type)s->how[0];
    uint64_t parts = 0;
    wide sum = number_of(type, x[2]);
    (void)carry;
    for (int at = 0; at < 32; at += s->how[1]) {
        const value_type part = s->how[1] == 8 ? (type == S32 ? S8 : U8) : type == S32 ? S16 : U16;
        const wide a = number_of(part, x[0] >> at), b = number_of(part, x[1] >> at);
        const wide chosen = (a > b) == (s->how[2] != 0) ? a : b;
        parts |= cut((uint64_t)chosen, (unsigned)s->how[1]) << at;
        sum += chosen;
    }
    return s->how[3] ? cut((uint64_t)sum, 32) : parts;
}

#endif
