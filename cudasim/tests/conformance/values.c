#include "values.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- types ------------------------------------------------------------------------------------------------------- */

typedef struct float_format {
    int exponent_bits, fraction_bits;
} float_format;

/* What one lane of a type is made of. */
typedef struct lane {
    int bits;
    const float_format *format; /* NULL: an integer */
} lane;

static const float_format f16 = {5, 10}, bf16 = {8, 7}, f32 = {8, 23}, f64 = {11, 52};

static lane lane_of(value_type type) {
    switch (type) {
    case V_U8:
    case V_S8:
        return (lane){8, NULL};
    case V_U16:
    case V_S16:
    case V_U16X2:
    case V_S16X2:
        return (lane){16, NULL};
    case V_U32:
    case V_S32:
    case V_SHIFT:
    case V_SMALL:
        return (lane){32, NULL};
    case V_U64:
    case V_S64:
        return (lane){64, NULL};
    case V_F16:
    case V_F16X2:
        return (lane){16, &f16};
    case V_BF16:
    case V_BF16X2:
        return (lane){16, &bf16};
    case V_F32:
    case V_ANGLE:
        return (lane){32, &f32};
    case V_F64:
        return (lane){64, &f64};
    case V_NONE:
        break;
    }
    return (lane){0, NULL};
}

static int lanes(value_type type) {
    return type == V_F16X2 || type == V_BF16X2 || type == V_U16X2 || type == V_S16X2 ? 2 : 1;
}

size_t value_size(value_type type) {
    return (size_t)(lane_of(type).bits * lanes(type) / 8);
}

/* ---- random numbers ---------------------------------------------------------------------------------------------- */

/* One draw to an expression, as C leaves open which of two comes first. */
static uint64_t next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(uint64_t *state, int limit) {
    return (int)((next(state) >> 32) * (uint64_t)limit >> 32);
}

static int between(uint64_t *state, int low, int high) {
    return low + below(state, high - low + 1);
}

