/* From an instruction of Pascal to the decoded form of all architectures. */
#ifndef SUBCORE_ISA_PASCAL_TRANSLATE_H
#define SUBCORE_ISA_PASCAL_TRANSLATE_H

#include "isa/pascal_parts.h"

/* An instruction in the making. `source` are its sources in the order in which they are printed. */
struct translation {
    const struct pascal_parts *parts;
    struct isa_inst *out;
    struct isa_operand *source[5];
    uint8_t sources;
};

/* Finishes an instruction whose opcode, modifiers and operands are there. */
typedef void pascal_step(struct translation *t);

/* Returns the value of the n-th modifier with that name, from 0 on; 0 if there is none. */
unsigned pascal_modifier(const struct pascal_parts *parts, const char *name, unsigned n);
/* Returns the n-th operand of that letter, or NULL. */
const struct pascal_operand *pascal_letter(const struct pascal_parts *parts, char letter, unsigned n);
/* Takes the last source away, which is a number. Returns its value. */
uint32_t pascal_take_number(struct translation *t);
/* Makes it an instruction that is only printed. */
void pascal_refuse(struct translation *t);

pascal_step pascal_load, pascal_store, pascal_load_constant, pascal_atomic, pascal_fence, pascal_jump;
pascal_step pascal_breakpoint, pascal_nothing, pascal_counters, pascal_barrier, pascal_barrier_result, pascal_vote;

pascal_step pascal_from_integer, pascal_between_floats, pascal_to_integer, pascal_between_integers, pascal_move,
    pascal_predicates, pascal_set_of_predicates, pascal_condition, pascal_register_set;
pascal_step pascal_texture, pascal_texture_query, pascal_short_sample, pascal_short_fetch, pascal_short_gather,
    pascal_surface;

#endif
