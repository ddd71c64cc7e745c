/* A machine with one CTA whose kernel a test writes by hand.
 *
 *   struct machine *m = machine_create(true, 32);
 *   add(m, special(0, MACHINE_LANE));                    R0 = lane
 *   add(m, compare(0, MACHINE_LT, 0, 16));               P0 = R0 < 16
 *   add(m, when(0, jump(4)));                            @P0 BRA 4
 *   ...
 *   machine_begin(m);
 *   machine_run(m, 0);                                   warp 0 until it exits or waits at a CTA barrier
 *   assert_path(m, 0, 0, ALL);                           its record: step, instruction, lanes
 */
#ifndef SUBCORE_TESTS_EXEC_MACHINE_H
#define SUBCORE_TESTS_EXEC_MACHINE_H

#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/module.h"
#include "tests/unit.h"

enum { MACHINE_CODE = 256, MACHINE_STEPS = 65536, MACHINE_REGISTERS = 32, RZ = ISA_RZ, PT = ISA_PT };
enum { MACHINE_LANE = 0, MACHINE_TID_X = 33 };
enum { MACHINE_LT = 1, MACHINE_EQ = 2, MACHINE_NE = 5, MACHINE_GE = 6 };
enum { MACHINE_U32 = 0, MACHINE_S32 = 1, MACHINE_U64 = 2, MACHINE_F32_FTZ = 3, MACHINE_S64 = 5 };
#define ALL UINT32_MAX

struct machine_step {
    uint32_t warp, pc, path, active, next_pc;
    uint8_t flow;
};

struct machine {
    struct memory *memory;
    struct arena arena; /* accesses in flight */
    struct cubin_kernel cubin;
    struct exec_kernel kernel;
    struct exec_module module;
    struct exec_launch launch;
    struct exec_core core;
    struct exec_cta *cta;
    struct exec_inst code[MACHINE_CODE + 1];
    uint8_t bank0[65536];
    struct issued out; /* of the last step */
    struct machine_step step[MACHINE_STEPS];
    uint32_t steps;
    uint32_t token; /* of the next step in a deferred core */
};

struct machine *machine_create(bool immediate, uint32_t threads);
void machine_destroy(struct machine *m);
/* The code is complete: it can run. */
void machine_prepare(struct machine *m);
/* The same, and CTA 0 is started. */
void machine_begin(struct machine *m);
/* One instruction of a warp. The record is step[steps - 1] and `out`. The next place that the step before gave to the
 * warp on is checked. */
void machine_step(struct machine *m, uint32_t warp);
/* Until the warp exits or waits at a CTA barrier. Fails the test after MACHINE_STEPS steps or on a fault. */
void machine_run(struct machine *m, uint32_t warp);

/* Number of the instruction. */
uint32_t add(struct machine *m, struct isa_inst inst);

struct isa_inst inst(enum isa_op op);
struct isa_operand reg(unsigned index);
struct isa_operand wide(unsigned index, unsigned words);
struct isa_operand value(uint32_t immediate);
struct isa_predicate predicate(unsigned index, bool inverted);

struct isa_inst move(unsigned d, uint32_t immediate);
struct isa_inst add_to(unsigned d, unsigned a, uint32_t immediate);
struct isa_inst add_registers(unsigned d, unsigned a, unsigned b);
struct isa_inst special(unsigned d, unsigned number);
struct isa_inst compare(unsigned p, unsigned how, unsigned a, uint32_t immediate);
struct isa_inst jump(uint32_t target);
struct isa_inst plain(enum isa_op op, unsigned barrier); /* BSSY, BSYNC, BREAK, EXIT, YIELD, NOP */
struct isa_inst global_load(unsigned d, unsigned a, int32_t offset, unsigned size);
struct isa_inst global_store(unsigned a, int32_t offset, unsigned b, unsigned size);
struct isa_inst when(unsigned p, struct isa_inst guarded);
struct isa_inst unless(unsigned p, struct isa_inst guarded);

/* Registers 2n and 2n+1 of all lanes hold base + lane * stride. */
void set_addresses(struct machine *m, uint32_t warp, unsigned r, uint64_t base, uint64_t stride);

static inline uint32_t *row(struct machine *m, unsigned r) { return m->cta->warps[0].reg[r]; }

#define assert_path(m, n, index, lanes)                                                                                \
    do {                                                                                                               \
        assert_true((n) < (m)->steps);                                                                                 \
        assert_int_equal((m)->step[n].pc, 16u * (index));                                                              \
        assert_int_equal((m)->step[n].path, lanes);                                                                    \
    } while (0)

#endif
