/* Operations of trace version 6 on barrier objects, and its transfers for the engine of copies. A line has registers
 * and addresses. An object's replay (gpu/trace_objects.h) wants operands and transfers. */
#ifndef SUBCORE_ACCELSIM_OBJECTS_H
#define SUBCORE_ACCELSIM_OBJECTS_H

#include "accelsim/book.h"
#include "accelsim/line6.h"
#include "isa/contract.h"

/* Bits of an address in the shared memory of a cluster behind which the rank of the CTA stands. */
enum { OBJECTS_RANK_SHIFT = 24 };

/* The warp's place, and whether our own words on a line count. */
struct place_of_warp {
    uint32_t rank; /* of its CTA in the cluster */
    bool added;
};

/* Sets space, addresses and operands of an operation on barrier objects (SYNCS, ARRIVES, STAS, REDAS). The entry is of
 * one. Returns true if the line does not tell whether a wait had an end (SYNCS.PHASECHK): accelsim/hold.h decides it
 * then. */
bool objects_operate(struct issued *issued, const struct book_entry *entry, const uint64_t address[ISA_LANES],
                     const struct line6 *line, const struct place_of_warp *place);

/* Sets the transfer of an instruction for the engine. Returns NULL, or its error; *loose becomes true if the line's
 * places are not those of a box. */
const char *objects_transfer(struct issued *issued, const struct book_entry *entry, struct line6 *line,
                             const struct place_of_warp *place, bool *loose);

#endif
