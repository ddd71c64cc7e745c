/* Copies from global to shared memory (LDGSTS), and the groups that LDGDEPBAR closes. */
#ifndef SUBCORE_SM_ASYNC_COPY_H
#define SUBCORE_SM_ASYNC_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct calendar;
struct mbarrier_unit;
struct config_lsu;
struct delivery;
struct pending_table;
struct retire;
struct shared_memory;
struct sm_warp;

enum { ASYNC_GROUPS = 64 };

/* A warp's copies in flight, by group. */
struct async_groups {
    uint16_t left[ASYNC_GROUPS];
    uint8_t sb[ASYNC_GROUPS];       /* counter to lower when the group and all before it have landed */
    uint16_t arrival[ASYNC_GROUPS]; /* instead: the token, plus 1, of an arrival at a barrier object (0: none) */
    uint8_t oldest, open;           /* open: group that new copies join */
    uint64_t raised;                /* cycle at which CONTROL raises the counter of the group closed last */
};

/* No place for another group: LDGDEPBAR waits until one has landed. */
static inline bool async_groups_full(const struct async_groups *g) { return (g->open + 1) % ASYNC_GROUPS == g->oldest; }

/* Ports alone: the state is that of warps and accesses. */
struct async_copies {
    struct sm_warp *warp; /* [SM_WARPS] */
    struct pending_table *table;
    struct shared_memory *shared;
    const struct delivery *delivery;
    struct mbarrier_unit *objects;
    struct retire *retire;
    struct calendar *calendar;
    const struct config_lsu *config;
};

/* Joins a copy that issues to the open group. */
void async_copy_join(const struct async_copies *c, uint16_t token);

/* The global data are there at `ready`: the copy's own counter is decremented a fixed time later, and the data go on to
 * shared memory (EVENT_COPY). */
void async_copy_read(const struct async_copies *c, uint16_t token, uint64_t ready);

/* EVENT_COPY: writes the data to shared memory. */
void async_copy_write(const struct async_copies *c, uint16_t token, uint64_t now);

/* The copy has landed in shared memory. */
void async_copy_landed(const struct async_copies *c, uint16_t token, uint64_t now);

/* LDGDEPBAR: closes the open group; `sb` goes down when the group and those before it have landed. Without a counter
 * the group stays open, as no instruction can wait for it. */
void async_copy_close(const struct async_copies *c, unsigned slot, uint8_t sb, uint64_t now);

/* ARRIVES issues: closes the open group; mbarrier_unit_landed is called when the group and those before it have
 * landed. There is a place for the group. */
void async_copy_arrive(const struct async_copies *c, unsigned slot, uint16_t token, uint64_t now);

#endif
