/* Power and driver version through NVML, loaded at run time: without it only these figures are missing. */
#pragma once

#include <stdbool.h>

/* Opens NVML for the CUDA device `ordinal` (matched by PCI address). Returns false if there is none; the calls below
 * then return NAN or false. */
bool nvml_open(int ordinal);

/* Closes it again; does nothing if it is not open. */
void nvml_close(void);

/* The driver's version, "580.159.04". */
bool nvml_driver_version(char *text, int size);

/* Board power in W, now. */
double nvml_power_w(void);
