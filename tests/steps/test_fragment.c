/* Determining which lane holds what, from the answers of a fake mma, correct ones and wrong ones. */

#include "../../step06_tensorcore/a_mma/fragment.h"
#include "../unit.h"

/* The operands of m16n8k16 (f16), m16n8k8 (f16) or m8n8k16 (s8), as they are documented. */
typedef struct {
    fragment a, b, d;
} layout;

static layout document(int m, int k, int pack) {
    layout l = {
        {"A", "row", 'a', m, k, m * k / 32, pack, {{{0, 0}}}},
        {"B", "k", 'b', k, 8, k * 8 / 32, pack, {{{0, 0}}}},
        {"C", "row", 'c', m, 8, m * 8 / 32, 2, {{{0, 0}}}},
    };
    for (int lane = 0; lane < 32; lane++) {
        for (int e = 0; e < l.a.elements; e++) {
            l.a.at[lane][e].row = lane / 4 + (e / pack % 2) * 8;
            l.a.at[lane][e].col = lane % 4 * pack + e % pack + e / pack / 2 * 8;
        }
        for (int e = 0; e < l.b.elements; e++) {
            l.b.at[lane][e].row = lane % 4 * pack + e % pack + e / pack * 4 * pack;
            l.b.at[lane][e].col = lane / 4;
        }
        for (int e = 0; e < l.d.elements; e++) {
            l.d.at[lane][e].row = lane / 4 + e / 2 * 8;
            l.d.at[lane][e].col = lane % 4 * 2 + e % 2;
        }
    }
    return l;
}

/* What an mma with that layout answers. */
static fragment_mma seen;

static void answer(const layout *l) {
    memset(&seen, -1, sizeof seen);
    for (int t = 0; t < 32 * l->d.elements; t++) {
        const int row = l->d.at[t / l->d.elements][t % l->d.elements].row;
        const int col = l->d.at[t / l->d.elements][t % l->d.elements].col;
        seen.added[t] = (int16_t)t;
        for (int s = 0; s < 32 * l->a.elements; s++)
            for (int u = 0; u < 32 * l->b.elements; u++)
                if (l->a.at[s / l->a.elements][s % l->a.elements].row == row &&
                    l->b.at[u / l->b.elements][u % l->b.elements].col == col &&
                    l->a.at[s / l->a.elements][s % l->a.elements].col ==
                        l->b.at[u / l->b.elements][u % l->b.elements].row)
                    seen.met[s][t] = (int16_t)u;
    }
}

static const int shapes[][3] = {{16, 16, 2}, {16, 8, 2}, {8, 16, 4}};
enum { SHAPES = ARRAY_SIZE(shapes) };

static bool agrees(const layout *l) {
    const bool ok = fragment_agrees(&seen, &l->a, &l->b, &l->d, listen_in());
    heard();
    return ok;
}

static bool same(const fragment *found, const fragment *expected) {
    const bool ok = fragment_same(found, expected, listen_in());
    heard();
    return ok;
}

TEST(the_documented_layout_is_found) {
    for (int i = 0; i < SHAPES; i++) {
        const layout l = document(shapes[i][0], shapes[i][1], shapes[i][2]);
        answer(&l);
        layout found = l;
        fragment_find(&seen, &found.a, &found.b, &found.d);
        assert_true(same(&found.a, &l.a) && same(&found.b, &l.b) && same(&found.d, &l.d));
        assert_true(agrees(&l));
    }
}

static void swap(fragment *f, int lane, int e, int other_lane, int other_e) {
    const int row = f->at[lane][e].row, col = f->at[lane][e].col;
    f->at[lane][e].row = f->at[other_lane][other_e].row;
    f->at[lane][e].col = f->at[other_lane][other_e].col;
    f->at[other_lane][other_e].row = row;
    f->at[other_lane][other_e].col = col;
}

/* Two elements exchanged, in any one operand and anywhere: both checks see it. */
TEST(any_two_elements_exchanged_are_noticed) {
    for (int i = 0; i < SHAPES; i++) {
        const layout l = document(shapes[i][0], shapes[i][1], shapes[i][2]);
        for (int which = 0; which < 3; which++)
            for (int turn = 0; turn < 12; turn++) {
                layout wrong = l;
                fragment *f = which == 0 ? &wrong.a : which == 1 ? &wrong.b : &wrong.d;
                const int lane = turn * 7 % 32, other = (lane + turn) % 32;
                swap(f, lane, 0, other, turn == 0 || other == lane ? 1 : turn % f->elements);
                answer(&wrong);
                assert_false(agrees(&l));
                assert_int_equal(strncmp(unit_text, "WRONG: ", 7), 0);
                assert_true(agrees(&wrong));
                layout found = l;
                fragment_find(&seen, &found.a, &found.b, &found.d);
                assert_false(same(&found.a, &l.a) && same(&found.b, &l.b) && same(&found.d, &l.d));
            }
    }
}

TEST(messages_say_what_is_where) {
    const layout l = document(16, 16, 2);
    layout wrong = l;
    swap(&wrong.a, 5, 2, 6, 3);
    assert_false(same(&wrong.a, &l.a));
    assert_string_equal(unit_text, "WRONG: T5's a2 is (9, 5), documented (9, 2); 2 of 256 are in the wrong place\n");
    answer(&l);
    seen.added[6] = 9;
    assert_false(agrees(&l));
    assert_string_equal(unit_text, "WRONG: slot 9 of C is added to T1's c2\n");
    answer(&l);
    seen.met[0][0] = -1;
    assert_false(agrees(&l));
    assert_string_equal(unit_text, "WRONG: T0's a0 times slot -1 of B goes into T0's c0; documented: slot 0\n");
}

/* An instruction that answers nonsense is noticed too, and drawn. */
TEST(nonsense) {
    const layout l = document(16, 16, 2);
    layout found = l;
    memset(&seen, -1, sizeof seen);
    fragment_find(&seen, &found.a, &found.b, &found.d);
    assert_false(same(&found.a, &l.a));
    assert_false(agrees(&l));
    memset(&seen, 0, sizeof seen); /* all meets the first element of B */
    fragment_find(&seen, &found.a, &found.b, &found.d);
    assert_false(same(&found.b, &l.b));
    assert_false(agrees(&l));
    fragment_draw(&found.b, listen_in());
    assert_non_null(strstr(heard(), "|?     |"));
}
