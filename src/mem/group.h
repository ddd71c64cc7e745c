/* A DRAM channel with the slices in front of it: the unit that one thread runs. */
#ifndef SUBCORE_MEM_GROUP_H
#define SUBCORE_MEM_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/dram.h"
#include "mem/l2_slice.h"
#include "mem/mem.h"
#include "mem/request_queue.h"

struct group {
    _Alignas(64) struct request_queue queue; /* groups of different threads share no cache line */
    uint32_t first, slices;
    struct l2_slice *slice;
    struct dram dram;
    struct reply *reply;
    uint32_t replies, reply_capacity;
    bool replies_taken; /* the next run starts a new list */
    struct mem_counters n;
};

bool group_create(struct group *group, const struct l2_model *model, const struct config *config, uint32_t number);
void group_destroy(struct group *group);
void group_reset(struct group *group, const struct l2_model *model);

/* False when the host has no memory left; nothing is allocated later. */
bool group_accept(struct group *group, const struct request *request, uint32_t slice, uint64_t local);
void group_run(struct group *group, const struct l2_model *model, const struct memory_effects *effects, uint64_t end);
const struct reply *group_replies(struct group *group, uint32_t *count);
void group_counters(const struct group *group, struct mem_counters *out);

#endif
