#include "isa/syntax.h"

#include <string.h>

static const struct isa_op_info infos[ISA_OP_COUNT] = {
    [ISA_INVALID] = {.name = "INVALID", .pipe = ISA_PIPE_FE, .latency = ISA_LATENCY_NONE, .flags = ISA_NOT_EXECUTABLE},
#define X(id, name, pipe, way, latency, memory, space, flags)                                                          \
    [ISA_OP_##id] = {name, ISA_PIPE_##pipe, ISA_WAY_##way, ISA_LATENCY_##latency, ISA_MEM_##memory, ISA_SPACE_##space, \
                     flags},
    ISA_EXECUTED_OPCODES(X)
#undef X
#define X(id, name, pipe, way, latency, memory, space, flags)                                                          \
    [ISA_OP_##id] = {name,                                                                                             \
                     ISA_PIPE_##pipe,                                                                                  \
                     ISA_WAY_##way,                                                                                    \
                     ISA_LATENCY_##latency,                                                                            \
                     ISA_MEM_##memory,                                                                                 \
                     ISA_SPACE_##space,                                                                                \
                     (flags) | ISA_NOT_EXECUTABLE},
        ISA_REFUSED_OPCODES(X)
#undef X
};

const struct isa_op_info *isa_op_info(enum isa_op op) { return &infos[op < ISA_OP_COUNT ? op : ISA_INVALID]; }

const char *isa_pipe_name(enum isa_pipe pipe)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        ISA_PIPES(X)
#undef X
    };
    return names[pipe];
}

const char *isa_way_name(enum isa_way way)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        ISA_WAYS(X)
#undef X
    };
    return names[way];
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

#define NAMES(id, other, ...) static const char *const names_##id[] = {__VA_ARGS__};
#include "isa/enums.def"

/* The identifier of a table, a value or a modifier. Making a decoder searches their lists thousands of times, and most
 * differ in length or in the first letter. */
struct id {
    const char *text;
    size_t length;
};

#define ID(id)                                                                                                         \
    {                                                                                                                  \
#id, sizeof #id - 1                                                                                            \
    }

static bool is_id(const struct id *id, const char *name, size_t length)
{
    return id->length == length && id->text[0] == name[0] && memcmp(id->text, name, length) == 0;
}

static const struct {
    struct id id;
    const char *other;
    const char *const *names;
    unsigned count;
} tables[] = {
#define NAMES(id, other, ...) {ID(id), other, names_##id, sizeof names_##id / sizeof *names_##id},
#include "isa/enums.def"
};

const char *isa_value_name(enum isa_names names, unsigned value, const char **other)
{
    *other = tables[names].other;
    return value < tables[names].count ? tables[names].names[value] : NULL;
}

unsigned isa_value_canonical(enum isa_names canonical, enum isa_names names, unsigned value)
{
    const char *other, *name = isa_value_name(names, value, &other);
    for (unsigned i = 0; name && i < tables[canonical].count; i++)
        if (tables[canonical].names[i] && strcmp(tables[canonical].names[i], name) == 0)
            return i;
    return UINT8_MAX;
}

enum isa_names isa_names_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < NAMES_COUNT; i++)
        if (is_id(&tables[i].id, name, length))
            return (enum isa_names)i;
    return NAMES_COUNT;
}

static const struct {
    struct id id;
    uint16_t value;
} values[] = {
#define NAMES(id, other, ...)
#define LIKE(id, base, other, ...)
#define VALUES(id, tag, other, ...) __VA_ARGS__,
#define V(id, name)                                                                                                    \
    {                                                                                                                  \
        ID(id), ISA_##id                                                                                               \
    }
#define AT(value, id, name)                                                                                            \
    {                                                                                                                  \
        ID(id), value                                                                                                  \
    }
#include "isa/enums.def"
};

unsigned isa_value_find(const char *id, size_t length)
{
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        if (is_id(&values[i].id, id, length))
            return values[i].value;
    return ISA_NO_VALUE;
}

static const struct id modifier_ids[] = {
#define X(id, text) ID(id),
    ISA_MODIFIERS(X)
#undef X
};

const char *isa_modifier_name(enum isa_modifier modifier) { return modifier_ids[modifier].text; }

enum isa_modifier isa_modifier_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < ISA_MOD_LIMIT; i++)
        if (is_id(&modifier_ids[i], name, length))
            return (enum isa_modifier)i;
    return ISA_MOD_LIMIT;
}

/* ---- rows and forms ---------------------------------------------------------------------------------------------- */

const struct isa_encoding isa_encodings[] = {
#define ENCODING(id, opcode, forms, first, last, text) {ISA_OP_##id, opcode, first, last, forms, text},
#include "isa/encodings.def"
#undef ENCODING
};

const unsigned isa_encoding_count = sizeof isa_encodings / sizeof *isa_encodings;

static const struct {
    uint8_t bits, bit91;
} forms[FORM_COUNT] = {
#define X(id, bits, bit91, kind, last) {bits, bit91},
    ISA_FORMS(X)
#undef X
};

unsigned isa_form_opcode(unsigned opcode, enum syntax_form form)
{
    if (form == FORM_ONE)
        return opcode;
    return (opcode & 0x1ffu) | (unsigned)forms[form].bits << 9 | (unsigned)forms[form].bit91 << 12;
}

enum syntax_form isa_form_of(const struct isa_encoding *row, unsigned opcode)
{
    for (unsigned form = 0; form < FORM_COUNT; form++)
        if ((row->forms >> form & 1) && isa_form_opcode(row->opcode, (enum syntax_form)form) == opcode)
            return (enum syntax_form)form;
    return FORM_ONE;
}
