/* A plain state machine of barrier objects, and instructions on several of them, for comparison.
 *
 * It is written from the PTX ISA's text ("mbarrier object", "phase of the mbarrier object", "arrive-on operation",
 * "expect-tx" and "complete-tx operation"). */
#ifndef SUBCORE_TESTS_EXEC_MBARRIER_MODEL_H
#define SUBCORE_TESTS_EXEC_MBARRIER_MODEL_H

#include "exec/memory/mbarrier.h"
#include "machine.h"

struct model {
    uint64_t phase; /* number of the phase that is not complete */
    int64_t pending, expected, transactions;
};

enum { OBJECTS = 3, ADDRESS = 4, OPERAND = 6, RESULT = 8, AT = 64, APART = 40 };
/* As the encodings have them. */
enum { A1TR, A1T0, A0T1, A0TR, A0TX, ART0, MODES };
enum { STATE, TMASK, RED };

struct trial {
    struct model object[OBJECTS];
    uint32_t active, operand[EXEC_LANES];
    unsigned which[EXEC_LANES];
};

/* Returns a random number below the limit. */
uint32_t model_draw(uint32_t limit);
/* Arrives and moves transactions, and completes the phase if it can. */
void model_arrive(struct model *o, int64_t count, int64_t expect, int64_t complete, bool drop);
/* Returns the word that compiled code reads. */
uint64_t model_encode(const struct model *o);

/* Returns an arrival with one of the modes above, whose result is one of the kinds above. */
struct isa_inst model_arrival(unsigned mode, unsigned result, bool drop);
/* Returns a test of a phase, which tries for a while or not. Its result is predicate 1. */
struct isa_inst model_test(bool tries);
/* Makes a machine of sm_90 whose first instruction is `i`, for the lanes of predicate 0. */
struct machine *model_machine(struct isa_inst i, bool immediate);
/* Draws a trial with enough pending that no lane's arrivals are too many, now and then just so many. */
struct trial model_trial(unsigned mode);
/* Puts the trial's objects into shared memory, and its operands into the registers. */
void model_begin(struct machine *m, const struct trial *t);
/* The objects in shared memory are the trial's. */
void model_assert(const struct machine *m, const struct trial *t);

static inline uint64_t get(const struct machine *m, unsigned object)
{
    return mbarrier_read(m->cta, AT + APART * object);
}

static inline void put(struct machine *m, unsigned object, uint64_t word)
{
    mbarrier_write(m->cta, AT + APART * object, word);
}

#endif
