/* One atomic operation of each type on values worked out by hand, and accesses of 256 bits. */
#include "exec/exec.h"
#include "exec/memory/atomic.h"
#include "machine.h"

struct example {
    enum atomic_function function;
    enum atomic_type type;
    uint64_t memory[2], data[4], expected[2], result;
};

static const struct example examples[] = {
    /* 1 + 2, 65504 + 65504; the least denormal twice; 2048 + 1 is a tie that stays even */
    {ATOMIC_ADD, ATOMIC_F16X2, {0x7bff3c00}, {0x7bff4000}, {0x7c004200}, 0x7bff3c00},
    {ATOMIC_ADD, ATOMIC_F16X4, {0x0001680000016800}, {0x0001000000013c00}, {0x0002680000026800}, 0x0001680000016800},
    {ATOMIC_ADD, ATOMIC_BF16X2, {0x43803f80}, {0x3f803f80}, {0x43804000}, 0x43803f80},
    {ATOMIC_MIN, ATOMIC_F16X2, {0x00007e00}, {0x80003c00}, {0x80003c00}, 0x00007e00},
    {ATOMIC_MAX, ATOMIC_F16X2, {0x7e000000}, {0x7e008000}, {0x7fff0000}, 0x7e000000},
    {ATOMIC_MAX, ATOMIC_BF16X2, {0xbf803f80}, {0xc0004000}, {0xbf804000}, 0xbf803f80},
    {ATOMIC_ADD, ATOMIC_F32, {0x00000001}, {0x00000001}, {0x00000002}, 0x00000001},
    {ATOMIC_ADD, ATOMIC_F32_FTZ, {0x00000001}, {0x80000001}, {0x00000000}, 0x00000001},
    {ATOMIC_ADD, ATOMIC_F32X2, {0x3f80000040000000}, {0x3f8000003f800000}, {0x4000000040400000}, 0x3f80000040000000},
    {ATOMIC_ADD, ATOMIC_F64, {0x3ff0000000000000}, {0x4000000000000000}, {0x4008000000000000}, 0x3ff0000000000000},
    {ATOMIC_EXCHANGE, ATOMIC_B128, {1, 2}, {3, 4}, {3, 4}, 1},
    {ATOMIC_COMPARE_SWAP, ATOMIC_B128, {1, 2}, {1, 2, 5, 6}, {5, 6}, 1},
    {ATOMIC_COMPARE_SWAP, ATOMIC_B128, {1, 2}, {1, 3, 5, 6}, {1, 2}, 1},
    {ATOMIC_CAST, ATOMIC_U64, {7}, {7, 0, 8}, {8}, 1},
    {ATOMIC_CAST, ATOMIC_U64, {7}, {6, 0, 8}, {7}, 0},
    /* two threads: the first arrival, and the second, which ends the phase */
    {ATOMIC_ARRIVE, ATOMIC_U64, {0x7ffffffe3ffffffe}, {0}, {0x7fffffff3ffffffe}, 0x7ffffffe3ffffffe},
    {ATOMIC_ARRIVE, ATOMIC_U64, {0x7fffffff3ffffffe}, {0}, {0xfffffffe3ffffffe}, 0x7fffffff3ffffffe},
    {ATOMIC_ARRIVE, ATOMIC_U64, {0xffffffff3ffffffe}, {0}, {0x7ffffffe3ffffffe}, 0xffffffff3ffffffe},
};

static void each_type_has_its_own_arithmetic(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct example e = examples[i];
        assert_true(atomic_supported(e.function, e.type));
        atomic_apply(e.function, e.type, e.memory, e.data);
        assert_memory_equal(e.memory, e.expected, sizeof e.memory);
        assert_int_equal(e.data[0], e.result);
    }
}

static void operations_without_a_meaning_are_not_supported(void **state)
{
    (void)state;
    assert_false(atomic_supported(ATOMIC_ADD, ATOMIC_B128));
    assert_false(atomic_supported(ATOMIC_MIN, ATOMIC_F32));
    assert_false(atomic_supported(ATOMIC_XOR, ATOMIC_F16X2));
}

static void finish_access(struct machine *m)
{
    if (!m->out.deferred)
        return;
    exec_apply(&m->core, m->token, ALL);
    exec_complete(&m->core, m->token);
}

/* Stores from registers that hold their own number and lane, and loads back. Words that a mask leaves out are not
 * touched, in memory and in registers. */
static void check_256(bool immediate, unsigned stored, unsigned loaded, bool at_slice)
{
    enum { ADDRESS = 4, FROM = 8, TO = 24, HALF = 8, OLD = 0x01010101 };
    struct machine *m = machine_create(immediate, 40);
    struct isa_inst store = inst(ISA_OP_STG_256), load = inst(ISA_OP_LDG_256);
    store.a = load.a = wide(ADDRESS, 2);
    store.b = wide(FROM, 4);
    store.e = wide(FROM + HALF, 4);
    load.d = wide(TO, 4);
    load.e = wide(TO + HALF, 4);
    store.mod[ISA_MOD_MASK] = (uint8_t)stored;
    load.mod[ISA_MOD_MASK] = (uint8_t)loaded;
    if (at_slice)
        load.mod[ISA_MOD_ORDER] = ISA_ORDER_STRONG_GPU;
    add(m, store);
    add(m, load);
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    uint64_t base = memory_alloc(m->memory, 32 * EXEC_LANES);
    memset(memory_at(m->memory, base), 1, 32 * EXEC_LANES);
    set_addresses(m, 0, ADDRESS, base, 32);
    for (unsigned r = 0; r < 2 * HALF; r++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            row(m, FROM + r)[lane] = 100 * r + lane;
            row(m, TO + r)[lane] = OLD + r;
        }
    for (unsigned n = 0; n < 2; n++) {
        machine_step(m, 0);
        assert_string_equal(m->core.fault.text, "");
        assert_int_equal(m->out.bytes, 32);
        finish_access(m);
    }
    unsigned from[2] = {0, 0}, to[2] = {0, 0};
    for (unsigned w = 0; w < 8; w++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            uint32_t in_memory;
            memcpy(&in_memory, memory_at(m->memory, base + 32 * lane + 4 * w), 4);
            uint32_t value = stored >> w & 1 ? 100 * (w / 4 * HALF + from[w / 4]) + lane : OLD;
            assert_int_equal(in_memory, value);
            if (loaded >> w & 1)
                assert_int_equal(row(m, TO + w / 4 * HALF + to[w / 4])[lane], value);
            if (lane == EXEC_LANES - 1) {
                from[w / 4] += stored >> w & 1;
                to[w / 4] += loaded >> w & 1;
            }
        }
    for (unsigned h = 0; h < 2; h++)
        for (unsigned r = to[h]; r < HALF; r++)
            assert_int_equal(row(m, TO + h * HALF + r)[5], OLD + h * HALF + r);
    machine_destroy(m);
}

static void accesses_of_256_bits_move_the_words_of_their_mask_from_and_to_packed_registers(void **state)
{
    (void)state;
    for (unsigned mask = 1; mask < 256; mask++)
        for (unsigned mode = 0; mode < 3; mode++) {
            check_256(mode == 0, mask, 255, mode == 2);
            check_256(mode == 0, 255, mask, mode == 2);
            check_256(mode == 0, mask, mask * 37 % 255 + 1, mode == 2);
        }
}

UNIT_TESTS(UNIT(each_type_has_its_own_arithmetic), UNIT(operations_without_a_meaning_are_not_supported),
           UNIT(accesses_of_256_bits_move_the_words_of_their_mask_from_and_to_packed_registers))
