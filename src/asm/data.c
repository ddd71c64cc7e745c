#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asm/parser.h"

enum { BANK_BYTES = 0x10000, RELOCATION_64 = 2, LARGEST_ZERO = 1 << 28 };

enum value { VALUE_INTEGER, VALUE_FLOAT, VALUE_STRING, VALUE_ZERO };

static const struct type {
    const char *name;
    enum value value;
    unsigned bytes;
} types[] = {
    {".u8", VALUE_INTEGER, 1},  {".s8", VALUE_INTEGER, 1},  {".u16", VALUE_INTEGER, 2},   {".s16", VALUE_INTEGER, 2},
    {".u32", VALUE_INTEGER, 4}, {".s32", VALUE_INTEGER, 4}, {".u64", VALUE_INTEGER, 8},   {".s64", VALUE_INTEGER, 8},
    {".f32", VALUE_FLOAT, 4},   {".f64", VALUE_FLOAT, 8},   {".string", VALUE_STRING, 1}, {".zero", VALUE_ZERO, 1},
};

enum { TYPES = sizeof types / sizeof *types };

static const struct type *find_type(struct word name)
{
    for (unsigned i = 0; i < TYPES; i++)
        if (word_is(name, types[i].name))
            return &types[i];
    return NULL;
}

bool data_is_directive(struct word name) { return find_type(name) != NULL; }

struct buffer *data_buffer(struct parser *p)
{
    switch (p->block) {
    case BLOCK_CONSTANT: return &p->program->constant3;
    case BLOCK_GLOBAL: return &p->program->global_init;
    default: return &parser_function(p)->bank2;
    }
}

static enum cubin_place block_place(enum block block)
{
    return block == BLOCK_CONSTANT ? CUBIN_PLACE_CONSTANT3 : CUBIN_PLACE_GLOBAL_INIT;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Only whole 64-bit words can hold the address of something. */
static bool put_address(struct parser *p, struct scan *s, const struct type *type, struct buffer *out)
{
    struct word name;
    int64_t addend;
    unsigned column = scan_column(s);
    if (!parser_reference(s, &name, &addend))
        return false;
    if (type->bytes != 8 || p->block == BLOCK_BANK2)
        return scan_error(s, column, "an address stands in .u64 of .const or .global");
    struct fixup fixup = {.place = block_place(p->block),
                          .type = RELOCATION_64,
                          .offset = out->size,
                          .addend = addend,
                          .line = s->line,
                          .column = column};
    program_add_fixup(p->program, &fixup, name.text, name.length);
    buffer_zero(out, 8);
    return true;
}

static bool put_integer(struct parser *p, struct scan *s, const struct type *type, struct buffer *out)
{
    int64_t value;
    if (scan_letter(scan_peek(s)))
        return put_address(p, s, type, out);
    unsigned column = scan_column(s);
    if (!scan_integer(s, "a number or a name", &value))
        return false;
    unsigned bits = 8 * type->bytes;
    if (bits < 64 && (value >= INT64_C(1) << bits || value < -(INT64_C(1) << (bits - 1))))
        return scan_error(s, column, "the number does not fit %u bits", bits);
    buffer_number(out, (uint64_t)value, type->bytes);
    return true;
}

static bool put_float(struct scan *s, const struct type *type, struct buffer *out)
{
    char digits[64];
    size_t length = 0;
    scan_blanks(s);
    unsigned column = scan_column(s);
    while (s->at + length < s->end && length + 1 < sizeof digits && s->text[s->at + length] > ' ' &&
           s->text[s->at + length] != ',') {
        digits[length] = s->text[s->at + length];
        length++;
    }
    digits[length] = '\0';
    char *end;
    double wide = strtod(digits, &end);
    if (length == 0 || *end != '\0')
        return scan_error(s, column, "expected a floating-point number");
    s->at += length;
    uint64_t bits = 0;
    float narrow = type->bytes == 4 ? strtof(digits, NULL) : 0;
    if (type->bytes == 4)
        memcpy(&bits, &narrow, 4);
    else
        memcpy(&bits, &wide, 8);
    buffer_number(out, bits, type->bytes);
    return true;
}

static bool put_string(struct scan *s, struct buffer *out)
{
    static const char from[] = "n0t\\\"", to[] = "\n\0\t\\\"";
    unsigned column = scan_column(s);
    if (!scan_char(s, '"'))
        return scan_error(s, column, "expected a string in quotes");
    for (; s->at < s->end && s->text[s->at] != '"'; s->at++) {
        char c = s->text[s->at];
        if (c == '\\') {
            const char *escape = s->at + 1 < s->end ? memchr(from, s->text[s->at + 1], sizeof from - 1) : NULL;
            if (!escape)
                return scan_error(s, scan_column(s), "unknown escape; there are \\n \\t \\0 \\\\ and \\\"");
            c = to[escape - from];
            s->at++;
        }
        buffer_put(out, &c, 1);
    }
    if (s->at == s->end)
        return scan_error(s, column, "the string does not end");
    s->at++;
    buffer_zero(out, 1);
    return true;
}

static bool put_value(struct parser *p, struct scan *s, const struct type *type, struct buffer *out)
{
    uint64_t size;
    scan_blanks(s);
    switch (type->value) {
    case VALUE_INTEGER: return put_integer(p, s, type, out);
    case VALUE_FLOAT: return put_float(s, type, out);
    case VALUE_STRING: return put_string(s, out);
    default:
        if (!scan_number(s, "the number of bytes", 1, LARGEST_ZERO, &size))
            return false;
        buffer_zero(out, (size_t)size);
        return true;
    }
}

bool data_parse(struct parser *p, struct scan *s, struct word name)
{
    const struct type *type = find_type(name);
    struct buffer *out = data_buffer(p);
    if (p->has_pending && p->block != BLOCK_BANK2)
        parser_take_pending(p, block_place(p->block), out->size);
    do {
        if (!put_value(p, s, type, out))
            return false;
    } while (scan_char(s, ','));
    if (p->block != BLOCK_GLOBAL && out->size > BANK_BYTES)
        return scan_error(s, name.column, "the constant bank has more than 64 KiB");
    return scan_finish(s);
}
