#include "cubin/line.h"

enum standard_opcode {
    DW_LNS_COPY = 1,
    DW_LNS_ADVANCE_PC,
    DW_LNS_ADVANCE_LINE,
    DW_LNS_SET_FILE,
    DW_LNS_SET_COLUMN,
    DW_LNS_NEGATE_STMT,
    DW_LNS_SET_BASIC_BLOCK,
    DW_LNS_CONST_ADD_PC,
    DW_LNS_FIXED_ADVANCE_PC
};

/* NVIDIA's own: a row, and the name of the function that was inlined there. */
enum extended_opcode { DW_LNE_END_SEQUENCE = 1, DW_LNE_SET_ADDRESS = 2, DW_LNE_INLINED = 0x90 };

/* ---- reader ------------------------------------------------------------------------------------------------------ */

void line_skip(struct line_reader *r, uint64_t bytes)
{
    if (r->bad || bytes > r->end - r->at)
        r->bad = true;
    else
        r->at += (size_t)bytes;
}

uint64_t line_read(struct line_reader *r, unsigned bytes)
{
    const uint8_t *p = r->data + r->at;
    line_skip(r, bytes);
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && !r->bad; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

/* Bits above 63 are dropped; *shift ends as the number of bits that were encoded. */
static uint64_t read_leb(struct line_reader *r, unsigned *shift, uint8_t *last)
{
    uint64_t value = 0;
    *shift = 0;
    do {
        *last = (uint8_t)line_read(r, 1);
        if (*shift < 64)
            value |= (uint64_t)(*last & 0x7f) << *shift;
        *shift += *shift < 64 ? 7 : 0;
    } while ((*last & 0x80) != 0);
    return value;
}

uint64_t line_read_uleb(struct line_reader *r)
{
    unsigned shift;
    uint8_t last;
    return read_leb(r, &shift, &last);
}

int64_t line_read_sleb(struct line_reader *r)
{
    unsigned shift;
    uint8_t last;
    uint64_t value = read_leb(r, &shift, &last);
    if (shift < 64 && (last & 0x40) != 0)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

const char *line_read_string(struct line_reader *r)
{
    if (r->bad)
        return "";
    const uint8_t *start = r->data + r->at;
    const uint8_t *end = r->at < r->end ? memchr(start, 0, r->end - r->at) : NULL;
    if (end == NULL) {
        r->bad = true;
        return "";
    }
    r->at += (size_t)(end - start) + 1;
    return (const char *)start;
}

/* ---- program ----------------------------------------------------------------------------------------------------- */

struct machine {
    struct line_reader r;
    const struct line_unit *unit;
    const struct line_sink *sink;
    struct line_state s;
};

static const struct line_state initial = {.address = 0, .file = 1, .line = 1};

static void advance(struct machine *m, uint64_t operations) { m->s.address += operations * m->unit->instruction_bytes; }

static void run_special(struct machine *m, uint8_t opcode)
{
    unsigned adjusted = (unsigned)opcode - m->unit->opcode_base;
    advance(m, adjusted / m->unit->line_range);
    m->s.line += (uint64_t)(int64_t)m->unit->line_base + adjusted % m->unit->line_range;
    m->sink->row(m->sink->context, m->unit, &m->s);
}

/* Vendors add opcodes of their own: those that are not known are skipped by their length. */
static void run_extended(struct machine *m)
{
    uint64_t length = line_read_uleb(&m->r);
    if (length == 0 || m->r.bad)
        return;
    size_t start = m->r.at;
    unsigned opcode = (unsigned)line_read(&m->r, 1);
    if (opcode == DW_LNE_END_SEQUENCE && !m->r.bad) {
        m->s = initial;
        m->sink->end_sequence(m->sink->context);
    }
    if (opcode == DW_LNE_SET_ADDRESS && (length == 5 || length == 9)) {
        size_t operand = m->r.at;
        uint64_t address = line_read(&m->r, (unsigned)length - 1);
        if (!m->r.bad)
            m->s.address = m->sink->set_address(m->sink->context, operand, address);
    }
    if (opcode == DW_LNE_INLINED)
        m->s.context = line_read_uleb(&m->r);
    if (!m->r.bad)
        line_skip(&m->r, length - (m->r.at - start));
}

static void run_standard(struct machine *m, uint8_t opcode)
{
    switch (opcode) {
    case DW_LNS_COPY: m->sink->row(m->sink->context, m->unit, &m->s); return;
    case DW_LNS_ADVANCE_PC: advance(m, line_read_uleb(&m->r)); return;
    case DW_LNS_ADVANCE_LINE: m->s.line += (uint64_t)line_read_sleb(&m->r); return;
    case DW_LNS_SET_FILE: m->s.file = line_read_uleb(&m->r); return;
    case DW_LNS_CONST_ADD_PC: advance(m, (255u - m->unit->opcode_base) / m->unit->line_range); return;
    case DW_LNS_FIXED_ADVANCE_PC: m->s.address += line_read(&m->r, 2); return;
    default:
        for (unsigned i = m->unit->operand_counts[opcode - 1]; i > 0; i--)
            line_read_uleb(&m->r);
    }
}

bool line_run(struct cubin_bytes section, const struct line_unit *unit, const struct line_sink *sink)
{
    struct machine m = {.unit = unit, .sink = sink, .s = initial};
    m.r = (struct line_reader){.data = section.data, .at = unit->program, .end = unit->end};
    while (!m.r.bad && m.r.at < m.r.end) {
        uint8_t opcode = (uint8_t)line_read(&m.r, 1);
        if (opcode >= unit->opcode_base)
            run_special(&m, opcode);
        else if (opcode == 0)
            run_extended(&m);
        else
            run_standard(&m, opcode);
    }
    return !m.r.bad;
}
