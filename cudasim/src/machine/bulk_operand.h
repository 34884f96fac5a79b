/* The operands of bulk copies: addresses, ranges of memory and tensor maps. What they may not be is a fault of the
 * instruction that async_site names; `what` names the operand in the message. */
#pragma once

#include "isa/form.h"
#include "machine/machine.h"
#include "machine/tensormap.h"

uint64_t bulk_address_of(const warp *w, const bulk_address *a, int lane);

/* Is the address of any of the lanes in another block of the cluster? */
bool bulk_means_others(const warp *w, uint32_t mask, const bulk_address *a);

void bulk_aligned(block *b, uint64_t address, unsigned to, const char *what);

/* [first, end) must lie in one allocation, which is not constant where it is written. */
void bulk_global_range(block *b, uint64_t first, uint64_t end, bool write, const char *what);

/* Reads a copy's tensor map and its coordinates. */
void bulk_read_tensor(warp *w, const bulk_form *form, int lane, tensor_map *map, tensor_at *at);

/* The type that a reduction computes with, by the tensor's; PTX_NO_TYPE where the operation does not go with it. */
ptx_type bulk_reduction_type(const tensor_map *map, atomic_op op);
