/* A kernel's code as the checker needs it: the reads and writes of each instruction, with their kinds. */
#ifndef SUBCORE_HAZARD_CODE_H
#define SUBCORE_HAZARD_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/contract.h"

/* Variable-latency instructions in one of these classes finish in the order in which they issue, so that a compiler
 * lets only the last of a run set a counter (docs/hazards.md). */
enum hazard_order {
    ORDER_NONE,
    ORDER_SHARED,  /* shared memory, shuffles, MOVM */
    ORDER_XU,      /* conversions and functions */
    ORDER_TENSOR,  /* where it has a variable latency: sm_75 */
    ORDER_TEXTURE, /* textures and surfaces */
    ORDER_CONSTANT,
    ORDER_SPECIAL, /* special registers */
    ORDER_DOUBLE,
    ORDER_UNIFORM, /* to uniform registers */
    ORDER_GROUP,   /* LDGDEPBAR */
    ORDER_LANES,   /* loads from tensor memory */
    ORDERS
};

/* Where instructions of variable latency wait until their sources are read, one after the other. */
enum hazard_queue { QUEUE_NONE, QUEUE_MEMORY, QUEUE_XU, QUEUE_DOUBLE, QUEUE_TENSOR, QUEUE_UNIFORM, QUEUES };

struct hazard_use {
    uint16_t resource; /* as in isa/resources.h */
    uint16_t place;    /* number of the resource among those that the kernel uses */
    bool guard;
    bool with_sources; /* a result that is there when the sources have been read: the predicate of ATOM */
};

struct hazard_inst {
    const struct isa_inst *inst;
    uint32_t first_read, reads, first_write, writes; /* in struct hazard_code.use */
    uint8_t stall;
    uint8_t wait, write_sb, read_sb;
    uint8_t consumer; /* enum isa_consumer */
    uint8_t order, queue;
    uint8_t depbar_sb, depbar_max, depbar_list;
    bool variable, unknown, depbar;
    bool drains; /* the warp continues only when its memory queue is empty up to here: BAR.SYNC and its kind */
};

struct hazard_code {
    unsigned sm;
    uint32_t count;         /* instructions */
    struct isa_inst *isa;   /* [count], owned */
    struct hazard_inst *at; /* [count] */
    struct hazard_use *use;
    size_t uses, room;
    uint32_t places;
    bool products; /* it has matrix products of warpgroups */
};

/* Takes a copy of `count` instructions, `stride` bytes from each other. False: no memory. */
bool hazard_code_build(struct hazard_code *code, unsigned sm, const struct isa_inst *first, size_t stride,
                       uint32_t count);
/* Returns true if it was built from the same instructions. */
bool hazard_code_is(const struct hazard_code *code, const struct isa_inst *first, size_t stride, uint32_t count);
void hazard_code_free(struct hazard_code *code);

#endif
