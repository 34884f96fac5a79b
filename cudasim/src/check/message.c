#include "check/message.h"

#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "isa/arrays.h"

const char *thread_name(const warp *w, uint32_t lane, char text[96]) {
    const block *b = w->block;
    const uint32_t l = lane < LANES ? lane : (uint32_t)__builtin_ctz(w->lanes);
    snprintf(text, 96, "%sthread (%u,%u,%u) of block (%u,%u,%u)", lane < LANES ? "" : "the warp of ", w->tid[0][l],
             w->tid[1][l], w->tid[2][l], b->ctaid[0], b->ctaid[1], b->ctaid[2]);
    return text;
}

const char *shared_name(const function *f, uint8_t array, const block *b, uint32_t offset, unsigned bytes,
                        char text[320]) {
    const shared_array *found = array != ARRAY_UNKNOWN && array != ARRAY_MANY ? &f->arrays[array - 1] : NULL;
    for (int k = 0; k < f->array_count && found == NULL; k++) {
        const shared_array *a = &f->arrays[k];
        const uint32_t size = a->bytes != 0 ? a->bytes : b->shared_end - a->offset;
        if (offset >= a->offset && offset - a->offset < size) found = a;
    }
    if (found == NULL) {
        snprintf(text, 320, "%u bytes of shared memory at 0x%x", bytes, offset);
        return text;
    }
    char whole[256];
    readable_name(found->name, whole, sizeof whole);
    const char *name = strrchr(whole, ':') != NULL ? strrchr(whole, ':') + 1 : whole;
    const uint32_t size = found->bytes != 0 ? found->bytes : b->shared_end - found->offset;
    const long at = (long)offset - (long)found->offset;
    snprintf(text, 320, "%u bytes of %s at byte %ld of %u", bytes, name, at, size);
    return text;
}

const char *global_name(uint64_t address, unsigned bytes, char text[320]) {
    const memory_allocation *m = memory_find(address);
    if (m == NULL)
        snprintf(text, 320, "%u bytes at 0x%llx", bytes, (unsigned long long)address);
    else if (m->name != NULL)
        snprintf(text, 320, "%u bytes of %s at byte %llu of %llu", bytes, m->name,
                 (unsigned long long)(address - m->base), (unsigned long long)m->size);
    else
        snprintf(text, 320, "%u bytes at byte %llu of the %llu-byte allocation at 0x%llx", bytes,
                 (unsigned long long)(address - m->base), (unsigned long long)m->size, (unsigned long long)m->base);
    return text;
}

const char *agent_name(const checked_launch *l, uint32_t cluster, uint32_t agent, uint32_t lane, char text[96]) {
    const unsigned *grid = l->la->config->grid, *size = l->la->config->cluster, *shape = l->la->config->block;
    const uint32_t rank = agent / l->each;
    const uint32_t across = grid[0] / size[0], down = grid[1] / size[1];
    const uint32_t t = agent % l->each * LANES + (lane < LANES ? lane : 0);
    snprintf(text, 96, "%sthread (%u,%u,%u) of block (%u,%u,%u)", lane < LANES ? "" : "the warp of ", t % shape[0],
             t / shape[0] % shape[1], t / shape[0] / shape[1], cluster % across * size[0] + rank % size[0],
             cluster / across % down * size[1] + rank / size[0] % size[1],
             cluster / across / down * size[2] + rank / size[0] / size[1]);
    return text;
}

const char *order_wanted(const checked_launch *l, uint32_t cluster, uint32_t agent, uint32_t other_cluster,
                         uint32_t other_agent) {
    if (cluster != other_cluster) return " (another block: a flag with fences, or another launch)";
    if (agent == other_agent) return " (a lane of the same warp: __syncwarp or a barrier)";
    if (agent / l->each == other_agent / l->each) return " (another warp: a barrier)";
    return " (another block of the cluster: the cluster's barrier)";
}

const char *local_name(const frame *f, uint64_t address, unsigned bytes, char text[320]) {
    while (f->caller != NULL && address < f->local_base) f = f->caller;
    const shared_array *nearest = NULL;
    for (int k = 0; k < f->function->local_count; k++) {
        const shared_array *v = &f->function->locals[k];
        if (nearest == NULL || address >= f->local_base + v->offset) nearest = v;
    }
    if (nearest == NULL)
        snprintf(text, 320, "%u bytes of local memory at 0x%llx", bytes, (unsigned long long)address);
    else
        snprintf(text, 320, "%u bytes of its local arrays at byte %lld of %u", bytes,
                 (long long)address - (long long)(f->local_base + nearest->offset), nearest->bytes);
    return text;
}
