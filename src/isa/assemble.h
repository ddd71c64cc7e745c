/* The assembler of one instruction: text as isa_print writes it to the 128-bit word, from the same rows of
 * encodings.def, or of pascal_encodings.def. Files of instructions, directives and labels are another layer's.
 *
 *   @!P0 FADD.FTZ R2, R3, -R4.reuse         optional guard, mnemonic with modifiers, operands; no ';'
 *   BRA `(.L_x_1)        BRA done           a branch target is a byte offset or a symbol
 *   MOV R4, 32@lo(fun)   UMOV UR4, 32@hi(fun)   half of a symbol's address as an immediate
 *   LDG.E R2, [R2.64] {@37:32=0x4}          bits that the text does not show, set after everything else
 *   .word 0x000fc00000000000...             any word: 32 hexadecimal digits
 *   .dword 0x50b0000000070f00               the same on Pascal, whose control bits stand beside it
 *
 * docs/assembler.md describes the notation. */
#ifndef SUBCORE_ISA_ASSEMBLE_H
#define SUBCORE_ISA_ASSEMBLE_H

#include "isa/isa.h"

enum isa_symbol_use {
    ISA_SYMBOL_TARGET, /* byte offset in the code section, of a branch or call */
    ISA_SYMBOL_VALUE,  /* an immediate */
    ISA_SYMBOL_LOW,    /* 32@lo(..): the lower 32 bits of the value */
    ISA_SYMBOL_HIGH    /* 32@hi(..): the upper ones */
};

struct isa_symbol {
    const char *name; /* not terminated; the text between the parentheses of `(..) and 32@lo(..) */
    size_t length, column;
    enum isa_symbol_use use;
};

/* Gives the value of a symbol (false: it is not known). Called at most once for each symbol of a line, and only when
 * the rest of the line is right. */
typedef bool isa_symbol_fn(void *context, const struct isa_symbol *symbol, int64_t *value);

enum { ISA_MESSAGE = 320, ISA_FORMS_TEXT = 1024 };

struct isa_asm_error {
    size_t column; /* byte of the text, from 0 */
    char message[ISA_MESSAGE];
    char forms[ISA_FORMS_TEXT]; /* "FADD Rd, Ra, Rb | FADD Rd, Ra, imm": those of the mnemonic, or empty */
};

/* Immutable after it is made. Threads may share it. */
struct isa_assembler;
struct isa_assembler *isa_assembler_create(unsigned sm, struct status *status);
void isa_assembler_destroy(struct isa_assembler *assembler);
/* The decoder of the same architecture, which lives as long as the assembler. */
const struct isa_decoder *isa_assembler_decoder(const struct isa_assembler *assembler);

/* Assembles an instruction that stands at byte offset `pc`. The control bits 121:105 of the word are 0, except after
 * .word; `.reuse` sets bits 124:122. `resolve` may be NULL: then symbols are errors. */
bool isa_assemble(const struct isa_assembler *assembler, const char *text, size_t length, uint32_t pc,
                  isa_symbol_fn *resolve, void *context, struct word128 *word, struct isa_asm_error *error);

/* Reads control bits as isa_print_control writes them. */
bool isa_parse_control(const char *text, size_t length, struct isa_control *out, struct isa_asm_error *error);
/* Sets bits 121:105. The reuse bits belong to the operands. */
void isa_control_encode(struct isa_control control, struct word128 *word);
/* Sets and returns the control bits where words of the assembler's architecture have them: on Pascal they lie above bit
 * 63 (isa/pascal.h). */
void isa_assembler_set_control(const struct isa_assembler *assembler, struct isa_control control, struct word128 *word);
struct isa_control isa_assembler_control(const struct isa_assembler *assembler, struct word128 word);

/* Like isa_print, but with everything that isa_assemble needs to give the same word back (with the control bits of
 * isa_print_control): bits that the text does not show follow it in braces, and a word that no row fits, or that the
 * assembler would refuse, is a .word. */
void isa_print_exact(const struct isa_assembler *assembler, const struct isa_inst *inst, char text[static ISA_TEXT]);

#endif
