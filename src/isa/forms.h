/* The form of an instruction, for people. */
#ifndef SUBCORE_ISA_FORMS_H
#define SUBCORE_ISA_FORMS_H

#include "isa/syntax.h"

/* Mnemonic and operands of a compiled row, without modifiers: "FFMA Rd, Ra, imm, Rc". */
void forms_print(const struct syntax_element *element, unsigned count, char *out, size_t room);
/* With them: "FFMA{.FTZ}{.RM|.RP|.RZ}{.SAT} Rd, Ra, imm, Rc". */
void forms_print_modifiers(const struct syntax_element *element, unsigned count, char *out, size_t room);
/* Adds a form to a list "A Rd | A imm", unless it is there. Ends in "..." where there is no room. */
void forms_append(const char *form, char *list, size_t room);

#endif
