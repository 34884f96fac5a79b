/* Banks of shared memory: 32 of them, each 4 bytes wide; byte address a lies in bank a / 4 % 32.
 *
 * The one rule for wavefronts, for the steps and for the simulator's counters (cudasim/watch), held against Nsight
 * Compute on an H200: 165 address patterns of loads and stores of 4, 8 and 16 bytes, all counts met exactly.
 *   - An access goes in phases of consecutive lanes that together ask for 128 bytes: 32 lanes of 4 bytes (or less), 16
 * of 8, 8 of 16; so do the rows of ldmatrix and stmatrix, 16 bytes each.
 *   - Loads of 8 and 16 bytes double the lanes of a phase where every lane's address equals its neighbour's (lane ^ 1),
 *     or every lane's equals that of lane ^ 2.
 *   - In a wavefront each bank delivers one 4-byte word, to every lane that wants it. So a phase takes as many
 * wavefronts as its busiest bank has distinct words to deliver, and a phase none of whose lanes is active takes none.
 * Not yet measured: lanes that are inactive, pairs within half a warp, atomics (taken for stores). */
#ifndef KL_BANKS_H
#define KL_BANKS_H

#include <stdbool.h>

enum { BANKS = 32, BANKS_BYTES = 4, BANKS_LINE = BANKS * BANKS_BYTES, BANKS_LANES = 32 };

typedef enum {
    BANKS_LOAD,
    BANKS_STORE,
    BANKS_ROWS,   /* ldmatrix, stmatrix */
    BANKS_ATOMIC, /* atom and red of one value */
    BANKS_SWAP    /* atom.cas */
} banks_kind;

typedef struct {
    int wavefronts;
    int phases; /* the fewest wavefronts that an access of these lanes and bytes can take */
} banks_count;

/* The wavefronts of one phase: the most words wanted from any one bank; each once, or (`each`) as often as a lane wants
 * it. */
static inline int banks_phase(const unsigned *addresses, unsigned active, int bytes, bool each) {
    unsigned words[BANKS][BANKS_LANES];
    int wanted[BANKS] = {0}, most = 0;
    for (; active != 0; active &= active - 1) {
        const unsigned address = addresses[__builtin_ctz(active)];
        for (int byte = 0; byte < bytes; byte += BANKS_BYTES) {
            const unsigned word = (address + (unsigned)byte) / BANKS_BYTES, bank = word % BANKS;
            bool known = false;
            for (int i = 0; i < wanted[bank] && !each; i++) known = known || words[bank][i] == word;
            if (known) continue;
            words[bank][wanted[bank]++] = word;
            if (wanted[bank] > most) most = wanted[bank];
        }
    }
    return most;
}

/* Does every one of the lanes ask for what lane ^ apart asks for, if that is one of them? */
static inline bool banks_paired(const unsigned *addresses, unsigned lanes, unsigned apart) {
    bool all = true;
    for (unsigned t = 0; t < BANKS_LANES; t++)
        if ((lanes >> t & 1) != 0 && (lanes >> (t ^ apart) & 1) != 0) all = all && addresses[t] == addresses[t ^ apart];
    return all;
}

static inline unsigned banks_lanes(int first, int count) {
    return count >= BANKS_LANES ? ~0u : ((1u << count) - 1) << first;
}

/* Of one access: lane t of those in the mask `lanes` accesses `bytes` bytes (1, 2, 4, 8 or 16) from byte addresses[t]
 * on, a multiple of `bytes`. addresses[] has an entry for every lane up to the highest one in the mask. */
static inline banks_count banks_request(const unsigned *addresses, unsigned lanes, int bytes, banks_kind kind) {
    const int times = kind == BANKS_SWAP ? 2 : 1;
    int together = bytes <= BANKS_BYTES ? BANKS_LANES : BANKS_LINE / bytes;
    if (kind == BANKS_LOAD && together < BANKS_LANES &&
        (banks_paired(addresses, lanes, 1) || banks_paired(addresses, lanes, 2)))
        together *= 2;
    banks_count count = {0, 0};
    for (int lane = 0; lane < BANKS_LANES; lane += together) {
        const unsigned active = lanes & banks_lanes(lane, together);
        count.wavefronts += times * banks_phase(addresses, active, bytes, kind >= BANKS_ATOMIC);
        count.phases += times * (active != 0);
    }
    return count;
}

static inline banks_count banks_rows(const unsigned *addresses, int lanes, int bytes) {
    return banks_request(addresses, banks_lanes(0, lanes), bytes, BANKS_ROWS);
}

/* The wavefronts of a store, or of rows, by the first `lanes` lanes of a warp. */
static inline int banks_wavefronts(const unsigned *addresses, int lanes, int bytes) {
    return banks_rows(addresses, lanes, bytes).wavefronts;
}

/* The wavefronts beyond the one that every phase needs: bank conflicts, as Nsight Compute counts them. */
static inline int banks_conflicts(const unsigned *addresses, int lanes, int bytes) {
    const banks_count count = banks_rows(addresses, lanes, bytes);
    return count.wavefronts - count.phases;
}

#endif
