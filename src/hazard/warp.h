/* The rules: the guarantees of a warp's control bits when it issues an instruction.
 *
 * Time is virtual. It advances by stall counts alone, so that it is a lower bound for every run: cycles in which
 * other warps issued, or in which a cache was slow, do not hide a stall count that is too small. A result of
 * variable latency is there only when its counter, or that of a later instruction in the same order, was waited for.
 * docs/hazards.md explains each rule. */
#ifndef SUBCORE_HAZARD_WARP_H
#define SUBCORE_HAZARD_WARP_H

#include "hazard/code.h"
#include "hazard/found.h"
#include "hazard/products.h"

/* A result or a read under way, in a list of its place. */
struct hazard_access {
    uint32_t inst;     /* index in the code */
    uint32_t lanes;    /* for which it still counts */
    uint64_t time;     /* virtual, at issue */
    uint64_t cycle;    /* of the run, at issue */
    uint64_t written;  /* cycle of the run from which consumers may issue (UINT64_MAX: not yet) */
    bool with_sources; /* as in struct hazard_use */
    uint32_t next;     /* in the pool (0: end of the list) */
};

struct hazard_place {
    uint32_t writes, reads; /* heads of lists */
};

/* Instructions that hold a counter, in the order of issue. */
struct hazard_holder {
    uint64_t time;
    uint8_t order, queue;
    bool writes; /* until its result is written, else until its sources are read */
};

struct hazard_counter {
    struct hazard_holder *holder;
    uint32_t first, count, room;
    uint64_t done;      /* holders that issued no later have let go */
    uint64_t soon;      /* the same, as a DEPBAR has found, ... */
    uint64_t soon_from; /* ... for instructions that issue from then on (0: none) */
    uint32_t depbar;    /* its pc */
};

struct hazard_warp {
    bool used, failed;
    unsigned sm; /* of the code */
    uint64_t cta;
    uint64_t time;              /* of the next issue, at the earliest */
    uint64_t waited;            /* results that were waited for are not there before */
    struct hazard_access *pool; /* [0] is not used */
    uint32_t pooled, room, unused;
    struct hazard_place *place; /* [code->places] */
    struct hazard_counter counter[ISA_COUNTERS];
    uint64_t order_done[ORDERS];      /* instructions of the order that issued no later have finished */
    struct hazard_products *products; /* NULL: the code has none */
    uint64_t read_done[QUEUES];       /* instructions of the queue that issued no later have read their sources */
};

/* One instruction of a warp issues. */
struct hazard_issue {
    uint32_t index;        /* in the code */
    uint32_t path, active; /* lanes; of these, lanes whose guard holds */
    uint64_t cycle;        /* of the run */
    bool timed;            /* `cycle` means something */
    uint16_t sm;
    uint32_t slot, warp;
};

/* Nothing under way. False: no memory. */
bool hazard_warp_start(struct hazard_warp *warp, const struct hazard_code *code, uint64_t cta);
void hazard_warp_free(struct hazard_warp *warp);

void hazard_warp_issue(struct hazard_warp *warp, const struct hazard_code *code, const struct hazard_issue *issue,
                       struct hazard_found *found);

/* Consumers of the instruction's oldest unwritten result may issue from `cycle` on. */
void hazard_warp_written(struct hazard_warp *warp, const struct hazard_code *code, uint32_t index, uint64_t cycle);

#endif
