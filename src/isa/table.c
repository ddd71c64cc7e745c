#include "isa/table.h"

#include "isa/pascal.h"

#include <stdlib.h>
#include <string.h>

bool isa_supported(unsigned sm)
{
    static const uint8_t known[] = {70, 75, 80, 86, 89, 90, 100, 120};
    for (size_t i = 0; i < sizeof known; i++)
        if (known[i] == sm)
            return true;
    return false;
}

unsigned isa_table(unsigned sm)
{
    static const uint8_t alike[][2] = {{103, 100}, {121, 120}}; /* compiled code of both prints alike */
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (alike[i][0] == sm)
            return alike[i][1];
    return isa_supported(sm) || pascal_supported(sm) ? sm : 0;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static void add_condition(struct table_entry *entry, const struct syntax_element *e)
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

static bool store_elements(struct isa_decoder *d, struct table_entry *entry, const struct syntax_row *row)
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
        d->element[d->elements++] = *e;
        if (e->kind == ELEMENT_CONDITION)
            add_condition(entry, e);
    }
    entry->count = d->elements - entry->first;
    return true;
}

/* Rows keep their order within an opcode, so the new entry goes to the end of the list. */
static void link_entry(struct isa_decoder *d, uint16_t index)
{
    uint16_t *at = &d->by_opcode[d->entry[index].opcode];
    while (*at != TABLE_END)
        at = &d->entry[*at].next;
    *at = index;
    d->entry[index].next = TABLE_END;
}

static bool add_entry(struct isa_decoder *d, unsigned encoding, enum syntax_form form, struct status *status)
{
    const struct isa_encoding *row = &isa_encodings[encoding];
    struct syntax_row compiled;
    const char *wrong = syntax_compile(row->text, form, row->forms & SET_ADD, d->sm, &compiled);
    if (wrong)
        return status_fail(status, STATUS_FORMAT, "encodings.def: \"%s\" cannot be read from \"%s\" on", row->text,
                           wrong);
    struct table_entry *entry = &d->entry[d->entries];
    *entry = (struct table_entry){
        .encoding = (uint16_t)encoding, .opcode = (uint16_t)isa_form_opcode(row->opcode, form), .form = (uint8_t)form};
    if (!store_elements(d, entry, &compiled))
        return status_fail(status, STATUS_MEMORY, "no memory for the instruction table");
    link_entry(d, (uint16_t)d->entries++);
    return true;
}

/* Uniform registers came with sm_75, and with them those that hold handles of constants. Arithmetic has no constant
 * operands since sm_100. */
static bool has_form(const struct isa_decoder *d, const struct isa_encoding *row, unsigned form)
{
    uint32_t uniform = SET_RUR | SET_RRU | SET_RRX | SET_RXR;
    uint32_t constants = SET_RRC | SET_RCR | SET_RRX | SET_RXR;
    uint32_t missing = (d->sm < 75 ? uniform : 0) | (d->sm >= 100 ? constants : 0);
    return ((row->forms & ~missing) >> form & 1) != 0;
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

static void make_template(const struct isa_decoder *d, const struct table_entry *entry, struct isa_inst *out)
{
    *out = (struct isa_inst){.word = entry->value,
                             .op = table_row(entry)->op,
                             .encoding = entry->encoding,
                             .ureg_base = ISA_URZ,
                             .ureg_descriptor = ISA_URZ};
    out->guard.present = true;
    out->guard.uniform = isa_op_info((enum isa_op)out->op)->flags & ISA_UNIFORM;
    syntax_decode(&d->element[entry->first], entry->count, out);
}

/* After all entries are there. */
static bool compile_programs(struct isa_decoder *d)
{
    struct program_step steps[PROGRAM_STEPS];
    uint32_t total = 0;
    for (unsigned i = 0; i < d->entries; i++) {
        struct table_entry *entry = &d->entry[i];
        entry->program.first = total;
        total += program_compile(&d->element[entry->first], entry->count, &entry->program, steps);
    }
    d->step = calloc(total + 1, sizeof *d->step);
    d->template = calloc(d->entries + 1, sizeof *d->template);
    d->template_bytes = sizeof *d->template;
    if (!d->step || !d->template)
        return false;
    for (unsigned i = 0; i < d->entries; i++) {
        struct table_entry *entry = &d->entry[i];
        unsigned count = program_compile(&d->element[entry->first], entry->count, &entry->program, steps);
        memcpy(d->step + entry->program.first, steps, count * sizeof *steps);
        make_template(d, entry, &d->template[i]);
    }
    return true;
}

struct isa_decoder *isa_decoder_create(unsigned sm, struct status *status)
{
    if (!isa_table(sm)) {
        status_fail(status, STATUS_UNSUPPORTED, "no instruction table for sm_%u", sm);
        return NULL;
    }
    struct isa_decoder *d = calloc(1, sizeof *d);
    if (d) {
        d->sm = isa_table(sm);
        d->entry = calloc((size_t)isa_encoding_count * (FORM_ONE + 1), sizeof *d->entry);
    }
    if (!d || !d->entry) {
        status_fail(status, STATUS_MEMORY, "no memory for the instruction table");
        isa_decoder_destroy(d);
        return NULL;
    }
    memset(d->by_opcode, 0xff, sizeof d->by_opcode);
    for (unsigned i = 0; !pascal_supported(d->sm) && i < isa_encoding_count; i++) {
        if (!add_row(d, i, status)) {
            isa_decoder_destroy(d);
            return NULL;
        }
    }
    if (!compile_programs(d)) {
        status_fail(status, STATUS_MEMORY, "no memory for the instruction table");
        isa_decoder_destroy(d);
        return NULL;
    }
    return d;
}

void isa_decoder_destroy(struct isa_decoder *d)
{
    if (!d)
        return;
    free(d->entry);
    free(d->element);
    free(d->step);
    free(d->template);
    free(d);
}
