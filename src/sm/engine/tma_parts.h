/* Shared by the engine's files: places, its cache of maps, and messages between engines. */
#ifndef SUBCORE_SM_TMA_PARTS_H
#define SUBCORE_SM_TMA_PARTS_H

#include "base/order.h"
#include "sm/cluster.h"
#include "sm/engine/tma.h"

/* Returns the bit of a place. */
static inline uint64_t tma_bit(unsigned place) { return UINT64_C(1) << place; }

/* Returns true if the port takes a request now. */
static inline bool tma_room(const struct tma *t, uint64_t now)
{
    return port_takes(t->to.port) <= now && port_room(t->to.port, 1);
}

/* Takes the write port for so many bytes from `now` on. Returns when they are written. */
static inline uint64_t tma_write(struct tma *t, uint64_t bytes, uint64_t now)
{
    uint32_t width = t->to.config->write_bytes;
    t->write_free = latest(t->write_free, now) + (bytes + width - 1) / width;
    return t->write_free;
}

/* Looks for the map of the command, and asks for it if it is not there. Returns false if the port does not take the
 * request. */
bool tma_look_up_map(struct tma *t, struct tma_command *c, uint64_t now);
/* Removes a map from the cache (0: all maps). */
void tma_forget_map(struct tma *t, uint64_t address);

/* Returns the cluster of the CTA whose warp has issued the command. */
const struct cluster_place *tma_cluster_of(const struct tma *t, const struct tma_command *c);
/* Sends a message to the engine of the CTA with this rank. Of those about one command the last has the effect. */
void tma_tell(struct tma *t, unsigned place, unsigned rank, uint32_t bytes, bool last, uint64_t now);
/* Sends the next data of a copy to another SM. Returns true if they were the last. */
bool tma_send_copy(struct tma *t, unsigned place, uint64_t now);

#endif
