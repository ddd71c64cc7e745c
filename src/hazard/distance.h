/* How far apart the issue of a producer of fixed latency and of a consumer of its result must be, so that the consumer
 * sees the result. These are the distances that the hardware asks for where they were measured, and the smallest that
 * the CUDA 13 compiler keeps elsewhere; never more than compiled code keeps (docs/hazards.md has the tables). */
#ifndef SUBCORE_HAZARD_DISTANCE_H
#define SUBCORE_HAZARD_DISTANCE_H

#include <stdbool.h>

#include "isa/isa.h"

/* How an instruction takes what it reads. */
enum hazard_consumer {
    CONSUMER_ALU,
    CONSUMER_FMA,
    CONSUMER_FMAHEAVY,
    CONSUMER_HALF,
    CONSUMER_FP64,
    CONSUMER_TENSOR,
    CONSUMER_UNIFORM,
    CONSUMER_FAST_QUEUE, /* XU, TEX, LDC, what crosses lanes */
    CONSUMER_QUEUE,      /* the other memory instructions and those that go the same way */
    CONSUMER_CONTROL,    /* an operand of a branch */
    CONSUMER_GUARD,
    CONSUMERS
};

/* Whether dependence counters, not cycles, tell when the result is there and the sources have been read. */
bool hazard_is_variable(const struct isa_inst *inst, unsigned sm);
/* Results whose completion neither tells: those of warpgroup and tensor-memory instructions. They are not checked. */
bool hazard_is_unknown(const struct isa_inst *inst);

/* Of operands; guards are CONSUMER_GUARD. */
enum hazard_consumer hazard_consumer_of(const struct isa_inst *inst, unsigned sm);

/* Cycles from issue to issue, 1 or more. `resource` as in isa/resources.h. */
unsigned hazard_distance(const struct isa_inst *producer, unsigned resource, enum hazard_consumer consumer,
                         unsigned sm);

/* IMAD.WIDE takes the upper half of its accumulator this many cycles after the rest. */
enum { HAZARD_LATE_ACCUMULATOR = 2 };
bool hazard_reads_late(const struct isa_inst *consumer, unsigned resource);
/* Of an instruction of variable latency: a source that may be overwritten as soon as it has issued. */
bool hazard_reads_at_issue(const struct isa_inst *inst, unsigned resource);

/* Cycles from issue to the write of a fixed latency, or at least to that of a variable one: which of two writes lands
 * last. */
unsigned hazard_write_latency(const struct isa_inst *inst, unsigned resource, unsigned sm);

/* Returns the cycles for which the warp waits behind the instruction on GPUs of the architecture `sm`: its stall count
 * with the special encodings resolved (isa/stall.h). */
unsigned hazard_stall(struct isa_control control, unsigned sm);

#endif
