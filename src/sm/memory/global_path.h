/* Global and local memory: tag and data stage of the L1, and what it sends to the network. */
#ifndef SUBCORE_SM_GLOBAL_PATH_H
#define SUBCORE_SM_GLOBAL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "port/message.h"
#include "sm/memory/pending_table.h"

struct global_path {
    uint64_t tags_free; /* cycle from which the tag stage takes the next instruction */
};

struct sm;

/* Cycle from which the path can take an access as far as time decides, and whether there is room behind it for its
 * worst case: each of its lines a miss and a message. */
uint64_t global_path_free(const struct sm *sm);
bool global_path_room(const struct sm *sm, const struct access *a);

/* Accepted at `now`. */
void global_path_access(struct sm *sm, uint16_t token, uint64_t now);

/* Takes a reply of the port's client PORT_DATA: `self` is the SM. */
void global_path_reply(void *self, const struct reply *reply, uint64_t now);

#endif
