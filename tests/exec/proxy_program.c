/* The checker between the proxies, as instructions and engines call it. */
#include "exec/exec.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/proxy_see.h"
#include "exec/observers.h"
#include "machine.h"

enum { ADDRESS = 4, DATA = 6, AT = 1024, BARRIER = 64 };

struct notes {
    struct exec_finding finding[8];
    unsigned count;
};

static void note(void *self, unsigned sm, const struct exec_finding *finding)
{
    struct notes *n = self;
    assert_int_equal(sm, 0);
    if (n->count < 8)
        n->finding[n->count] = *finding;
    n->count++;
}

static struct isa_inst access(enum isa_op op)
{
    struct isa_inst i = inst(op);
    i.a = reg(ADDRESS);
    *(op == ISA_OP_STS ? &i.b : &i.d) = reg(DATA);
    i.mod[ISA_MOD_SIZE] = ISA_SIZE_32;
    return i;
}

static struct isa_inst fence(unsigned what)
{
    struct isa_inst i = inst(ISA_OP_FENCE);
    i.mod[ISA_MOD_FUNCTION] = (uint8_t)what;
    return i;
}

static struct isa_inst wait(void)
{
    struct isa_inst i = inst(ISA_OP_SYNCS_PHASECHK);
    i.a = reg(ADDRESS + 1);
    i.b = reg(DATA + 1);
    i.pu = predicate(1, false);
    i.mod[ISA_MOD_FLAG] = 1;
    return i;
}

/* 0: STS, 1: FENCE of global memory, 2: of shared memory, 3: LDS, 4: TRYWAIT. */
static struct machine *machine_with(struct notes *notes, struct exec_findings *findings, bool immediate)
{
    struct machine *m = machine_create(immediate, 32);
    *notes = (struct notes){0};
    *findings = (struct exec_findings){notes, note};
    m->module.sm = 90;
    m->launch.findings = findings;
    add(m, access(ISA_OP_STS));
    add(m, fence(1));
    add(m, fence(0));
    add(m, access(ISA_OP_LDS));
    add(m, wait());
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        row(m, ADDRESS)[lane] = AT + 4 * lane;
        row(m, ADDRESS + 1)[lane] = BARRIER;
    }
    mbarrier_write(m->cta, BARRIER, mbarrier_object(1));
    return m;
}

static void step_at(struct machine *m, uint32_t index)
{
    m->cta->warps[0].path[0].pc = 16 * index;
    exec_step(&m->core, &m->cta->warps[0], 0, &m->out);
    assert_string_equal(m->core.fault.text, "");
}

/* An engine reads the bytes that the store has written, for the instruction at index 5. */
static void engine_reads(struct machine *m)
{
    uint32_t number = proxy_see_begin(m->cta, 80, 0, UINT32_MAX);
    proxy_see_bytes(&m->core, m->cta, number, AT + 64, 64, false);
    proxy_async_done(m->cta->shadow, number);
}

static void a_store_needs_a_fence_of_shared_memory_before_an_engine_reads_it(void **state)
{
    (void)state;
    struct notes n;
    struct exec_findings f;
    struct machine *m = machine_with(&n, &f, true);
    engine_reads(m);
    assert_int_equal(n.count, 0);
    step_at(m, 0);
    step_at(m, 1);
    engine_reads(m);
    assert_int_equal(n.count, 4); /* each 16 bytes */
    assert_int_equal(n.finding[0].kind, PROXY_NO_FENCE);
    assert_int_equal(n.finding[0].first, 0);
    assert_int_equal(n.finding[0].second, 80);
    assert_int_equal(n.finding[0].offset, AT + 64);
    step_at(m, 2);
    engine_reads(m);
    assert_int_equal(n.count, 4);
    machine_destroy(m);
}

static void what_an_engine_writes_is_read_behind_a_wait_for_its_phase(void **state)
{
    (void)state;
    for (unsigned immediate = 0; immediate < 2; immediate++) {
        struct notes n;
        struct exec_findings f;
        struct machine *m = machine_with(&n, &f, immediate);
        assert_true(mbarrier_arrive(&m->core, m->cta, BARRIER, (struct mbarrier_arrival){.count = 1, .bytes = 16}));
        uint32_t number = proxy_see_begin(m->cta, 80, 0, BARRIER);
        proxy_see_bytes(&m->core, m->cta, number, AT + 16, 16, true);
        step_at(m, 4); /* not yet */
        if (m->out.deferred)
            exec_complete(&m->core, 0);
        step_at(m, 3);
        assert_int_equal(n.count, 4); /* lanes in these bytes */
        assert_int_equal(n.finding[0].kind, PROXY_BEFORE_PHASE);
        assert_int_equal(n.finding[0].first, 80);
        assert_int_equal(n.finding[0].second, 48);
        step_at(m, 0);
        assert_int_equal(n.count, 8);
        assert_int_equal(n.finding[4].kind, PROXY_OVERRUN);
        assert_true(mbarrier_complete(&m->core, m->cta, BARRIER, 16));
        step_at(m, 4);
        step_at(m, 3);
        step_at(m, 0);
        assert_int_equal(n.count, 8);
        machine_destroy(m);
    }
}

UNIT_TESTS(UNIT(a_store_needs_a_fence_of_shared_memory_before_an_engine_reads_it),
           UNIT(what_an_engine_writes_is_read_behind_a_wait_for_its_phase))
