/* Words of 128 bits for the machines, made from a Pascal instruction and its control bits. */
#include "isa/contract.h"
#include "isa/pascal_rows.h"

enum { CONTROL_BITS = 21, FORM_BIT = 32 };

uint64_t pascal_control_word(const struct word128 words[3])
{
    uint64_t control = 0;
    for (unsigned i = 0; i < 3; i++)
        control |= (words[i].hi & ((1u << CONTROL_BITS) - 1)) << CONTROL_BITS * i;
    return control;
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

/* The same in the meaning of later architectures (isa/stall.h): there stalls from 12 on need yield, 0 with it is a
 * sleep, and 1 with it holds the warp for two cycles. Compiled code for Pascal has 13 and 15 without yield. That yield
 * is only a hint on Pascal is assumed. */
static struct isa_control plain_control(struct isa_control c)
{
    c.yield = c.stall >= ISA_YIELD_FROM;
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

bool pascal_translated(const struct isa_inst *inst) { return inst->op != ISA_INVALID && inst->op != ISA_OP_PASCAL; }

void pascal_print_word(const struct isa_inst *inst, char text[static ISA_TEXT])
{
    pascal_print(&(struct pascal_inst){.word = inst->word.lo,
                                       .pc = pascal_address(inst->pc),
                                       .row = (uint16_t)(inst->encoding - PASCAL_ENCODING),
                                       .form = (uint8_t)(inst->word.hi >> FORM_BIT),
                                       .reuse = inst->word.hi >> 17 & 15},
                 text);
}

bool pascal_halves_rate(enum isa_op op)
{
    switch (op) {
    case ISA_OP_SHF:
    case ISA_OP_BFE:
    case ISA_OP_BFI:
    case ISA_OP_ISETP:
    case ISA_OP_ISETP_60:
    case ISA_OP_ISET:
    case ISA_OP_ICMP:
    case ISA_OP_FSETP:
    case ISA_OP_FSET:
    case ISA_OP_FSET_60:
    case ISA_OP_FCMP:
    case ISA_OP_IMNMX:
    case ISA_OP_IMNMX_60:
    case ISA_OP_FMNMX: return true;
    default: return false;
    }
}
