#include "ptx/flow.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/instruction.h"

static bool ends(const ptx_instruction *t) {
    return opcode_is(t->opcode, "ret") || opcode_is(t->opcode, "exit");
}

bool flow_successors(const ptx_function *s, int pc, int **next, int *room) {
    const ptx_instruction *t = &s->instructions[pc];
    int count = 0;
    const bool always = t->guard < 0, jumps = opcode_is(t->opcode, "bra") || opcode_is(t->opcode, "brx");
    int targets = 2;
    for (int k = 0; k < s->table_count; k++)
        targets += s->tables[k].kind == PTX_BRANCH_TARGETS ? s->tables[k].count : 0;
    if (targets + 1 > *room) {
        int *larger = realloc(*next, (size_t)(targets + 1) * sizeof **next);
        if (larger == NULL) return false;
        *next = larger;
        *room = targets + 1;
    }
    if (opcode_is(t->opcode, "bra")) (*next)[count++] = (int)t->operands[0].integer;
    if (opcode_is(t->opcode, "brx")) /* to any label of any table: one path too many does no harm */
        for (int k = 0; k < s->table_count; k++)
            for (int n = 0; s->tables[k].kind == PTX_BRANCH_TARGETS && n < s->tables[k].count; n++)
                (*next)[count++] = s->tables[k].targets[n];
    if (!(always && (ends(t) || jumps || opcode_is(t->opcode, "trap")))) (*next)[count++] = pc + 1;
    (*next)[count] = -1;
    return true;
}

/* ---- where paths meet -------------------------------------------------------------------------------------------- */

/* The reversed graph: instructions from[first[n]] ... from[first[n + 1] - 1] lead to instruction n. The end is number
 * `count`. */
typedef struct reversed {
    int count;
    int *first, *from;
} reversed;

/* Where an instruction leads, including the end. */
static bool successors_and_end(const ptx_function *s, int pc, int **next, int *room) {
    if (!flow_successors(s, pc, next, room)) return false;
    int n = 0;
    while ((*next)[n] >= 0) n++;
    if (ends(&s->instructions[pc])) { /* there is room for it: a return has one successor at most */
        (*next)[n++] = s->instruction_count;
        (*next)[n] = -1;
    }
    return true;
}

static bool reverse(const ptx_function *s, reversed *r, int **next, int *room) {
    const int count = r->count = s->instruction_count;
    r->first = calloc((size_t)count + 3, sizeof *r->first);
    if (r->first == NULL) return false;
    for (int pc = 0; pc < count; pc++) {
        if (!successors_and_end(s, pc, next, room)) return false;
        for (int k = 0; (*next)[k] >= 0; k++) r->first[(*next)[k] + 2]++;
    }
    for (int n = 0; n <= count; n++) r->first[n + 2] += r->first[n + 1];
    r->from = malloc(((size_t)r->first[count + 2] + 1) * sizeof *r->from);
    if (r->from == NULL) return false;
    for (int pc = 0; pc < count; pc++) { /* moves first[n + 1] from the begin of n's predecessors to their end */
        if (!successors_and_end(s, pc, next, room)) return false;
        for (int k = 0; (*next)[k] >= 0; k++) r->from[r->first[(*next)[k] + 1]++] = pc;
    }
    return true;
}

/* Numbers the instructions that can reach the end, in postorder from the end on: order[] lists them, and number[] has
 * each one's number (-1: it cannot reach the end). Returns how many there are. `at` and `stack` are scratch memory. */
static int postorder(const reversed *r, int *order, int *number, int *at, int *stack) {
    int depth = 0, done = 0;
    for (int n = 0; n <= r->count; n++) {
        number[n] = -1;
        at[n] = r->first[n];
    }
    stack[depth++] = r->count;
    number[r->count] = 0;
    while (depth > 0) {
        const int n = stack[depth - 1];
        if (at[n] < r->first[n + 1]) {
            const int p = r->from[at[n]++];
            if (number[p] >= 0) continue;
            number[p] = 0;
            stack[depth++] = p;
        } else {
            depth--;
            number[n] = done;
            order[done++] = n;
        }
    }
    return done;
}

static int intersection(const int *meetings, const int *number, int a, int b) {
    while (a != b) {
        while (number[a] < number[b]) a = meetings[a];
        while (number[b] < number[a]) b = meetings[b];
    }
    return a;
}

static bool find_meetings(const ptx_function *s, int *meetings, const int *order, const int *number, int reached,
                          int **next, int *room) {
    const int end = s->instruction_count;
    for (int n = 0; n <= end; n++) meetings[n] = -1;
    meetings[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = reached - 2; k >= 0; k--) { /* the last one is the end */
            const int pc = order[k];
            int meeting = -1;
            if (!successors_and_end(s, pc, next, room)) return false;
            for (int j = 0; (*next)[j] >= 0; j++) {
                const int to = (*next)[j];
                if (meetings[to] < 0) continue;
                meeting = meeting < 0 ? to : intersection(meetings, number, to, meeting);
            }
            changed = changed || meetings[pc] != meeting;
            meetings[pc] = meeting;
        }
    }
    return true;
}

int *flow_meetings(const ptx_function *s) {
    const size_t nodes = (size_t)s->instruction_count + 1;
    reversed r = {0};
    int *next = NULL, room = 0;
    int *meetings = malloc(nodes * sizeof(int)), *work = malloc(4 * nodes * sizeof(int));
    bool ok = meetings != NULL && work != NULL && reverse(s, &r, &next, &room);
    if (ok) {
        int *order = work, *number = order + nodes, *at = number + nodes, *stack = at + nodes;
        const int reached = postorder(&r, order, number, at, stack);
        ok = find_meetings(s, meetings, order, number, reached, &next, &room);
    }
    free(r.first);
    free(r.from);
    free(next);
    free(work);
    if (ok) return meetings;
    free(meetings);
    return NULL;
}

/* How many steps it is to the end; -1: it cannot be reached. */
static int distance(const int *meetings, int end, int from) {
    int steps = 0;
    for (int x = from; x != end; x = meetings[x], steps++)
        if (meetings[x] < 0) return -1;
    return steps;
}

int flow_meeting(const int *meetings, int end, int a, int b) {
    int of_a = distance(meetings, end, a), of_b = distance(meetings, end, b);
    if (of_a < 0 || of_b < 0) return -1;
    for (; of_a > of_b; of_a--) a = meetings[a];
    for (; of_b > of_a; of_b--) b = meetings[b];
    while (a != b) {
        a = meetings[a];
        b = meetings[b];
    }
    return a;
}
