/* The checks of running kernels, on unless CUDASIM_CHECK=0: what is found goes to stderr, and the program that would
 * have ended with 0 ends with 1. */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#endif
