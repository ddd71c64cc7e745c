/* Loads and stores of all widths and spaces, against bytes that are moved one by one; and the report of their
 * addresses. */
#include "machine.h"

enum { ADDRESS = 4, DATA = 8, UREG = 12 };

static const struct {
    unsigned size, bytes;
    bool sign;
} sizes[] = {
    {0, 1, false}, {1, 1, true}, {2, 2, false}, {3, 2, true}, {4, 4, false}, {5, 8, false}, {6, 16, false},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static unsigned words_of(unsigned bytes) { return bytes < 4 ? 1 : bytes / 4; }

static void fill(uint8_t *bytes, size_t count)
{
    uint32_t random = 17;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(random >> 24);
    }
}

/* Register `w` of a load with `bytes` from `at`. */
static uint32_t loaded(const uint8_t *at, unsigned n, unsigned w)
{
    uint32_t value = 0;
    for (unsigned k = 0; k < 4 && 4 * w + k < sizes[n].bytes; k++)
        value |= (uint32_t)at[4 * w + k] << 8 * k;
    if (sizes[n].sign && sizes[n].bytes == 1)
        return (uint32_t)(int32_t)(int8_t)value;
    if (sizes[n].sign && sizes[n].bytes == 2)
        return (uint32_t)(int32_t)(int16_t)value;
    return value;
}

static uint32_t lane_offset(unsigned lane, unsigned n) { return (lane * 7 + 3) % 40 * sizes[n].bytes; }

/* The effect of an access with `size` n by the lanes of `active` did to registers, or to the bytes where it wrote. */
static void check_load(struct machine *m, unsigned n, uint32_t active, const uint8_t *from)
{
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned w = 0; w < 4; w++) {
            bool written = active >> lane & 1 && w < words_of(sizes[n].bytes);
            assert_int_equal(row(m, DATA + w)[lane], written ? loaded(from + lane_offset(lane, n), n, w) : 77 + w);
        }
}

static void set_data(struct machine *m)
{
    for (unsigned w = 0; w < 4; w++)
        for (unsigned lane = 0; lane < 32; lane++)
            row(m, DATA + w)[lane] = 77 + w;
}

static void global_memory_is_read_and_written_in_every_width(void **state)
{
    (void)state;
    for (unsigned n = 0; n < SIZES; n++)
        for (unsigned trial = 0; trial < 4; trial++) {
            uint32_t active = trial & 1 ? 0x80c0f1ff : ALL;
            struct machine *m = machine_create(true, 32);
            uint64_t base = memory_alloc(m->memory, 2048);
            fill(memory_at(m->memory, base), 2048);
            add(m, when(0, trial & 2 ? global_store(ADDRESS, 64, DATA, sizes[n].size)
                                     : global_load(DATA, ADDRESS, 64, sizes[n].size)));
            machine_begin(m);
            uint8_t expected[2048];
            memcpy(expected, memory_at(m->memory, base), sizeof expected);
            set_data(m);
            m->cta->warps[0].pred[0] = active;
            for (unsigned lane = 0; lane < 32; lane++) {
                uint64_t at = base + lane_offset(lane, n);
                row(m, ADDRESS)[lane] = (uint32_t)at;
                row(m, ADDRESS + 1)[lane] = (uint32_t)(at >> 32);
            }
            machine_step(m, 0);
            assert_int_equal(m->out.space, ISA_SPACE_GLOBAL);
            assert_int_equal(m->out.bytes, sizes[n].bytes);
            assert_int_equal(m->out.address[31], base + 64 + lane_offset(31, n));
            if (!(trial & 2))
                check_load(m, n, active, expected + 64);
            uint32_t value[4] = {77, 78, 79, 80};
            for (unsigned lane = 0; trial & 2 && lane < 32; lane++)
                if (active >> lane & 1)
                    memcpy(expected + 64 + lane_offset(lane, n), value, sizes[n].bytes);
            assert_memory_equal(memory_at(m->memory, base), expected, sizeof expected);
            machine_destroy(m);
        }
}

