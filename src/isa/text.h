/* Text of an instruction in the making, and numbers as the vendor's disassembler writes them. */
#ifndef SUBCORE_ISA_TEXT_H
#define SUBCORE_ISA_TEXT_H

#include "isa/isa.h"

struct text {
    char *out; /* ISA_TEXT characters; the rest is cut off */
    size_t length;
};

void text_put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_signed(struct text *t, int64_t v); /* hexadecimal with a sign */
void text_float(struct text *t, uint32_t bits);
void text_half(struct text *t, uint32_t bits, bool bfloat);
void text_double(struct text *t, uint32_t upper); /* upper word; the lower one is 0 */

#endif
