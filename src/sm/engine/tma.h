/* The engine of an SM for bulk and tensor copies (TMA).
 *
 *   issue -> commands -> set-up, one at a time -> requests, in order --> port --> L2
 *                          |    ^                                                 |
 *                          v    |                                                 v
 *                        cache of tensor maps         shared memory <-- write port <-- replies
 *                                                          |
 *                                                          v
 *                                               mbarrier, or counter of a group
 *
 * A command takes a place at issue and keeps it until all of its data have been written, or acknowledged. The engine
 * reads the uniform registers of an instruction, sets commands up in the order of issue, and then asks for their rows
 * line by line. It shares the port with the loads of warps and passes the L1 by. Data are written to shared memory
 * through its own port.
 *
 * Data for several CTAs of a cluster (multicast) are read once. Those of other SMs count at the ingress and the write
 * port of each. A message tells the other engine that all are there, and it answers. A copy from shared memory to that
 * of another SM is messages with data.
 *
 * UTMACMDFLUSH closes a group of its warp's stores and reductions: the dependence counter that it names is decremented
 * when all that the warp has asked for so far is acknowledged. */
#ifndef SUBCORE_SM_TMA_H
#define SUBCORE_SM_TMA_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/issued.h"
#include "probe/counters.h"
#include "sm/code_table.h"
#include "sm/port/port.h"
#include "sm/retire.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/source.h"

struct mbarrier_unit;
struct sm_cta;
struct sm_warp;

enum { TMA_COMMANDS = 64, TMA_MAPS = 64, TMA_CLIENT = PORT_ENGINE };

struct tma_command {
    struct transfer transfer;
    const struct code *code;
    uint64_t policy;   /* of its descriptor for the L2, 0 without one */
    uint64_t waits;    /* of a group: commands that it waits for, a bit for each */
    uint64_t from;     /* nothing happens to it before this cycle: set-up, then its first request */
    uint64_t done;     /* its data are written at this cycle, as far as that is known */
    uint32_t row;      /* that is asked for next */
    uint32_t offset;   /* in the row, of the next request */
    uint32_t expected; /* replies that have not come */
    uint32_t asked;    /* bytes that have been asked for */
    uint16_t peers;    /* ranks of other CTAs that get the data */
    uint16_t signals; /* ranks at whose barriers another CTA's data count. They get a message when these have arrived */
    uint8_t answers;  /* of the ranks that have been told something, those whose answer has not come */
    uint8_t rank;     /* of the CTA */
    uint8_t slot;     /* of the warp */
    uint8_t map;      /* entry in the map cache that it waits for (TMA_MAPS: none) */
    bool deferred;    /* the source wants to know when it is complete */
    bool begun;       /* its set-up has begun */
    bool sent;        /* all has been asked for */
    bool own_done;    /* the own CTA has its data */
};

struct tma_map {
    uint64_t address; /* 0: none */
    uint64_t used;    /* number of the look-up that used it last */
    bool coming;
};

struct tma {
    struct tma_ports {
        struct port *port;
        struct retire *retire;
        const struct sm_source *source;
        struct mbarrier_unit *objects; /* asked to look when data of a copy may have ended a phase */
        const struct warp_gates *gates;
        struct sm_warp *warp; /* [SM_WARPS] */
        const struct sm_cta *cta;
        const struct config_noc *noc;
        const struct code_table *code;
        const struct config_tma *config;
        struct sm_counters *n;
    } to;
    uint64_t used;      /* places that are taken, a bit for each */
    uint64_t finishing; /* of these, commands that wait for nothing but their `done` */
    uint64_t groups;    /* of these, groups */
    /* Places in the order of issue, modulo TMA_COMMANDS: requests are sent for `sends`, `sets` is set up. */
    uint32_t sends, sets, end;
    uint8_t order[TMA_COMMANDS];
    uint64_t set_up_free; /* the set-up of a further command may begin */
    uint64_t write_free;  /* the write port takes data from then on */
    uint64_t send_free;   /* a further request may be sent */
    uint64_t look_ups;
    struct tma_map map[TMA_MAPS];
    struct tma_command *command; /* [TMA_COMMANDS] */
};

/* Returns false if the host is out of memory. */
bool tma_init(struct tma *t, struct arena *arena);
void tma_begin(struct tma *t);

/* Returns true if no place is free. */
static inline bool tma_full(const struct tma *t)
{
    return (unsigned)__builtin_popcountll(t->used) >= t->to.config->commands;
}

/* Takes a place. There is one. Returns its number. */
uint16_t tma_take(struct tma *t);

/* An instruction issues whose place has been taken. `transfer` is that of struct issued. */
void tma_issue(struct tma *t, uint16_t place, uint8_t slot, const struct code *code, const struct issued *issued,
               uint64_t now);

/* Moves commands on. Returns true if anything moved. */
bool tma_work(struct tma *t, uint64_t now);
static inline bool tma_cycle(struct tma *t, uint64_t now) { return t->used && tma_work(t, now); }
/* Returns the earliest cycle after `now` in which anything can move by time alone. */
uint64_t tma_next(const struct tma *t, uint64_t now);
/* Takes a reply, and a message of another SM's engine; the receivers under TMA_CLIENT. */
void tma_reply(void *self, const struct reply *reply, uint64_t now);
void tma_message(void *self, const struct request *message, uint64_t now);

void tma_archive(struct archive *a, struct tma *t);
/* Its commands, which lie outside the SM. */
void tma_archive_commands(struct archive *a, struct tma *t);

#endif