static void the_descriptor_of_an_access_says_what_it_holds(void **state)
{
    (void)state;
    for (unsigned described = 0; described < 2; described++) {
        struct machine *m = machine_create(true, 32);
        uint64_t base = memory_alloc(m->memory, 2048);
        struct isa_inst load = global_load(DATA, ADDRESS, 0, 4);
        load.has_descriptor = described;
        load.ureg_descriptor = described ? UREG : ISA_URZ;
        add(m, load);
        machine_begin(m);
        m->cta->warps[0].ureg[UREG] = 0x123;
        m->cta->warps[0].ureg[UREG + 1] = 0x12f00000;
        for (unsigned lane = 0; lane < 32; lane++) {
            row(m, ADDRESS)[lane] = (uint32_t)base;
            row(m, ADDRESS + 1)[lane] = (uint32_t)(base >> 32);
        }
        machine_step(m, 0);
        assert_int_equal(m->out.cache_policy, described ? UINT64_C(0x12f0000000000123) : 0);
        machine_destroy(m);
    }
}

static void shared_addresses_have_a_stride_and_a_uniform_part(void **state)
{
    (void)state;
    static const uint32_t strides[] = {1, 4, 8, 16};
    for (unsigned n = 0; n < SIZES; n++)
        for (unsigned stride = 0; stride < 4; stride++) {
            struct machine *m = machine_create(true, 32);
            struct isa_inst load = inst(ISA_OP_LDS), store = inst(ISA_OP_STS);
            load.d = store.b = wide(DATA, words_of(sizes[n].bytes));
            load.a = store.a = reg(ADDRESS);
            load.mod[ISA_MOD_SIZE] = store.mod[ISA_MOD_SIZE] = (uint8_t)sizes[n].size;
            load.mod[ISA_MOD_STRIDE] = store.mod[ISA_MOD_STRIDE] = (uint8_t)stride;
            load.has_ureg_base = true;
            load.ureg_base = UREG;
            load.offset = -32;
            store.offset = 2048;
            add(m, load);
            add(m, store);
            machine_begin(m);
            fill(m->cta->shared, 4096);
            m->cta->warps[0].ureg[UREG] = 32 + 256;
            set_data(m);
            uint32_t at[32];
            for (unsigned lane = 0; lane < 32; lane++) {
                row(m, ADDRESS)[lane] = lane * 3 * sizes[n].bytes / strides[stride] / 16 * 16;
                at[lane] = row(m, ADDRESS)[lane] * strides[stride];
            }
            machine_step(m, 0);
            assert_string_equal(m->core.fault.text, "");
            assert_int_equal(m->out.space, ISA_SPACE_SHARED);
            for (unsigned lane = 0; lane < 32; lane++)
                assert_int_equal(m->out.address[lane], at[lane] + 256);
            for (unsigned lane = 0; lane < 32; lane++)
                for (unsigned w = 0; w < words_of(sizes[n].bytes); w++)
                    assert_int_equal(row(m, DATA + w)[lane], loaded(m->cta->shared + at[lane] + 256, n, w));
            machine_step(m, 0);
            for (unsigned lane = 0; lane < 32; lane++)
                assert_memory_equal(m->cta->shared + at[lane] + 2048, m->cta->shared + at[lane] + 256, sizes[n].bytes);
            machine_destroy(m);
        }
}

