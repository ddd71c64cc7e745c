#include "isa/pascal.h"
#include "isa/table.h"

#include <string.h>

struct isa_control isa_control_decode(struct word128 word)
{
    return (struct isa_control){
        .stall = (uint8_t)word128_bits(word, 108, 105),
        .yield = !word128_bit(word, 109),
        .write_sb = (uint8_t)word128_bits(word, 112, 110),
        .read_sb = (uint8_t)word128_bits(word, 115, 113),
        .wait = (uint8_t)word128_bits(word, 121, 116),
        .reuse = (uint8_t)word128_bits(word, 124, 122),
    };
}

static unsigned opcode_of(struct word128 word)
{
    return (unsigned)(word128_bits(word, 11, 0) | word128_bits(word, 91, 91) << 12);
}

/* Bit 91 came with sm_75: on sm_70 it means nothing, and on sm_75 it is not part of the opcodes outside arithmetic. */
const struct table_entry *table_find(const struct isa_decoder *d, struct word128 word)
{
    unsigned opcode = opcode_of(word);
    uint16_t at = table_opcode(d, opcode);
    if (at == TABLE_END && d->sm <= 75 && opcode >> 12) {
        at = table_opcode(d, opcode & 0xfff);
        if (at != TABLE_END && d->sm == 75 && !(table_row(&d->entry[at])->forms & SET_ONE))
            at = TABLE_END;
    }
    for (; at != TABLE_END; at = d->entry[at].next) {
        const struct table_entry *entry = &d->entry[at];
        if ((word.lo & entry->mask.lo) == entry->value.lo && (word.hi & entry->mask.hi) == entry->value.hi)
            return entry;
    }
    return NULL;
}

static void decode_common(struct isa_inst *out, struct word128 word, uint32_t pc)
{
    out->word = word;
    out->pc = pc;
    out->control = isa_control_decode(word);
    out->guard.index = (uint8_t)word128_bits(word, 14, 12);
    out->guard.inverted = word128_bit(word, 15);
}

bool isa_decode(const struct isa_decoder *decoder, struct word128 word, uint32_t pc, struct isa_inst *out)
{
    if (pascal_supported(decoder->sm))
        return pascal_decode_word(decoder->sm, word, pc, out);
    const struct table_entry *entry = table_find(decoder, word);
    if (!entry) {
        *out = (struct isa_inst){.ureg_base = ISA_URZ, .ureg_descriptor = ISA_URZ, .guard.present = true};
        decode_common(out, word, pc);
        return false;
    }
    memcpy(out, &decoder->template[entry - decoder->entry], decoder -> template_bytes);
    decode_common(out, word, pc);
    program_run(&entry->program, &decoder->step[entry->program.first], &decoder->element[entry->first], out);
    if (out->op == ISA_OP_BAR && out->a.kind == ISA_IMM)
        out->barrier = (uint8_t)out->a.value;
    return true;
}
