/* Atomics and reductions in shared and global memory against a model of one operation, at once and at the slice. */
#include "exec/exec.h"
#include "machine.h"

static uint64_t random_state = 99;

static uint32_t draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 32);
}

enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCHANGE, CAS = 16, CAST = 17, COUNT = 18 };

/* Unsigned, signed, 32 and 64 bits written out one by one. */
static uint64_t model(unsigned function, unsigned type, uint64_t old, uint64_t v, uint64_t other)
{
    if (type == MACHINE_U32 || type == MACHINE_S32) {
        uint32_t a = (uint32_t)old, b = (uint32_t)v;
        switch (function) {
        case ADD: return (uint32_t)(a + b);
        case MIN: return type == MACHINE_S32 ? (uint32_t)((int32_t)a < (int32_t)b ? a : b) : a < b ? a : b;
        case MAX: return type == MACHINE_S32 ? (uint32_t)((int32_t)a > (int32_t)b ? a : b) : a > b ? a : b;
        case INC: return a >= b ? 0 : a + 1;
        case DEC: return a == 0 || a > b ? b : a - 1;
        case AND: return a & b;
        case OR: return a | b;
        case XOR: return a ^ b;
        case EXCHANGE: return b;
        case COUNT: return (uint32_t)(a + 1);
        default: return a == b ? (uint32_t)other : a;
        }
    }
    switch (function) {
    case ADD: return old + v;
    case MIN: return type == MACHINE_S64 ? (uint64_t)((int64_t)old < (int64_t)v ? old : v) : old < v ? old : v;
    case MAX: return type == MACHINE_S64 ? (uint64_t)((int64_t)old > (int64_t)v ? old : v) : old > v ? old : v;
    case AND: return old & v;
    case OR: return old | v;
    case XOR: return old ^ v;
    case EXCHANGE: return v;
    default: return old == v ? other : old;
    }
}

enum { CELLS = 6, ADDRESS = 4, OPERAND = 8, OTHER = 10, RESULT = 12 };

struct trial {
    unsigned function, type, bytes;
    enum isa_op op;
    uint32_t active;
    uint32_t cell[EXEC_LANES];
    uint64_t operand[EXEC_LANES], other[EXEC_LANES], memory[CELLS], result[EXEC_LANES];
};

/* Few cells and few values, so that lanes meet and compare-and-swaps succeed. */
static struct trial make_trial(enum isa_op op, unsigned function, unsigned type)
{
    struct trial t = {.function = function, .type = type, .op = op};
    t.bytes = type == MACHINE_U64 || type == MACHINE_S64 ? 8 : 4;
    t.active = draw() & 1 ? ALL : draw() | 1;
    for (unsigned i = 0; i < CELLS; i++)
        t.memory[i] = draw() & 1 ? draw() % 4 : (uint64_t)draw() << 32 | draw();
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        t.cell[lane] = draw() % CELLS;
        t.operand[lane] = draw() & 1 ? draw() % 4 : (uint64_t)draw() << 32 | draw();
        t.other[lane] = (uint64_t)draw() << 32 | draw() % 4;
    }
    return t;
}

static void run_model(struct trial *t)
{
    uint64_t mask = t->bytes == 8 ? UINT64_MAX : UINT32_MAX;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        if (!(t->active >> lane & 1))
            continue;
        uint64_t *cell = &t->memory[t->cell[lane]], old = *cell & mask;
        *cell = (*cell & ~mask) | model(t->function, t->type, old, t->operand[lane] & mask, t->other[lane] & mask);
        t->result[lane] = t->function == CAST ? old == (t->operand[lane] & mask) : old;
    }
}

static struct isa_inst instruction(const struct trial *t)
{
    unsigned words = t->bytes / 4;
    struct isa_inst i = inst(t->op);
    i.a = wide(ADDRESS, t->op == ISA_OP_ATOMS ? 1 : 2);
    i.b = wide(OPERAND, words);
    if (t->op != ISA_OP_RED)
        i.d = wide(t->function == COUNT ? RZ : RESULT, words);
    if (t->function == CAS || t->function == CAST)
        i.c = wide(OTHER, words);
    i.mod[ISA_MOD_FUNCTION] = (uint8_t)t->function;
    i.mod[ISA_MOD_ATOM_TYPE] = (uint8_t)t->type;
    return i;
}

static void set_pair(struct machine *m, unsigned r, const uint64_t values[EXEC_LANES])
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        row(m, r)[lane] = (uint32_t)values[lane];
        row(m, r + 1)[lane] = (uint32_t)(values[lane] >> 32);
    }
}

/* A deferred access takes effect part by part: the cells in any order, of one cell all lanes. */
static void apply_in_parts(struct machine *m, const struct trial *t)
{
    unsigned start = draw() % CELLS;
    for (unsigned i = 0; i < CELLS; i++) {
        uint32_t lanes = 0;
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            lanes |= t->cell[lane] == (start + i) % CELLS ? 1u << lane : 0;
        exec_apply(&m->core, m->token, lanes & t->active);
    }
}

