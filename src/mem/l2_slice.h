/* An L2 slice: the pipeline that serves requests in order.
 *
 *   SMs -----> [port] --\
 *                        [input] --> tags --hit------------------> latency --> [port] --> reply
 *   mirror --> [link] --/              \-- miss: MSHR --> [reads] --> DRAM --> fill --/
 *                                       \-- victim: ----> [writes] --> DRAM
 *
 * A slice is home to its part of the addresses: there they have their point of coherence, where stores, atomics and
 * strong loads are served. With two partitions an SM enters at the slice of its own half. If that is not the home but
 * its mirror, weak loads may be answered by a copy there. Everything else, and every miss, goes on to the home over
 * the link. Answers to weak loads leave a copy. A store takes the copy of its own half away as it passes and the other
 * one by an order over the link, which here takes effect at once. The home knows by a bit of the line which sectors may
 * be copied. When it evicts the line, the copy is evicted too.
 *
 * A load for which there is no MSHR or line at the mirror goes on, and no later load waits for its answer, which leaves
 * a copy if a line can go for it then. So the mirror never waits for room, and as copies in flight take at most half of
 * the MSHRs and leave a way of each set, both halves always get on.
 *
 * Lines are allocated when they miss. Full sectors are written without a fetch, sectors written in part keep byte masks
 * until a load or an atomic needs the rest. A request that is not ready in the cycle of its turn does not stop the
 * pipeline, but waits at its MSHR. The head stops, with the queue behind it, while it finds no free MSHR, no line that
 * can go, no room towards the DRAM, or the atomic unit busy.
 *
 * The slice never calls DRAM: its group moves the entries of `reads` and `writes`, and brings back fills. */
#ifndef SUBCORE_MEM_L2_SLICE_H
#define SUBCORE_MEM_L2_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/ring.h"
#include "mem/l2_atomic.h"
#include "mem/l2_link.h"
#include "mem/l2_model.h"
#include "mem/l2_mshr.h"
#include "mem/l2_tags.h"
#include "mem/noc.h"
#include "mem/request_pool.h"
#include "port/message.h"
#include "probe/counters.h"

/* An access to memory on its way out of the slice. */
struct l2_access {
    uint64_t local;
    uint64_t line;    /* of the channel */
    uint16_t channel; /* of the group */
    uint16_t mshr;    /* of a read */
    uint8_t sectors;
};

RING(l2_output, struct l2_access, 16) /* depth assumed */

/* Reasons for which the head of a slice's queue waits. OTHER: any that is not told apart. */
enum l2_lack { L2_LACKS_OTHER, L2_LACKS_READS, L2_LACKS_MSHR };

struct l2_slice {
    struct l2_tags tags;
    struct l2_mshrs mshrs;
    struct l2_atomic atomic;
    struct l2_link link; /* from the mirror; without partitions not there */
    struct request_list input;
    struct l2_output reads, writes;
    uint32_t copies_pending; /* MSHRs that wait for the other partition */
    uint32_t number;         /* on the chip */
    uint32_t index;          /* within the group */
    uint32_t mirror;         /* the slice across the link; its own index without partitions */
    uint64_t free;           /* time at which another sector can be served; fixed point as in struct bus */
    uint64_t wake;           /* next cycle in which something can happen without fills or room (UINT64_MAX: none) */
    bool blocked;            /* the head waits for a fill or for room */
    uint8_t lacks;           /* enum l2_lack: the reason, while the head is blocked */
    struct noc_port port;
};

/* Returns the first cycle in which another sector can be served. */
static inline uint64_t l2_slice_free(const struct l2_slice *slice) { return slice->free >> BUS_FRACTION; }

/* How strong accesses, stores and atomics change memory (see mem.h). */
struct memory_effects;

/* The part that the slices of a group share. */
struct l2_context {
    const struct l2_model *model;
    const struct memory_effects *effects;
    struct request_pool *pool;
    struct l2_slice *slice; /* all of the group */
    struct mem_counters *n;
    struct reply *reply; /* has room for all that is in the pool */
    uint32_t replies;
};

/* Slice `index` among the `slices` of its group; `number` is its number on the chip. Returns false if the host is out
 * of memory. */
bool l2_slice_create(struct l2_slice *slice, const struct l2_model *model, uint32_t index, uint32_t slices,
                     uint32_t number, struct arena *arena);

/* Time zero, nothing under way. The cache is empty unless `keep`. */
void l2_slice_reset(struct l2_slice *slice, bool keep);

/* Hint to the host that a request for a line of this set comes next. Changes nothing. */
void l2_slice_prefetch(const struct l2_slice *slice, uint32_t set);

/* A request comes to the port in the cycle of its arrival, in the order of arrivals. */
void l2_slice_arrive(struct l2_slice *slice, struct l2_context *context, uint32_t request);

/* Does the work of cycle `now`; sets `wake`. */
void l2_slice_run(struct l2_slice *slice, struct l2_context *context, uint64_t now);

/* Sectors that an MSHR asked of memory have come. */
void l2_slice_fill(struct l2_slice *slice, struct l2_context *context, uint64_t now, uint16_t mshr, uint8_t sectors);

/* There is room again in `reads` or `writes`, or sectors have come: the head may try again in cycle `now`, unless it
 * waits for something else. */
void l2_slice_unblock(struct l2_slice *slice, uint64_t now);

/* Adds the lines that are in the cache. */
void l2_slice_count(const struct l2_slice *slice, struct mem_counters *n);

#endif
