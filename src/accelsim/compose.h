/* An instruction of which only the mnemonic and the general registers are known, as a line of SASS: a row of the
 * tables with those registers in it and the plainest other operands. */
#ifndef SUBCORE_ACCELSIM_COMPOSE_H
#define SUBCORE_ACCELSIM_COMPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/table.h"

enum { COMPOSE_REGISTERS = 8 };

/* The trace's facts on an instruction. */
struct sketch {
    const char *mnemonic; /* with modifiers; not terminated */
    size_t length;
    bool destination;  /* reg[0] is operand 0 */
    uint8_t registers; /* of reg: the destination, then sources, in the order of printing; 255 is RZ */
    uint8_t reg[COMPOSE_REGISTERS];
    uint16_t constant;     /* offset in bank 0 that stands for constants */
    uint8_t result, guard; /* predicates that stand for that of a comparison and for that of a guard (ISA_PT: none) */
    uint16_t width;        /* bytes a lane accesses, as the trace says (0: no memory) */
    int64_t immediate;     /* the last one that is a whole number (0: none) */
    bool group;            /* it is the last product of a warpgroup's group */
    bool immediate_known;  /* the trace has immediates: 0 means that there is none */
};

/* How well a row fits the registers of a sketch. */
enum fit { FIT_EXACT, FIT_PADDED, FIT_LOOSE, FITS };

/* Rows of a lower rank are more likely: with a place for the sketch's immediate, or without one where it has none; and
 * without constants and uniform registers, which a trace does not show. */
enum { COMPOSE_RANKS = 4 };
unsigned compose_rank(const struct isa_decoder *table, const struct table_entry *entry, const struct sketch *sketch);

/* Puts the line into `out` with the given mnemonic in place of the sketch's. False: the row has not the place, or has
 * more than the fit allows. FIT_PADDED lets registers of the row be RZ, FIT_LOOSE leaves registers of the sketch out.
 * `immediate`: the sketch's own goes into the row's last number, otherwise all numbers are 0. */
bool compose(const struct isa_decoder *table, const struct table_entry *entry, const struct sketch *sketch,
             const char *mnemonic, enum fit fit, bool immediate, char out[static ISA_TEXT]);

#endif
