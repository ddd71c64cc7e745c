/* Memory, control and barriers of Pascal in the decoded form of all architectures. */
#include <string.h>

#include "isa/pascal_translate.h"

static uint8_t words_of(const struct isa_inst *out)
{
    unsigned size = out->mod[ISA_MOD_SIZE];
    return size == ISA_SIZE_128 ? 4 : size == ISA_SIZE_64 ? 2 : 1;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* .CG passes the L1, .CV goes to memory, and .CI is the path of read-only data. */
static void order(struct translation *t, const char *name)
{
    static const uint8_t load[] = {ISA_ORDER_WEAK, ISA_ORDER_STRONG_GPU, ISA_ORDER_CONSTANT, ISA_ORDER_STRONG_SYS};
    t->out->mod[ISA_MOD_ORDER] = load[pascal_modifier(t->parts, name, 0) & 3];
}

static void address(struct isa_inst *out)
{
    out->a.words = out->mod[ISA_MOD_ADDRESS64] ? 2 : 1;
    out->mod[ISA_MOD_CACHE] = ISA_CACHE_EN;
}

/* The predicate beside a generic address is not used. */
void pascal_load(struct translation *t)
{
    struct isa_inst *out = t->out;
    address(out);
    out->d.words = words_of(out);
    out->pp = (struct isa_predicate){0};
    order(t, "LOAD_CACHE");
}

void pascal_store(struct translation *t)
{
    static const uint8_t store[] = {ISA_ORDER_WEAK, ISA_ORDER_WEAK, ISA_ORDER_WEAK, ISA_ORDER_STRONG_SYS};
    struct isa_inst *out = t->out;
    address(out);
    out->b.words = words_of(out);
    out->pp = (struct isa_predicate){0};
    out->mod[ISA_MOD_ORDER] = store[pascal_modifier(t->parts, "STORE_CACHE", 0) & 3];
}

void pascal_load_constant(struct translation *t) { t->out->d.words = words_of(t->out); }

/* Compiled code asks LEA whether an address is global before it comes here with it. */
void pascal_atomic(struct translation *t)
{
    struct isa_inst *out = t->out;
    bool swaps = out->c.kind != ISA_NONE;
    address(out);
    if (swaps) {
        out->mod[ISA_MOD_FUNCTION] = ISA_ATOM_FORM_CAS;
        /* .CAS.64 has its second operand two registers behind the first one. */
        bool wide = out->c.index == out->b.index + 2u || ends_with(t->parts->name, ".64");
        out->mod[ISA_MOD_ATOM_TYPE] = wide ? ISA_ATOM_TYPE_64 : ISA_ATOM_TYPE_U32;
        if (out->op == ISA_OP_ATOMG)
            out->op = ISA_OP_ATOMG_CAS;
    }
    unsigned type = out->mod[ISA_MOD_ATOM_TYPE];
    uint8_t words = type == ISA_ATOM_TYPE_64 || type == ISA_ATOM_TYPE_S64 || type == ISA_ATOM_TYPE_F64_RN ? 2 : 1;
    out->b.words = words;
    out->c.words = swaps ? words : 0;
    out->d.words = words;
    out->pu = (struct isa_predicate){.index = ISA_PT, .present = true};
    out->mod[ISA_MOD_ORDER] = ISA_ORDER_STRONG_GPU;
}

void pascal_fence(struct translation *t) { (void)t; }

/* The condition is .T unless the row names one. The rest of an address counts from the next instruction. */
void pascal_jump(struct translation *t)
{
    struct isa_inst *out = t->out;
    bool tests = false;
    for (unsigned i = 0; i < t->parts->modifiers; i++)
        tests |= strcmp(t->parts->modifier[i].name, "TEST") == 0;
    if (!tests)
        out->mod[ISA_MOD_TEST] = PASCAL_TEST_TRUE;
    const struct pascal_operand *number = pascal_letter(t->parts, '#', 0);
    if (number) {
        pascal_take_number(t);
        out->offset = (int32_t)number->value;
    }
}

void pascal_breakpoint(struct translation *t)
{
    static const uint8_t kind[] = {0, 0, ISA_BPT_PAUSE, ISA_BPT_TRAP, ISA_BPT_INT};
    unsigned trap = pascal_modifier(t->parts, "TRAP", 0);
    pascal_take_number(t);
    t->out->op = ISA_OP_BPT;
    t->out->mod[ISA_MOD_MODE] = trap < sizeof kind ? kind[trap] : 0;
}

void pascal_nothing(struct translation *t)
{
    while (t->sources)
        pascal_take_number(t);
}

/* DEPBAR.LE SB5, 0x2, {..}: the first two numbers are counter and threshold. */
void pascal_counters(struct translation *t)
{
    struct isa_inst *out = t->out;
    const struct pascal_operand *number[3];
    unsigned count = 0;
    for (; count < 3 && pascal_letter(t->parts, '#', count); count++)
        number[count] = pascal_letter(t->parts, '#', count);
    bool threshold = count >= 2;
    uint32_t set = count == 1 || count == 3 ? number[count - 1]->value : 0;
    out->mod[ISA_MOD_COUNTER] = (uint8_t)(threshold ? number[0]->value : set ? lowest_bit32(set) : 0);
    out->mod[ISA_MOD_COUNT] = (uint8_t)(threshold ? number[1]->value : 0);
    out->mod[ISA_MOD_COUNTERS] = (uint8_t)set;
    pascal_nothing(t);
}

void pascal_barrier(struct translation *t)
{
    static const struct {
        const char *name;
        uint8_t mode;
    } modes[] = {{"BAR.SYNC", ISA_BAR_SYNC}, {"BAR.ARV", ISA_BAR_ARV}, {"BAR.RED", ISA_BAR_RED}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, t->parts->name) == 0)
            t->out->mod[ISA_MOD_MODE] = modes[i].mode;
    if (t->out->a.kind == ISA_IMM)
        t->out->barrier = (uint8_t)t->out->a.value;
}

void pascal_barrier_result(struct translation *t) { t->out->mod[ISA_MOD_MODE] = ISA_B2R_RESULT; }

void pascal_vote(struct translation *t)
{
    t->out->mod[ISA_MOD_MODE] = (uint8_t)pascal_modifier(t->parts, "VOTE", 0);
    if (t->out->d.kind == ISA_NONE)
        t->out->d = (struct isa_operand){.kind = ISA_REG, .index = ISA_RZ, .words = 1};
}
