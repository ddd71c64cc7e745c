/* Global and local memory: tag and data stage of the L1, and what it sends to the network. */
#ifndef SUBCORE_SM_GLOBAL_PATH_H
#define SUBCORE_SM_GLOBAL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/memory/pending_table.h"

struct global_path {
    uint64_t tags_free;  /* cycle from which the tag stage takes the next instruction */
    uint32_t in_network; /* requests without their reply */
};

struct sm;

/* Cycle from which the path can take an access as far as time decides, and whether there is room behind it for its
 * worst case: each of its lines a miss and a message. */
uint64_t global_path_free(const struct sm *sm);
bool global_path_room(const struct sm *sm, const struct access *a);

/* Accepted at `now`. */
void global_path_access(struct sm *sm, uint16_t token, uint64_t now);

/* Replies that have arrived leave the network. */
bool global_path_replies(struct sm *sm, uint64_t now);

#endif
