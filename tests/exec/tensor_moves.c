/* LDTM and STTM against the fragments of the PTX ISA, told the other way round: which thread and register has a cell,
 * and the extremes of the values that threads load. */
#include "exec/tensor/tensor_memory.h"

#include <math.h>

#include "machine.h"

enum { LAYOUT_128, LAYOUT_256, LAYOUT_32, LAYOUT_64, LAYOUT_LOW, LAYOUT_HIGH, LAYOUTS };
enum { REGISTERS = 160, FIRST = 8, ADDRESS = 4, UNTOUCHED = 0x5eed5eed };

static uint64_t random_state = 5;

static uint32_t draw(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

struct holder {
    unsigned thread, reg;
};

/* Cell of row r and column c of the matrix that the shape moves. */
static struct holder holder_of(unsigned layout, unsigned r, unsigned c)
{
    switch (layout) {
    case LAYOUT_32: return (struct holder){r, c};
    case LAYOUT_64: return (struct holder){4 * (r % 8) + 2 * (c % 2) + r / 8, c / 2};
    case LAYOUT_128: return (struct holder){4 * (r % 8) + c % 4, 2 * (c / 4) + r / 8};
    case LAYOUT_256: return (struct holder){4 * (r % 8) + c % 8 / 2, 4 * (c / 8) + 2 * (r / 8) + c % 2};
    case LAYOUT_LOW: return (struct holder){r, c};
    default: return (struct holder){16 + r, c};
    }
}

static unsigned rows_of(unsigned layout) { return layout == LAYOUT_32 ? 32 : 16; }

static unsigned columns_of(unsigned layout, unsigned repeat)
{
    static const unsigned columns[LAYOUTS] = {4, 8, 1, 2, 1, 1};
    return columns[layout] << repeat;
}

static unsigned registers_of(unsigned layout, unsigned repeat)
{
    static const unsigned registers[LAYOUTS] = {2, 4, 1, 1, 1, 1};
    return registers[layout] << repeat;
}

static struct isa_operand uniform(unsigned index)
{
    return (struct isa_operand){.kind = ISA_UREG, .index = (uint8_t)index, .words = 1};
}

struct trial {
    unsigned layout, repeat, warp;
    bool halves;
    uint32_t lane, column, offset;
};

static struct isa_inst move_of(enum isa_op op, const struct trial *t)
{
    struct isa_inst i = inst(op);
    i.mod[ISA_MOD_LAYOUT] = (uint8_t)t->layout;
    i.mod[ISA_MOD_REPEAT] = (uint8_t)t->repeat;
    i.mod[ISA_MOD_FLAG] = t->halves;
    i.e = value(t->offset);
    if (op == ISA_OP_LDTM) {
        i.d = wide(FIRST, registers_of(t->layout, t->repeat));
        i.b = uniform(ADDRESS);
    } else {
        i.b = wide(FIRST, registers_of(t->layout, t->repeat));
        i.c = uniform(ADDRESS);
    }
    return i;
}

static struct machine *machine_for(enum isa_op op, const struct trial *t)
{
    struct machine *m = machine_create(true, 256);
    m->module.sm = 100;
    m->kernel.rows = REGISTERS;
    m->kernel.allocates = true;
    add(m, move_of(op, t));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    tensor_memory_allocate(m->cta->tensor, TENSOR_ALL_UNITS, 0);
    struct exec_warp *warp = &m->cta->warps[t->warp];
    warp->ureg[ADDRESS] = (t->lane << 16 | t->column) - t->offset;
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned lane = 0; lane < 32; lane++)
            warp->reg[r][lane] = op == ISA_OP_LDTM ? UNTOUCHED : r * 0x01000193u + lane * 0x00010007u;
    for (unsigned c = 0; c < 512; c++)
        for (unsigned lane = 0; lane < 128; lane++)
            *tensor_memory_word(m->cta->tensor, lane, c) = c * 0x9e3779b9u ^ lane * 0x85ebca6bu;
    return m;
}

/* Any shape whose registers there are, anywhere in the memory, by any warp; now and then without the quarter. */
static struct trial draw_trial(unsigned layout, unsigned repeat)
{
    struct trial t = {.layout = layout, .repeat = repeat, .warp = draw(8), .halves = draw(3) == 0};
    unsigned columns = columns_of(layout, repeat) << t.halves;
    if (columns > 512) {
        t.halves = false;
        columns /= 2;
    }
    t.lane = (draw(4) ? t.warp % 4 * 32 : 0) + (rows_of(layout) == 16 ? draw(2) * 16 : 0);
    t.column = draw(512 - columns + 1);
    t.offset = draw(2) ? draw(64) : 0;
    return t;
}

static uint32_t cell_at(unsigned lane, unsigned column) { return column * 0x9e3779b9u ^ lane * 0x85ebca6bu; }

