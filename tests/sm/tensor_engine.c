/* The engine of tcgen05: when products begin, how long they hold the tensor cores and the port of shared memory, and
 * when a commit arrives. */
#include "sm/execute/tensor_engine.h"
#include "isa/matrix.h"
#include "tests/sm/harness.h"

enum { FOREVER = 100000, SLOT = 0 };

struct arrivals {
    uint64_t cycle[ENGINE_COMMITS];
    uint32_t count;
    uint64_t now;
};

static void arrived(void *self, uint32_t token)
{
    struct arrivals *a = self;
    assert_in_range(token, ENGINE_TOKENS, ENGINE_TOKENS + ENGINE_COMMITS - 1);
    a->cycle[a->count++] = a->now;
}

struct rig {
    struct harness *h;
    struct tensor_engine *e;
    struct arrivals arrivals;
    uint64_t now;
};

static void begin(struct rig *r)
{
    memset(r, 0, sizeof *r);
    r->h = harness_new();
    struct config_tcgen05 *c = &r->h->config.tcgen05;
    *c = (struct config_tcgen05){.commands = 16,
                                 .commits = 16,
                                 .operands = 10,
                                 .f16_interval = 4,
                                 .tf32_interval = 4,
                                 .fp8_interval = 4,
                                 .int8_interval = 4,
                                 .fp4_interval = 4,
                                 .scale_cycles = 2,
                                 .port_bytes = 128,
                                 .burst = 8,
                                 .train = 12,
                                 .latency = 100,
                                 .pair_latency = 130,
                                 .pair_half_latency = 140};
    add(r->h, exit_warp());
    harness_begin(r->h);
    r->e = &r->h->sm->tensor_engine;
    r->h->sm->source.self = &r->arrivals;
    r->h->sm->source.complete = arrived;
    r->h->sm->warp[SLOT].queued_ops = 1; /* no warp ends here */
}

static void end(struct rig *r) { harness_free(r->h); }

static struct code code_of(enum isa_op op, enum isa_engine_kind kind, unsigned flags)
{
    return (struct code){.op = (uint16_t)op,
                         .class = CLASS_TENSOR_ENGINE,
                         .transfer = (uint8_t)((unsigned)kind << CODE_ENGINE_KIND | flags),
                         .write_sb = ISA_NO_SB,
                         .read_sb = ISA_NO_SB};
}

static uint32_t shape(uint32_t m, uint32_t n) { return m / 16 << 24 | n / 8 << 17; }

static void issue(struct rig *r, const struct code *code, uint64_t operand, uint16_t place)
{
    struct issued is = {.active = 1};
    is.operand[0] = operand;
    tensor_engine_issue(r->e, SLOT, code, &is, place, r->now);
}

static void product(struct rig *r, unsigned flags, uint32_t descriptor)
{
    struct code code = code_of(ISA_OP_UTCHMMA, ISA_ENGINE_HALF, flags);
    issue(r, &code, descriptor, 0);
}

static void commit(struct rig *r)
{
    struct code code = code_of(ISA_OP_UTCBAR, ISA_ENGINE_COMMIT, 0);
    issue(r, &code, issued_pack_commit(0x400, 1), tensor_engine_take(r->e));
}

/* Runs until nothing is left, by every cycle or by those that the engine names. */
static void run(struct rig *r, bool skip)
{
    while (r->now < FOREVER) {
        r->arrivals.now = r->now;
        tensor_engine_cycle(r->e, r->now);
        uint64_t next = tensor_engine_next(r->e, r->now);
        if (next == UINT64_MAX)
            return;
        r->now = skip ? next : r->now + 1;
    }
    fail_msg("the engine does not come to an end");
}

/* Cycles from the issue of `count` products and a commit, all at once, to its arrival. */
static uint64_t span(unsigned count, unsigned flags, uint32_t m, uint32_t n, bool skip)
{
    struct rig r;
    begin(&r);
    for (unsigned i = 0; i < count; i++)
        product(&r, flags, shape(m, n));
    commit(&r);
    run(&r, skip);
    assert_int_equal(r.arrivals.count, 1);
    assert_int_equal(r.h->sm->n.tcgen05_products, count);
    uint64_t cycle = r.arrivals.cycle[0];
    end(&r);
    return cycle;
}

static void a_product_takes_half_as_many_cycles_as_it_has_columns(void **state)
{
    (void)state;
    /* Operands, A (32 bytes of each row at 128 a cycle), N/2, latency. */
    assert_int_equal(span(1, CODE_ENGINE_A_SHARED, 128, 256, true), 10 + 32 + 128 + 100);
    assert_int_equal(span(1, CODE_ENGINE_A_SHARED, 64, 256, true), 10 + 16 + 128 + 100);
    assert_int_equal(span(1, 0, 128, 64, true), 10 + 32 + 100);
    assert_int_equal(span(1, CODE_ENGINE_SCALED, 128, 64, true), 10 + 34 + 100);
    /* Where the columns stand in pieces. */
    assert_int_equal(span(1, CODE_ENGINE_STATIONARY, 64, 256, true), 10 + 64 + 100);
    assert_int_equal(span(1, CODE_ENGINE_STATIONARY, 32, 256, true), 10 + 64 + 100); /* bound by B, 64 cycles */
    assert_int_equal(span(1, CODE_ENGINE_PAIR, 256, 256, true), 10 + 128 + 130);
    assert_int_equal(span(1, CODE_ENGINE_PAIR, 128, 256, true), 10 + 64 + 140);
}

