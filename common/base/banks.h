/* Banks of shared memory: 32 of them, each 4 bytes wide; byte address a lies in bank a / 4 % 32. */
#ifndef KL_BANKS_H
#define KL_BANKS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { BANKS = 32, BANKS_BYTES = 4, BANKS_LINE = BANKS * BANKS_BYTES };

/* The wavefronts of one load or store by the first `lanes` lanes of a warp: lane t's `bytes` (4, 8 or 16) begin at byte
 * addresses[t], a multiple of `bytes`. A warp goes in parts of 128 bytes (4-byte accesses: all 32 lanes; 8: 16 lanes;
 * 16 bytes, and ldmatrix, whose lanes name 16 bytes each: 8 lanes). In a wavefront each bank gives one 4-byte word, to
 * all lanes that want it; a part takes as many wavefronts as its most wanted bank has different words to give. */
int banks_wavefronts(const unsigned *addresses, int lanes, int bytes);

/* The wavefronts beyond the one that each part takes anyway: bank conflicts, as Nsight Compute counts them. */
int banks_conflicts(const unsigned *addresses, int lanes, int bytes);

#ifdef __cplusplus
}
#endif

#endif
