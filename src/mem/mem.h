/* The memory system behind the SMs: network, L2 slices, DRAM channels.
 *
 *   requests --> network --> group 0: slices, their mirrors, channels
 *                       --> group 1: ...
 *
 * Groups share nothing, so they can run in parallel; within a group requests reach the slices in the order (arrival,
 * SM, order of sending). Stores, reductions, atomics and strong loads take effect when the slice that is home to their
 * line serves them, through struct memory_effects.
 *
 * Time runs in quanta no longer than mem_quantum(). In each the GPCs take the SMs' messages and let out those that
 * can leave; mem_exchange_requests moves them to the groups; mem_run does all that happens before the end of the
 * quantum; mem_exchange_replies moves the answers to the GPCs, which hand them to the SMs when their time comes. */
#ifndef SUBCORE_MEM_MEM_H
#define SUBCORE_MEM_MEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "config/config.h"
#include "mem/network.h"
#include "port/message.h"
#include "probe/counters.h"

struct mem;

/* How a request changes memory. Called by the thread that runs the group, for one request at a time, in serving
 * order. */
struct memory_effects {
    void *self;
    void (*apply)(void *self, const struct request *request);
};

struct mem *mem_create(const struct config *config, struct memory_effects effects, struct status *status);
void mem_destroy(struct mem *mem);

/* Cycles that a message needs at least in either direction: the longest quantum. */
uint32_t mem_quantum(const struct mem *mem);
unsigned mem_groups(const struct mem *mem);

/* The network before the groups. Its phases run for GPCs (mem/gpc.h). */
struct network *mem_network(struct mem *mem);

/* Moves messages from GPCs to the groups, and answers from groups to GPCs; not thread-safe. Returns false if the host
 * has no memory left, here and below. */
bool mem_exchange_requests(struct mem *mem);
bool mem_exchange_replies(struct mem *mem);

/* The same by parts. A group takes the messages that GPCs have let out since the last time: may run for different
 * groups in different threads, between gpc_depart and the group's mem_run. A GPC takes the answers of groups: may
 * run for different GPCs in different threads. When all have, mem_replies_taken tells each group before it runs. */
bool mem_take_requests(struct mem *mem, unsigned group);
bool mem_take_replies(struct mem *mem, unsigned gpc);
void mem_replies_taken(struct mem *mem, unsigned group);

/* Requests in groups, and those that GPCs have let out last. */
uint32_t mem_waiting(const struct mem *mem);

/* Nothing happens in the groups before this cycle (UINT64_MAX: nothing is under way there). */
uint64_t mem_next(const struct mem *mem);

/* Queues a request, whose `arrival` is the cycle at the slice. Called in a fixed order for all requests of a quantum;
 * not thread-safe. Returns false if the host has no memory for it. */
bool mem_accept(struct mem *mem, const struct request *request);

/* Leaves in the L2 the lines that a request would leave there that is executed and not timed (mem/l2_warm.h). It enters
 * at the partition of request->sm. Not thread-safe; between two quanta. */
void mem_warm(struct mem *mem, const struct request *request);

/* Runs one group up to `end`. Different groups may run in different threads. */
void mem_run(struct mem *mem, unsigned group, uint64_t end);

/* Returns true if every request has been answered (replies may still be on their way to SMs). */
bool mem_idle(const struct mem *mem);

/* Replies that a group produced since the last call, in serving order; `*count` receives how many. The array is
 * valid until the group runs again. */
const struct reply *mem_replies(struct mem *mem, unsigned group, uint32_t *count);

/* Sums over all slices and channels, in index order. */
void mem_counters(const struct mem *mem, struct mem_counters *out);
/* Returns the sectors in the L2 that memory does not have yet. */
uint64_t mem_dirty_sectors(const struct mem *mem);

/* Returns the sectors that the L2 holds when it is full. */
uint64_t mem_l2_sectors(const struct mem *mem);

/* Counters zero, time zero, caches empty unless l2.keep: the state before a kernel. */
void mem_reset(struct mem *mem);

#endif
