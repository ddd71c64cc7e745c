#include "isa/syntax.h"

#include <stdlib.h>
#include <string.h>

enum { OPCODES = 1 << 13, NO_ENTRY = UINT16_MAX };

/* A row in one operand form. */
struct entry {
    uint16_t encoding, next;    /* next entry with the same opcode */
    uint32_t first, count;      /* its elements */
    struct word128 mask, value; /* its conditions */
};

struct isa_decoder {
    unsigned sm;
    uint32_t entries, elements, element_room;
    uint16_t by_opcode[OPCODES];
    struct entry *entry;
    struct syntax_element *element;
};

bool isa_supported(unsigned sm)
{
    static const uint8_t known[] = {75, 80, 86, 89, 90, 100, 120};
    for (size_t i = 0; i < sizeof known; i++)
        if (known[i] == sm)
            return true;
    return false;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static void add_condition(struct entry *entry, const struct syntax_element *e)
{
    unsigned bit = syntax_field_width(&e->field);
    for (unsigned i = 0; i < e->field.pieces; i++) {
        for (unsigned at = e->field.high[i] + 1u; at-- > e->field.low[i];) {
            uint64_t wanted = e->value >> --bit & 1u;
            uint64_t *mask = at < 64 ? &entry->mask.lo : &entry->mask.hi;
            uint64_t *value = at < 64 ? &entry->value.lo : &entry->value.hi;
            *mask |= UINT64_C(1) << (at & 63);
            *value |= wanted << (at & 63);
        }
    }
}

static bool store_elements(struct isa_decoder *d, struct entry *entry, const struct syntax_row *row)
{
    if (d->elements + row->count > d->element_room) {
        uint32_t room = (d->element_room + row->count) * 2;
        struct syntax_element *grown = realloc(d->element, room * sizeof *grown);
        if (!grown)
            return false;
        d->element = grown;
        d->element_room = room;
    }
    entry->first = d->elements;
    for (unsigned i = 0; i < row->count; i++) {
        const struct syntax_element *e = &row->element[i];
        if (e->kind == ELEMENT_TEXT)
            continue;
        d->element[d->elements++] = *e;
        if (e->kind == ELEMENT_CONDITION)
            add_condition(entry, e);
    }
    entry->count = d->elements - entry->first;
    return true;
}

/* Rows keep their order within an opcode, so the new entry goes to the end of the list. */
static void link_entry(struct isa_decoder *d, unsigned opcode, uint16_t index)
{
    uint16_t *at = &d->by_opcode[opcode];
    while (*at != NO_ENTRY)
        at = &d->entry[*at].next;
    *at = index;
    d->entry[index].next = NO_ENTRY;
}

static bool add_entry(struct isa_decoder *d, unsigned encoding, enum syntax_form form, struct status *status)
{
    const struct isa_encoding *row = &isa_encodings[encoding];
    struct syntax_row compiled;
    const char *wrong = syntax_compile(row->text, form, row->forms & SET_ADD, d->sm, &compiled);
    if (wrong)
        return status_fail(status, STATUS_FORMAT, "encodings.def: \"%s\" cannot be read from \"%s\" on", row->text,
                           wrong);
    struct entry *entry = &d->entry[d->entries];
    *entry = (struct entry){.encoding = (uint16_t)encoding};
    if (!store_elements(d, entry, &compiled))
        return status_fail(status, STATUS_MEMORY, "no memory for the instruction table");
    link_entry(d, isa_form_opcode(row->opcode, form), (uint16_t)d->entries++);
    return true;
}

/* Arithmetic has no constant operands since sm_100. */
static bool has_form(const struct isa_decoder *d, const struct isa_encoding *row, unsigned form)
{
    uint32_t constants = SET_RRC | SET_RCR | SET_RRX | SET_RXR;
    return (row->forms >> form & 1) && !(d->sm >= 100 && (constants >> form & 1));
}

static bool add_row(struct isa_decoder *d, unsigned encoding, struct status *status)
{
    const struct isa_encoding *row = &isa_encodings[encoding];
    if (d->sm < row->first_sm || d->sm > row->last_sm)
        return true;
    for (unsigned form = 0; form <= FORM_ONE; form++)
        if (has_form(d, row, form) && !add_entry(d, encoding, (enum syntax_form)form, status))
            return false;
    return true;
}

struct isa_decoder *isa_decoder_create(unsigned sm, struct status *status)
{
    if (!isa_supported(sm)) {
        status_fail(status, STATUS_UNSUPPORTED, "no instruction table for sm_%u", sm);
        return NULL;
    }
    struct isa_decoder *d = calloc(1, sizeof *d);
    if (d) {
        d->sm = sm;
        d->entry = calloc((size_t)isa_encoding_count * (FORM_ONE + 1), sizeof *d->entry);
    }
    if (!d || !d->entry) {
        status_fail(status, STATUS_MEMORY, "no memory for the instruction table");
        isa_decoder_destroy(d);
        return NULL;
    }
    memset(d->by_opcode, 0xff, sizeof d->by_opcode);
    for (unsigned i = 0; i < isa_encoding_count; i++) {
        if (!add_row(d, i, status)) {
            isa_decoder_destroy(d);
            return NULL;
        }
    }
    return d;
}

void isa_decoder_destroy(struct isa_decoder *d)
{
    if (!d)
        return;
    free(d->entry);
    free(d->element);
    free(d);
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

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

/* On sm_75 bit 91 is not part of the opcodes outside arithmetic. */
static const struct entry *find_entry(const struct isa_decoder *d, struct word128 word)
{
    unsigned opcode = opcode_of(word);
    uint16_t at = d->by_opcode[opcode];
    if (at == NO_ENTRY && d->sm == 75 && opcode >> 12) {
        at = d->by_opcode[opcode & 0xfff];
        if (at != NO_ENTRY && !(isa_encodings[d->entry[at].encoding].forms & SET_ONE))
            at = NO_ENTRY;
    }
    for (; at != NO_ENTRY; at = d->entry[at].next) {
        const struct entry *entry = &d->entry[at];
        if ((word.lo & entry->mask.lo) == entry->value.lo && (word.hi & entry->mask.hi) == entry->value.hi)
            return entry;
    }
    return NULL;
}

bool isa_decode(const struct isa_decoder *decoder, struct word128 word, uint32_t pc, struct isa_inst *out)
{
    *out = (struct isa_inst){
        .word = word, .pc = pc, .control = isa_control_decode(word), .ureg_base = ISA_URZ, .ureg_descriptor = ISA_URZ};
    out->guard = (struct isa_predicate){(uint8_t)word128_bits(word, 14, 12), word128_bit(word, 15), false, true};
    const struct entry *entry = find_entry(decoder, word);
    if (!entry)
        return false;
    out->op = isa_encodings[entry->encoding].op;
    out->encoding = entry->encoding;
    out->guard.uniform = isa_op_info((enum isa_op)out->op)->flags & ISA_UNIFORM;
    syntax_decode(&decoder->element[entry->first], entry->count, out);
    return true;
}
