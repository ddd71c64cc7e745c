/* Pascal's instructions from their 64 bits to their results. Registers: R0 the result, R1 to R6 the sources of a case.
 * A pair begins at the even one. */
#ifndef SUBCORE_TESTS_EXEC_PASCAL_RIG_H
#define SUBCORE_TESTS_EXEC_PASCAL_RIG_H

#include "arith.h"
#include "exec/pascal/stack.h"
#include "isa/pascal.h"

enum { TRIALS = 200, D = 0, A = 1, B = 2, C = 3, PT = 7 };

struct pascal {
    struct arith *t;
    struct isa_decoder *decoder;
    struct exec_stack stack;
};

/* Makes a warp of sm_60 with random registers. */
struct pascal *pascal_create(void);
void pascal_destroy(struct pascal *p);
/* Decodes the word and executes it for all lanes. */
void pascal_run(struct pascal *p, uint64_t word);
/* Fills R1 to R6 anew, with numbers of all sizes. */
void pascal_fill(struct pascal *p);

/* A result for each lane of the three sources. */
typedef uint32_t pascal_expected(uint32_t a, uint32_t b, uint32_t c);

/* Compares the instruction's results with those of `of`, on random sources. */
void pascal_check(uint64_t word, pascal_expected *of);

/* An instruction with its registers, without a guard. */
static inline uint64_t word(unsigned opcode, unsigned d, unsigned a, unsigned b, unsigned c)
{
    return (uint64_t)opcode << 48 | (uint64_t)c << 39 | (uint64_t)b << 20 | PT << 16 | (uint64_t)a << 8 | d;
}

static inline uint64_t bits(uint64_t value, unsigned at) { return value << at; }

static inline uint32_t *r(struct pascal *p, unsigned index) { return p->t->reg[index]; }
static inline int32_t s(uint32_t v) { return (int32_t)v; }

#endif
