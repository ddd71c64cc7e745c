/* The SMs' side of a quantum: each GPC takes the answers of the L2 and hands them to its SMs, they run, and it collects
 * their requests.
 *
 *   tasks   deliver GPC 0 | deliver GPC 1 | SMs of GPC 0 ... | deliver GPC 2 | SMs of GPC 1 ... | ...
 *
 * GPCs share nothing, so that nothing waits for all of them: an SM begins when its GPC has delivered, and the thread
 * that runs a GPC's last SM collects for it. Threads take tasks in this order, a delivery well before its SMs. */
#ifndef SUBCORE_GPU_FRONT_H
#define SUBCORE_GPU_FRONT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/host_line.h"
#include "config/gpcs.h"
#include "mem/topology.h"

struct front_gpc {
    atomic_uint delivered; /* round in which it last did */
    atomic_uint running;   /* SMs that have yet to run in this round */
    uint16_t first, count; /* of its SMs in front.sm */
    bool short_of_memory;  /* the host */
    char apart[HOST_LINE]; /* GPCs of different threads share no cache line */
};

struct front {
    struct front_gpc gpc[GPCS_MOST];
    uint64_t wake[TOPOLOGY_SMS];             /* an SM need not run before. It is behind in time until it does */
    uint16_t sm[TOPOLOGY_SMS];               /* in use, by GPC */
    uint16_t task[GPCS_MOST + TOPOLOGY_SMS]; /* a GPC that delivers; GPCS_MOST + n: SM n */
    uint32_t tasks;
    unsigned round;
};

struct timed;

/* A run begins. */
void front_begin(struct timed *t);
/* From now on the first t->used SMs take part. */
void front_widen(struct timed *t);

/* Runs [t->now, t->end). Returns false if the host has no memory left. */
bool front_run(struct timed *t);

/* The same by parts: the SMs run on to t->end, and their requests are collected once they have run as far as they
 * shall. */
bool front_run_sms(struct timed *t);
bool front_collect(struct timed *t);

/* A CTA will start on the SM at `cycle`. */
void front_wake(struct timed *t, uint32_t sm, uint64_t cycle);

/* The first cycle in which something happens on this side; t->now when it is not known. */
uint64_t front_next(const struct timed *t);

/* Returns the warp instructions that the run has issued so far. */
uint64_t front_instructions(const struct timed *t);

/* All SMs run to t->now: their counters are those of this cycle. */
void front_catch_up(struct timed *t);

#endif
