#include "isa/pascal_translate.h"

#include <string.h>

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Most names differ in their first letter. */
static inline bool same_name(const char *a, const char *b) { return *a == *b && strcmp(a, b) == 0; }

unsigned pascal_modifier(const struct pascal_parts *parts, const char *name, unsigned n)
{
    for (unsigned i = 0; i < parts->modifiers; i++)
        if (same_name(parts->modifier[i].name, name) && n-- == 0)
            return parts->modifier[i].value;
    return 0;
}

const struct pascal_operand *pascal_letter(const struct pascal_parts *parts, char letter, unsigned n)
{
    for (unsigned i = 0; i < parts->operands; i++)
        if (parts->operand[i].letter == letter && n-- == 0)
            return &parts->operand[i];
    return NULL;
}

uint32_t pascal_take_number(struct translation *t)
{
    struct isa_operand *last = t->source[--t->sources];
    uint32_t value = last->value;
    *last = (struct isa_operand){.kind = ISA_NONE};
    return value;
}

void pascal_refuse(struct translation *t) { t->out->op = ISA_OP_PASCAL; }

/* ---- modifiers with a value of their own ------------------------------------------------------------------------- */

/* Their numbers in the other architectures' encodings. */
static const uint8_t same[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t flush[] = {ISA_FMZ_NONE, ISA_FMZ_FTZ, ISA_FMZ_FMZ, 3};
static const uint8_t scale[] = {ISA_SCALE_NONE, ISA_SCALE_D2, ISA_SCALE_D4, ISA_SCALE_D8,
                                ISA_SCALE_M8,   ISA_SCALE_M4, ISA_SCALE_M2, 0};
static const uint8_t size[] = {ISA_SIZE_U8, ISA_SIZE_S8, ISA_SIZE_U16, ISA_SIZE_S16,
                               ISA_SIZE_32, ISA_SIZE_64, ISA_SIZE_128, ISA_SIZE_128};
static const uint8_t shared_type[] = {ISA_ATOM_TYPE_U32, ISA_ATOM_TYPE_S32, ISA_ATOM_TYPE_64, ISA_ATOM_TYPE_S64};
static const uint8_t scope[] = {ISA_SCOPE_CTA, ISA_SCOPE_GPU, ISA_SCOPE_SYS};

static const struct {
    const char *name;
    uint8_t modifier, count;
    const uint8_t *value;
} modifiers[] = {
    {"FTZ", ISA_MOD_FTZ, 2, same},
    {"FMZ", ISA_MOD_FMZ, 4, flush},
    {"RND", ISA_MOD_ROUND, 4, same},
    {"SAT", ISA_MOD_SAT, 2, same},
    {"SCALE", ISA_MOD_SCALE, 8, scale},
    {"FCMP", ISA_MOD_CMP, 16, same},
    {"FSELECT", ISA_MOD_CMP, 16, same},
    {"ICMP", ISA_MOD_CMP, 8, same},
    {"BOP", ISA_MOD_BOP, 4, same},
    {"BF", ISA_MOD_BOOLEAN, 2, same},
    {"H_AND", ISA_MOD_H_AND, 2, same},
    {"NDV", ISA_MOD_NDV, 2, same},
    {"UNSIGNED", ISA_MOD_SIGNED, 2, same}, /* 0 is printed U32 */
    {"X", ISA_MOD_EXTENDED, 2, same},
    {"CC", ISA_MOD_CC, 2, same},
    {"W", ISA_MOD_WRAP, 2, same},
    {"SH", ISA_MOD_NEGATE_COUNT, 2, same},
    {"BREV", ISA_MOD_FLAG, 2, same},
    {"HI", ISA_MOD_HI, 2, same},
    {"MUFU", ISA_MOD_FUNCTION, 16, same},
    {"RRO", ISA_MOD_MODE, 2, same},
    {"PERMUTE", ISA_MOD_MODE, 8, same},
    {"SHUFFLE", ISA_MOD_MODE, 4, same},
    {"XHL", ISA_MOD_MODE, 4, same},
    {"XMAD_SIGNS", ISA_MOD_SIGNS, 4, same},
    {"XMAD_MODE", ISA_MOD_MODE, 8, same},
    {"PSL", ISA_MOD_SHIFT, 2, same},
    {"MRG", ISA_MOD_MERGE, 2, same},
    {"BYTE", ISA_MOD_BYTE, 4, same},
    {"HALF_OUT", ISA_MOD_HALF_FORMAT, 4, same},
    {"E", ISA_MOD_ADDRESS64, 2, same},
    {"MEMORY_SIZE", ISA_MOD_SIZE, 8, size},
    {"LDS_SIZE", ISA_MOD_SIZE, 8, size},
    {"SURFACE_SIZE", ISA_MOD_SIZE, 8, size},
    {"ATOMIC", ISA_MOD_FUNCTION, 16, same},
    {"ATOMIC_TYPE", ISA_MOD_ATOM_TYPE, 8, same},
    {"SHARED_ATOMIC_TYPE", ISA_MOD_ATOM_TYPE, 4, shared_type},
    {"CONSTANT_MODE", ISA_MOD_MODE, 4, same},
    {"REDUCTION", ISA_MOD_FUNCTION, 4, same},
    {"FENCE", ISA_MOD_SCOPE, 3, scope},
    {"TEST", ISA_MOD_TEST, 16, same},
};

static void take_modifiers(struct translation *t)
{
    for (unsigned i = 0; i < t->parts->modifiers; i++) {
        const struct pascal_modifier *m = &t->parts->modifier[i];
        for (size_t k = 0; k < sizeof modifiers / sizeof *modifiers; k++)
            if (same_name(m->name, modifiers[k].name))
                t->out->mod[modifiers[k].modifier] =
                    m->value < modifiers[k].count ? modifiers[k].value[m->value & 15] : m->value;
    }
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static struct isa_operand *next_source(struct translation *t)
{
    struct isa_inst *out = t->out;
    struct isa_operand *const place[] = {&out->a, &out->b, &out->c, &out->e, &out->f};
    struct isa_operand *o = place[t->sources];
    if (t->sources < sizeof place / sizeof *place - 1)
        t->source[t->sources++] = o;
    return o;
}

static void take_value(struct translation *t, const struct pascal_operand *from, bool result)
{
    struct isa_operand *to = result ? &t->out->d : next_source(t);
    uint8_t position = from->letter == 'B' ? 1 : from->letter == 'C' ? 2 : 0;
    *to = (struct isa_operand){.kind = from->kind,
                               .index = from->index,
                               .flags = from->flags,
                               .words = 1,
                               .bank = from->bank,
                               .swizzle = from->part,
                               .position = position,
                               .value = from->value};
}

static void take_predicate(struct isa_inst *out, const struct pascal_operand *from)
{
    struct isa_predicate *const results[] = {&out->pu, &out->pv}, *const sources[] = {&out->pp, &out->pq, &out->pr};
    struct isa_predicate p = {.index = from->index, .inverted = from->flags != 0, .present = true};
    for (unsigned i = 0; i < (from->written ? 2 : 3); i++) {
        struct isa_predicate *to = from->written ? results[i] : sources[i];
        if (!to->present) {
            *to = p;
            return;
        }
    }
}

static void take_operands(struct translation *t)
{
    struct isa_inst *out = t->out;
    bool first = true; /* nothing but predicates so far */
    for (unsigned i = 0; i < t->parts->operands; i++) {
        const struct pascal_operand *o = &t->parts->operand[i];
        switch (o->letter) {
        case 'P': take_predicate(out, o); continue;
        case 'S': out->mod[ISA_MOD_SPECIAL] = o->index; break;
        case 'T': out->target = pascal_pc(o->value); break;
        case 'M':
            *next_source(t) = (struct isa_operand){.kind = ISA_REG, .index = o->index, .words = 1};
            out->offset = (int32_t)o->value;
            break;
        case 'L':
            out->a = (struct isa_operand){.kind = ISA_REG, .index = o->index, .words = 1};
            out->b = (struct isa_operand){.kind = ISA_CONST, .bank = o->bank, .value = o->value, .words = 1};
            break;
        default: take_value(t, o, first && o->letter == 'D'); break;
        }
        first = false;
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void plain(struct translation *t) { (void)t; }

static void multiply(struct translation *t)
{
    if (strcmp(t->parts->name, "FMUL32I") == 0)
        t->out->mod[ISA_MOD_SCALE] = ISA_SCALE_NONE;
}

static void function(struct translation *t) { t->out->mod[ISA_MOD_DST_TYPE] = ISA_MUFU_TYPE_F32; }

/* The sum takes B, which is C elsewhere. */
static void quad_sum(struct translation *t)
{
    struct isa_inst *out = t->out;
    enum { SIGNS_LOW = 28 };
    out->mod[ISA_MOD_SIGNS] = (uint8_t)(out->word.lo >> SIGNS_LOW);
    out->c = out->b;
    out->b = (struct isa_operand){.kind = ISA_NONE};
    if (out->mod[ISA_MOD_CC])
        pascal_refuse(t);
}

static void widen(struct isa_operand *o)
{
    if (o->kind != ISA_NONE)
        o->words = 2;
}

static void wide(struct translation *t)
{
    struct isa_inst *out = t->out;
    struct isa_operand *const all[] = {&out->d, &out->a, &out->b, &out->c};
    for (unsigned i = 0; i < 4; i++)
        widen(all[i]);
}

static void wide_set(struct translation *t)
{
    widen(&t->out->a);
    widen(&t->out->b);
}

/* Results that keep a half of the old register do not execute. */
static void halves(struct translation *t)
{
    if (t->out->mod[ISA_MOD_HALF_FORMAT] > ISA_HALF_FORMAT_F32)
        pascal_refuse(t);
}

static bool plain_sum(const struct isa_inst *out)
{
    return !out->mod[ISA_MOD_CC] && !out->mod[ISA_MOD_EXTENDED] && !out->mod[ISA_MOD_SAT];
}

static struct isa_operand zero_register(void)
{
    return (struct isa_operand){.kind = ISA_REG, .index = ISA_RZ, .words = 1};
}

static void add(struct translation *t)
{
    if (!plain_sum(t->out))
        return;
    t->out->op = ISA_OP_IADD3;
    t->out->c = zero_register();
}

static void add3(struct translation *t)
{
    struct isa_inst *out = t->out;
    out->mod[ISA_MOD_SHIFT] = (uint8_t)pascal_modifier(t->parts, "IADD_SHIFT", 0);
    if (plain_sum(out) && !out->mod[ISA_MOD_SHIFT] && !out->a.swizzle && !out->b.swizzle && !out->c.swizzle)
        out->op = ISA_OP_IADD3;
}

static bool wanted(struct isa_predicate p) { return p.present && p.index != ISA_PT; }

static void lea(struct translation *t)
{
    struct isa_inst *out = t->out;
    out->mod[ISA_MOD_SHIFT] = (uint8_t)pascal_take_number(t);
    out->mod[ISA_MOD_HI] = strcmp(t->parts->name, "LEA.HI") == 0;
    if (plain_sum(out) && !wanted(out->pu))
        out->op = ISA_OP_LEA;
    if (wanted(out->pu) && !out->mod[ISA_MOD_HI])
        pascal_refuse(t);
}

/* The factors' signs: A's in bit 0, B's in bit 1. */
static void product(struct translation *t)
{
    struct isa_inst *out = t->out;
    out->mod[ISA_MOD_SIGNS] = (uint8_t)pascal_modifier(t->parts, "IMUL_SIGNS", 0);
    if (out->c.kind == ISA_NONE)
        out->c = zero_register();
    if (!plain_sum(out))
        pascal_refuse(t);
}

static void minimum(struct translation *t)
{
    if (!t->out->mod[ISA_MOD_MODE] && !t->out->mod[ISA_MOD_CC])
        t->out->op = ISA_OP_IMNMX;
}

static void compare(struct translation *t)
{
    if (t->out->mod[ISA_MOD_EXTENDED])
        t->out->op = ISA_OP_ISETP_60;
}

static void shift_left(struct translation *t)
{
    struct isa_inst *out = t->out;
    if (out->mod[ISA_MOD_EXTENDED] || out->mod[ISA_MOD_CC])
        pascal_refuse(t);
    out->c = zero_register();
    out->mod[ISA_MOD_SHF_TYPE] = ISA_SHF_TYPE_U32;
}

static void shift_right(struct translation *t)
{
    struct isa_inst *out = t->out;
    if (out->mod[ISA_MOD_EXTENDED] || out->mod[ISA_MOD_CC] || out->mod[ISA_MOD_FLAG])
        pascal_refuse(t);
    out->c = out->a;
    out->a = zero_register();
    out->mod[ISA_MOD_RIGHT] = out->mod[ISA_MOD_HI] = 1;
    out->mod[ISA_MOD_SHF_TYPE] = out->mod[ISA_MOD_SIGNED] ? ISA_SHF_TYPE_S32 : ISA_SHF_TYPE_U32;
}

/* The lower word of a pair that is shifted to the right, the upper one of a pair that is shifted to the left. */
static void funnel(struct translation *t)
{
    static const uint8_t type[] = {ISA_SHF_TYPE_U32, ISA_SHF_TYPE_U32, ISA_SHF_TYPE_U64, ISA_SHF_TYPE_S64};
    struct isa_inst *out = t->out;
    if (pascal_modifier(t->parts, "SHF_MODE", 0) || out->mod[ISA_MOD_CC])
        pascal_refuse(t);
    out->mod[ISA_MOD_RIGHT] = strcmp(t->parts->name, "SHF.R") == 0;
    out->mod[ISA_MOD_HI] = !out->mod[ISA_MOD_RIGHT];
    out->mod[ISA_MOD_SHF_TYPE] = type[pascal_modifier(t->parts, "SHF_TYPE", 0) & 3];
}

/* The predicate of LOP and LOP3 tells whether the result is not 0, or is, or neither is asked (.T). With .X the result
 * is the upper word, and the lower one has left its zero in the condition code. */
static void zero_test(struct translation *t)
{
    enum { TRUE = 1, ZERO, NOT_ZERO };
    struct isa_inst *out = t->out;
    unsigned test = pascal_modifier(t->parts, "ZTEST", 0);
    out->mod[ISA_MOD_TEST] = (uint8_t)test;
    out->mod[ISA_MOD_PAND] = test == NOT_ZERO;
    if (out->mod[ISA_MOD_CC] || out->mod[ISA_MOD_EXTENDED] || test == TRUE || test == ZERO)
        out->op = ISA_OP_LOP3_60;
}

static void logic(struct translation *t)
{
    static const uint8_t table[] = {0xc0, 0xfc, 0x3c, 0xcc}; /* A & B, A | B, A ^ B, B */
    t->out->mod[ISA_MOD_LUT] = table[pascal_modifier(t->parts, "LOGIC", 0) & 3];
    t->out->c = zero_register();
    zero_test(t);
}

static void logic3(struct translation *t)
{
    t->out->mod[ISA_MOD_LUT] = (uint8_t)pascal_take_number(t);
    zero_test(t);
}

static void dot(struct translation *t)
{
    struct isa_inst *out = t->out;
    bool two = strcmp(t->parts->name, "IDP.2A") == 0;
    out->mod[ISA_MOD_SIGNED] = (uint8_t)pascal_modifier(t->parts, two ? "IDP_A2" : "IDP_A", 0);
    out->mod[ISA_MOD_SIGNED_B] = (uint8_t)pascal_modifier(t->parts, "IDP_B", 0);
    out->mod[ISA_MOD_DOT] = (uint8_t)(two ? 1 + 2 * pascal_modifier(t->parts, "IDP_HALF", 0) : 0);
}

/* Operations of whole words whose result is combined with C, the only ones that compiled code has in numbers. */
static void video(struct translation *t)
{
    static const char *const names[] = {"VMNMX", "VADD", "VSET", "VSHR", "VSHL", "VABSDIFF"};
    static const char *const signs[] = {"VIDEO_WORDS", "VIDEO_IMMEDIATE"};
    enum { MINIMUM = 0, DIFFERENCE = 5 };
    struct isa_inst *out = t->out;
    for (uint8_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], t->parts->name) == 0)
            out->mod[ISA_MOD_FUNCTION] = i;
    for (unsigned i = 0; i < 2; i++)
        out->mod[ISA_MOD_SIGNS] |= (uint8_t)pascal_modifier(t->parts, signs[i], 0);
    out->mod[ISA_MOD_MODE] = (uint8_t)pascal_modifier(t->parts, "VIDEO", 0);
    out->mod[ISA_MOD_DST_TYPE] = (uint8_t)pascal_modifier(t->parts, "RESULT", 0);
    out->mod[ISA_MOD_FLAG] = (uint8_t)pascal_modifier(t->parts, "MX", 0);
    out->mod[ISA_MOD_DST_TYPE] |= (uint8_t)pascal_modifier(t->parts, "SD", 0);
    if ((out->mod[ISA_MOD_FUNCTION] != MINIMUM && out->mod[ISA_MOD_FUNCTION] != DIFFERENCE) || out->mod[ISA_MOD_CC] ||
        out->mod[ISA_MOD_SAT])
        pascal_refuse(t);
}

/* .ACC is a bit of the opcode. */
static void bytes(struct translation *t)
{
    enum { ACC_BIT = 53 };
    t->out->mod[ISA_MOD_ACCUMULATE] = t->out->word.lo >> ACC_BIT & 1;
    if (t->out->mod[ISA_MOD_CC])
        pascal_refuse(t);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

#define from_integer pascal_from_integer
#define between_floats pascal_between_floats
#define to_integer pascal_to_integer
#define between_integers pascal_between_integers
#define move pascal_move
#define predicates pascal_predicates
#define set_of_predicates pascal_set_of_predicates
#define condition pascal_condition
#define register_set pascal_register_set
#define load pascal_load
#define store pascal_store
#define load_constant pascal_load_constant
#define atomic pascal_atomic
#define fence pascal_fence
#define jump pascal_jump
#define breakpoint pascal_breakpoint
#define nothing pascal_nothing
#define counters pascal_counters
#define barrier pascal_barrier
#define barrier_result pascal_barrier_result
#define vote pascal_vote
#define texture pascal_texture
#define texture_query pascal_texture_query
#define short_sample pascal_short_sample
#define short_fetch pascal_short_fetch
#define short_gather pascal_short_gather
#define surface pascal_surface

static const struct {
    const char *name;
    uint16_t op;
    pascal_step *step;
} rules[] = {
#define RULE(name, op, step) {name, ISA_OP_##op, step},
#include "isa/pascal_translate.def"
#undef RULE
};

void pascal_translate(const struct pascal_inst *inst, struct isa_inst *out)
{
    struct pascal_parts parts;
    pascal_parts(inst, &parts);
    struct translation t = {.parts = &parts, .out = out};
    out->op = ISA_OP_PASCAL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!same_name(rules[i].name, parts.name))
            continue;
        out->op = rules[i].op;
        take_modifiers(&t);
        take_operands(&t);
        rules[i].step(&t);
        return;
    }
}
