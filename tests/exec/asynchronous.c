/* Registers that move between warps (setmaxnreg), and stores and reductions that complete bytes at barrier objects
 * (STAS, REDAS), at home: against plain models. */
#include "base/bits.h"
#include "exec/exec.h"
#include "exec/memory/mbarrier.h"
#include "exec/retry.h"
#include "machine.h"

enum { DEALLOC = 1, TRY_ALLOC = 2 };

static struct isa_inst registers(unsigned mode, uint32_t count)
{
    struct isa_inst i = inst(ISA_OP_USETMAXREG);
    i.b = value(count);
    i.pu = mode == TRY_ALLOC ? predicate(0, false) : (struct isa_predicate){0};
    i.mod[ISA_MOD_MODE] = (uint8_t)mode;
    i.mod[ISA_MOD_FLAG] = 1;
    return i;
}

/* 12 warps that are launched with so many registers. Warp w executes instruction `first` + w. */
static struct machine *machine_of(uint32_t launched, bool immediate)
{
    struct machine *m = machine_create(immediate, 12 * 32);
    m->module.sm = 90;
    m->cubin.registers = launched;
    m->kernel.reconfigures = true;
    return m;
}

static void step_at(struct machine *m, uint32_t warp, uint32_t index)
{
    struct exec_warp *w = &m->cta->warps[warp];
    w->path[w->current].pc = 16 * index;
    exec_step(&m->core, w, 0, &m->out);
}

/* Producers 24, consumers 240, with 168 at launch and 384 threads. */
static void a_warp_gets_registers_that_others_have_given_up(void **state)
{
    (void)state;
    for (unsigned immediate = 0; immediate < 2; immediate++) {
        struct machine *m = machine_of(168, immediate);
        uint32_t gives = add(m, registers(DEALLOC, 24)), asks = add(m, registers(TRY_ALLOC, 240));
        add(m, plain(ISA_OP_EXIT, 0));
        machine_begin(m);
        step_at(m, 4, asks);
        assert_true(m->out.retries);
        assert_int_equal(m->cta->warps[4].upred & 1, 0);
        assert_int_equal(m->cta->warps[4].registers, 168);
        for (uint32_t w = 0; w < 4; w++)
            step_at(m, w, gives);
        assert_int_equal(m->cta->pool, 4 * (168 - 24));
        for (uint32_t w = 4; w < 12; w++) {
            step_at(m, w, asks);
            assert_false(m->out.retries);
            assert_int_equal(m->cta->warps[w].upred & 1, 1);
            assert_int_equal(m->cta->warps[w].registers, 240);
        }
        assert_int_equal(m->cta->pool, 0); /* 128 x 24 + 256 x 240 = 384 x 168 */
        assert_string_equal(m->core.fault.text, "");
        machine_destroy(m);
    }
}

static void one_step_more_than_there_is_waits_and_says_for_what(void **state)
{
    (void)state;
    struct machine *m = machine_of(168, true);
    char text[240];
    uint32_t gives = add(m, registers(DEALLOC, 32)), asks = add(m, registers(TRY_ALLOC, 240));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    for (uint32_t w = 0; w < 4; w++)
        step_at(m, w, gives);
    for (uint32_t w = 4; w < 12; w++)
        step_at(m, w, asks);
    assert_true(m->out.retries);
    assert_true(exec_wait_text(&m->cta->warps[11], text, sizeof text));
    assert_string_equal(text, "asks for 240 registers a thread, has 168, and the pool of its CTA has 40");
    assert_false(exec_wait_text(&m->cta->warps[10], text, sizeof text));
    machine_destroy(m);
}

static void assert_register_fault(struct isa_inst i, const char *expected)
{
    struct machine *m = machine_of(64, true);
    uint32_t gives = add(m, registers(DEALLOC, 32)), next = add(m, i);
    add(m, plain(ISA_OP_EXIT, 0));
    m->code[next].rows = i.op == ISA_OP_USETMAXREG ? 0 : i.d.index + 1u;
    machine_begin(m);
    step_at(m, 0, gives);
    assert_string_equal(m->core.fault.text, "");
    step_at(m, 0, next);
    if (!strstr(m->core.fault.text, expected))
        fail_msg("\"%s\" is not in: %s", expected, m->core.fault.text);
    machine_destroy(m);
}

static void registers_that_a_warp_has_not_are_a_fault(void **state)
{
    (void)state;
    assert_register_fault(move(32, 1), "the instruction names R32, and the warp has 32 registers a thread");
    assert_register_fault(registers(DEALLOC, 40), "40 registers a thread: the warp has 32, it gives up them");
    assert_register_fault(registers(TRY_ALLOC, 24), "24 registers a thread: the warp has 32, it asks for them");
    assert_register_fault(registers(TRY_ALLOC, 36), "is a multiple of 8 from 24 to 256");
    assert_register_fault(registers(TRY_ALLOC, 264), "is a multiple of 8 from 24 to 256");
}

/* ---- asynchronous stores ----------------------------------------------------------------------------------------- */

enum { PAIR = 4, DATA = 8, OBJECT = 64, CELLS = 1024 };

static struct isa_inst store(enum isa_op op, unsigned function, unsigned how, unsigned words)
{
    struct isa_inst i = inst(op);
    i.a = wide(PAIR, 2);
    i.b = wide(DATA, words);
    i.mod[ISA_MOD_FUNCTION] = (uint8_t)function;
    i.mod[op == ISA_OP_STAS ? ISA_MOD_SIZE : ISA_MOD_ATOM_TYPE] = (uint8_t)how;
    return i;
}

