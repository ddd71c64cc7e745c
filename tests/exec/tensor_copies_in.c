/* UTCCP and UTCSHIFT against nested loops: every shape, swizzle and element, in one CTA and in a pair. */
#include "exec/tensor/tensor_memory.h"

#include "exec/tensor/tensor_pair.h"
#include "machine.h"

enum { WHOLE, UNUSED, FOUR, NARROW, HALVES_02, HALVES_01, QUARTERS, LAYOUTS };
enum { SHARED = 65536, TARGET = 4, DESCRIPTOR = 6, OFFSET = 12 };

static uint64_t random_state = 9;

static uint32_t draw(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

static struct isa_operand uniform(unsigned index, unsigned words)
{
    return (struct isa_operand){.kind = ISA_UREG, .index = (uint8_t)index, .words = (uint8_t)words};
}

struct trial {
    unsigned layout, element, swizzle; /* swizzle: the field of the descriptor */
    uint32_t start, leading, stride, lane, column;
    bool pair;
};

/* A machine whose second CTA is the other one of the pair. */
struct pair {
    struct machine *m;
    struct exec_cta *other;
};

static struct pair pair_of(struct isa_inst i, bool immediate)
{
    struct pair p = {.m = machine_create(immediate, 32)};
    struct status status = {0};
    p.m->module.sm = 100;
    p.m->launch.shared_bytes = SHARED;
    p.m->kernel.allocates = true;
    add(p.m, i);
    add(p.m, plain(ISA_OP_EXIT, 0));
    machine_begin(p.m);
    p.other = exec_cta_create(&p.m->launch, &status);
    assert_non_null(p.other);
    p.m->launch.cta_group = 2;
    struct exec_cta *cta[] = {p.m->cta, p.other};
    exec_cluster_form(cta, 2);
    exec_cta_start(p.m->cta, 0, 0);
    exec_cta_start(p.other, 1, 0);
    for (unsigned n = 0; n < 2; n++) {
        tensor_memory_allocate(cta[n]->tensor, TENSOR_ALL_UNITS, 0);
        for (unsigned b = 0; b < SHARED; b++)
            cta[n]->shared[b] = (uint8_t)draw(256);
        for (unsigned c = 0; c < 512; c++)
            for (unsigned lane = 0; lane < 128; lane++)
                *tensor_memory_word(cta[n]->tensor, lane, c) = draw(UINT32_MAX);
    }
    return p;
}

static void pair_end(struct pair *p)
{
    exec_cta_destroy(p->other);
    machine_destroy(p->m);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static unsigned rows_of(unsigned layout)
{
    return layout == WHOLE || layout == NARROW ? 128 : layout == FOUR ? 4 : layout == QUARTERS ? 32 : 64;
}

/* Whether row r goes to this lane. */
static bool goes_to(unsigned layout, unsigned r, unsigned lane)
{
    switch (layout) {
    case FOUR: return lane == 32 * r;
    case HALVES_02: return lane % 64 == r; /* warps 0 and 2, 1 and 3 get the same */
    case HALVES_01: return lane / 64 == r / 32 && lane % 32 == r % 32;
    case QUARTERS: return lane % 32 == r;
    default: return lane == r;
    }
}

/* Byte b of row r. */
static uint32_t address_of(const struct trial *t, unsigned r, unsigned b)
{
    unsigned span = t->swizzle == 2 || t->swizzle == 1 ? 128 : t->swizzle == 4 ? 64 : t->swizzle == 6 ? 32 : 16;
    uint32_t at = t->start + r / 8 * t->stride + r % 8 * span;
    at += t->swizzle ? b : b / 16 * t->leading + b % 16;
    uint32_t row = at / 128;
    switch (t->swizzle) {
    case 1: return at ^ row % 4 * 32;
    case 2: return at ^ row % 8 * 16;
    case 4: return at ^ row % 4 * 16;
    case 6: return at ^ row % 2 * 16;
    default: return at;
    }
}

/* Byte b of row r as it arrives. */
static uint8_t byte_of(const struct trial *t, const uint8_t *shared, unsigned r, unsigned b)
{
    unsigned group = b / 16 * 16, i = b % 16;
    uint8_t packed[16];
    for (unsigned n = 0; n < 16; n++)
        packed[n] = shared[address_of(t, r, group + n)];
    if (t->element == 1) {
        unsigned nibble = i % 2 ? packed[i / 2] / 16 : packed[i / 2] % 16;
        return (uint8_t)(nibble * 4);
    }
    if (t->element == 2) {
        unsigned value = 0;
        for (unsigned bit = 0; bit < 6; bit++)
            value += ((unsigned)packed[(6 * i + bit) / 8] >> (6 * i + bit) % 8 & 1u) << bit;
        return (uint8_t)value;
    }
    return packed[i];
}

static void expect_copy(const struct trial *t, const uint8_t *shared, uint32_t cell[512][128])
{
    unsigned bytes = t->layout == WHOLE || t->layout == FOUR ? 32 : 16;
    for (unsigned r = 0; r < rows_of(t->layout); r++)
        for (unsigned lane = 0; lane < 128; lane++)
            for (unsigned b = 0; goes_to(t->layout, r, lane) && b < bytes; b++) {
                uint32_t *word = &cell[t->column + b / 4][t->lane + lane];
                *word = (*word & ~(255u << b % 4 * 8)) | (uint32_t)byte_of(t, shared, r, b) << b % 4 * 8;
            }
}

static void set_operands(struct machine *m, const struct trial *t)
{
    uint32_t *ur = m->cta->warps[0].ureg;
    ur[TARGET] = (t->lane << 16 | t->column) - OFFSET;
    ur[DESCRIPTOR] = t->start / 16 | t->leading / 16 << 16;
    ur[DESCRIPTOR + 1] = t->stride / 16 | 1u << 14 | t->swizzle << 29;
}

static struct isa_inst copy_of(const struct trial *t)
{
    struct isa_inst i = inst(ISA_OP_UTCCP);
    i.mod[ISA_MOD_LAYOUT] = (uint8_t)t->layout;
    i.mod[ISA_MOD_ELEMENT] = (uint8_t)t->element;
    i.mod[ISA_MOD_CTAS] = t->pair;
    i.a = uniform(TARGET, 1);
    i.e = value(OFFSET);
    i.b = uniform(DESCRIPTOR, 2);
    return i;
}

static void check_copy(const struct trial *t, bool immediate)
{
    static uint32_t expected[2][512][128];
    struct pair p = pair_of(copy_of(t), immediate);
    struct exec_cta *cta[] = {p.m->cta, p.other};
    set_operands(p.m, t);
    for (unsigned n = 0; n < 2; n++) {
        memcpy(expected[n], cta[n]->tensor->cell, sizeof expected[n]);
        if (n == 0 || t->pair)
            expect_copy(t, cta[n]->shared, expected[n]);
    }
    machine_step(p.m, 0);
    exec_serve(&p.m->core);
    assert_string_equal(p.m->core.fault.text, "");
    for (unsigned n = 0; n < 2; n++)
        assert_memory_equal(cta[n]->tensor->cell, expected[n], sizeof expected[n]);
    pair_end(&p);
}

static void a_copy_of_each_shape_swizzle_and_element_is_that_of_nested_loops(void **state)
{
    (void)state;
    static const unsigned swizzles[] = {0, 1, 2, 4, 6};
    for (unsigned layout = 0; layout < LAYOUTS; layout++)
        for (unsigned s = 0; s < 5; s++)
            for (unsigned element = 0; layout != UNUSED && element < 3; element++)
                for (unsigned pair = 0; pair < 2; pair++) {
                    struct trial t = {.layout = layout, .element = element, .swizzle = swizzles[s], .pair = pair};
                    t.start = draw(512) * (s ? 32 : 16);
                    t.leading = 16 * draw(300);
                    t.stride = 128 * (1 + draw(12)) * (s ? 2 : 1);
                    t.column = 4 * draw(127);
                    t.lane = layout == FOUR ? draw(32) : 0;
                    check_copy(&t, draw(2));
                }
}

static void expect_fault(const struct trial *t, enum exec_fault_kind kind, uint32_t address, const char *text)
{
    struct pair p = pair_of(copy_of(t), true);
    set_operands(p.m, t);
    p.other->tensor->units = 1;
    machine_step(p.m, 0);
    assert_int_equal(p.m->core.report.kind, kind);
    assert_int_equal(p.m->core.report.address, address);
    assert_string_equal(p.m->core.report.text, text);
    pair_end(&p);
}

static void a_copy_to_or_from_where_nothing_is_faults_with_the_address(void **state)
{
    (void)state;
    expect_fault(
        &(struct trial){.layout = WHOLE, .column = 508, .stride = 128}, EXEC_FAULT_ADDRESS, 508,
        "copy at 0x000001fc is in lanes 0-127, columns 508-515 of tensor memory: the CTA has allocated columns "
        "0-511");
    expect_fault(&(struct trial){.layout = QUARTERS, .lane = 32, .stride = 128}, EXEC_FAULT_ADDRESS, 32 << 16,
                 "copy at 0x00200000 is in lanes 32-159, columns 0-3 of tensor memory: the CTA has allocated columns "
                 "0-511");
    expect_fault(&(struct trial){.layout = QUARTERS, .column = 6, .stride = 128}, EXEC_FAULT_MISALIGNED, 6,
                 "copy to 0x00000006 in tensor memory: column 6 is no multiple of 4");
    expect_fault(&(struct trial){.layout = QUARTERS, .column = 32, .stride = 128, .pair = true}, EXEC_FAULT_ADDRESS, 32,
                 "copy at 0x00000020 of the other CTA of the pair is in lanes 0-127, columns 32-35 of tensor memory: "
                 "the CTA has allocated columns 0-31");
    expect_fault(&(struct trial){.layout = NARROW, .start = 65536 - 128, .stride = 128}, EXEC_FAULT_ADDRESS, 65536,
                 "a matrix descriptor leads to address 0x10000, the CTA has 65536 bytes of shared memory");
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

static struct isa_inst shift_of(bool pair)
{
    struct isa_inst i = inst(ISA_OP_UTCSHIFT);
    i.mod[ISA_MOD_CTAS] = pair;
    i.a = uniform(TARGET, 1);
    return i;
}

static void a_shift_moves_rows_of_32_bytes_down_by_one_and_leaves_the_first(void **state)
{
    (void)state;
    static uint32_t expected[2][512][128];
    for (unsigned trial = 0; trial < 32; trial++) {
        bool pair = trial % 2;
        unsigned first = 32 * draw(4), column = draw(505);
        struct pair p = pair_of(shift_of(pair), trial % 4 < 2);
        struct exec_cta *cta[] = {p.m->cta, p.other};
        for (unsigned n = 0; n < 2; n++) {
            memcpy(expected[n], cta[n]->tensor->cell, sizeof expected[n]);
            for (unsigned c = column; (n == 0 || pair) && c < column + 8; c++)
                for (unsigned lane = 127; lane > first; lane--)
                    expected[n][c][lane] = expected[n][c][lane - 1];
        }
        p.m->cta->warps[0].ureg[TARGET] = first << 16 | column;
        machine_step(p.m, 0);
        exec_serve(&p.m->core);
        assert_string_equal(p.m->core.fault.text, "");
        for (unsigned n = 0; n < 2; n++)
            assert_memory_equal(cta[n]->tensor->cell, expected[n], sizeof expected[n]);
        pair_end(&p);
    }
}

static void a_shift_begins_at_a_multiple_of_32_lanes(void **state)
{
    (void)state;
    struct pair p = pair_of(shift_of(false), true);
    p.m->cta->warps[0].ureg[TARGET] = 16 << 16 | 8;
    machine_step(p.m, 0);
    assert_int_equal(p.m->core.report.kind, EXEC_FAULT_MISALIGNED);
    assert_string_equal(p.m->core.report.text, "shift at 0x00100008 in tensor memory: lane 16 is no multiple of 32");
    pair_end(&p);
}

UNIT_TESTS(UNIT(a_copy_of_each_shape_swizzle_and_element_is_that_of_nested_loops),
           UNIT(a_copy_to_or_from_where_nothing_is_faults_with_the_address),
           UNIT(a_shift_moves_rows_of_32_bytes_down_by_one_and_leaves_the_first),
           UNIT(a_shift_begins_at_a_multiple_of_32_lanes))
