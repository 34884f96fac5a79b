#pragma once

#include "machine/machine.h"

/* cp.async: copies wait until they are waited for, so that a missing wait shows. */
void async_copy(warp *w, const insn *i, uint32_t mask, uint8_t *const *to, uint8_t *const *from, const uint32_t *bytes);
void async_commit(warp *w, uint32_t mask);
void async_wait(warp *w, uint32_t mask, int64_t pending); /* -1: all, committed or not */
void async_free(warp *w);

/* cp.async.mbarrier.arrive: how many copies the warp has issued so far; carries out those of the lanes before that. */
uint64_t async_serial(const warp *w);
void async_complete(warp *w, uint32_t lanes, uint64_t serial);
