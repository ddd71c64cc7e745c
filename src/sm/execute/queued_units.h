/* All queued units of a sub-core: the rows of units.def. */
#ifndef SUBCORE_SM_QUEUED_UNITS_H
#define SUBCORE_SM_QUEUED_UNITS_H

#include "sm/execute/queued_unit.h"

#define QUEUED_UNIT_HEADERS
#include "sm/units.def"
#undef QUEUED_UNIT_HEADERS

struct queued_units {
    struct unit_ports to;
#define X(name, class, type, places, queued, stall, event, text) struct type name;
    QUEUED_UNITS(X)
#undef X
};

void queued_units_begin(struct queued_units *u);

/* Cycle from which a place in the queue of this class is free, UINT64_MAX when only an instruction that leaves frees
 * one. */
uint64_t queued_units_free(const struct queued_units *u, enum issue_class class);
/* An instruction of a class with a queue issues. */
void queued_units_push(struct queued_units *u, const struct code *code, uint8_t slot, uint64_t now);

/* Returns true if anything moved. */
bool queued_units_cycle(struct queued_units *u, uint64_t now);
uint64_t queued_units_next(const struct queued_units *u, uint64_t now);

/* A line of the constant cache is there from cycle `ready` on. Returns true if a head waited for it that moves by
 * itself. */
bool queued_units_arrives(struct queued_units *u, uint64_t line, uint64_t ready);

void queued_units_archive(struct archive *a, struct queued_units *u);

#endif
