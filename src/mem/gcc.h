/* GCC, the unit of a GPC through which its SMs ask for instructions and constants (the name is that of NVIDIA's
 * counters): an SM that asks for a line which another of the GPC has under way joins it, and one reply serves both. SMs
 * start together and run the same code. Without this all of a GPU would ask one slice for the same line.
 *
 * The hardware's GCC is a cache as well. Neither its size nor its latency is published. Here it has the lines that a
 * launch reads ahead (launch.preload, l15.gpc_cache), and answers requests for them one after another. It keeps no
 * others. */
#ifndef SUBCORE_MEM_GCC_H
#define SUBCORE_MEM_GCC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/order.h"
#include "port/message.h"

enum { GCC_LINES = 64, GCC_SMS = 64 };

/* A pending line, the SM that asked the L2 for it, and the SMs that wait for it: SMs by their number within the GPC. */
struct gcc_line {
    uint64_t line;
    uint64_t sms;
    uint16_t asker;  /* number on the chip; whose request found no entry may have the same line under way */
    uint8_t sectors; /* 0: unused */
};

struct gcc {
    struct gcc_line line[GCC_LINES];
    uint16_t sm[GCC_SMS]; /* by number within the GPC, of those that have asked */
    uint32_t used;        /* entries that may be in use, the first ones */
    uint64_t free;        /* as a cache: when it can begin with another request; fixed point as in struct bus */
    uint64_t ahead_free;  /* and with one that is ahead of its time */
};

void gcc_reset(struct gcc *gcc);

/* Takes a request for a line that it has. Returns when it begins with it. `ahead`: behind all others. All are fixed
 * point. */
static inline uint64_t gcc_serve(struct gcc *gcc, uint64_t interval, uint64_t now, bool ahead)
{
    uint64_t *free = ahead ? &gcc->ahead_free : &gcc->free;
    uint64_t begin = latest(latest(now, gcc->free), *free);
    *free = begin + interval;
    return begin;
}

static inline bool gcc_takes(uint8_t client) { return client == PORT_CODE; }

/* A request of the GPC's SM `number`, client PORT_CODE. Returns true if the line is under way, and the reply will be
 * for this SM too. Else it goes to the L2, and others can join it, unless more lines are under way than there are
 * entries. */
bool gcc_join(struct gcc *gcc, const struct request *request, uint32_t number);

/* The reply has come: the SMs that it is for, by number, its own among them; 0 when its request had no entry, so that
 * it is for its own SM alone. */
uint64_t gcc_answer(struct gcc *gcc, const struct reply *reply);

#endif
