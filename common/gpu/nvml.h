/* Clock, power and driver version through NVML, loaded at run time: a machine without it loses only these figures. */
#ifndef KL_NVML_H
#define KL_NVML_H

#include <stdbool.h>

/* Opens NVML for the CUDA device `ordinal` (matched by PCI address). False where there is none; the calls below then
 * answer NAN or false. */
bool nvml_open(int ordinal);

/* Closes it again; without effect where nothing is open. */
void nvml_close(void);

/* The driver's version, "580.159.04". */
bool nvml_driver_version(char *text, int size);

/* SM clock in MHz and board power in W, now. */
double nvml_clock_mhz(void);
double nvml_power_w(void);

#endif
