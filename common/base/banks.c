#include "base/banks.h"

#include <stdbool.h>

enum { WARP = 32 };

/* The wavefronts of one part: the most distinct words wanted from any one bank. */
static int part(const unsigned *addresses, int lanes, int bytes) {
    unsigned words[BANKS][WARP];
    int wanted[BANKS] = {0}, most = 0;
    for (int lane = 0; lane < lanes; lane++)
        for (int byte = 0; byte < bytes; byte += BANKS_BYTES) {
            const unsigned word = (addresses[lane] + (unsigned)byte) / BANKS_BYTES, bank = word % BANKS;
            bool known = false;
            for (int i = 0; i < wanted[bank]; i++) known = known || words[bank][i] == word;
            if (known) continue;
            words[bank][wanted[bank]++] = word;
            if (wanted[bank] > most) most = wanted[bank];
        }
    return most;
}

int banks_wavefronts(const unsigned *addresses, int lanes, int bytes) {
    const int together = BANKS_LINE / bytes;
    int wavefronts = 0;
    for (int lane = 0; lane < lanes; lane += together)
        wavefronts += part(addresses + lane, lanes - lane < together ? lanes - lane : together, bytes);
    return wavefronts;
}

int banks_conflicts(const unsigned *addresses, int lanes, int bytes) {
    const int together = BANKS_LINE / bytes;
    return banks_wavefronts(addresses, lanes, bytes) - (lanes + together - 1) / together;
}
