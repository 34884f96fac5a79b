/* The problems of --sweep check. */
#include "base/array.h"
#include "knn/knn_operands.h"

static void add(case_list *l, knn_case c) {
    if (c.m > l->max_size || c.n > l->max_size || c.d > l->max_size) return;
    c.seed = l->seed + (uint64_t)l->count;
    case_list_add(l, &c);
}

static void add_shape(case_list *l, knn_kind kind, int m, int n, int d, int k) {
    add(l, (knn_case){.m = m, .n = n, .d = d, .k = k, .kind = kind});
}

static int at_most(int x, int limit) {
    return x < limit ? x : limit;
}

/* Every n and every d from 1 to 70, the other and k jumping about (29, 31 and 37 have no factor in common with 70). */
static void add_small(case_list *l) {
    for (int i = 0; i < 70; i++) {
        const int s = i + 1, j = 1 + i * 29 % 70, m = 1 + i * 31 % 70;
        add_shape(l, i % 2 ? KNN_WHOLE : KNN_UNIFORM, m, s, j, 1 + i * 37 % s);
        add_shape(l, i % 2 ? KNN_UNIFORM : KNN_COPIES, j, 70 + m, s, 1 + i * 37 % 70);
    }
    add_shape(l, KNN_UNIFORM, 3, 50, 0, 7);
    add_shape(l, KNN_UNIFORM, 0, 50, 5, 7);
    add_shape(l, KNN_UNIFORM, 1, 1, 1, 1);
    add_shape(l, KNN_UNIFORM, 1, 1, 0, 1);
}

/* Around the reach of a warp, a block and what a block sorts; k at both ends and around the same. */
static void add_edges(case_list *l) {
    static const int edges[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
    for (int i = 0; i < ARRAY_SIZE(edges); i++)
        for (int off = -1; off <= 1; off++) {
            const int n = edges[i] + off;
            const knn_kind kind = (i + off) % 2 == 0 ? KNN_WHOLE : KNN_UNIFORM;
            add_shape(l, kind, 2, n, 3, 1);
            add_shape(l, kind, 3, n, 5, at_most(n, 130 + off)); /* of 1025 points and more: several blocks' */
            if (n <= 300) add_shape(l, kind, 2, n, 2, n);
            if (edges[i] <= 256) add_shape(l, kind, 3, 1500, 4, n);
        }
    add_shape(l, KNN_WHOLE, 2, 1500, 3, 1500);
    add_shape(l, KNN_UNIFORM, 2, 4100, 2, 4099);
    add_shape(l, KNN_UNIFORM, 130, 1100, 33, 25);
    add_shape(l, KNN_UNIFORM, 1, 20000, 5, 300);
    add_shape(l, KNN_COPIES, 5, 20000, 8, 46);
    /* Rows longer than a tile of queries that stays in shared memory (exact_tc); more points equally near than its
     * lists hold, or numbers of which its screen says nothing. */
    add_shape(l, KNN_UNIFORM, 130, 300, 260, 40);
    add_shape(l, KNN_NEAR, 20, 500, 600, 9);
    add_shape(l, KNN_EQUAL, 5, 9000, 3, 7);
    add_shape(l, KNN_TINY, 5, 9000, 9, 700);
    add_shape(l, KNN_UNIFORM, 3, 1000000, 3, 100);
    add_shape(l, KNN_UNIFORM, 1, 100, 100000, 5);
    add_shape(l, KNN_UNIFORM, 100000, 300, 4, 5);
    add_shape(l, KNN_UNIFORM, 70001, 65537, 2, 3); /* more distances than 32 bits count */
}

static void add_kinds(case_list *l) {
    for (int kind = 0; kind < KNN_KINDS; kind++) {
        add_shape(l, (knn_kind)kind, 9, 301, 7, 20);
        add_shape(l, (knn_kind)kind, 5, 1100, 33, 64);
        add_shape(l, (knn_kind)kind, 67, 130, 70, 3);
        add_shape(l, (knn_kind)kind, 20, 700, 16, 128);
    }
}

/* Misaligned by some words, one by one and together; little workspace, so that queries are taken a few at a time. */
static void add_places(case_list *l) {
    static const int offs[][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {3, 2, 1, 5}, {2, 2, 2, 2}};
    for (int i = 0; i < ARRAY_SIZE(offs); i++)
        for (int d = 31; d <= 32; d++) {
            knn_case c = {.m = 37, .n = 260, .d = d, .k = 9, .scarce = i % 2 == 0};
            for (int j = 0; j < 4; j++) c.off[j] = offs[i][j];
            add(l, c);
        }
    add(l, (knn_case){.m = 11, .n = 1300, .d = 6, .k = 33, .kind = KNN_WHOLE, .scarce = true});
    add(l, (knn_case){.m = 70, .n = 2100, .d = 9, .k = 5, .scarce = true});
}

void knn_cases(case_list *l, int at_once) {
    const int before = l->count;
    add_edges(l);
    add_small(l);
    add_kinds(l);
    add_places(l);
    for (int i = before; at_once > 0 && i < l->count; i++) {
        knn_case *c = (knn_case *)(void *)l->cases + i;
        c->m = at_most(c->m, at_once);
        c->prepared = true;
    }
}
