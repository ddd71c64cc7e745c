#include "isa/pascal_rows.h"

#include <string.h>

#define R PASCAL_R
#define C PASCAL_C
#define I PASCAL_I
#define CR PASCAL_CR
#define ENCODING(opcode, mask, forms, text) {opcode, mask, forms, 60, 62, text},
#define ENCODING_OF(opcode, mask, forms, first, last, text) {opcode, mask, forms, first, last, text},
const struct pascal_row pascal_rows[] = {
#include "isa/pascal_encodings.def"
};
#undef R
#undef C
#undef I
#undef CR

enum { ROWS = sizeof pascal_rows / sizeof *pascal_rows, SIGN = 1 << 8 };

unsigned pascal_row_count(void) { return ROWS; }

bool pascal_supported(unsigned sm) { return sm >= 60 && sm <= 62; }

uint32_t pascal_control_bits(uint64_t control_word, uint32_t pc)
{
    unsigned slot = pc / 8 % 4;
    return slot == 0 ? 0 : (uint32_t)(control_word >> 21 * (slot - 1)) & 0x1fffff;
}

unsigned pascal_number(const char **at)
{
    unsigned n = 0;
    while (**at >= '0' && **at <= '9')
        n = n * 10 + (unsigned)(*(*at)++ - '0');
    return n;
}

uint64_t pascal_field(const char **at, struct word128 word, unsigned *width)
{
    uint64_t value = 0;
    *width = 0;
    do {
        *at += **at == ',';
        unsigned high = pascal_number(at), low = high;
        if (**at == ':' && (*at)[1] >= '0' && (*at)[1] <= '9') {
            ++*at;
            low = pascal_number(at);
        }
        unsigned bits = high - low + 1;
        value = value << bits | word128_bits(word, high, low);
        *width += bits;
    } while (**at == ',' && (*at)[1] >= '0' && (*at)[1] <= '9');
    return value;
}

uint16_t pascal_opcode(const struct pascal_row *row, unsigned form)
{
    if (row->forms == 0)
        return row->opcode;
    unsigned top = row->opcode >> 8, low = row->opcode & 0xff;
    switch (form) {
    case PASCAL_C: top = 0x40 | (top & 15); break;
    case PASCAL_CR: top = 0x50 | (top & 7); break;
    case PASCAL_I: top = 0x30 | (top << 1 & 14); break;
    default: break;
    }
    return (uint16_t)(top << 8 | low);
}

uint16_t pascal_mask(const struct pascal_row *row, unsigned form)
{
    return row->forms && form == PASCAL_I ? row->mask & (uint16_t)~SIGN : row->mask;
}

static bool meets_conditions(const char *text, uint64_t word)
{
    for (const char *at = strstr(text, "{@"); at; at = strstr(at, "{@")) {
        unsigned width;
        at += 2;
        uint64_t value = pascal_field(&at, (struct word128){word, 0}, &width);
        bool condition = *at++ == '=';
        if (value != pascal_number(&at) && condition)
            return false;
    }
    return true;
}

static unsigned form_of(const struct pascal_row *row, uint64_t word)
{
    enum { LOW = 0xff }; /* bits of an opcode that all forms have */
    unsigned top = (unsigned)(word >> 48);
    if ((top ^ row->opcode) & row->mask & LOW)
        return 0;
    if (row->forms == 0)
        return (top & row->mask) == row->opcode && meets_conditions(row->text, word) ? PASCAL_R : 0;
    for (unsigned form = PASCAL_R; form <= PASCAL_CR; form *= 2) {
        unsigned mask = pascal_mask(row, form);
        if ((row->forms & form) && (top & mask) == pascal_opcode(row, form) && meets_conditions(row->text, word))
            return form;
    }
    return 0;
}

static struct isa_control control_of(uint32_t bits)
{
    return (struct isa_control){
        .stall = bits & 15,
        .yield = !(bits >> 4 & 1),
        .write_sb = bits >> 5 & 7,
        .read_sb = bits >> 8 & 7,
        .wait = bits >> 11 & 63,
        .reuse = bits >> 17 & 7,
    };
}

struct isa_control pascal_control(struct word128 word) { return control_of((uint32_t)word.hi & 0x1fffff); }

void pascal_control_encode(struct isa_control c, struct word128 *word)
{
    uint64_t bits =
        (c.stall & 15u) | (c.yield ? 0u : 16u) | (c.write_sb & 7u) << 5 | (c.read_sb & 7u) << 8 | (c.wait & 63u) << 11;
    word->hi = (word->hi & ~UINT64_C(0x1ffff)) | bits;
}

bool pascal_decode(unsigned sm, uint64_t word, uint32_t control, uint32_t pc, struct pascal_inst *out)
{
    *out = (struct pascal_inst){
        .word = word, .pc = pc, .reuse = control >> 17 & 15, .row = ROWS, .control = control_of(control)};
    for (unsigned i = 0; i < ROWS; i++) {
        const struct pascal_row *row = &pascal_rows[i];
        unsigned form = sm >= row->first && sm <= row->last ? form_of(row, word) : 0;
        if (form) {
            out->row = (uint16_t)i;
            out->form = (uint8_t)form;
            return true;
        }
    }
    return false;
}
