/* Products of warpgroups (wgmma): the tensor cores of the four sub-cores work on one together.
 *
 *   four warps issue -> a queue for each warp -> all four are there: the tensor cores, in order -> wgmma_latency ->
 *   complete: a group counts down in each of the four warps
 *
 * A warp issues and goes on. A product begins when the last of its four warps has issued it and the one before has
 * ended. Of several that could begin, the oldest begins. It reads its operands through the port of shared memory in
 * bursts, spread evenly over the time that it takes. An access of the memory unit that is there when a burst is due
 * goes first, and the product takes as much longer. A warp that has issued as many products as its queue holds waits
 * with the next. A queue for each warp, since warps of two warpgroups that fill a common one would wait for each other
 * for ever. WARPGROUP.DEPBAR holds its warp until enough of its groups are complete (product_groups.h).
 *
 * Sources: PTX ISA, asynchronous warpgroup level matrix instructions; rates: warpgroup_timing.h. That it is one
 * unit, in order, and how it shares the port is assumed. */
#ifndef SUBCORE_SM_WARPGROUP_UNIT_H
#define SUBCORE_SM_WARPGROUP_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/ring.h"
#include "config/config.h"
#include "sm/code_table.h"
#include "sm/cta.h"
#include "sm/memory/shared_memory.h"
#include "sm/retire.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/slot.h"
#include "sm/units.h"

struct sm_warp;

enum { WARPGROUP_WARPS = SM_SUBCORES, WARPGROUP_QUEUE = 16 };

/* One warp's part of a product. */
struct product {
    uint64_t issue;
    uint32_t number; /* of the instruction in the code */
};

/* Parts that a warp has issued and that have not begun, the oldest first. */
struct product_queue {
    struct product part[WARPGROUP_QUEUE];
    uint8_t first, count;
};

/* A product that has left the tensor cores. */
struct product_end {
    uint8_t slot; /* of its first warp */
    bool last;    /* of its group */
};
RING(product_ends, struct product_end, 256)

struct warpgroup_unit {
    struct warpgroup_ports {
        struct sm_warp *warp;     /* [SM_WARPS] */
        const struct sm_cta *cta; /* [SM_CTAS] */
        const struct code_table *code;
        const struct warp_gates *gates;
        struct shared_memory *shared;
        struct retire *retire;
        struct units *units[SM_SUBCORES];
        const struct config_core *core;
    } to;
    struct product_queue *queue; /* [SM_WARPS] */
    uint16_t full[SM_SUBCORES];  /* warps that can issue no further product */
    bool touched;                /* a product has been issued since the kernel began */
    uint64_t whole;              /* first slots of warpgroups whose four warps have issued a product */
    uint64_t free;               /* the tensor cores take the next from here on. While one reads, not known */
    struct product_reading {
        bool under_way;
        uint16_t transfer, read;    /* cycles of the port that it takes, and has taken */
        uint16_t interval, latency; /* in which it does all. From start to completion */
        uint64_t start, late;       /* late: by how many cycles others have held it up */
        struct product_end product; /* the CTA and group that it belongs to */
    } reading;
    struct product_ends ends; /* ready: complete */
};

/* Returns false if the host is out of memory. */
bool warpgroup_unit_init(struct warpgroup_unit *u, struct arena *arena);
void warpgroup_unit_begin(struct warpgroup_unit *u);

/* The warp in this slot issues a product of its warpgroup, or waits for groups of these: code->warpgroup is not 0. */
void warpgroup_unit_issue(struct warpgroup_unit *u, uint32_t slot, const struct code *code, uint64_t now);

/* Products begin, read and end. Returns true if anything moved. */
bool warpgroup_unit_work(struct warpgroup_unit *u, uint64_t now);
static inline bool warpgroup_unit_cycle(struct warpgroup_unit *u, uint64_t now)
{
    bool works = u->touched && (u->whole | u->reading.under_way | product_ends_count(&u->ends)) != 0;
    return works && warpgroup_unit_work(u, now);
}
/* Returns the earliest cycle after `now` in which anything can move; UINT64_MAX when there is nothing. */
uint64_t warpgroup_unit_due(const struct warpgroup_unit *u, uint64_t now);
static inline uint64_t warpgroup_unit_next(const struct warpgroup_unit *u, uint64_t now)
{
    return u->touched ? warpgroup_unit_due(u, now) : UINT64_MAX;
}

void warpgroup_unit_archive(struct archive *a, struct warpgroup_unit *u);

#endif