static void check_load(const struct trial *t)
{
    struct machine *m = machine_for(ISA_OP_LDTM, t);
    struct exec_warp *warp = &m->cta->warps[t->warp];
    static uint32_t expected[REGISTERS][32];
    machine_step(m, t->warp);
    assert_string_equal(m->core.fault.text, "");
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned lane = 0; lane < 32; lane++)
            expected[r][lane] = UNTOUCHED;
    for (unsigned r = 0; r < rows_of(t->layout); r++)
        for (unsigned c = 0; c < columns_of(t->layout, t->repeat); c++) {
            struct holder h = holder_of(t->layout, r, c);
            unsigned lane = t->warp % 4 * 32 + t->lane % 32 + r, column = t->column + (t->halves ? 2 * c : c);
            uint32_t word = cell_at(lane, column);
            expected[FIRST + h.reg][h.thread] = t->halves ? (word & 0xffff) | cell_at(lane, column + 1) << 16 : word;
        }
    for (unsigned r = 0; r < REGISTERS; r++)
        assert_memory_equal(warp->reg[r], expected[r], sizeof expected[r]);
    machine_destroy(m);
}

static void check_store(const struct trial *t)
{
    struct machine *m = machine_for(ISA_OP_STTM, t);
    struct exec_warp *warp = &m->cta->warps[t->warp];
    static uint32_t expected[512][128];
    for (unsigned c = 0; c < 512; c++)
        for (unsigned lane = 0; lane < 128; lane++)
            expected[c][lane] = cell_at(lane, c);
    for (unsigned r = 0; r < rows_of(t->layout); r++)
        for (unsigned c = 0; c < columns_of(t->layout, t->repeat); c++) {
            struct holder h = holder_of(t->layout, r, c);
            unsigned lane = t->warp % 4 * 32 + t->lane % 32 + r, column = t->column + (t->halves ? 2 * c : c);
            uint32_t word = warp->reg[FIRST + h.reg][h.thread];
            expected[column][lane] = t->halves ? word & 0xffff : word;
            if (t->halves)
                expected[column + 1][lane] = word >> 16;
        }
    machine_step(m, t->warp);
    assert_string_equal(m->core.fault.text, "");
    for (unsigned c = 0; c < 512; c++)
        assert_memory_equal(tensor_memory_lanes(m->cta->tensor, c), expected[c], sizeof expected[c]);
    machine_destroy(m);
}

static void each_shape(void (*check)(const struct trial *t))
{
    for (unsigned layout = 0; layout < LAYOUTS; layout++)
        for (unsigned repeat = 0; registers_of(layout, repeat) <= 128; repeat++)
            for (unsigned n = 0; n < 12; n++) {
                struct trial t = draw_trial(layout, repeat);
                check(&t);
            }
}

static void a_load_of_each_shape_has_the_cells_that_the_fragments_name(void **state)
{
    (void)state;
    each_shape(check_load);
}