static void check(struct trial *t, bool immediate)
{
    struct machine *m = machine_create(immediate, 32);
    uint64_t base = t->op == ISA_OP_ATOMS ? 64 : memory_alloc(m->memory, 32 * CELLS), address[EXEC_LANES];
    add(m, when(0, instruction(t)));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    uint8_t *at = t->op == ISA_OP_ATOMS ? m->cta->shared + base : memory_at(m->memory, base);
    for (unsigned i = 0; i < CELLS; i++)
        memcpy(at + 32 * i, &t->memory[i], 8);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        address[lane] = base + 32 * t->cell[lane];
        row(m, RESULT)[lane] = row(m, RESULT + 1)[lane] = 77;
    }
    set_pair(m, ADDRESS, address);
    set_pair(m, OPERAND, t->operand);
    set_pair(m, OTHER, t->other);
    m->cta->warps[0].pred[0] = t->active;
    machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
    assert_int_equal(m->out.deferred, !immediate && t->op != ISA_OP_ATOMS);
    assert_int_equal(m->out.bytes, t->bytes);
    if (m->out.deferred) {
        assert_memory_equal(at, &t->memory[0], t->bytes);
        apply_in_parts(m, t);
        exec_complete(&m->core, m->token);
    }
    struct trial expected = *t;
    run_model(&expected);
    for (unsigned i = 0; i < CELLS; i++)
        assert_memory_equal(at + 32 * i, &expected.memory[i], 8);
    bool returns = t->op != ISA_OP_RED && t->function != COUNT;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        bool written = returns && t->active >> lane & 1;
        assert_int_equal(row(m, RESULT)[lane], written ? (uint32_t)expected.result[lane] : 77);
        assert_int_equal(row(m, RESULT + 1)[lane], written && t->bytes == 8 ? expected.result[lane] >> 32 : 77);
    }
    machine_destroy(m);
}

static void check_all(enum isa_op op, const uint8_t *functions, size_t count)
{
    static const uint8_t types[] = {MACHINE_U32, MACHINE_S32, MACHINE_U64, MACHINE_S64};
    for (size_t f = 0; f < count; f++)
        for (unsigned trial = 0; trial < 40; trial++) {
            unsigned type = types[trial % 4];
            if ((functions[f] == INC || functions[f] == DEC || functions[f] == COUNT) && type != MACHINE_U32)
                continue;
            struct trial t = make_trial(op, functions[f], type);
            check(&t, true);
            check(&t, false);
        }
}

static const uint8_t integer[] = {ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCHANGE};

static void global_atomics_return_the_old_value_and_store_the_new_one(void **state)
{
    (void)state;
    check_all(ISA_OP_ATOMG, integer, sizeof integer);
}

static void global_compare_and_swap_stores_only_where_the_value_is_as_expected(void **state)
{
    (void)state;
    static const uint8_t swap[] = {CAS};
    check_all(ISA_OP_ATOMG_CAS, swap, 1);
}

static void reductions_return_nothing(void **state)
{
    (void)state;
    check_all(ISA_OP_RED, integer, sizeof integer - 1);
}

static void shared_atomics_take_effect_at_once(void **state)
{
    (void)state;
    static const uint8_t swaps[] = {CAS, CAST, COUNT};
    check_all(ISA_OP_ATOMS, integer, sizeof integer);
    check_all(ISA_OP_ATOMS, swaps, sizeof swaps);
}

static uint32_t bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

static void float_additions_round_to_nearest_and_flush_where_they_say_so(void **state)
{
    (void)state;
    enum { FTZ = MACHINE_F32_FTZ, F64 = 6, F32 = 8 };
    const struct {
        unsigned type;
        uint32_t a, b, sum;
    } cases[] = {
        {FTZ, bits(1.5f), bits(2.25f), bits(3.75f)},
        {FTZ, bits(16777216.0f), bits(1.0f), bits(16777216.0f)},
        {FTZ, 1, 1, 0},
        {FTZ, 0x80000001, 0, 0},
        {FTZ, 0x00800001, 0x80800000, 0},
        {F32, 1, 1, 2},
        {F32, 0x00800001, 0x80800000, 1},
        {F32, 0x7f800000, 0xff800000, 0x7fffffff},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trial t = {.function = ADD, .type = cases[i].type, .bytes = 4, .op = ISA_OP_RED, .active = 1};
        struct machine *m = machine_create(true, 32);
        uint64_t at = memory_alloc(m->memory, 32);
        add(m, when(0, instruction(&t)));
        machine_begin(m);
        assert_true(memory_write(m->memory, at, &cases[i].a, 4));
        set_addresses(m, 0, ADDRESS, at, 0);
        row(m, OPERAND)[0] = cases[i].b;
        m->cta->warps[0].pred[0] = 1;
        machine_step(m, 0);
        uint32_t sum;
        assert_true(memory_read(m->memory, &sum, at, 4));
        assert_int_equal(sum, cases[i].sum);
        machine_destroy(m);
    }
}

UNIT_TESTS(UNIT(global_atomics_return_the_old_value_and_store_the_new_one),
           UNIT(global_compare_and_swap_stores_only_where_the_value_is_as_expected), UNIT(reductions_return_nothing),
           UNIT(shared_atomics_take_effect_at_once), UNIT(float_additions_round_to_nearest_and_flush_where_they_say_so))
