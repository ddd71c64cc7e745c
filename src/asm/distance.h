/* How far apart a result and its use must be. */
#ifndef SUBCORE_ASM_DISTANCE_H
#define SUBCORE_ASM_DISTANCE_H

#include "isa/isa.h"

/* How an instruction takes what it reads. */
enum consumer {
    CONSUMER_MATH,  /* a datapath of fixed latency, as an operand */
    CONSUMER_QUEUE, /* a unit with a queue before it, as an operand */
    CONSUMER_GUARD, /* a guard, a branch */
    CONSUMERS
};

enum { DISTANCE_MOST_STALL = 15 };

/* Whether a counter tells when the result is there (or the sources are read), instead of a number of cycles. */
bool distance_is_variable(const struct isa_inst *inst, unsigned sm);
enum consumer distance_consumer(const struct isa_inst *inst, unsigned sm);
/* Cycles from the issue of an instruction of fixed latency until its result can be used. */
unsigned distance_cycles(const struct isa_inst *inst, unsigned resource, enum consumer consumer);
/* Least stall count behind an instruction. */
unsigned distance_issue(const struct isa_inst *inst, unsigned sm);
/* Instructions whose completion neither stall counts nor counters tell. */
bool distance_is_unknown(const struct isa_inst *inst);

#endif