static void local_memory_is_interleaved_by_lane_and_private(void **state)
{
    (void)state;
    enum { BYTES = 64 };
    struct machine *m = machine_create(true, 64);
    m->kernel.local_bytes = BYTES;
    m->launch.local_base = memory_alloc(m->memory, BYTES * 32 * 2);
    m->launch.local_slots = 2;
    struct isa_inst store = inst(ISA_OP_STL), load = inst(ISA_OP_LDL), half = inst(ISA_OP_LDL);
    store.a = load.a = half.a = reg(ADDRESS);
    store.b = wide(DATA, 2);
    load.d = wide(DATA + 2, 2);
    half.d = reg(DATA + 1);
    store.mod[ISA_MOD_SIZE] = load.mod[ISA_MOD_SIZE] = 5;
    half.mod[ISA_MOD_SIZE] = 3;
    half.offset = 6;
    add(m, store);
    add(m, load);
    add(m, half);
    machine_begin(m);
    for (uint32_t w = 0; w < 2; w++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            m->cta->warps[w].reg[ADDRESS][lane] = lane % 8 * 8;
            m->cta->warps[w].reg[DATA][lane] = 1000 * w + lane;
            m->cta->warps[w].reg[DATA + 1][lane] = UINT32_C(0x80010000) + 1000 * w + lane;
        }
    machine_step(m, 0);
    machine_step(m, 1);
    assert_int_equal(m->out.space, ISA_SPACE_LOCAL);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t at = m->launch.local_base + BYTES * 32 + lane % 8 * 8 / 4 * 128 + lane * 4;
        uint32_t words[2];
        assert_int_equal(m->out.address[lane], at);
        memcpy(&words[0], memory_at(m->memory, at), 4);
        memcpy(&words[1], memory_at(m->memory, at + 128), 4);
        assert_int_equal(words[0], 1000 + lane);
        assert_int_equal(words[1], UINT32_C(0x80010000) + 1000 + lane);
    }
    for (uint32_t w = 0; w < 2; w++) {
        machine_step(m, w);
        machine_step(m, w);
        for (uint32_t lane = 0; lane < 32; lane++) {
            assert_int_equal(m->cta->warps[w].reg[DATA + 2][lane], 1000 * w + lane);
            assert_int_equal(m->cta->warps[w].reg[DATA + 3][lane], UINT32_C(0x80010000) + 1000 * w + lane);
            assert_int_equal(m->cta->warps[w].reg[DATA + 1][lane], 0xffff8001);
        }
    }
    machine_destroy(m);
}

static void matrix_loads_spread_rows_over_the_warp(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 6; trial++) {
        unsigned matrices = 1u << trial / 2, transposed = trial & 1;
        struct machine *m = machine_create(true, 32);
        struct isa_inst load = inst(ISA_OP_LDSM);
        load.d = wide(DATA, matrices);
        load.a = reg(ADDRESS);
        load.mod[ISA_MOD_MATRICES] = (uint8_t)(trial / 2);
        load.mod[ISA_MOD_LAYOUT] = (uint8_t)transposed;
        add(m, load);
        machine_begin(m);
        fill(m->cta->shared, 4096);
        for (unsigned lane = 0; lane < 32; lane++)
            row(m, ADDRESS)[lane] = lane < 8 * matrices ? (lane * 5 + 1) % 64 * 16 : 0xfffffff3;
        machine_step(m, 0);
        assert_string_equal(m->core.fault.text, "");
        for (unsigned k = 0; k < matrices; k++)
            for (unsigned lane = 0; lane < 32; lane++)
                for (unsigned half = 0; half < 2; half++) {
                    unsigned r = lane / 4, c = lane % 4 * 2 + half;
                    uint16_t element;
                    memcpy(&element,
                           m->cta->shared + row(m, ADDRESS)[8 * k + (transposed ? c : r)] + 2 * (transposed ? r : c),
                           2);
                    assert_int_equal(row(m, DATA + k)[lane] >> 16 * half & 0xffff, element);
                }
        machine_destroy(m);
    }
}

