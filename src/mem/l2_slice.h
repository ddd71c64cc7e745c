/* An L2 slice: a sectored, set-associative, write-back cache that serves requests in order.
 *
 *   request --> [ingress] --> tags --hit------------------> latency --> [egress] --> reply
 *                               \-- miss: MSHR, DRAM --> fill --/
 *
 * A line has four sectors with their own state. A sector that is on its way from memory has the cycle of its arrival in
 * `ready`; a second access merges and gets its data then. A full sector is written without a fetch. A sector written in
 * part holds only those bytes (the hardware has byte masks): another partial write finds it, a read or an atomic
 * fetches the rest. Atomics and reductions are executed here, sector by sector, as in "Accel-Sim" (ISCA 2020).
 * Replacement is LRU; the real policy is not published. MSHRs are freed in the order in which they were taken. A slice
 * that finds no free MSHR, or no room in the DRAM queue for a write-back, stops until there is. */
#ifndef SUBCORE_MEM_L2_SLICE_H
#define SUBCORE_MEM_L2_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "mem/address_map.h"
#include "mem/dram.h"
#include "mem/noc.h"
#include "port/message.h"
#include "probe/counters.h"

enum { L2_WAYS = 64 };

/* What all slices have in common. */
struct l2_model {
    struct address_map map;
    struct noc noc;
    uint32_t sets, ways, latency, sectors_per_cycle, mshrs, atomic_interval;
};

struct l2_line {
    uint64_t ready[PORT_SECTORS];  /* cycle from which the sector can be used */
    uint8_t valid, partial, dirty; /* bits of sectors; valid and partial exclude each other */
};

struct l2_slice {
    uint64_t *order;      /* [set][recency]: (line's number in the slice + 1) * L2_WAYS + its way; 0: empty */
    struct l2_line *line; /* [set][way] */
    uint64_t *mshr;       /* cycles at which they become free; ring */
    uint32_t mshr_next;
    uint32_t served;            /* sectors served in cycle `free` */
    uint64_t free;              /* first cycle in which another sector can be served */
    uint32_t index, neighbours; /* number within the group, slices of the group */
    struct noc_port port;
};

void l2_model_init(struct l2_model *model, const struct config *config);

bool l2_slice_create(struct l2_slice *slice, const struct l2_model *model, uint32_t index, uint32_t neighbours);
void l2_slice_destroy(struct l2_slice *slice);
void l2_slice_reset(struct l2_slice *slice, const struct l2_model *model);

/* Hint to the host that a request for the line comes next; changes nothing. */
void l2_slice_prefetch(const struct l2_slice *slice, const struct l2_model *model, uint64_t local);

/* Serves a request for the slice's line `local` and returns the arrival of its reply at the SM. Requests come in the
 * order of their arrivals. */
uint64_t l2_slice_serve(struct l2_slice *slice, const struct l2_model *model, struct dram *dram,
                        const struct request *request, uint64_t local, struct mem_counters *n);

#endif
