/* Looks for results that are read, or places that are overwritten, before stall counts and counters allow it, on all
 * paths through the code. It shares nothing but the decoder with the code that fills control bits in. */
#ifndef SUBCORE_TESTS_ASM_HAZARDS_H
#define SUBCORE_TESTS_ASM_HAZARDS_H

#include "isa/isa.h"

/* The number of instructions that come too early. The first one is described in `text`. */
unsigned hazards(unsigned sm, const struct isa_inst *code, size_t count, char text[static 512]);

#endif