/* Whole, without the predicate, and with ZFILL from 5 bytes behind the aligned address. */
static void asynchronous_copies_fill_with_zeros(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    uint64_t base = memory_alloc(m->memory, 32 * 16);
    fill(memory_at(m->memory, base), 32 * 16);
    struct isa_inst copy = inst(ISA_OP_LDGSTS);
    copy.a = wide(ADDRESS, 2);
    copy.b = reg(DATA);
    copy.b.value = 1024;
    copy.pp = predicate(1, true);
    copy.mod[ISA_MOD_SIZE] = 6;
    add(m, copy);
    copy.mod[ISA_MOD_ZFILL] = 1;
    copy.offset = 5;
    copy.b.value = 2048;
    add(m, copy);
    machine_begin(m);
    memset(m->cta->shared, 0x77, 4096);
    set_addresses(m, 0, ADDRESS, base, 16);
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, DATA)[lane] = (31 - lane) * 16;
    m->cta->warps[0].pred[1] = 0xff;
    machine_step(m, 0);
    assert_int_equal(m->out.zero_fill, 0xff);
    assert_int_equal(m->out.shared[3], 1024 + 28 * 16);
    machine_step(m, 0);
    assert_int_equal(m->out.address[9], base + 9 * 16);
    static const uint8_t zeros[16];
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint8_t *from = lane < 8 ? zeros : memory_at(m->memory, base) + 16 * lane;
        const uint8_t *first = m->cta->shared + 1024 + (31 - lane) * 16, *second = first + 1024;
        assert_memory_equal(first, from, 16);
        assert_memory_equal(second, from, 11);
        assert_memory_equal(second + 11, zeros, 5);
    }
    machine_destroy(m);
}

static void constants_beyond_the_bank_read_zero(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct isa_inst load = inst(ISA_OP_LDC);
    load.d = wide(DATA, 2);
    load.a = reg(ADDRESS);
    load.b = (struct isa_operand){.kind = ISA_CONST, .bank = 0, .value = (uint32_t)-0x7000};
    load.mod[ISA_MOD_SIZE] = 5;
    add(m, load);
    fill(m->bank0, sizeof m->bank0);
    machine_begin(m);
    static const uint32_t offsets[] = {0x7000, 0x0, 0x16ff8, 0x17000, 0x7fff0000, 0x8};
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, ADDRESS)[lane] = offsets[lane % 6];
    machine_step(m, 0);
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t at = offsets[lane % 6] - 0x7000, expected[2] = {0, 0};
        at = at >= UINT32_C(0xffff8000) ? at + 0x10000 : at;
        if (at < 0x10000)
            memcpy(expected, m->bank0 + at, 8);
        assert_int_equal(row(m, DATA)[lane], expected[0]);
        assert_int_equal(row(m, DATA + 1)[lane], expected[1]);
    }
    assert_int_equal(row(m, DATA)[3], 0);
    assert_int_equal(m->out.space, ISA_SPACE_CONSTANT);
    machine_destroy(m);
}

static void threads_know_where_they_are(void **state)
{
    (void)state;
    static const uint8_t numbers[] = {33, 34, 35, 37, 38, 39, 0, 56, 57, 58, 59, 60};
    struct machine *m = machine_create(true, 6 * 5 * 3);
    m->launch.block = (struct exec_dim){6, 5, 3};
    for (unsigned i = 0; i < sizeof numbers; i++)
        add(m, special(i, numbers[i]));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    m->cta->index = (struct exec_dim){70000, 80, 9};
    for (uint32_t w = 0; w < 3; w++) {
        machine_run(m, w);
        for (uint32_t lane = 0; lane < 32 && w * 32 + lane < 90; lane++) {
            uint32_t n = w * 32 + lane;
            const uint32_t expected[] = {n % 6,
                                         n / 6 % 5,
                                         n / 30,
                                         70000,
                                         80,
                                         9,
                                         lane,
                                         1u << lane,
                                         (1u << lane) - 1,
                                         (1u << lane) - 1 + (1u << lane),
                                         (uint32_t)(~UINT64_C(0) << (lane + 1)),
                                         ~((1u << lane) - 1)};
            for (unsigned i = 0; i < sizeof numbers; i++)
                assert_int_equal(m->cta->warps[w].reg[i][lane], expected[i]);
        }
    }
    machine_destroy(m);
}

UNIT_TESTS(UNIT(global_memory_is_read_and_written_in_every_width), UNIT(the_descriptor_of_an_access_says_what_it_holds),
           UNIT(shared_addresses_have_a_stride_and_a_uniform_part),
           UNIT(local_memory_is_interleaved_by_lane_and_private), UNIT(matrix_loads_spread_rows_over_the_warp),
           UNIT(asynchronous_copies_fill_with_zeros), UNIT(constants_beyond_the_bank_read_zero),
           UNIT(threads_know_where_they_are))
