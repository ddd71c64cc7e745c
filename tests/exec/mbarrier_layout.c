/* The bits of barrier objects as an H200 has them. */
#include "exec/memory/mbarrier.h"

#include "machine.h"

static void an_object_keeps_minus_its_pending_bytes_at_41_to_21(void **state)
{
    (void)state;
    uint64_t word = mbarrier_object(1), bare = word;
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = 4096}), MBARRIER_OK);
    assert_int_equal(word, bare | (UINT64_C(0x200000) - 4096) << 21);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = -4096}), MBARRIER_OK);
    assert_int_equal(word, bare);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = -1}), MBARRIER_OK);
    assert_int_equal(word, bare | UINT64_C(1) << 21);
    assert_int_equal(mbarrier_bytes(word), -1);
}

static void no_count_of_bytes_touches_its_neighbours(void **state)
{
    (void)state;
    for (int64_t bytes = -MBARRIER_MOST; bytes <= MBARRIER_MOST; bytes += MBARRIER_MOST) {
        uint64_t word = mbarrier_object(MBARRIER_MOST);
        assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = bytes}), MBARRIER_OK);
        assert_int_equal(mbarrier_bytes(word), bytes);
        assert_int_equal(word & ~(UINT64_C(0x1fffff) << 21), mbarrier_object(MBARRIER_MOST));
    }
}

static void an_object_that_is_given_back_keeps_its_bits(void **state)
{
    enum { AT = 64, ADDRESS = 4 };
    const uint64_t object = UINT64_C(0xffffe80000000004) | UINT64_C(3) << 21;
    (void)state;
    struct machine *m = machine_create(true, 32);
    m->module.sm = 90;
    struct isa_inst i = plain(ISA_OP_SYNCS_CCTL, 0);
    i.a = (struct isa_operand){.kind = ISA_REG, .index = ADDRESS, .words = 1};
    add(m, i);
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    row(m, ADDRESS)[0] = AT;
    memcpy(m->cta->shared + AT, &object, sizeof object);
    machine_step(m, 0);
    assert_int_equal(m->core.fault.code, STATUS_OK);
    assert_memory_equal(m->cta->shared + AT, &object, sizeof object);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(an_object_keeps_minus_its_pending_bytes_at_41_to_21), UNIT(no_count_of_bytes_touches_its_neighbours),
           UNIT(an_object_that_is_given_back_keeps_its_bits))
