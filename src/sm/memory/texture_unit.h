/* Texture unit of an SM: textures and surfaces on their way to the L1, which they share with loads.
 *
 *   issue --> queue of the sub-core (tex.queue) --> texture unit, quad by quad --> L1, MSHR --> filter --> return path
 *
 * A quad is four lanes side by side. The unit takes instructions from the sub-cores in turn. An instruction occupies it
 * while its quads pass:
 *
 *   sampled     tex.quad_interval for texels of up to 8 bytes. A linear filter takes so long for 4 texels of 4 bytes,
 *               and in proportion for more and wider ones
 *   fetched     tex.fetch_interval, twice that for texels of 16 bytes
 *   surface     tex.surface_interval for the instruction
 *
 * The latency of a hit is one quad's, and tex.spread cycles more for each cycle that further quads take. Both are
 * those of an H200, measured with chains and with streams of one warp instruction (configs/arch/sm_90.toml). ASSUMED:
 * that the footprint of a lane touches two sectors at most in the L1, that results of a warp come in order, as compiled
 * code expects that waits with DEPBAR.LE for the counter of several. */
#ifndef SUBCORE_SM_TEXTURE_UNIT_H
#define SUBCORE_SM_TEXTURE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/memory/global_path.h"
#include "sm/memory/memory_queue.h"
#include "sm/retire.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/slot.h"

struct texture_unit {
    struct texture_unit_ports {
        struct pending_table *table;
        struct global_path *global;
        struct retire *retire;
        const struct warp_gates *gates;
        const struct config *config;
    } to;
    struct memory_ring queue[SM_SUBCORES];
    uint64_t free;    /* in TEXTURE_TICKS of a cycle: from when it takes an instruction */
    uint32_t turn;    /* sub-core that is asked first */
    uint32_t waiting; /* instructions in all queues */
};

enum { TEXTURE_TICKS = 4 };

/* Empties the queues. */
void texture_unit_begin(struct texture_unit *u);

/* Returns whether the queue of the sub-core has no place. */
static inline bool texture_unit_full(const struct texture_unit *u, unsigned subcore)
{
    return memory_ring_count(&u->queue[subcore]) >= u->to.config->tex.queue;
}

/* Notes second sectors, the unit's time and the latency of an instruction that issues. Its first lines are noted
 * already. */
void texture_unit_note(const struct config *config, struct access *a, const struct issued *is);

/* The instruction issues. */
void texture_unit_issue(struct texture_unit *u, uint16_t token, uint64_t now);

/* Takes an instruction if it can. Returns true if it did. */
bool texture_unit_serve(struct texture_unit *u, uint64_t now);
static inline bool texture_unit_cycle(struct texture_unit *u, uint64_t now)
{
    return u->waiting && texture_unit_serve(u, now);
}
/* Returns the earliest cycle after `now` at which it could take one; UINT64_MAX if only a reply lets it. */
uint64_t texture_unit_next(const struct texture_unit *u, uint64_t now);

#endif
