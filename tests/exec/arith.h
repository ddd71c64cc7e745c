/* A warp with its surroundings for tests of instructions that are built by hand, and random material for them. */
#ifndef SUBCORE_TESTS_EXEC_ARITH_H
#define SUBCORE_TESTS_EXEC_ARITH_H

#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/module.h"
#include "exec/table.h"
#include "oracle.h"

struct arith {
    struct exec_core core;
    struct cubin_kernel cubin;
    struct exec_kernel kernel;
    struct exec_launch launch;
    struct exec_module module; /* of sm_90 */
    struct exec_cta cta;
    struct exec_warp warp;
    struct exec_inst inst;
    uint64_t random; /* state of the generator */
    _Alignas(64) uint32_t reg[ORACLE_REGISTERS][EXEC_LANES];
    uint8_t bank[ORACLE_BANKS][ORACLE_BANK_BYTES];
};

struct arith *arith_create(uint64_t seed);
void arith_destroy(struct arith *t);

/* ---- random material -------------------------------------------------------------------------------------------- */

enum arith_values { ARITH_INTEGER, ARITH_FLOAT, ARITH_HALF, ARITH_BF16, ARITH_DOUBLE };

uint32_t arith_random(struct arith *t);
uint32_t arith_below(struct arith *t, uint32_t limit);
uint32_t arith_value(struct arith *t, enum arith_values kind);
/* All lanes, none but one, or any; never none. */
uint32_t arith_mask(struct arith *t);
/* Fills registers, predicates, uniform registers and constants. */
void arith_shuffle(struct arith *t, enum arith_values kind);

/* ---- instructions ------------------------------------------------------------------------------------------------ */

enum arith_forms {
    ARITH_REG = 1 << 0,
    ARITH_UREG = 1 << 1,
    ARITH_IMM = 1 << 2,
    ARITH_CONST = 1 << 3,
    ARITH_ANY = ARITH_REG | ARITH_UREG | ARITH_IMM | ARITH_CONST,
    ARITH_UNIFORM = ARITH_UREG | ARITH_IMM
};

struct isa_inst *arith_begin(struct arith *t, enum isa_op op);
struct isa_operand arith_register(unsigned index);
struct isa_operand arith_immediate(uint32_t value);
/* A random operand in one of the forms, `words` wide, with a random one of the flag sets (a combination of `flags`). */
struct isa_operand arith_operand(struct arith *t, unsigned forms, unsigned words, unsigned flags,
                                 enum arith_values kind);
struct isa_operand arith_destination(struct arith *t, unsigned words);
struct isa_operand arith_uniform_destination(struct arith *t, unsigned words);
struct isa_predicate arith_source(struct arith *t, bool uniform);
struct isa_predicate arith_target(struct arith *t, bool uniform);

/* Runs the instruction in every variant that this processor has and in the oracle, from the same state. The states must
 * come out the same. The state of the oracle remains. */
void arith_check(struct arith *t, uint32_t active);
/* Checks instructions that `make` builds, on random states; arith_begin has been called. */
typedef void arith_make(struct arith *t, struct isa_inst *i);
void arith_try(enum isa_op op, arith_make *make, enum arith_values kind, unsigned trials);
/* Runs one variant without the oracle. */
void arith_run(struct arith *t, exec_fn *const *table, uint32_t active);

#endif
