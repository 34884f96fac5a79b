/* Which 32-byte sectors of memory a launch has read and written. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SECTOR_BYTES 32u

/* `count` sectors, sector + from[0], ... (ascending), are read, written or both. Any thread may. */
void sectors_mark(uint64_t sector, const int64_t *from, int count, bool read, bool written);
/* The same for several accesses. */
void sectors_mark_each(const uint64_t *sectors, int accesses, const int64_t *from, int count, bool read, bool written);
/* Those that hold these bytes. */
void sectors_mark_range(uint64_t address, uint64_t bytes, bool read, bool written);

/* Returns how many there are, and clears them. */
void sectors_take(int64_t *read, int64_t *written);
