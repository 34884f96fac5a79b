/* What --sweep random draws. */

#include "../unit.h"
#include "bench/random_shapes.h"

static random_shape drawn[20000];

static void draw(const char *spread, int max, int multiple, uint64_t seed, int count) {
    random_draw d = {.sweep = {count, max, multiple, spread}, .seed = seed};
    for (int i = 0; i < count; i++) drawn[i] = random_shape_next(&d);
    assert_int_equal(d.count, count);
}

static void assert_drawn(const shape *expected, int count) {
    for (int i = 0; i < count; i++) assert_memory_equal(&drawn[i].sides, &expected[i], sizeof *expected);
}

/* They never change: what is recorded was drawn so. */
TEST(the_shapes_of_a_seed) {
    static const shape uniform[] = {{7830, 6134, 6789}, {6676, 2336, 1733}, {4736, 7739, 1099}, {2664, 2398, 4061}};
    static const shape log8[] = {{96, 16, 16}, {256, 192, 7976}, {1008, 1824, 320}, {16, 208, 5376}};
    static const shape log1[] = {{594, 42, 86}, {4, 2832, 7008}, {117, 414, 35}};
    draw("uniform", 8192, 1, 1, 4);
    assert_drawn(uniform, 4);
    draw("uniform", 8192, 1, 1, 300); /* begins with what a shorter sweep has */
    assert_drawn(uniform, 4);
    draw("log", 16384, 8, 7, 4);
    assert_drawn(log8, 4);
    draw("log", 20000, 1, UINT64_MAX, 3);
    assert_drawn(log1, 3);
}

/* Side number j of shape number i. */
static int side(int i, int j) {
    return (const int[]){drawn[i].sides.m, drawn[i].sides.n, drawn[i].sides.k}[j];
}

/* Every side that there may be, and no other. */
static void assert_sides(const char *spread, int max, int multiple) {
    bool there[64] = {false};
    draw(spread, max, multiple, 5, 4000);
    for (int i = 0; i < 3 * 4000; i++) {
        assert_in_range(side(i / 3, i % 3), multiple, max);
        assert_int_equal(side(i / 3, i % 3) % multiple, 0);
        there[side(i / 3, i % 3) / multiple] = true;
    }
    for (int factor = 1; factor <= max / multiple; factor++) assert_true(there[factor]);
}

TEST(sides_keep_to_their_bounds) {
    static const int bounds[][2] = {{1, 1}, {2, 1}, {63, 1}, {33, 1}, {100, 8}, {16, 16}, {31, 16}};
    for (int i = 0; i < ARRAY_SIZE(bounds); i++) {
        assert_sides("uniform", bounds[i][0], bounds[i][1]);
        assert_sides("log", bounds[i][0], bounds[i][1]);
    }
    for (int log = 0; log < 2; log++) {
        draw(log ? "log" : "uniform", OPTIONS_MAX_SIZE, 1, 1, 100);
        for (int i = 0; i < 3 * 100; i++) assert_in_range(side(i / 3, i % 3), 1, OPTIONS_MAX_SIZE);
    }
}

/* Of 60,000 sides below 2^12 a twelfth lies in each octave, half of it in an octave's lower half; of a uniform draw an
 * eighth lies in each eighth. Within four standard deviations. */
TEST(sides_are_spread_evenly) {
    int octaves[12] = {0}, eighths[8] = {0}, lower = 0;
    draw("log", 4095, 1, 3, 20000);
    for (int i = 0; i < 3 * 20000; i++) octaves[31 - __builtin_clz((unsigned)side(i / 3, i % 3))]++;
    for (int i = 0; i < 3 * 20000; i++) lower += side(i / 3, i % 3) >= 1024 && side(i / 3, i % 3) < 1448;
    for (int i = 0; i < 12; i++) assert_in_range(octaves[i], 5000 - 4 * 68, 5000 + 4 * 68);
    assert_in_range(lower, 2500 - 4 * 49, 2500 + 4 * 49);
    draw("uniform", 4096, 1, 3, 20000);
    for (int i = 0; i < 3 * 20000; i++) eighths[(side(i / 3, i % 3) - 1) / 512]++;
    for (int i = 0; i < 8; i++) assert_in_range(eighths[i], 7500 - 4 * 81, 7500 + 4 * 81);
}

TEST(rows_stand_apart_where_they_do_not_keep_to_16_bytes) {
    bool there[RANDOM_MAX_PAD + 1] = {false};
    static const int none[3];
    draw("uniform", 100, 1, 2, 400);
    for (int i = 0; i < 400; i++)
        if (i % 2 == 0)
            assert_memory_equal(drawn[i].pads, none, sizeof none);
        else
            for (int j = 0; j < 3; j++) there[drawn[i].pads[j]] = true;
    for (int pad = 0; pad <= RANDOM_MAX_PAD; pad++) assert_true(there[pad]);
    draw("uniform", 100, 2, 2, 400);
    for (int i = 0; i < 400; i++) assert_memory_equal(drawn[i].pads, none, sizeof none);
}
