/* Products of tcgen05: the tensor cores of an SM, or a pair, as an engine behind the warps.
 *
 *   issue -> queue, in order -> A is read -> the tensor cores, B is read -> latency -> over
 *              |                  ^                   ^                       |
 *              |                  +-- shared memory --+                       v
 *              +-> commits --------------------------------> arrive: mbarrier here, messages to other CTAs
 *
 * One thread issues and goes on. Commands (products, copies to tensor memory, shifts) begin in the order of issue. A of
 * a product is read while the product before it has the tensor cores. B is read in bursts while it has them itself. An
 * access of the memory unit that is there when a burst is due goes first, and the product takes as much longer. A
 * product that has been waiting when the engine's first one ended begins a few cycles later (tcgen05.train): trains of
 * products take that much longer than their parts (micro-benchmarks of a B200 by SemiAnalysis).
 *
 * A commit waits until all commands before it are over. It keeps a place from its issue until it has arrived
 * everywhere: here at once, at other CTAs by messages, which are answered. A pair's products are in the engine of the
 * SM whose CTA has issued them. A message tells the other SM, whose port of shared memory serves its part.
 *
 * Sources: engine_timing.h. That it is one queue in order, its length, and how it shares the port are assumed. */
#ifndef SUBCORE_SM_TENSOR_ENGINE_H
#define SUBCORE_SM_TENSOR_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "isa/issued.h"
#include "sm/code.h"
#include "sm/engine/tma.h"
#include "sm/execute/engine_timing.h"
#include "sm/memory/shared_memory.h"
#include "sm/port/port.h"
#include "sm/retire.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/source.h"

struct mbarrier_unit;
struct sm_cta;
struct sm_warp;

enum {
    ENGINE_COMMANDS = 64,
    ENGINE_COMMITS = 64,
    ENGINE_CLIENT = TMA_CLIENT + 1,
    ENGINE_TOKENS = LSU_TOKENS + TMA_COMMANDS /* the token of commit 0 */
};

/* The kinds of queue entries. */
struct engine_command {
    uint64_t from; /* its uniform registers are read */
    struct engine_timing timing;
    uint8_t slot;  /* of the warp */
    uint8_t place; /* of a commit */
    bool commit, pair;
};

/* Reads shared memory in bursts, spread over an interval. */
struct engine_reading {
    bool under_way;
    uint16_t bursts, done;     /* how often it takes the port, and has taken it */
    uint16_t cycles, interval; /* of the port that are left. In which it does all */
    uint64_t start, late;      /* late: by how many cycles others have held it up */
};

struct engine_commit {
    uint16_t targets; /* ranks of other CTAs at which it has to arrive */
    uint8_t answers;  /* that have not come */
    uint8_t slot;
};

/* Commands that are over, and commits that arrive, at a cycle: slot or place. */
RING(engine_ends, uint8_t, 256)
RING(engine_arrivals, uint8_t, 64)

struct tensor_engine {
    struct tensor_engine_ports {
        struct shared_memory *shared;
        struct port *port;
        struct retire *retire;
        const struct sm_source *source;
        struct mbarrier_unit *objects;
        const struct warp_gates *gates;
        struct sm_warp *warp;     /* [SM_WARPS] */
        const struct sm_cta *cta; /* [SM_CTAS] */
        const struct config *config;
        struct sm_counters *n;
    } to;
    struct engine_command queue[ENGINE_COMMANDS];
    uint32_t first, end; /* modulo ENGINE_COMMANDS */
    bool touched;        /* a command or a message has come since the kernel began */
    uint64_t used;       /* places of commits, a bit each */
    uint64_t free;       /* the tensor cores take the next command from here on */
    uint64_t over;       /* all commands that have left the tensor cores are over */
    bool alone;          /* the last product did not wait for one before it */
    bool loaded;         /* A of the next product has been read, */
    uint64_t loaded_at;  /* at this cycle */
    struct engine_command running;
    struct engine_reading a, b, guest; /* guest: this SM's part of a pair's product in the other's engine */
    uint8_t held[ENGINE_COMMITS];      /* places of commits behind the product under way */
    uint32_t held_count;
    struct engine_ends ends;
    struct engine_arrivals arrivals;
    struct engine_commit commit[ENGINE_COMMITS];
};

void tensor_engine_begin(struct tensor_engine *e);

/* Returns true if the queue is full, or no place of a commit is free. */
static inline bool tensor_engine_full(const struct tensor_engine *e)
{
    const struct config_tcgen05 *c = &e->to.config->tcgen05;
    return e->end - e->first >= c->commands || (unsigned)__builtin_popcountll(e->used) >= c->commits;
}

/* Takes a place for a commit. There is one. */
uint16_t tensor_engine_take(struct tensor_engine *e);

/* The warp in this slot issues an instruction of the engine. `place`: of a commit. */
void tensor_engine_issue(struct tensor_engine *e, uint8_t slot, const struct code *code, const struct issued *issued,
                         uint16_t place, uint64_t now);

/* Commands are read for, begin and end, commits arrive. Returns true if anything moved. */
bool tensor_engine_work(struct tensor_engine *e, uint64_t now);
static inline bool tensor_engine_cycle(struct tensor_engine *e, uint64_t now)
{
    if (!e->touched)
        return false;
    uint32_t reads = (uint32_t)(e->a.under_way | e->b.under_way | e->guest.under_way);
    uint32_t works = (e->first ^ e->end) | engine_ends_count(&e->ends) | engine_arrivals_count(&e->arrivals);
    return (reads | works) != 0 && tensor_engine_work(e, now);
}
/* Returns the earliest cycle after `now` in which anything can move; UINT64_MAX when there is nothing. */
uint64_t tensor_engine_due(const struct tensor_engine *e, uint64_t now);
static inline uint64_t tensor_engine_next(const struct tensor_engine *e, uint64_t now)
{
    return e->touched ? tensor_engine_due(e, now) : UINT64_MAX;
}
/* Takes a message of another SM's engine; the receiver under ENGINE_CLIENT. */
void tensor_engine_message(void *self, const struct request *message, uint64_t now);

#endif