static uint64_t low_bits(int count) {
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* ---- floating point ---------------------------------------------------------------------------------------------- */

static int bias_of(const float_format *format) {
    return (1 << (format->exponent_bits - 1)) - 1;
}

static uint64_t sign_bit(const float_format *format) {
    return UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
}

static uint64_t infinity_of(const float_format *format) {
    return low_bits(format->exponent_bits) << format->fraction_bits;
}

/* 2^exponent with these bits of fraction; what is beyond the format becomes its smallest or largest exponent. */
static uint64_t assemble(const float_format *format, int exponent, uint64_t fraction) {
    int biased = exponent + bias_of(format), most = (1 << format->exponent_bits) - 2;
    biased = biased < 0 ? 0 : biased > most ? most : biased;
    return (uint64_t)biased << format->fraction_bits | (fraction & low_bits(format->fraction_bits));
}

static double decode(const float_format *format, uint64_t bits) {
    int exponent = (int)(bits >> format->fraction_bits & low_bits(format->exponent_bits));
    uint64_t fraction = bits & low_bits(format->fraction_bits);
    double magnitude;
    if (exponent == (int)low_bits(format->exponent_bits)) {
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    } else {
        uint64_t significand = exponent ? fraction | UINT64_C(1) << format->fraction_bits : fraction;
        magnitude = ldexp((double)significand, (exponent ? exponent : 1) - bias_of(format) - format->fraction_bits);
    }
    return bits & sign_bit(format) ? -magnitude : magnitude;
}

/* Towards zero; from a number, not a NaN. */
static uint64_t encode(const float_format *format, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint64_t sign = bits >> 63 ? sign_bit(format) : 0;
    if (format == &f64) return bits;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023 + bias_of(format);
    uint64_t fraction = bits & low_bits(52);
    if (exponent >= (int)low_bits(format->exponent_bits)) return sign | infinity_of(format);
    if (exponent > 0)
        return sign | (uint64_t)exponent << format->fraction_bits | fraction >> (52 - format->fraction_bits);
    int shift = 52 - format->fraction_bits + 1 - exponent;
    return sign | (shift > 63 ? 0 : (fraction | UINT64_C(1) << 52) >> shift);
}

static uint64_t random_float(const float_format *format, uint64_t *state) {
    /* Exponents where other types end: integers, f16, bf16, fp8, tf32, f32. */
    static const int edges[] = {-150, -149, -134, -133, -127, -126, -25, -24, -23, -17, -16, -15, -14, -10, -9,  -7, -6,
                                -1,   0,    7,    8,    9,    14,   15,  16,  30,  31,  32,  62,  63,  64,  127, 128};
    int fraction_bits = format->fraction_bits;
    uint64_t fraction = next(state), sign = next(state) & 1 ? sign_bit(format) : 0;
    switch (below(state, 8)) {
    case 0:
        return next(state) & (sign_bit(format) | (sign_bit(format) - 1));
    case 1:
        return sign | assemble(format, between(state, -8, 8), fraction);
    case 2:
    case 3: /* a tie, or next to one, when rounded to `kept` bits */
    {
        static const int widths[] = {0, 1, 2, 3, 4, 7, 7, 8, 10, 10, 11, 23, 23, 23, 23};
        int kept = widths[below(state, COUNT(widths))];
        if (kept >= fraction_bits) kept = fraction_bits < 10 ? 3 : 10;
        int dropped = fraction_bits - kept;
        if (dropped > 0) fraction = (fraction & ~low_bits(dropped)) | UINT64_C(1) << (dropped - 1);
        if (dropped > 1 && below(state, 3) == 0) fraction += below(state, 2) ? 1 : UINT64_MAX;
        int exponent = below(state, 6) ? between(state, -28, 24) : between(state, -152, -126);
        return sign | assemble(format, exponent, fraction);
    }
    case 4: /* an integer, a half more, or next to one of these */
    {
        int exponent = between(state, -2, below(state, 2) ? 10 : 66), below_point = fraction_bits - exponent;
        if (below_point > fraction_bits) below_point = fraction_bits;
        if (below_point > 0) {
            fraction &= ~low_bits(below_point);
            if (below(state, 2)) fraction |= UINT64_C(1) << (below_point - 1);
            if (below(state, 2)) fraction += below(state, 2) ? 1 : UINT64_MAX;
        }
        return sign | assemble(format, exponent, fraction);
    }
    case 5:
        fraction >>= below(state, fraction_bits);
        return sign | assemble(format, -bias_of(format) + below(state, 3), fraction);
    case 6:
        return sign | assemble(format, bias_of(format) - below(state, 3), fraction);
    default: {
        int exponent = edges[below(state, COUNT(edges))];
        int shape = below(state, 4);
        return sign | assemble(format, exponent, shape == 0 ? 0 : shape == 1 ? ~UINT64_C(0) : fraction);
    }
    }
}

static uint64_t special_float(const float_format *format, uint64_t *state, int which) {
    static const double numbers[] = {0.5,   1.5,   2,       2.5,   3,     10,     127.5,  128,    255.5, 256,
                                     32768, 65504, 65535.5, 65536, 65520, 0x1p31, 0x1p32, 0x1p63, 0x1p64};
    int fraction_bits = format->fraction_bits;
    uint64_t infinity = infinity_of(format), one = assemble(format, 0, 0), normal = UINT64_C(1) << fraction_bits;
    /* Zero, denormals, normal numbers, infinity, two signalling NaNs, four quiet ones. */
    const uint64_t patterns[] = {0,
                                 1,
                                 2,
                                 normal >> 1,
                                 normal - 1,
                                 normal,
                                 normal + 1,
                                 one - 1,
                                 one,
                                 one + 1,
                                 infinity - 1,
                                 infinity - 2,
                                 infinity,
                                 infinity | 1,
                                 infinity | normal >> 2,
                                 infinity | normal >> 1,
                                 infinity | normal >> 1 | 5,
                                 infinity | (normal - 1),
                                 infinity | (normal - 9)}; /* .oob's, in 16 bits */
    int count = 2 * (COUNT(patterns) + COUNT(numbers));
    if (which >= count) return random_float(format, state);
    /* Of random ones two in three from the edges of the format. */
    if (which < 0) which = below(state, 3) ? below(state, 2 * COUNT(patterns)) : below(state, count);
    uint64_t sign = which & 1 ? sign_bit(format) : 0;
    which /= 2;
    return sign ^ (which < COUNT(patterns) ? patterns[which] : encode(format, numbers[which - COUNT(patterns)]));
}

/* b (and c) that meet a at the edges of an operation: sums that cancel, exponents that differ by as much as the
 * fraction is long, products and quotients next to underflow and overflow. */
static void related_floats(const float_format *format, uint64_t *state, uint64_t value[3], int inputs) {
    int fraction_bits = format->fraction_bits, bias = bias_of(format);
    uint64_t sign = sign_bit(format), signs[3], fractions[3];
    for (int k = 0; k < 3; k++) {
        signs[k] = next(state) & sign;
        fractions[k] = next(state);
    }
    int exponent = between(state, -bias / 2, bias / 2), b_exponent = exponent;
    bool higher = below(state, 2);
    value[0] = signs[0] | assemble(format, exponent, fractions[0]);
    switch (below(state, 8)) {
    case 0:
    case 1:
        value[1] = (value[0] ^ sign) + (uint64_t)(int64_t)between(state, -4, 4);
        break;
    case 2:
        value[1] = (value[0] & ~sign) | signs[1];
        break;
    case 3:
    case 4:
        b_exponent += between(state, -2, 2);
        value[1] = signs[1] | assemble(format, b_exponent, fractions[1]);
        break;
    case 5:
        b_exponent -= below(state, fraction_bits);
        value[1] = signs[1] | assemble(format, b_exponent, fractions[1]);
        break;
    case 6: {
        int apart = fraction_bits + between(state, -2, 3);
        if (below(state, 2)) fractions[1] = 0;
        value[1] = signs[1] | assemble(format, higher ? exponent + apart : exponent - apart, fractions[1]);
        break;
    }
    default: {
        int limit = below(state, 3) ? 1 - bias - between(state, -2, fraction_bits + 2) : bias + between(state, -2, 1);
        value[1] = signs[1] | assemble(format, higher ? exponent - limit : limit - exponent, fractions[1]);
    }
    }
    if (inputs < 3) return;
    double product = decode(format, value[0]) * decode(format, value[1]);
    if (isnan(product) || isinf(product)) {
        value[2] = random_float(format, state);
        return;
    }
    uint64_t near = encode(format, product);
    int c_exponent = (int)(near >> fraction_bits & low_bits(format->exponent_bits)) - bias;
    switch (below(state, 4)) {
    case 0:
    case 1:
        value[2] = (near ^ sign) + (uint64_t)(int64_t)between(state, -2, 2);
        break;
    case 2:
        c_exponent += between(state, -2 * fraction_bits - 3, fraction_bits + 3);
        value[2] = signs[2] | assemble(format, c_exponent, fractions[2]);
        break;
    default:
        c_exponent += between(state, -2, 2);
        value[2] = signs[2] | assemble(format, c_exponent, fractions[2]);
    }
}

static uint64_t angle(uint64_t *state, int which) {
    static const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x7f800001, 0x40490fda,
                                       0xc0490fda, 0x3fc90fda, 0x3fc90fdb, 0xbfc90fdb, 0x3f490fdb, 0x3f800000,
                                       0x3f060a92, 0x3f860a92, 0x39800000, 0x38800000};
    if (which >= 0 && which < COUNT(special)) return special[which];
    double unit = (double)(int64_t)next(state) * 0x1p-63;
    return encode(&f32, unit * 3.1415925 * (below(state, 4) ? 1 : ldexp(1, -below(state, 30))));
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static uint64_t random_integer(int bits, uint64_t *state) {
    uint64_t r = next(state);
    switch (below(state, 7)) {
    case 0:
    case 1:
        return r;
    case 2:
        return r & low_bits(between(state, 1, bits));
    case 3:
        return ~(r & low_bits(between(state, 1, bits)));
    case 4:
        r = UINT64_C(1) << below(state, bits);
        return r + (uint64_t)(int64_t)between(state, -1, 1);
    case 5:
        return below(state, 2) ? r & next(state) & next(state) : r | next(state) | next(state);
    default: /* a tie, or next to one, when converted to floating point with `kept` bits */
    {
        static const int widths[] = {8, 11, 24, 53};
        int kept = widths[below(state, COUNT(widths))];
        if (kept + 1 >= bits) return r;
        uint64_t tie = (r & low_bits(kept)) | UINT64_C(1) << (kept - 1);
        tie = (tie << 1 | 1) << below(state, bits - kept);
        tie += (uint64_t)(int64_t)between(state, -1, 1);
        return below(state, 2) ? tie : (uint64_t)0 - tie;
    }
    }
}

static uint64_t special_integer(int bits, uint64_t *state, int which) {
    const uint64_t top = UINT64_C(1) << (bits - 1);
    const uint64_t values[] = {0,
                               1,
                               2,
                               3,
                               ~UINT64_C(0),
                               ~UINT64_C(1),
                               top,
                               top - 1,
                               top + 1,
                               top - 2,
                               7,
                               8,
                               10,
                               31,
                               32,
                               127,
                               128,
                               129,
                               255,
                               256,
                               0x7fff,
                               0x8000,
                               0xffff,
                               0x10000,
                               0x7fffff,
                               0xffffff,
                               0x1000000,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x100000000,
                               0x5555555555555555,
                               0xaaaaaaaaaaaaaaaa,
                               0x0123456789abcdef};
    if (which >= COUNT(values)) return random_integer(bits, state);
    /* Of random ones half from the most telling. */
    if (which < 0) which = below(state, 2) ? below(state, 10) : below(state, COUNT(values));
    return values[which];
}

static void related_integers(int bits, uint64_t *state, uint64_t value[3], int inputs) {
    value[0] = random_integer(bits, state);
    switch (below(state, 6)) {
    case 0:
        value[1] = value[0];
        break;
    case 1:
        value[1] = value[0] + (uint64_t)(int64_t)between(state, -3, 3);
        break;
    case 2:
        value[1] = (uint64_t)0 - value[0];
        break;
    case 3:
        value[1] = (uint64_t)(int64_t)between(state, -16, 16);
        break;
    case 4:
        value[1] = value[0] >> below(state, bits);
        break;
    default:
        value[1] = ~value[0];
        break;
    }
    if (inputs == 3) value[2] = below(state, 2) ? (uint64_t)0 - value[0] * value[1] : random_integer(bits, state);
}

/* ---- one value, one element, all of them ------------------------------------------------------------------------- */

enum { ANY_SPECIAL = -1, RANDOM = -2 };

/* which: the number of a special value (a random value past the last of them), ANY_SPECIAL or RANDOM. */
static uint64_t one_value(value_type type, uint64_t *state, int which) {
    static const uint32_t shifts[] = {0,  1,  8,  15, 16,  17,  31,         32,        33,
                                      63, 64, 65, 70, 255, 256, 0x80000000, 0xffffffff};
    lane one = lane_of(type);
    if (type == V_SMALL) return next(state) & 31;
    if (type == V_ANGLE) return angle(state, which == ANY_SPECIAL ? below(state, 22) : which);
    if (type == V_SHIFT) {
        if (which == RANDOM || which >= COUNT(shifts))
            return (uint64_t)(below(state, 2) ? below(state, 34) : below(state, 71));
        return shifts[which < 0 ? below(state, COUNT(shifts)) : which];
    }
    if (which == RANDOM) return one.format ? random_float(one.format, state) : random_integer(one.bits, state);
    return one.format ? special_float(one.format, state, which) : special_integer(one.bits, state, which);
}

static void make_lane(const value_type types[3], int inputs, int i, uint64_t *state, uint64_t value[3]) {
    if (inputs == 1) {
        int k = types[0] != V_NONE ? 0 : types[1] != V_NONE ? 1 : 2;
        value[k] = one_value(types[k], state, i);
        return;
    }
    lane a = lane_of(types[0]), b = lane_of(types[1]), c = lane_of(types[2]);
    int kind = i % 8, chosen = below(state, 3);
    for (int k = 0; k < 3; k++) {
        bool special = kind < 2 || (kind == 2 && k == chosen);
        if (types[k] != V_NONE) value[k] = one_value(types[k], state, special ? ANY_SPECIAL : RANDOM);
    }
    if (kind < 4 || a.bits != b.bits || a.format != b.format || types[0] == V_SHIFT || types[1] == V_SHIFT ||
        types[0] == V_SMALL || types[1] == V_SMALL || types[0] == V_NONE)
        return;
    int alike = types[2] != V_SHIFT && types[2] != V_SMALL && c.bits == a.bits && c.format == a.format ? 3 : 2;
    if (a.format) {
        related_floats(a.format, state, value, alike);
    } else {
        related_integers(a.bits, state, value, alike);
    }
}

void values_make(const char *name, const value_type types[3], int n, void *const out[3]) {
    uint64_t seed = values_checksum(VALUES_CHECKSUM, name, strlen(name));
    int inputs = (types[0] != V_NONE) + (types[1] != V_NONE) + (types[2] != V_NONE);
    if (inputs == 0) return;
    for (int i = 0; i < n; i++) {
        uint64_t state = seed + (uint64_t)i * 0x632be59bd9b4e019u, low[3] = {0}, high[3] = {0};
        next(&state);
        make_lane(types, inputs, i, &state, low);
        make_lane(types, inputs, i + 3, &state, high); /* another kind beside it */
        for (int k = 0; k < 3; k++) {
            if (types[k] == V_NONE) continue;
            size_t size = value_size(types[k]);
            uint64_t value = lanes(types[k]) == 2 ? (low[k] & 0xffff) | high[k] << 16 : low[k];
            memcpy((char *)out[k] + (size_t)i * size, &value, size); /* little-endian, as the device is */
        }
    }
}

uint64_t values_checksum(uint64_t checksum, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) checksum = (checksum ^ byte[i]) * 0x100000001b3u;
    return checksum;
}