static struct machine *with_store(struct isa_inst i, bool immediate, unsigned bytes)
{
    struct machine *m = machine_create(immediate, 32);
    m->module.sm = 90;
    add(m, i);
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    mbarrier_write(m->cta, OBJECT, mbarrier_object(1));
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        row(m, PAIR)[lane] = CELLS + bytes * lane;
        row(m, PAIR + 1)[lane] = OBJECT;
        for (unsigned word = 0; word < 4; word++)
            row(m, DATA + word)[lane] = 1000 * word + 7 * lane + 1;
    }
    return m;
}

/* 32 lanes of 16 bytes complete 512. */
static void an_asynchronous_store_completes_its_bytes(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 6; n++) {
        unsigned words = 1u << n % 3, bytes = 4 * words;
        struct machine *m = with_store(store(ISA_OP_STAS, 0, ISA_SIZE_32 + n % 3, words), n / 3, bytes);
        machine_step(m, 0);
        assert_string_equal(m->core.fault.text, "");
        assert_false(m->out.deferred);
        assert_int_equal(m->out.space, ISA_SPACE_SHARED);
        assert_int_equal(mbarrier_bytes(mbarrier_read(m->cta, OBJECT)), -32 * (int)bytes);
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            for (unsigned word = 0; word < words; word++) {
                uint32_t there;
                memcpy(&there, m->cta->shared + CELLS + bytes * lane + 4 * word, 4);
                assert_int_equal(there, 1000 * word + 7 * lane + 1);
            }
        machine_destroy(m);
    }
}

static void an_asynchronous_reduction_combines_and_completes(void **state)
{
    (void)state;
    static const struct {
        unsigned function, type, words;
        uint64_t before, operand, after;
    } rows[] = {
        {0, MACHINE_U32, 1, 5, 7, 12},         {1, MACHINE_S32, 1, 3, 0xfffffffe, 0xfffffffe},
        {1, MACHINE_U32, 1, 3, 0xfffffffe, 3}, {2, MACHINE_S32, 1, 3, 0xfffffffe, 3},
        {3, MACHINE_U32, 1, 9, 9, 0},          {3, MACHINE_U32, 1, 8, 9, 9},
        {4, MACHINE_U32, 1, 0, 9, 9},          {4, MACHINE_U32, 1, 10, 9, 9},
        {5, MACHINE_U32, 1, 12, 10, 8},        {6, MACHINE_U32, 1, 12, 10, 14},
        {7, MACHINE_U32, 1, 12, 10, 6},        {0, MACHINE_U64, 2, UINT64_C(0xffffffff), 1, UINT64_C(0x100000000)},
    };
    for (unsigned n = 0; n < 2 * sizeof rows / sizeof rows[0]; n++) {
        unsigned i = n / 2, bytes = 4 * rows[i].words;
        struct machine *m =
            with_store(store(ISA_OP_REDAS, rows[i].function, rows[i].type, rows[i].words), n % 2, bytes);
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            memcpy(m->cta->shared + CELLS + bytes * lane, &rows[i].before, bytes);
            row(m, DATA)[lane] = (uint32_t)rows[i].operand;
            row(m, DATA + 1)[lane] = (uint32_t)(rows[i].operand >> 32);
        }
        machine_step(m, 0);
        assert_string_equal(m->core.fault.text, "");
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            uint64_t there = 0;
            memcpy(&there, m->cta->shared + CELLS + bytes * lane, bytes);
            assert_int_equal(there, rows[i].after);
        }
        assert_int_equal(mbarrier_bytes(mbarrier_read(m->cta, OBJECT)), -32 * (int)bytes);
        machine_destroy(m);
    }
}

static void a_wrong_asynchronous_store_is_a_fault(void **state)
{
    (void)state;
    static const struct {
        uint32_t address, object;
        const char *expected;
    } rows[] = {
        {CELLS + 2, OBJECT, "misaligned address 0x402 of a 4-byte asynchronous store"},
        {CELLS, OBJECT + 4, "misaligned address 0x44 of a 8-byte barrier object"},
        {CELLS, 1u << 24 | OBJECT, "the barrier object 0x1000040 of an asynchronous store to 0x400 is another CTA's"},
        {4096, OBJECT, "illegal address 0x1000 of a 4-byte store"},
        {1u << 24 | CELLS, 1u << 24 | OBJECT, "the cluster has no CTA of rank 1"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct machine *m = with_store(store(ISA_OP_STAS, 0, ISA_SIZE_32, 1), true, 4);
        row(m, PAIR)[9] = rows[i].address;
        row(m, PAIR + 1)[9] = rows[i].object;
        machine_step(m, 0);
        if (!strstr(m->core.fault.text, rows[i].expected) || !strstr(m->core.fault.text, "lane 9"))
            fail_msg("\"%s\" is not in: %s", rows[i].expected, m->core.fault.text);
        machine_destroy(m);
    }
}

UNIT_TESTS(UNIT(a_warp_gets_registers_that_others_have_given_up),
           UNIT(one_step_more_than_there_is_waits_and_says_for_what), UNIT(registers_that_a_warp_has_not_are_a_fault),
           UNIT(an_asynchronous_store_completes_its_bytes), UNIT(an_asynchronous_reduction_combines_and_completes),
           UNIT(a_wrong_asynchronous_store_is_a_fault))
