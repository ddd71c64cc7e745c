/* Operand collectors of the legacy core, and the register banks that they read.
 *
 *   latch of the unit -> collector of the sub-core -> reads, a bank each -> input of the unit
 *
 * An instruction waits in a collector for its registers. Each wants an access of its bank: register plus warp slot,
 * modulo the sub-core's banks. A bank serves one access in a step, first come first served, and a write of a result
 * takes the first step of its cycle. The steps of a cycle (legacy.operand_steps) go: ready instructions leave, banks
 * are read, instructions enter. So an instruction without conflict is in a collector for one cycle, and a third operand
 * of one bank costs a step.
 *
 * An instruction that enters takes the lowest free collector of its sub-core. Of those that are ready for one unit the
 * first behind the sub-core that sent last goes. The lower collector of a sub-core therefore overtakes the higher one
 * for as long as new instructions come: with a unit that takes one each two cycles a stream of one warp loses a quarter
 * of its rate, as in the simulator that this core follows (GPGPU-Sim 4). */
#ifndef SUBCORE_SM_LEGACY_COLLECTORS_H
#define SUBCORE_SM_LEGACY_COLLECTORS_H

#include "base/ring.h"
#include "config/config.h"
#include "probe/counters.h"
#include "sm/legacy/latches.h"
#include "sm/scheduler/warp_gate.h"

struct code_table;

enum { LEGACY_COLLECTORS = 64, LEGACY_BANKS = 64, LEGACY_DISPATCH = 32, LEGACY_WAITING = 128 };

struct legacy_collector {
    struct legacy_op op; /* not used: it is free */
    uint8_t unit;
    uint8_t missing; /* registers that have not been read */
};

/* Reads that wait for a bank: numbers of collectors. */
struct legacy_bank {
    uint8_t head, count;
    uint8_t collector[LEGACY_WAITING];
};
_Static_assert(LEGACY_WAITING >= LEGACY_COLLECTORS / SM_SUBCORES * CODE_READS, "every operand of a sub-core");

struct legacy_collectors {
    struct legacy_collector_ports {
        const struct config_legacy *config;
        const struct code_table *code;
        const struct warp_gates *gates;
        struct legacy_latches *in, *out;
        struct sm_counters *n;
    } to;
    struct legacy_collector collector[LEGACY_COLLECTORS];
    struct legacy_bank bank[LEGACY_BANKS];
    uint64_t waiting;              /* banks that are asked */
    uint64_t written;              /* banks whose next step a write takes */
    uint64_t ready;                /* collectors whose registers are there */
    uint32_t count;                /* that hold an instruction */
    uint8_t last[LEGACY_DISPATCH]; /* the collector that each dispatch port has served last */
};

void legacy_collectors_begin(struct legacy_collectors *c);

/* Returns the bank of a register, for the warp in this slot. */
unsigned legacy_bank_of(const struct config_legacy *config, unsigned reg, uint32_t slot);

/* A result takes the bank for a step. Returns false if another has it. */
bool legacy_collectors_write(struct legacy_collectors *c, unsigned bank);

/* The steps of a cycle. Returns true if anything moved. */
bool legacy_collectors_cycle(struct legacy_collectors *c);

static inline bool legacy_collectors_idle(const struct legacy_collectors *c) { return !c->count && !c->written; }

#endif
