/* The memory system of a hybrid run: reuse distances tell which sectors are in the caches, and latencies and shares of
 * bandwidth tell when they are there. One SM is timed. The others execute, and show their accesses.
 *
 *   SMs without time --see--> L1 of each --+
 *                                          +--> L2, a cache for each partition --> memory
 *   timed SM ---------serve----------------+         |
 *        ^------ when the answer is there -----------+
 *
 * Caches are struct reuse_sets: lines of four sectors, LRU, addresses hashed over the sets. With two partitions a weak
 * load from the other half leaves a copy in its own (mem/l2_slice.h). The timed SM has a real L1, and its requests come
 * from a real GPC.
 *
 * The answer to the timed SM comes after the unloaded latency of its level, plus its queueing. Each shared server
 * (slices, GPC outlet and inlet, link, pins of memory) gives it an equal share with the SMs that have CTAs, in order:
 * SMs do alike at the same time, so their bursts meet. Memory reaches MEMORY_EFFICIENCY of its pin bandwidth. The
 * kernel ends with its slowest SM, so that answers take the way of the farthest GPC. An atomic waits for its slice,
 * which has as many of each SM. After the first wave SMs do not keep step: the part of a share that the SM has not used
 * for a while is still its own, because others have used it meanwhile.
 *
 * In the first wave all SMs do the same at the same time. A line that another SM has fetched then is in flight when
 * the timed SM asks for it first: it takes the latency of memory, and counts as a hit, as in mem/l2_serve.c.
 *
 * With run.hybrid_formulas = "paper" all of this is replaced by the formulas of HyFiSS: caches without an end
 * (mem/first_use.h), all accesses reach the L2, and an answer takes the mean access time of its class behind the L1,
 *
 *   latency of the L2 + (1 - hit rate of the class so far) * latency of memory
 *
 * Classes are loads, stores and atomics. Nothing queues, and no bandwidth is a floor. */
#ifndef SUBCORE_MEM_REUSE_MEMORY_H
#define SUBCORE_MEM_REUSE_MEMORY_H

#include "base/status.h"
#include "config/config.h"
#include "mem/first_use.h"
#include "mem/l2_model.h"
#include "mem/reuse_sets.h"
#include "port/message.h"
#include "probe/hybrid.h"

/* Of the pins' bandwidth: a triad reaches 0.91 on an A100 and 0.95 on an A40 (gpu-benches). */
#define MEMORY_EFFICIENCY 0.92

/* Time that a server takes for a byte or a sector of one SM, in cycles. */
struct reuse_shares {
    double in_unit, out_unit, link_unit; /* for NOC_UNIT bytes: requests, answers, link */
    double l2_sector, memory_sector;
    double atomic; /* for an operation on one slice */
};

/* Requests of SMs without time wait before their L1 and before the L2 until the host has the sets in its caches. They
 * keep their order. */
enum { REUSE_WAITING = 32 /* a power of two */ };

struct reuse_queue {
    struct reuse_waiting {
        struct request request;
        uint32_t sm, slice;
        uint32_t set, copies; /* of the cache that it waits for, and of the copies in the SM's partition */
        bool past_l1;
    } item[REUSE_WAITING];
    uint32_t first, count;
};

enum { REUSE_LOADS, REUSE_STORES, REUSE_ATOMICS, REUSE_CLASSES };

struct reuse_memory {
    const struct config *config;
    struct l2_model model;
    struct reuse_sets l1[TOPOLOGY_SMS]; /* made when the first launch needs them */
    struct reuse_sets l2[2];            /* of a partition */
    uint32_t l1_sets, l1_ways;          /* 0: SMs have none */
    uint32_t l1_made;
    uint32_t sms;            /* that have CTAs */
    uint32_t far;            /* cycles one way to the farthest GPC, beyond the timed SM's */
    uint32_t memory_latency; /* beyond that of a hit */
    uint8_t partition[TOPOLOGY_SMS], home[TOPOLOGY_SLICES]; /* partitions of SMs and slices */
    bool first_wave;
    double excess; /* work of the timed SM in this wave, over the mean: it has as much more of all bandwidths */
    struct reuse_shares share;
    double began; /* the arrival of the timed SM's first request; negative: none yet */
    double in_free, out_free, link_free, memory_free; /* the server takes the next */
    double atomic_free[TOPOLOGY_SLICES];
    uint64_t atomics[TOPOLOGY_SLICES]; /* operations of all SMs */
    struct first_use used;             /* with the paper's formulas: of the L2 as cache 0, and of each SM's L1 */
    struct reuse_class {
        uint64_t lines, hits;
    } of_class[REUSE_CLASSES];
    double l2_cycles; /* that its bandwidth takes for the traffic of all SMs, times the SMs */
    struct hybrid_counts n;
    struct reuse_queue before_l1, before_l2;
};

/* Returns NULL, with status, if the host is out of memory. `config` stays where it is. */
struct reuse_memory *reuse_memory_create(const struct config *config, struct status *status);
void reuse_memory_free(struct reuse_memory *m);

/* A launch begins, with cold caches, on so many SMs, whose L1s have so many bytes. Returns false if the host is out of
 * memory. */
bool reuse_memory_begin(struct reuse_memory *m, uint32_t sms, uint32_t l1_bytes);

/* A request of an SM without time, 0..sms-1. `past_l1`: the load passes by the L1. It may wait until later ones, or
 * another function, follow. */
void reuse_memory_see(struct reuse_memory *m, uint32_t sm, const struct request *request, bool past_l1);
/* Lets the requests that wait be seen. To be called before first_wave or excess change. */
void reuse_memory_settle(struct reuse_memory *m);
/* Serves a request of the timed SM, request->sm being its number on the chip, in the order of arrivals at the slices.
 * Returns the cycle in which the answer reaches the GPC. */
uint64_t reuse_memory_serve(struct reuse_memory *m, const struct request *request);

/* Fills in the counts and the floors of bandwidth. */
void reuse_memory_result(struct reuse_memory *m, struct hybrid_result *r);

#endif
