/* Local memory, byte by byte, and the objects of the kernels' own malloc. */
#pragma once

#include "check/checked.h"

/* The block's threads begin; they enter a function: nothing has written its local arrays. */
void local_begin(block *b);
void local_enter(observer *o, warp *w, const frame *f, uint32_t lanes);

/* An access to local memory, and one to global memory that may be the heap's, before it is done. */
void local_touch(const observed_access *a);
void heap_touch(const observed_access *a);

/* The kernel's malloc has given this. */
void heap_given(observer *o, warp *w, uint64_t address, uint64_t bytes);
