/* Banks of shared memory: 32 of them, each 4 bytes wide; byte address a lies in bank a / 4 % 32. */
#ifndef KL_BANKS_H
#define KL_BANKS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { BANKS = 32, BANKS_BYTES = 4, BANKS_LINE = BANKS * BANKS_BYTES };

/* The wavefronts of one load or store by the first `lanes` lanes of a warp: lane t accesses `bytes` (4, 8 or 16) bytes
 * from byte addresses[t] on, a multiple of `bytes`. The access is split into parts of 128 bytes (4-byte accesses: all
 * 32 lanes; 8 bytes: 16 lanes; 16 bytes, and ldmatrix, whose lanes each give the address of 16 bytes: 8 lanes). In one
 * wavefront each bank delivers one 4-byte word, to every lane that wants it, so a part takes as many wavefronts as its
 * busiest bank has distinct words to deliver. */
int banks_wavefronts(const unsigned *addresses, int lanes, int bytes);

/* The wavefronts beyond the one that every part needs: bank conflicts, as Nsight Compute counts them. */
int banks_conflicts(const unsigned *addresses, int lanes, int bytes);

#ifdef __cplusplus
}
#endif

#endif