static void a_store_of_each_shape_changes_the_cells_that_the_fragments_name_and_no_others(void **state)
{
    (void)state;
    each_shape(check_store);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

enum { U32, S32, F32, RESULT = 6 };

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Whether `b` replaces `a`. */
static bool replaces(unsigned type, bool minimum, bool nan, uint32_t a, uint32_t b)
{
    float x = float_of(a), y = float_of(b);
    switch (type) {
    case U32: return minimum ? b < a : b > a;
    case S32: return minimum ? (int32_t)b < (int32_t)a : (int32_t)b > (int32_t)a;
    default: break;
    }
    if (isnan(x) || isnan(y))
        return nan ? isnan(y) : isnan(x);
    if (x == 0 && y == 0) /* -0 is less than 0 */
        return signbit(x) != signbit(y) && !signbit(y) != minimum;
    return minimum ? y < x : y > x;
}

static uint32_t any_word(unsigned type)
{
    static const uint32_t special[] = {0x7fc00001, 0xffffffff, 0x7f800000, 0xff800000, 0x80000000, 0, 1, 0x80000001};
    return type == F32 && draw(3) == 0 ? special[draw(8)] : draw(1u << 31) << 1 | draw(2);
}

static void check_reduction(unsigned layout, unsigned repeat, unsigned type, unsigned function, bool nan)
{
    struct trial t = {.layout = layout, .repeat = repeat, .warp = 2, .lane = 64, .column = 7};
    struct machine *m = machine_for(ISA_OP_LDTM, &t);
    struct isa_inst *i = &m->code[0].isa;
    struct exec_warp *warp = &m->cta->warps[t.warp];
    i->op = ISA_OP_LDTM_STAT;
    i->mod[ISA_MOD_FUNCTION] = (uint8_t)function;
    i->mod[ISA_MOD_SRC_TYPE] = (uint8_t)type;
    i->mod[ISA_MOD_NAN] = nan;
    i->g = reg(RESULT);
    exec_inst_prepare(&m->code[0]);
    for (unsigned c = 0; c < 512; c++)
        for (unsigned lane = 0; lane < 128; lane++)
            *tensor_memory_word(m->cta->tensor, lane, c) = any_word(type);
    machine_step(m, t.warp);
    assert_string_equal(m->core.fault.text, "");
    for (unsigned thread = 0; thread < 32; thread++) {
        bool takes_part = layout == LAYOUT_32 || (layout == LAYOUT_LOW) == (thread < 16), magnitude = function % 2;
        uint32_t expected = 0;
        for (unsigned p = 0; p < 1u << repeat; p++) {
            uint32_t word =
                *tensor_memory_word(m->cta->tensor, 64 + (layout == LAYOUT_32 ? thread : thread % 16), 7 + p);
            if (takes_part)
                assert_int_equal(warp->reg[FIRST + p][thread], word);
            word = magnitude ? word & 0x7fffffff : word;
            expected = p == 0 || replaces(type, function >= 2, nan, expected, word) ? word : expected;
        }
        if (type == F32 && isnan(float_of(expected)))
            expected = 0x7fffffff;
        assert_int_equal(warp->reg[RESULT][thread], takes_part ? expected : UNTOUCHED);
    }
    machine_destroy(m);
}

static void a_load_with_a_reduction_has_the_extreme_of_what_each_thread_loads(void **state)
{
    (void)state;
    static const unsigned layouts[] = {LAYOUT_32, LAYOUT_LOW, LAYOUT_HIGH};
    for (unsigned l = 0; l < 3; l++)
        for (unsigned repeat = 1; repeat < 8; repeat++)
            for (unsigned function = 0; function < 4; function++)
                for (unsigned type = U32; type <= F32; type++)
                    for (unsigned nan = 0; nan < 2; nan++)
                        if (type == F32 || (!nan && function % 2 == 0))
                            check_reduction(layouts[l], repeat, type, function, nan);
}

static void expect_fault(struct trial t, enum exec_fault_kind kind, uint32_t address, const char *text)
{
    struct machine *m = machine_for(ISA_OP_LDTM, &t);
    machine_step(m, t.warp);
    assert_int_equal(m->core.report.kind, kind);
    assert_int_equal(m->core.report.address, address);
    assert_string_equal(m->core.report.text, text);
    machine_destroy(m);
}

static void another_quarter_half_a_fragment_and_the_end_are_faults(void **state)
{
    (void)state;
    expect_fault((struct trial){LAYOUT_32, 0, 1, false, 64, 3, 0}, EXEC_FAULT_ADDRESS, 0x00400003,
                 "address 0x00400003 of tensor memory is in lane 64: the warp reaches lanes 32-63 only");
    expect_fault((struct trial){LAYOUT_32, 0, 6, false, 80, 3, 0}, EXEC_FAULT_MISALIGNED, 0x00500003,
                 "address 0x00500003 of tensor memory is in lane 80, which is no multiple of 32");
    expect_fault((struct trial){LAYOUT_64, 0, 0, false, 8, 3, 0}, EXEC_FAULT_MISALIGNED, 0x00080003,
                 "address 0x00080003 of tensor memory is in lane 8, which is no multiple of 16");
    expect_fault((struct trial){LAYOUT_256, 3, 3, false, 112, 449, 0}, EXEC_FAULT_ADDRESS, 0x007001c1,
                 "load at 0x007001c1 is in lanes 112-127, columns 449-512 of tensor memory: the CTA has allocated "
                 "columns 0-511");
}

static void a_shape_of_more_than_128_registers_is_refused(void **state)
{
    (void)state;
    for (unsigned layout = 0; layout < 2; layout++) {
        struct trial t = {layout, 7u - layout, 0, false, 0, 0, 0};
        struct isa_inst i = move_of(ISA_OP_LDTM, &t);
        struct machine *m = machine_create(true, 32);
        m->kernel.rows = 256;
        m->kernel.allocates = true;
        i.d.words = 128;
        add(m, i);
        add(m, plain(ISA_OP_EXIT, 0));
        machine_begin(m);
        machine_step(m, 0);
        assert_int_equal(m->core.report.kind, EXEC_FAULT_UNSUPPORTED);
        machine_destroy(m);
    }
}

UNIT_TESTS(UNIT(a_load_of_each_shape_has_the_cells_that_the_fragments_name),
           UNIT(a_store_of_each_shape_changes_the_cells_that_the_fragments_name_and_no_others),
           UNIT(a_load_with_a_reduction_has_the_extreme_of_what_each_thread_loads),
           UNIT(another_quarter_half_a_fragment_and_the_end_are_faults),
           UNIT(a_shape_of_more_than_128_registers_is_refused))
