#include "isa/table_build.h"

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

/* Rows keep their order within an opcode, so the new entry goes to the end of the list. */
static void link_entry(struct isa_decoder *d, uint16_t index)
{
    uint16_t *at = &d->by_opcode[d->entry[index].opcode];
    while (*at != TABLE_END)
        at = &d->entry[*at].next;
    *at = index;
    d->entry[index].next = TABLE_END;
}

static void add_entry(struct isa_decoder *d, unsigned encoding, enum syntax_form form)
{
    d->entry[d->entries] =
        (struct table_entry){.encoding = (uint16_t)encoding,
                             .opcode = (uint16_t)isa_form_opcode(isa_encodings[encoding].opcode, form),
                             .form = (uint8_t)form};
    link_entry(d, (uint16_t)d->entries++);
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

static void add_row(struct isa_decoder *d, unsigned encoding)
{
    const struct isa_encoding *row = &isa_encodings[encoding];
    if (d->sm < row->first_sm || d->sm > row->last_sm)
        return;
    for (unsigned form = 0; form <= FORM_ONE; form++)
        if (has_form(d, row, form))
            add_entry(d, encoding, (enum syntax_form)form);
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
    for (unsigned i = 0; !pascal_supported(d->sm) && i < isa_encoding_count; i++)
        add_row(d, i);
    if (!table_work_create(d)) {
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
    table_work_destroy(d);
    free(d->entry);
    free(d);
}
