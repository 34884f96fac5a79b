/* Fragments: which lane of a warp holds which element of a matrix. Determined by running the instruction, compared with
 * the documentation, and drawn. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

enum { FRAGMENT_LANES = 32, FRAGMENT_ELEMENTS = 8, FRAGMENT_SLOTS = FRAGMENT_LANES * FRAGMENT_ELEMENTS };

/* One operand, spread over a warp: element e of lane t is the matrix's element (at[t][e].row, at[t][e].col). */
typedef struct {
    const char *matrix;   /* "A": for the drawing's corner */
    const char *row_name; /* what a row's number stands for: "row", "k", "lane" */
    char letter;          /* its elements are called a0, a1, ... */
    int rows, cols;       /* of the matrix */
    int elements;         /* that a lane holds, in the order of its registers */
    int pack;             /* how many consecutive ones are neighbours in the matrix: those that share a register */
    struct {
        int row, col; /* -1: not known */
    } at[FRAGMENT_LANES][FRAGMENT_ELEMENTS];
} fragment;

/* What mma was observed to do, D = A*B + C. A slot is an element of a lane's fragment: number lane * elements +
 * element. met[a][d] is the slot of B that slot a of A is multiplied by on its way into slot d of D (-1: a does not
 * reach d); added[d] is the slot of C that is added to d. */
typedef struct {
    int16_t met[FRAGMENT_SLOTS][FRAGMENT_SLOTS], added[FRAGMENT_SLOTS];
} fragment_mma;

/* Derives the positions of all elements of A, B and D from that: slots of A that reach the same slot of D are in one
 * row, and so on. An mma cannot distinguish one numbering of rows, columns or k from another, so they are numbered in
 * the order in which they occur, pack by pack, and within each pack lane by lane. Fills in `at` of the three; the other
 * fields are given. */
void fragment_find(const fragment_mma *seen, fragment *a, fragment *b, fragment *d);

/* Does mma do what the three say, product for product? If not, prints one line to `out` with the first difference. */
bool fragment_agrees(const fragment_mma *seen, const fragment *a, const fragment *b, const fragment *d, FILE *out);

/* Are all elements where they are expected? If not, prints one line to `out` with the first that is not, and how many.
 */
bool fragment_same(const fragment *found, const fragment *expected, FILE *out);

/* Draws the matrix, each element with its lane ("T5") and its name there, one lane's neighbours in one box; at most 100
 * columns wide. */
void fragment_draw(const fragment *f, FILE *out);

__END_DECLS
