/* Register scoreboard of a warp: the paper compares control bits with it, and it runs code without control bits.
 *
 * A pending bit for each register that can be written (RAW, WAW), and a count of the instructions that have yet to read
 * it (WAR). Those of fixed latency read in order within a fixed time, before anything issued later can write: they are
 * counted only where the configuration asks for it. Source: MICRO 2025 paper, comparison of dependence mechanisms.
 *
 * Pending bits of fixed latency go down by themselves, so they are kept as cycles. Those of variable latency, and
 * the counts, are lowered when the unit says so. */
#ifndef SUBCORE_SM_SCOREBOARD_H
#define SUBCORE_SM_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "isa/contract.h"
#include "isa/resources.h"
#include "sm/code_table.h"

/* Registers, uniform registers, predicates and uniform predicates, numbered as in isa/resources.h. */
enum { SCOREBOARD_ENTRIES = RESOURCE_BARRIER, SCOREBOARD_WORDS = (SCOREBOARD_ENTRIES + 63) / 64 };

struct register_set {
    uint64_t word[SCOREBOARD_WORDS];
};

/* Registers that an instruction reads and writes. */
struct code_registers {
    struct register_set read[ISA_PLACES], written; /* by where it finds them */
    bool fixed;                                    /* fixed latency; otherwise it says when it has written */
    bool reads, writes;                            /* it has sources that are counted, results */
    uint16_t latency[ISA_PLACES];                  /* fixed: from issue to the issue of the result's reader */
    uint16_t predicate_latency;                    /* instead of ISA_BYPASS, for a predicate */
};

/* The registers of an instruction in a table with a scoreboard. */
static inline const struct code_registers *code_registers_of(const struct code_table *table, const struct code *code)
{
    return &table->registers[code - table->code];
}

/* When a result of fixed latency is there. */
struct result_time {
    uint64_t near;
    uint8_t far, guard; /* cycles after `near` */
};

struct scoreboard {
    struct register_set pending; /* results of variable latency */
    struct register_set timed;   /* results of fixed latency that may not be there for all */
    struct register_set to_read; /* consumers is not 0 */
    struct register_set full;    /* no further consumer can be counted */
    struct register_set global;  /* pending or to read by a global or local access, for reports */
    struct register_set mio;     /* by an access to shared memory or by LDC */
    uint16_t consumers[SCOREBOARD_ENTRIES];
    struct result_time result[SCOREBOARD_ENTRIES]; /* of the registers in `timed` */
    uint32_t under_way;                            /* calls of scoreboard_read and scoreboard_written to come */
};

void scoreboard_clear(struct scoreboard *s);

/* The control bits that an instruction has under a scoreboard: none, except that LDGDEPBAR, UTMACMDFLUSH and DEPBAR
 * wait by a counter for copies, which registers do not show. `usable`: its own bits mean something. */
struct isa_control scoreboard_control(const struct isa_inst *inst, bool usable);

void scoreboard_registers(struct code_registers *out, const struct isa_inst *inst, const struct code *code,
                          const struct config_core *config);

/* The registers that hold the instruction until an event. */
struct scoreboard_wait {
    bool any, global, mio;
};
struct scoreboard_wait scoreboard_wait(const struct scoreboard *s, const struct code_registers *r);

/* First cycle, or one that is past, in which all results of fixed latency that it needs are there. */
uint64_t scoreboard_ready(struct scoreboard *s, const struct code_registers *r, uint64_t now);

/* The instruction issues. `when`: its issue plus the delay of port conflicts. `limit`: consumers that can be counted
 * for a register; 0 means all. */
void scoreboard_issue(struct scoreboard *s, const struct code_registers *r, const struct code *code, uint64_t when,
                      uint32_t limit);
/* An instruction of variable latency has read its sources, or has written its results. */
void scoreboard_read(struct scoreboard *s, const struct code_registers *r);
void scoreboard_written(struct scoreboard *s, const struct code_registers *r);

#endif
