/* The prediction of a warp's next instruction, for the coder of streams. Writer and reader keep the same state, and
 * only deviations are in the file (docs/trace-format.md).
 *
 * A pc that once came otherwise than plain (goes on at the next pc with the same lanes, all of which are active, and
 * accesses nothing) has a slot, which remembers its last outcome. Slots are few, so that pcs may share one: it holds
 * the state of the pc that used it last, and the others are expected to be plain. */
#ifndef SUBCORE_TRACE_PREDICT_H
#define SUBCORE_TRACE_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "isa/issued.h"
#include "trace/dictionary.h"

/* Flags of an instruction that comes otherwise, and the order of the fields behind them. */
enum trace_otherwise {
    TRACE_ACTIVE = 1,   /* active lanes: 4 bytes */
    TRACE_ACCESS = 2,   /* space, with TRACE_TWO where there are second addresses; bytes a lane */
    TRACE_REST = 4,     /* enum trace_rest, and its data */
    TRACE_PATTERN = 8,  /* number + 1 (0: differences of neighbours follow) */
    TRACE_BASE = 16,    /* signed, from the prediction */
    TRACE_NEAR = 32,    /* with BASE: signed, from the base of the access before */
    TRACE_SECOND = 64,  /* PATTERN, BASE, NEAR of the second addresses, and their fields */
    TRACE_OUTCOME = 128 /* enum trace_outcome_flag, and its data */
};

enum { TRACE_TWO = 0x80, TRACE_TRANSFERS = 16 };

enum trace_rest {
    TRACE_SLEEP = 1,     /* number */
    TRACE_ZERO_FILL = 2, /* 4 bytes */
    TRACE_POLICY = 4,    /* number (TRACE_POLICIES_MOST: 8 bytes follow) */
    TRACE_TRANSFER = 8,  /* the bytes that trace_transfer_put writes */
    TRACE_VALUES = 16    /* a byte */
};

/* Low two bits: enum issued_flow. */
enum trace_outcome_flag {
    TRACE_OTHER = 4,     /* nothing follows: the slot's other outcome */
    TRACE_TARGET = 8,    /* signed, instructions from the next one */
    TRACE_LANES_TO = 16, /* 4 bytes: lanes of the path it continues with; without: the same ones */
    TRACE_BARRIER = 32,  /* number of the barrier and warps it waits for */
    TRACE_ARRIVE = 64
};

/* How a warp continues. */
struct trace_outcome {
    uint32_t next; /* pc / 16 */
    uint32_t path; /* lanes, when not `keep` */
    uint16_t barrier_warps;
    uint8_t flow, barrier;
    bool keep; /* the same lanes */
    bool arrive;
};

struct trace_flow_slot {
    uint32_t tag;    /* key + 1 (0: not used) */
    uint32_t active; /* lanes, when not `all` */
    bool all;        /* every lane of the path was active */
    struct trace_outcome last, other;
};

struct trace_access_slot {
    uint64_t base;
    int32_t delta;
    uint32_t tag;     /* key + 1 (0: not used) */
    uint16_t pattern; /* TRACE_NO_PATTERN: none of the dictionary */
    uint8_t space, bytes, policy;
    bool two;    /* has second addresses */
    bool steady; /* delta was right the last time */
};

struct trace_predictor {
    uint32_t pc, path;                /* pc / 16 and lanes of the instruction to come */
    struct transfer *transfer;        /* owned: [TRACE_TRANSFERS], by pc / 16 (NULL: there has been none) */
    uint64_t near[2];                 /* bases of the last access, and the last second one */
    struct trace_flow_slot *flow;     /* owned: as many as can be in use, at most TRACE_FLOW_SLOTS */
    struct trace_access_slot *access; /* owned */
    uint32_t flows, accesses;
};

/* Slots for so many places. False: no memory. */
bool trace_predictor_init(struct trace_predictor *p, uint32_t flows, uint32_t accesses);
void trace_predictor_free(struct trace_predictor *p);
/* Nothing is known, and the warp is at this pc / 16. No stream before had more places than these. */
void trace_predictor_start(struct trace_predictor *p, uint32_t flows, uint32_t accesses, uint32_t pc, uint32_t path);

static inline struct trace_outcome trace_plain_outcome(uint32_t pc)
{
    return (struct trace_outcome){.next = pc + 1, .flow = ISSUED_NEXT, .keep = true};
}

/* Makes room for the transfers of the stream. Returns false if there is no memory. */
bool trace_predictor_transfers(struct trace_predictor *p);

/* NULL: expected to be plain. */
static inline struct trace_flow_slot *trace_flow_slot(struct trace_predictor *p, const struct trace_dictionary *d,
                                                      uint32_t pc)
{
    unsigned place = trace_place(&d->flow, pc);
    return place && p->flow[place - 1].tag == pc + 1 ? &p->flow[place - 1] : NULL;
}

static inline struct trace_access_slot *trace_access_slot(struct trace_predictor *p, const struct trace_dictionary *d,
                                                          uint32_t key)
{
    unsigned place = trace_place(&d->access, key);
    return place && p->access[place - 1].tag == key + 1 ? &p->access[place - 1] : NULL;
}

/* The slot of a pc that has a place, taken from another pc if need be: then in the state that is plain. */
static inline struct trace_flow_slot *trace_flow_claim(struct trace_predictor *p, const struct trace_dictionary *d,
                                                       uint32_t pc)
{
    struct trace_flow_slot *s = &p->flow[trace_place(&d->flow, pc) - 1u];
    if (s->tag != pc + 1)
        *s = (struct trace_flow_slot){
            .tag = pc + 1, .all = true, .last = trace_plain_outcome(pc), .other = trace_plain_outcome(pc)};
    return s;
}

static inline struct trace_access_slot *trace_access_claim(struct trace_predictor *p, const struct trace_dictionary *d,
                                                           uint32_t key)
{
    struct trace_access_slot *s = &p->access[trace_place(&d->access, key) - 1u];
    if (s->tag != key + 1)
        *s = (struct trace_access_slot){.tag = key + 1};
    return s;
}

static inline uint32_t trace_expected_active(const struct trace_flow_slot *s, uint32_t path)
{
    return !s || s->all ? path : s->active & path;
}

/* Returns whether an outcome, except for its next pc and lanes, is that of a plain instruction. */
static inline bool trace_falls_through(const struct trace_outcome *o)
{
    return o->flow == ISSUED_NEXT && !o->arrive && !o->barrier && !o->barrier_warps;
}

static inline bool trace_same_outcome(const struct trace_outcome *a, const struct trace_outcome *b)
{
    return a->next == b->next && a->flow == b->flow && a->keep == b->keep && a->path == b->path &&
           a->arrive == b->arrive && a->barrier == b->barrier && a->barrier_warps == b->barrier_warps;
}

/* After an outcome that was not the last one again. */
static inline void trace_learn_outcome(struct trace_flow_slot *s, const struct trace_outcome *actual)
{
    s->other = s->last;
    s->last = *actual;
}

/* After every access with lanes. */
static inline void trace_learn_base(struct trace_access_slot *s, uint64_t base)
{
    uint64_t delta = base - s->base;
    bool right = delta == (uint64_t)(int64_t)s->delta;
    if (!right && !s->steady)
        s->delta = (int64_t)delta == (int32_t)delta ? (int32_t)delta : 0;
    s->steady = right;
    s->base = base;
}

#endif
