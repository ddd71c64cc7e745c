/* Barrier objects in shared memory (mbarrier) from sm_90 on. Objects that were read on an H200 (2026-11-27; the
 * recording is not kept in the repository), and the code that initializes and reads one, tell that an object is
 *
 *   63     62       43 42  41     21 20       1  0
 *   +-----+-----------+---+---------+----------+---+
 *   |phase| -pending  | 0 | -bytes  | -expected| 0 |
 *   +-----+-----------+---+---------+----------+---+
 *
 * in two's complement: bytes of transactions have a sign, since they may be completed before they are expected. When no
 * arrival and no byte is pending the phase turns over, and the arrivals that are pending are those that are expected
 * again, all in the operation that brings the last of them. */
#ifndef SUBCORE_EXEC_MBARRIER_H
#define SUBCORE_EXEC_MBARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_core;
struct exec_cta;

enum {
    MBARRIER_BYTES = 8,            /* of an object, which is aligned to them */
    MBARRIER_MOST = (1 << 20) - 1, /* arrivals, and bytes either way (PTX ISA, "mbarrier object") */
    MBARRIER_NAME = 160            /* bytes of text that describe an object */
};

/* The effect of one operation on an object: bytes first, then arrivals, then the test of completion. */
struct mbarrier_arrival {
    uint32_t count;   /* arrivals */
    uint32_t dropped; /* of these, threads that are not expected in later phases */
    int64_t bytes;    /* above 0: expected from now on; below 0: completed */
};

enum mbarrier_error {
    MBARRIER_OK,
    MBARRIER_UNUSED,  /* the object was never initialized, or all its threads have dropped out */
    MBARRIER_PENDING, /* more arrivals than are pending */
    MBARRIER_RANGE    /* more than MBARRIER_MOST bytes would be pending, or completed in advance */
};

/* Returns the object that expects `count` arrivals in each phase, 1 to MBARRIER_MOST. */
uint64_t mbarrier_object(uint32_t count);

/* Returns the phase, 0 or 1; the pending and expected arrivals. The bytes that are pending. */
unsigned mbarrier_phase(uint64_t object);
uint32_t mbarrier_pending(uint64_t object);
uint32_t mbarrier_expected(uint64_t object);
int32_t mbarrier_bytes(uint64_t object);

/* Operates on an object. An object with an error stays as it is. */
enum mbarrier_error mbarrier_operate(uint64_t *object, struct mbarrier_arrival by);

/* Writes "mbarrier 0x400 (phase 1, 3 of 4 arrivals and 4096 bytes pending)". */
void mbarrier_describe(uint32_t offset, uint64_t object, char text[static MBARRIER_NAME]);
/* Returns the error, as the end of a sentence that begins with the object. */
const char *mbarrier_error_text(enum mbarrier_error error);

/* ---- objects of a CTA ------------------------------------------------------------------------------------------- */

/* Returns whether an object can be at this offset of the CTA's shared memory. */
bool mbarrier_inside(const struct exec_cta *cta, uint32_t offset);
/* Return the object at an offset, which is good; change it. */
uint64_t mbarrier_read(const struct exec_cta *cta, uint32_t offset);
void mbarrier_write(struct exec_cta *cta, uint32_t offset, uint64_t object);

/* Does an arrival that no instruction of this core executes now: one by an engine, by copies that have landed, or by
 * another SM's warp whose message is there. `offset` is in bytes, without a rank. The CTA is one of the core's, which
 * faults and returns false if the object takes no such arrival. */
bool mbarrier_arrive(struct exec_core *core, struct exec_cta *cta, uint32_t offset, struct mbarrier_arrival by);
/* Completes so many bytes, after an engine has written them. */
bool mbarrier_complete(struct exec_core *core, struct exec_cta *cta, uint32_t offset, uint32_t bytes);

#endif
