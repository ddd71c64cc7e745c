/* Instructions from the facts of a trace: mnemonic, general registers, width. The result is a machine word of the
 * architecture's tables with the right opcode, modifiers and registers. Predicates, uniform registers, constants and
 * control bits, which the trace does not have, are the plainest. */
#ifndef SUBCORE_ACCELSIM_SYNTHESIS_H
#define SUBCORE_ACCELSIM_SYNTHESIS_H

#include "accelsim/compose.h"
#include "base/status.h"

enum synthesis_kind {
    SYNTHESIS_KNOWN,    /* the mnemonic is in the tables, or its name of another generation is */
    SYNTHESIS_STAND_IN, /* another generation's name: an instruction that takes the same way stands for it */
    SYNTHESIS_UNKNOWN   /* an unknown mnemonic: by the look of its name and its operands */
};

struct synthesis;

/* Architecture whose tables serve code of this one: 70 for older code, the next older one otherwise. */
unsigned synthesis_architecture(unsigned binary);

struct synthesis *synthesis_create(unsigned architecture, struct status *status);
void synthesis_destroy(struct synthesis *s);

/* Returns the decoder of the same architecture. It lives as long as `s`. */
const struct isa_decoder *synthesis_decoder(const struct synthesis *s);

/* Fills *out. Its pc is 0 and its control bits are 0 in the word. */
enum synthesis_kind synthesis_make(struct synthesis *s, const struct sketch *sketch, struct isa_inst *out);

#endif
