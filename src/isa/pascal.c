#include "isa/contract.h"
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

static unsigned number(const char **at)
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
        unsigned high = number(at), low = high;
        if (**at == ':' && (*at)[1] >= '0' && (*at)[1] <= '9') {
            ++*at;
            low = number(at);
        }
        unsigned bits = high - low + 1;
        value = value << bits | word128_bits(word, high, low);
        *width += bits;
    } while (**at == ',' && (*at)[1] >= '0' && (*at)[1] <= '9');
    return value;
}

/* A row's opcode in a form. In bits 63:56, registers have 0101 nnnn, constants 0100 nnnn or, in the
 * place of C, 0101 0nnn, and immediates 0011 nnns with their sign. */
static uint16_t opcode_of(const struct pascal_row *row, unsigned form)
{
    unsigned top = row->opcode >> 8, low = row->opcode & 0xff;
    switch (form) {
    case PASCAL_C: top = 0x40 | (top & 15); break;
    case PASCAL_CR: top = 0x50 | (top & 7); break;
    case PASCAL_I: top = 0x30 | (top << 1 & 14); break;
    default: break;
    }
    return (uint16_t)(top << 8 | low);
}

static bool meets_conditions(const char *text, uint64_t word)
{
    for (const char *at = strstr(text, "{@"); at; at = strstr(at, "{@")) {
        unsigned width;
        at += 2;
        uint64_t value = pascal_field(&at, (struct word128){word, 0}, &width);
        at += *at == '=';
        if (value != number(&at))
            return false;
    }
    return true;
}

static unsigned form_of(const struct pascal_row *row, uint64_t word)
{
    unsigned top = (unsigned)(word >> 48);
    if (row->forms == 0)
        return (top & row->mask) == row->opcode && meets_conditions(row->text, word) ? PASCAL_R : 0;
    for (unsigned form = PASCAL_R; form <= PASCAL_CR; form *= 2) {
        unsigned mask = form == PASCAL_I ? row->mask & ~(unsigned)SIGN : row->mask;
        if ((row->forms & form) && (top & mask) == opcode_of(row, form) && meets_conditions(row->text, word))
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

struct word128 pascal_word(const uint8_t *code, uint32_t index)
{
    uint32_t at = pascal_address(index * 16);
    uint64_t word = 0, control = 0;
    for (unsigned i = 0; i < 8; i++) {
        word |= (uint64_t)code[at + i] << 8 * i;
        control |= (uint64_t)code[at / 32 * 32 + i] << 8 * i;
    }
    return (struct word128){word, pascal_control_bits(control, at)};
}

enum { CONTROL_BITS = 21, FORM_BIT = 32 };

/* The same in the meaning of later architectures (isa/stall.h): there stalls from 12 on need yield, and 0 with it is a
 * sleep. Compiled code for Pascal has 13 and 15 without yield. */
static struct isa_control plain_control(struct isa_control c)
{
    c.yield = c.stall >= ISA_YIELD_FROM || (c.yield && c.stall > 0);
    return c;
}

/* The upper half of the word that comes out has the form, too. */
bool pascal_decode_word(unsigned sm, struct word128 word, uint32_t pc, struct isa_inst *out)
{
    struct pascal_inst inst;
    uint32_t control = (uint32_t)word.hi & ((1u << CONTROL_BITS) - 1);
    bool known = pascal_decode(sm, word.lo, control, pascal_address(pc), &inst);
    *out = (struct isa_inst){.word = {word.lo, control | (uint64_t)inst.form << FORM_BIT},
                             .pc = pc,
                             .encoding = (uint16_t)(PASCAL_ENCODING + inst.row),
                             .control = plain_control(inst.control),
                             .ureg_base = ISA_URZ,
                             .ureg_descriptor = ISA_URZ};
    out->guard = (struct isa_predicate){.index = ISA_PT, .present = true};
    if (!known)
        return false;
    if (*pascal_rows[inst.row].text != '!') {
        out->guard.index = (uint8_t)(word.lo >> 16 & 7);
        out->guard.inverted = word.lo >> 19 & 1;
    }
    pascal_translate(&inst, out);
    return true;
}

void pascal_print_word(const struct isa_inst *inst, char text[static ISA_TEXT])
{
    pascal_print(&(struct pascal_inst){.word = inst->word.lo,
                                       .pc = pascal_address(inst->pc),
                                       .row = (uint16_t)(inst->encoding - PASCAL_ENCODING),
                                       .form = (uint8_t)(inst->word.hi >> FORM_BIT),
                                       .reuse = inst->word.hi >> 17 & 15},
                 text);
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
