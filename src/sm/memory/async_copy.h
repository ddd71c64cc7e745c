/* Copies from global to shared memory (LDGSTS), and the groups that LDGDEPBAR closes. */
#ifndef SUBCORE_SM_ASYNC_COPY_H
#define SUBCORE_SM_ASYNC_COPY_H

#include <stdbool.h>
#include <stdint.h>

enum { ASYNC_GROUPS = 64 };

/* A warp's copies in flight, by group. */
struct async_groups {
    uint16_t left[ASYNC_GROUPS];
    uint8_t sb[ASYNC_GROUPS]; /* counter to lower when the group and all before it have landed */
    uint8_t oldest, open;     /* open: group that new copies join */
    uint64_t raised;          /* cycle at which CONTROL raises the counter of the group closed last */
};

/* No place for another group: LDGDEPBAR waits until one has landed. */
static inline bool async_groups_full(const struct async_groups *g) { return (g->open + 1) % ASYNC_GROUPS == g->oldest; }

struct sm;

/* Issued: the copy joins the open group. */
void async_copy_join(struct sm *sm, uint16_t token);

/* The global data are there at `ready`: the copy's own counter goes down a fixed time later, and the data go on to
 * shared memory (EVENT_COPY). */
void async_copy_read(struct sm *sm, uint16_t token, uint64_t ready);

/* EVENT_COPY: the data are written to shared memory. */
void async_copy_write(struct sm *sm, uint16_t token);

/* The copy has landed in shared memory. */
void async_copy_landed(struct sm *sm, uint16_t token);

/* LDGDEPBAR: closes the open group; `sb` goes down when it and those before it have landed. Without a counter the group
 * stays open, as nobody can wait for it. */
void async_copy_close(struct sm *sm, unsigned slot, uint8_t sb, uint64_t now);

#endif
