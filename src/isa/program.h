/* Decoding made flat: the bits that all words of a table entry share stand in a template, and a short program
 * without branches copies the bits that differ. Elements that need more than a copy are interpreted. */
#ifndef SUBCORE_ISA_PROGRAM_H
#define SUBCORE_ISA_PROGRAM_H

#include "isa/syntax.h"

/* Bits of the word, to a place in struct isa_inst. To a byte: the bits exclusive-or `flip`, plus `wrap` when they are
 * all ones (uniform registers), shifted by `left` and joined with the bits that `keep` leaves. To a word: the bits with
 * the sign that is `left` places below bit 31, times 1 << flip. */
struct program_step {
    uint8_t shift, half; /* where the bits are: right of the shift, in word.lo or word.hi */
    uint8_t left, flip, wrap, keep;
    uint16_t at;
    uint32_t mask;
};

/* Three kinds of steps after each other. */
struct program {
    uint32_t first;
    uint8_t bytes, words, elements, widths;
};

/* An element to interpret has its number as `mask`. */
enum { PROGRAM_STEPS = 4 * SYNTAX_ELEMENTS };

/* Compiles the elements. Returns how many steps there are, at most PROGRAM_STEPS. */
unsigned program_compile(const struct syntax_element *element, unsigned count, struct program *program,
                         struct program_step out[static PROGRAM_STEPS]);

/* `inst` holds the template and the word. */
void program_run(const struct program *program, const struct program_step *step, const struct syntax_element *element,
                 struct isa_inst *inst);

#endif