/* ---- comparing and printing -------------------------------------------------------------------------------------- */

static bool lane_agrees(const lane *one, int ulps, uint64_t expected, uint64_t got) {
    if (expected == got) return true;
    if (ulps == 0) return false;
    if (!one->format) {
        uint64_t apart = expected > got ? expected - got : got - expected;
        return ulps > 0 && apart <= (uint64_t)ulps;
    }
    const float_format *format = one->format;
    uint64_t sign = sign_bit(format), infinity = infinity_of(format);
    uint64_t expected_size = expected & ~sign, got_size = got & ~sign;
    if (expected_size > infinity || got_size > infinity) return expected_size > infinity && got_size > infinity;
    if (expected_size == infinity || got_size == infinity) return false;
    if (ulps < 0) {
        double wanted = decode(format, expected), scale = fabs(wanted) > 1 ? fabs(wanted) : 1;
        return fabs(decode(format, got) - wanted) <= ldexp(scale, ulps);
    }
    if ((expected ^ got) & sign) return false;
    return (expected_size > got_size ? expected_size - got_size : got_size - expected_size) <= (uint64_t)ulps;
}

static uint64_t load(value_type type, const void *value) {
    uint64_t bits = 0;
    memcpy(&bits, value, value_size(type));
    return bits;
}

int value_agrees(value_type type, int ulps, const void *expected, const void *got) {
    lane one = lane_of(type);
    uint64_t e = load(type, expected), g = load(type, got);
    for (int k = 0; k < lanes(type); k++) {
        int shift = k * one.bits;
        if (!lane_agrees(&one, ulps, e >> shift & low_bits(one.bits), g >> shift & low_bits(one.bits))) return 0;
    }
    return 1;
}

void value_print(FILE *stream, value_type type, const void *value) {
    lane one = lane_of(type);
    uint64_t bits = load(type, value);
    fprintf(stream, "0x%0*" PRIx64, (int)value_size(type) * 2, bits);
    if (!one.format) return;
    double low = decode(one.format, bits & low_bits(one.bits));
    if (lanes(type) == 2) {
        fprintf(stream, " (%.5g, %.5g)", low, decode(one.format, bits >> 16));
    } else {
        fprintf(stream, " (%.*g)", one.bits == 64 ? 17 : one.bits == 32 ? 9 : 5, low);
    }
}
