/* Conversions, moves and predicates of Pascal in the decoded form of all architectures. */
#include "isa/pascal_translate.h"

/* ---- conversions ------------------------------------------------------------------------------------------------- */

/* U8, U16, U32, U64, S8 and so on; elsewhere U8, S8, U16 and so on. */
static uint8_t integer_type(unsigned type) { return (uint8_t)((type & 3) * 2 + (type >> 2 & 1)); }

void pascal_from_integer(struct translation *t)
{
    struct isa_inst *out = t->out;
    uint8_t type = integer_type(pascal_modifier(t->parts, "INTEGER", 0));
    out->mod[ISA_MOD_SRC_TYPE] = type;
    out->mod[ISA_MOD_DST_TYPE] = (uint8_t)pascal_modifier(t->parts, "FLOAT", 0);
    out->a.words = type >= ISA_INTEGER_U64 ? 2 : 1;
    out->d.words = out->mod[ISA_MOD_DST_TYPE] == ISA_FLOAT_F64 ? 2 : 1;
    bool whole = type == ISA_INTEGER_U32 || type == ISA_INTEGER_S32;
    if ((out->a.flags && !whole) || out->mod[ISA_MOD_CC])
        pascal_refuse(t);
}

void pascal_between_floats(struct translation *t)
{
    enum { TO_INTEGER = 4 };
    struct isa_inst *out = t->out;
    unsigned round = pascal_modifier(t->parts, "ROUND_FLOAT", 0);
    out->mod[ISA_MOD_DST_TYPE] = (uint8_t)pascal_modifier(t->parts, "FLOAT", 0);
    out->mod[ISA_MOD_SRC_TYPE] = (uint8_t)pascal_modifier(t->parts, "FLOAT", 1);
    out->mod[ISA_MOD_ROUND] = round & 3;
    out->a.words = out->mod[ISA_MOD_SRC_TYPE] == ISA_FLOAT_F64 ? 2 : 1;
    out->d.words = out->mod[ISA_MOD_DST_TYPE] == ISA_FLOAT_F64 ? 2 : 1;
    bool alike = out->mod[ISA_MOD_DST_TYPE] == out->mod[ISA_MOD_SRC_TYPE];
    if (round >= TO_INTEGER)
        out->op = ISA_OP_FRND;
    if ((round >= TO_INTEGER && !alike) || out->mod[ISA_MOD_SAT] || out->mod[ISA_MOD_CC])
        pascal_refuse(t);
}

void pascal_to_integer(struct translation *t)
{
    struct isa_inst *out = t->out;
    out->mod[ISA_MOD_DST_TYPE] = integer_type(pascal_modifier(t->parts, "INTEGER", 0));
    out->mod[ISA_MOD_SRC_TYPE] = (uint8_t)pascal_modifier(t->parts, "FLOAT", 0);
    out->mod[ISA_MOD_ROUND] = (uint8_t)pascal_modifier(t->parts, "ROUND_INTEGER", 0);
    out->mod[ISA_MOD_NTZ] = out->mod[ISA_MOD_DST_TYPE] < ISA_INTEGER_U64 && out->mod[ISA_MOD_SRC_TYPE] != ISA_FLOAT_F64;
    out->a.words = out->mod[ISA_MOD_SRC_TYPE] == ISA_FLOAT_F64 ? 2 : 1;
    out->d.words = out->mod[ISA_MOD_DST_TYPE] >= ISA_INTEGER_U64 ? 2 : 1;
    if (out->mod[ISA_MOD_CC])
        pascal_refuse(t);
}

void pascal_between_integers(struct translation *t)
{
    struct isa_inst *out = t->out;
    out->mod[ISA_MOD_DST_TYPE] = integer_type(pascal_modifier(t->parts, "INTEGER", 0));
    out->mod[ISA_MOD_SRC_TYPE] = integer_type(pascal_modifier(t->parts, "INTEGER", 1));
    if (out->mod[ISA_MOD_DST_TYPE] >= ISA_INTEGER_U64 || out->mod[ISA_MOD_SRC_TYPE] >= ISA_INTEGER_U64)
        pascal_refuse(t);
}

/* ---- moves and predicates ---------------------------------------------------------------------------------------- */

void pascal_move(struct translation *t) { t->out->mod[ISA_MOD_MASK] = (uint8_t)pascal_take_number(t); }

static bool combined(unsigned how, bool a, bool b) { return how == 0 ? a && b : how == 1 ? a || b : a != b; }

/* Two combinations, of which the second result inverts the first one. */
void pascal_predicates(struct translation *t)
{
    struct isa_inst *out = t->out;
    unsigned first = pascal_modifier(t->parts, "BOP", 0), second = pascal_modifier(t->parts, "BOP", 1);
    out->mod[ISA_MOD_LUT] = out->mod[ISA_MOD_LUT2] = 0;
    for (unsigned i = 0; i < 8; i++) {
        bool inner = combined(first, i >> 2 & 1, i >> 1 & 1);
        out->mod[ISA_MOD_LUT] |= (uint8_t)(combined(second, inner, i & 1) << i);
        out->mod[ISA_MOD_LUT2] |= (uint8_t)(combined(second, !inner, i & 1) << i);
    }
}

void pascal_set_of_predicates(struct translation *t)
{
    t->out->mod[ISA_MOD_MODE] = (uint8_t)pascal_modifier(t->parts, "BOP", 0);
}

void pascal_condition(struct translation *t)
{
    t->out->mod[ISA_MOD_TEST] = (uint8_t)pascal_modifier(t->parts, "TEST_NAME", 0);
}

/* For predicates, or for the condition code. */
void pascal_register_set(struct translation *t)
{
    if (pascal_modifier(t->parts, "REGISTER_SET", 0))
        t->out->op = t->out->op == ISA_OP_P2R ? ISA_OP_P2R_60 : ISA_OP_R2P_60;
    t->out->mod[ISA_MOD_BYTE] |= t->out->a.swizzle;
    t->out->a.swizzle = 0;
}