static void products_of_a_train_follow_each_other(void **state)
{
    (void)state;
    uint64_t one = span(1, CODE_ENGINE_A_SHARED, 128, 256, true);
    assert_int_equal(span(2, CODE_ENGINE_A_SHARED, 128, 256, true), one + 12 + 128);
    assert_int_equal(span(7, CODE_ENGINE_A_SHARED, 128, 256, true), one + 12 + 6 * 128);
    for (unsigned count = 1; count < 5; count++) /* jumping over idle cycles changes nothing */
        assert_int_equal(span(count, CODE_ENGINE_A_SHARED, 128, 72, true),
                         span(count, CODE_ENGINE_A_SHARED, 128, 72, false));
}

static void operands_bound_products_of_few_columns(void **state)
{
    (void)state;
    /* 4096 bytes of A, 2048 bytes from B, at 128 a cycle: 48, not 32. */
    uint64_t ten = span(10, CODE_ENGINE_A_SHARED, 128, 64, true), nine = span(9, CODE_ENGINE_A_SHARED, 128, 64, true);
    assert_in_range(ten - nine, 47, 49);
    assert_int_equal(span(10, 0, 128, 64, true) - span(9, 0, 128, 64, true), 32);
}

/* With 4-bit elements, scaled, with A in shared memory: the time of one that follows others. */
static uint64_t each_of_four_bits(unsigned flags, uint32_t descriptor)
{
    uint64_t cycle[2];
    struct code code = code_of(ISA_OP_UTCOMMA, ISA_ENGINE_FOUR, flags | CODE_ENGINE_SCALED | CODE_ENGINE_A_SHARED);
    for (unsigned i = 0; i < 2; i++) {
        struct rig r;
        begin(&r);
        for (unsigned k = 0; k < 8 + i; k++)
            issue(&r, &code, descriptor, 0);
        commit(&r);
        run(&r, true);
        cycle[i] = r.arrivals.cycle[0];
        end(&r);
    }
    return cycle[1] - cycle[0];
}

/* A pair reads half of B in each SM. */
static void rows_of_96_elements_take_half_as_much_more_of_the_port(void **state)
{
    (void)state;
    enum { LONGER = 31 };
    uint32_t longer = UINT32_C(1) << LONGER;
    assert_in_range(each_of_four_bits(0, shape(128, 256)), 128, 131);
    assert_in_range(each_of_four_bits(0, shape(128, 256) | longer), 144, 165); /* 6144 and 12288 bytes need 144 */
    assert_in_range(each_of_four_bits(CODE_ENGINE_PAIR, shape(256, 256) | longer), 128, 136);
}

static void a_commit_arrives_when_all_before_it_is_over(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    commit(&r); /* nothing is before it */
    product(&r, 0, shape(128, 128));
    commit(&r);
    product(&r, 0, shape(128, 128));
    commit(&r);
    commit(&r);
    run(&r, true);
    assert_int_equal(r.arrivals.count, 4);
    assert_int_equal(r.arrivals.cycle[0], 11);
    assert_int_equal(r.arrivals.cycle[1], 10 + 64 + 100);
    assert_int_equal(r.arrivals.cycle[2], 10 + 64 + 12 + 64 + 100);
    assert_int_equal(r.arrivals.cycle[3], r.arrivals.cycle[2]);
    assert_int_equal(r.h->sm->n.tcgen05_commits, 4);
    assert_int_equal(r.e->used, 0);
    assert_int_equal(r.h->sm->warp[SLOT].queued_ops, 1);
    end(&r);
}

static void a_full_queue_takes_no_more(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    for (unsigned i = 0; i < 16; i++) {
        assert_false(tensor_engine_full(r.e));
        product(&r, 0, shape(128, 64));
    }
    assert_true(tensor_engine_full(r.e));
    run(&r, true);
    assert_false(tensor_engine_full(r.e));
    end(&r);
}

static void an_access_goes_first_and_the_product_takes_as_much_longer(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    product(&r, 0, shape(128, 128));
    commit(&r);
    shared_memory_take(&r.h->sm->lsu.shared, 10, 30); /* when its first burst is due */
    run(&r, true);
    assert_int_equal(r.arrivals.cycle[0], 10 + 64 + 30 + 100);
    end(&r);
}

static void what_is_not_executed_does_nothing(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    struct code code = code_of(ISA_OP_UTCBAR, ISA_ENGINE_COMMIT, 0);
    struct issued is = {.active = 0};
    tensor_engine_issue(r.e, SLOT, &code, &is, tensor_engine_take(r.e), 0);
    run(&r, true);
    assert_int_equal(r.arrivals.count, 0);
    assert_int_equal(r.e->used, 0);
    end(&r);
}

UNIT_TESTS(UNIT(a_product_takes_half_as_many_cycles_as_it_has_columns), UNIT(products_of_a_train_follow_each_other),
           UNIT(operands_bound_products_of_few_columns), UNIT(rows_of_96_elements_take_half_as_much_more_of_the_port),
           UNIT(a_commit_arrives_when_all_before_it_is_over), UNIT(a_full_queue_takes_no_more),
           UNIT(an_access_goes_first_and_the_product_takes_as_much_longer), UNIT(what_is_not_executed_does_nothing))
