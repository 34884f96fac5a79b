/* Does the device's half of the verification say what the host's says? Both fill, compare and judge the same matrices of
 * every type and layout, right ones and wrong ones. */
#ifndef KL_HALVES_H
#define KL_HALVES_H

/* How many times they disagree; each is printed as "FAIL ...". */
int halves_differ(void);

#endif
