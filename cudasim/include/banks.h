/* Banks of shared memory: 32 of them, each 4 bytes wide; byte address a lies in bank a / 4 % 32.
 *
 * The one rule for wavefronts, for the steps and for the simulator's counters (watch/), as Nsight Compute counts
 * on an H200. tests/test_banks.c holds it against 1084 accesses that were counted one by one
 * (tests/counted/nvidia-h200/ patterns_shared.csv and patterns_copies.csv).
 *
 * Phases: an access goes in phases of consecutive lanes that together ask for 128 bytes: 32 lanes of 4 bytes (or less),
 * 16 of 8, 8 of 16; so do the rows of ldmatrix and stmatrix, 16 bytes each. A phase none of whose lanes is active takes
 * no wavefront.
 *
 * Merging: loads of 8 and 16 bytes double the lanes of a phase where every lane's address equals its neighbour's (lane
 * ^ 1), or every lane's equals that of lane ^ 2. All active lanes of the warp must agree; half a warp does not suffice.
 *
 * Conflicts: in a wavefront each bank delivers one 4-byte word, to every lane that wants it. So a phase takes as many
 * wavefronts as its busiest bank has distinct words to deliver. Stores likewise: of lanes that write one word, one
 * remains.
 *
 * Atomics: a bank does one lane's in a wavefront, be the word the same or not; cas takes two wavefronts where others
 * take one. Additions of 1 whose result nobody wants (ATOMS.POPC.INC) go like stores.
 *
 * cp.async: below. Met in 235 of 253 cases (through L1) and 122 of 125 (past L1), else a few wavefronts off; all other
 * 706 exactly. Not measured: other GPUs; 64-bit atomics but cas. */
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

/* cp.async through L1: a wavefront reads and writes, and each bank of the source and of the destination does so for one
 * lane. In order of their numbers, lanes take the first wavefront after those of their banks' earlier lanes. */
static inline int banks_copy_phase(const unsigned *to, const unsigned *from, unsigned active, int bytes) {
    int read[BANKS] = {0}, written[BANKS] = {0}, all = 0;
    for (; active != 0; active &= active - 1) {
        const int lane = __builtin_ctz(active);
        int at = 0;
        for (int byte = 0; byte < bytes; byte += BANKS_BYTES) {
            const int r = read[(from[lane] + (unsigned)byte) / BANKS_BYTES % BANKS];
            const int w = written[(to[lane] + (unsigned)byte) / BANKS_BYTES % BANKS];
            if (r > at) at = r;
            if (w > at) at = w;
        }
        for (int byte = 0; byte < bytes; byte += BANKS_BYTES) {
            read[(from[lane] + (unsigned)byte) / BANKS_BYTES % BANKS] = at + 1;
            written[(to[lane] + (unsigned)byte) / BANKS_BYTES % BANKS] = at + 1;
        }
        if (at + 1 > all) all = at + 1;
    }
    return all;
}

static inline banks_count banks_copy(const unsigned *to, const unsigned *from, unsigned lanes, int bytes) {
    const int together = bytes <= BANKS_BYTES ? BANKS_LANES : BANKS_LINE / bytes;
    banks_count count = {0, 0};
    for (int lane = 0; lane < BANKS_LANES; lane += together) {
        const unsigned active = lanes & banks_lanes(lane, together);
        count.wavefronts += banks_copy_phase(to, from, active, bytes);
        count.phases += active != 0;
    }
    return count;
}

/* cp.async past L1, of 16 bytes: each wavefront moves chunks from one line to one line. A sector whose chunks both come
 * from one sector moves whole; other chunks of a wavefront come all from the same half of a sector and go to the same
 * half. Sectors may change places within the line, all by the same XOR or all by the same rotation. Where several lanes
 * copy to one place, the first one counts. */
static inline int banks_copy_past_l1(const unsigned *to, const unsigned *from, unsigned lanes) {
    enum { CHUNK = 16, CHUNKS = BANKS_LINE / CHUNK, SECTORS = CHUNKS / 2 };
    unsigned target[BANKS_LANES], source[BANKS_LANES], way[BANKS_LANES];
    int count = 0, wavefronts = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = __builtin_ctz(lanes);
        bool taken = false;
        for (int i = 0; i < count; i++) taken = taken || target[i] == to[lane] / CHUNK;
        if (taken) continue;
        target[count] = to[lane] / CHUNK;
        source[count++] = from[lane] / CHUNK;
    }
    for (int i = 0; i < count; i++) {
        way[i] = 2 + source[i] % 2 * 2 + target[i] % 2;
        for (int j = 0; j < count; j++)
            if (target[j] == (target[i] ^ 1) && source[j] == (source[i] ^ 1)) way[i] = 0; /* whole */
    }
    for (int i = 0; i < count; i++) {
        unsigned by_xor = 0, by_rotation = 0;
        bool first = true;
        for (int j = 0; j < count; j++) {
            if (way[j] != way[i] || target[j] / CHUNKS != target[i] / CHUNKS ||
                source[j] / CHUNKS != source[i] / CHUNKS)
                continue;
            first = first && j >= i;
            by_xor |= 1u << (target[j] / 2 ^ source[j] / 2) % SECTORS;
            by_rotation |= 1u << (target[j] / 2 - source[j] / 2) % SECTORS;
        }
        const int a = __builtin_popcount(by_xor), b = __builtin_popcount(by_rotation);
        if (first) wavefronts += a < b ? a : b;
    }
    return wavefronts;
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
