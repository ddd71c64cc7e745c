/* The timing contract of the instruction set: the promises of hardware to code, and the duties of code. Hardware does
 * not check a dependence of fixed latency. Stall counts, dependence counters and wait masks do.
 *
 * contract.def has the tables, stall.h the rule of stall counts. The assembler (asm) keeps the bounds of all
 * architectures, the hazard checker (hazard) and --strict-hazards (gpu) ask for the exact rows, and the timing model
 * (sm) has the constants. Its own latencies are keys of the configuration; tests/hazard/distances.c compares them
 * with the rows. */
#ifndef SUBCORE_ISA_CONTRACT_H
#define SUBCORE_ISA_CONTRACT_H

#include <stdbool.h>

#include "isa/isa.h"

/* ---- the machine ------------------------------------------------------------------------------------------------- */

enum {
    ISA_LANES = 32,            /* of a warp */
    ISA_SUBCORES = 4,          /* of an SM, on every architecture with tables */
    ISA_SECTOR = 32,           /* bytes that memory moves at once */
    ISA_COUNTERS = 6,          /* dependence counters of a warp */
    ISA_COUNTER_MOST = 63,     /* they have six bits */
    ISA_COUNTER_VISIBLE = 2,   /* cycles from issue to the first issue check that sees the counter raised (MICRO 2025
                                * paper, dependence counters; seen again on A100) */
    ISA_DEPBAR_HOLDS = 4,      /* cycles from a DEPBAR to the first issue check that it holds (the same) */
    ISA_DEPBAR_HOLDS_60 = 3,   /* the same on Pascal: the least that compiled code keeps */
    ISA_STALL_MOST = 15,       /* the field has four bits */
    ISA_YIELD_FROM = 12,       /* stall counts from here on count only with yield (MICRO 2025 paper, control bits) */
    ISA_LONGEST_FIXED = 64,    /* no fixed latency takes more cycles */
    ISA_SHORTEST_VARIABLE = 8, /* no variable latency takes less: longer than any datapath; assumed */
    ISA_LATE_ACCUMULATOR = 2   /* cycles by which IMAD.WIDE takes the upper half of its accumulator later (compiled) */
};

/* Returns the cycles from a DEPBAR to the first issue check that it holds, on architecture `sm`. */
static inline unsigned isa_depbar_holds(unsigned sm) { return sm < 70 ? ISA_DEPBAR_HOLDS_60 : ISA_DEPBAR_HOLDS; }

/* ---- latency classes --------------------------------------------------------------------------------------------- */

/* Returns whether stall counts cover the class on architecture `sm`. Elsewhere a dependence counter does. */
bool isa_latency_is_fixed(enum isa_latency latency, unsigned sm);
/* Returns whether a dependence counter, not cycles, tells when the instruction's result is there and its sources have
 * been read: its class says so, or it names a counter. */
bool isa_is_variable(const struct isa_inst *inst, unsigned sm);
/* Returns whether the class is fixed on any architecture. */
bool isa_latency_may_be_fixed(enum isa_latency latency);
/* Returns whether operands of the class may stay in the register-file cache. */
bool isa_latency_may_reuse(enum isa_latency latency);

/* The counters and stalls by which control bits cover an operation. */
enum isa_told {
    ISA_TOLD,          /* when its result is there and its sources have been read */
    ISA_RESULT_UNTOLD, /* not when its result is there: products of a warpgroup, tensor memory */
    ISA_UNTOLD         /* not when it has ended: engines beside the warp */
};
enum isa_told isa_latency_told(enum isa_latency latency);

/* ---- who reads --------------------------------------------------------------------------------------------------- */

enum isa_consumer {
#define X(id, text) ISA_CONSUMER_##id,
    ISA_CONSUMERS(X)
#undef X
        ISA_CONSUMER_COUNT
};

/* Returns how the opcode takes its operands. Guards are ISA_CONSUMER_GUARD. FP64 lanes, the tensor core and
 * cross-lane operations are behind a queue where the latency is `variable`. Engines beside the warp are not. */
enum isa_consumer isa_consumer_of(enum isa_op op, bool variable);

/* Where a consumer finds the result of a fixed latency, and so how long it waits for it. */
enum isa_place {
    ISA_BYPASS,         /* a datapath; of uniform registers: the uniform datapath */
    ISA_REGISTER_FILE,  /* an instruction with a queue; of uniform registers: all but the uniform datapath */
    ISA_PREDICATE_FILE, /* of a predicate: a guard, a branch, an instruction with a queue */
    ISA_PLACES
};

/* Returns where an instruction of the opcode finds an operand, a resource of isa/resources.h. */
enum isa_place isa_place_of(enum isa_op op, bool variable, unsigned resource);

/* Returns whether the instruction takes this resource (isa/resources.h) ISA_LATE_ACCUMULATOR cycles late. */
bool isa_takes_late(const struct isa_inst *inst, unsigned resource);

/* Returns whether a source of a variable-latency instruction may be overwritten as soon as it has issued. */
bool isa_reads_at_issue(const struct isa_inst *inst, unsigned resource);

/* ---- from producer to consumer ----------------------------------------------------------------------------------- */

/* Returns the cycles, at least 1, that architecture `sm` asks for between the issue of a fixed-latency producer and
 * that of the resource's consumer (isa/resources.h), which the producer writes. */
unsigned isa_distance(const struct isa_inst *producer, unsigned resource, enum isa_consumer consumer, unsigned sm);

/* Returns cycles that are enough on every architecture from sm_70 on. */
unsigned isa_distance_bound(const struct isa_inst *producer, unsigned resource, enum isa_consumer consumer);

/* Returns the cycles from the issue of a producer to the write of the resource, or the least that a variable latency
 * takes: which of two writes lands last. */
unsigned isa_write_distance(const struct isa_inst *producer, unsigned resource, unsigned sm);

#endif
