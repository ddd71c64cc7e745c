/* Every cycle of every resident warp has one reason, and jumping over idle cycles changes nothing: neither a counter
 * nor the cycle of an issue. Random programs with memory misses, barriers, fences, branches, cold caches. */
#include "tests/sm/harness.h"

/* ---- random programs -------------------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

static uint8_t reg(uint64_t *seed) { return (uint8_t)draw(seed, 64); }
static uint8_t counter(uint64_t *seed) { return (uint8_t)draw(seed, ISA_COUNTERS); }
static uint8_t width(uint64_t *seed) { return (uint8_t)(4u << draw(seed, 3)); }

static struct inst random_memory(uint64_t *seed)
{
    uint64_t address = draw(seed, 256) * 512;
    bool vector = draw(seed, 2);
    struct inst i;
    switch (draw(seed, 15)) {
    case 0: i = writes_sb(lds(reg(seed), vector, width(seed), 0), counter(seed)); break;
    case 1: i = reads_sb(sts(vector, width(seed), 0), counter(seed)); break;
    case 2: i = reads_sb(stg(vector, width(seed), address), counter(seed)); break;
    case 3: i = writes_sb(atomg(reg(seed), address), counter(seed)); break;
    case 4: i = red(address); break;
    case 5: i = writes_sb(atoms(reg(seed), 0), counter(seed)); break;
    case 6: i = writes_sb(shfl(reg(seed), reg(seed)), counter(seed)); break;
    case 7: i = writes_sb(ldc(reg(seed), vector, 4, 0, draw(seed, 64) * 64), counter(seed)); break;
    case 8: i = ldgsts(width(seed), address); break;
    case 9: i = writes_sb(draw(seed, 4) ? s2r(reg(seed)) : cctl_ivall(), counter(seed)); break;
    case 10: i = writes_sb(in_order(ldg(reg(seed), vector, 4, address)), counter(seed)); break;
    case 11:
        i = writes_sb(draw(seed, 2) ? atoms_cas(reg(seed), 0) : ldsm((uint8_t)(reg(seed) & 60), 4), counter(seed));
        break;
    default: i = reads_sb(writes_sb(ldg(reg(seed), vector, width(seed), address), counter(seed)), counter(seed)); break;
    }
    if (i.code.space == ISA_SPACE_CONSTANT || i.code.memory == ISA_MEM_SHUFFLE)
        return i;
    const uint64_t strides[] = {0, 4, 4, 8, 16, 32, 128};
    uint64_t stride = strides[draw(seed, 7)];
    if (stride < i.bytes && stride)
        stride = i.bytes;
    return lanes(strided(i, stride, draw(seed, 2) * 4096), draw(seed, 3) ? UINT32_MAX : draw(seed, 1u << 31));
}

/* `memory_share`: from 0, hardly any memory instruction, to 2, one in three. */
static struct inst random_instruction(uint64_t *seed, uint32_t memory_share)
{
    switch (draw(seed, memory_share == 0 ? 12 : memory_share == 1 ? 14 : 17)) {
    case 0: return imad(reg(seed), reg(seed), reg(seed), reg(seed));
    case 1: return imad_wide((uint8_t)(reg(seed) & 62), reg(seed), reg(seed), (uint8_t)(reg(seed) & 62));
    case 2:
        if (draw(seed, 2))
            return writes_sb(fp64((uint8_t)(reg(seed) & 62), (uint8_t)(reg(seed) & 62), (uint8_t)(reg(seed) & 62), RZ),
                             counter(seed));
        return draw(seed, 3) ? writes_sb(mufu(reg(seed), reg(seed)), counter(seed)) : mufu(reg(seed), reg(seed));
    case 3: return ffma_constant(reg(seed), reg(seed), 0, draw(seed, 128) * 32, reg(seed));
    case 4: return depbar(counter(seed), (uint8_t)draw(seed, 3), (uint8_t)draw(seed, 64));
    case 5: return nanosleep_for((uint16_t)draw(seed, 400));
    case 6: return draw(seed, 4) ? nop() : membar(FENCE_CTA + draw(seed, 2));
    case 7: return writes_sb(ldgdepbar(), counter(seed));
    case 8:
    case 9: return reuse(ffma(reg(seed), reg(seed), reg(seed), reg(seed)), draw(seed, 8));
    case 10: return iadd(reg(seed), reg(seed), reg(seed), reg(seed));
    default: return random_memory(seed);
    }
}

static struct harness *random_program(uint64_t seed)
{
    struct harness *h = harness_new();
    h->config.icache.perfect = draw(&seed, 3) == 0;
    h->config.l1.mshrs = draw(&seed, 2) ? 1024 : 48;
    h->config.l1.mshr_merges = draw(&seed, 2) ? 48 : 2;
    h->config.lsu.pending = draw(&seed, 2) ? 128 : 20 + draw(&seed, 12);
    h->config.lsu.accept_interval = 1 + draw(&seed, 2);
    h->config.noc.egress_queue = draw(&seed, 2) ? 64 : 8;
    h->latency = 60 + draw(&seed, 600);
    h->spread = draw(&seed, 2) ? 0 : 300;
    h->warps_per_cta = 1 + draw(&seed, 9);
    struct config_core *core = &h->config.core;
    core->fp32_lite = draw(&seed, 2);
    core->fma_interval = 1 + draw(&seed, 20);
    core->alu_interval = 1 + draw(&seed, 20);
    core->fp64_shared = draw(&seed, 2);
    core->fp64_interval = 1 + draw(&seed, 30);
    core->fp64_queue = 1 + draw(&seed, 4);
    core->xu_queue = 1 + draw(&seed, 4);
    core->result_queue = 1 + draw(&seed, 8);
    core->read_ports = 1 + draw(&seed, 2);
    core->int_lanes = (enum config_int_lanes)draw(&seed, 3);
    core->wide_imad_bubble = draw(&seed, 5);
    core->constant_miss_hold = draw(&seed, 30);
    core->branch_resolve = 1 + draw(&seed, 20);
    core->barrier_base = draw(&seed, 20);
    core->fetch_to_issue = 1 + draw(&seed, 8);
    uint32_t memory_share = draw(&seed, 3);
    add(h, nop());
    uint32_t top = 0, length = 40 + draw(&seed, 200);
    for (uint32_t i = 0; i < length; i++) {
        struct inst next = random_instruction(&seed, memory_share);
        if (next.control.stall < 2)
            next = stall(next, (uint8_t)(1 + draw(&seed, 12)));
        if (draw(&seed, 8) == 0)
            next = yields(next);
        if (draw(&seed, 4) == 0)
            next = waits(next, (uint8_t)draw(&seed, 64));
        add(h, next);
        if (i % 37 == 36) {
            add(h, barrier_sync(0, 0));
            add(h, branch(top, draw(&seed, 3)));
            top = h->count - draw(&seed, 20);
        }
    }
    add(h, exit_warp());
    return h;
}

/* ---- the same run, in several ways ------------------------------------------------------------------------------ */

struct run {
    struct sm_counters n;
    struct line_counters *lines; /* [instructions + 1] */
    struct issue_record *log;
    uint32_t logged, requests, instructions;
    uint64_t end;
};

enum { CTAS = 3 };

/* CTAs start one after another. The last one in place of the first when that has ended. */
static struct run run_random(uint64_t seed, bool skip, uint32_t quantum)
{
    struct harness *h = random_program(seed);
    h->config.run.skip_idle = skip;
    h->quantum = quantum;
    harness_begin(h);
    struct line_counters *lines = calloc(h->count + 1u, sizeof *lines), sum = {0};
    assert_non_null(lines);
    h->sm->lines = lines;
    harness_cta(h, 0);
    harness_run_until(h, 120);
    for (uint32_t c = 1; c < CTAS; c++) {
        harness_cta(h, c);
        harness_run_until(h, h->sm->now + 333);
    }
    harness_run(h);
    harness_run_until(h, (h->end / 5000 + 2) * 5000); /* idle for more than the calendar spans */
    harness_cta(h, 0);
    harness_run(h);
    h->sm->lines = NULL;
    struct run r = {h->sm->n, lines, calloc(h->logged, sizeof *r.log), h->logged, h->requests, h->count, h->end};
    memcpy(r.log, h->log, h->logged * sizeof *r.log);
    assert_int_equal(h->sm->lsu.table.entries, 0);
    assert_true(port_quiet(&h->sm->port));
    assert_int_equal(h->sm->calendar.count, 0);
    assert_int_equal(r.n.ctas, CTAS + 1);
    assert_int_equal(stall_sum(&r.n), r.n.warp_cycles);
    assert_int_equal(cycle_sum(&r.n), SM_SUBCORES * r.n.cycles_active);
    assert_int_equal(r.n.stall[STALL_SELECTED], r.n.inst_issued);
    assert_int_equal(r.n.cycle[CYCLE_ISSUE], r.n.inst_issued);
    assert_int_equal(r.n.cycle[CYCLE_NO_WARP], cycle_sum(&r.n) - r.n.subcore_cycles_active);
    assert_int_equal(r.n.issue_active, r.n.inst_issued);
    for (uint32_t i = 0; i <= h->count; i++)
        line_counters_add(&sum, &lines[i]);
    assert_int_equal(sum.inst_issued, r.n.inst_issued);
    assert_int_equal(sum.thread_inst_executed, r.n.thread_inst_executed);
    assert_int_equal(sum.thread_inst_executed_pred_on, r.n.thread_inst_executed_pred_on);
    assert_memory_equal(sum.stall, r.n.stall, sizeof sum.stall);
    assert_memory_equal(sum.cycle, r.n.cycle, sizeof sum.cycle);
    harness_free(h);
    return r;
}

static void assert_same(const struct run *a, const struct run *b)
{
    assert_int_equal(a->logged, b->logged);
    for (uint32_t i = 0; i < a->logged; i++) {
        assert_int_equal(a->log[i].cycle, b->log[i].cycle);
        assert_int_equal(a->log[i].slot, b->log[i].slot);
        assert_int_equal(a->log[i].index, b->log[i].index);
    }
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->requests, b->requests);
    for (unsigned i = 0; sm_counter_info(i); i++) {
        if (sm_counter_value(&a->n, i) != sm_counter_value(&b->n, i))
            fail_msg("%s: %llu and %llu", sm_counter_info(i)->name, (unsigned long long)sm_counter_value(&a->n, i),
                     (unsigned long long)sm_counter_value(&b->n, i));
    }
    for (unsigned i = 0; i < STALL_COUNT; i++) {
        if (a->n.stall[i] != b->n.stall[i])
            fail_msg("%s: %llu and %llu", stall_name(i), (unsigned long long)a->n.stall[i],
                     (unsigned long long)b->n.stall[i]);
    }
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++) {
        if (a->n.cycle[i] != b->n.cycle[i])
            fail_msg("%s: %llu and %llu", cycle_event_name(i), (unsigned long long)a->n.cycle[i],
                     (unsigned long long)b->n.cycle[i]);
    }
    assert_memory_equal(&a->n, &b->n, sizeof a->n);
    assert_memory_equal(a->lines, b->lines, (a->instructions + 1u) * sizeof a->lines[0]);
}

static void free_run(struct run *r)
{
    free(r->lines);
    free(r->log);
}

enum { SEEDS = 60 };

static void skipping_idle_cycles_changes_neither_an_issue_nor_a_counter(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct run plain = run_random(seed, false, 0), skipped = run_random(seed, true, 0);
        assert_same(&plain, &skipped);
        free_run(&plain);
        free_run(&skipped);
    }
}

static void the_length_of_a_quantum_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 3; seed++) {
        struct run longest = run_random(seed, true, 0), odd = run_random(seed, true, 7),
                   one = run_random(seed, true, 1);
        assert_same(&longest, &odd);
        assert_same(&longest, &one);
        free_run(&longest);
        free_run(&odd);
        free_run(&one);
    }
}

static void a_second_kernel_on_the_same_sm_runs_as_the_first(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 110; seed++) {
        struct harness *h = random_program(seed);
        harness_begin(h);
        harness_cta(h, 0);
        harness_run(h);
        struct sm_counters n = h->sm->n;
        uint64_t end = h->end;
        harness_begin(h);
        harness_cta(h, 0);
        harness_run(h);
        assert_int_equal(h->end, end);
        assert_memory_equal(&h->sm->n, &n, sizeof n);
        harness_free(h);
    }
}

/* ---- counters of simple programs -------------------------------------------------------------------------------- */

static void warp_cycles_are_the_cycles_from_start_to_exit_of_each_warp(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, stall(nop(), 7), 5);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 0);
    harness_warp(h, 1, 0);
    harness_run(h);
    uint64_t exits[3] = {issued_at(h, 0, 5), issued_at(h, 4, 5), issued_at(h, 1, 5)};
    uint64_t last = exits[0] > exits[1] ? exits[0] : exits[1];
    assert_int_equal(h->sm->n.warp_cycles, exits[0] + exits[1] + exits[2] + 3);
    assert_int_equal(h->sm->n.subcore_cycles_active, last + 1 + exits[2] + 1);
    assert_int_equal(h->sm->n.cycles_active, last + 1);
    assert_int_equal(h->sm->n.inst_issued, 18);
    assert_int_equal(h->sm->n.issue_active, 18);
    assert_int_equal(h->end, last);
    harness_free(h);
}

static void lanes_are_counted_by_path_and_by_guard(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, lanes(nop(), 0xff));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->sm->n.thread_inst_executed, 64);
    assert_int_equal(h->sm->n.thread_inst_executed_pred_on, 8 + 32);
    harness_free(h);
}

static void units_count_their_instructions_and_the_cycles_for_which_they_are_held(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, ffma(1, 2, RZ, RZ), 3);
    add_many(h, iadd(1, 2, RZ, RZ), 2);
    add(h, mufu(1, 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->sm->n.pipe_inst[ISA_PIPE_FMA], 3);
    assert_int_equal(h->sm->n.pipe_cycles[ISA_PIPE_FMA], 6);
    assert_int_equal(h->sm->n.pipe_inst[ISA_PIPE_ALU], 2);
    assert_int_equal(h->sm->n.pipe_cycles[ISA_PIPE_ALU], 4);
    assert_int_equal(h->sm->n.pipe_cycles[ISA_PIPE_XU], 8);
    harness_free(h);
}

static void an_sm_without_work_costs_and_counts_nothing(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, exit_warp());
    harness_begin(h);
    harness_run_until(h, 100000);
    assert_int_equal(h->sm->n.cycles_active, 0);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), 100002);
    assert_int_equal(h->sm->n.cycles_active, 3);
    harness_free(h);
}

UNIT_TESTS(UNIT(skipping_idle_cycles_changes_neither_an_issue_nor_a_counter),
           UNIT(the_length_of_a_quantum_changes_nothing), UNIT(a_second_kernel_on_the_same_sm_runs_as_the_first),
           UNIT(warp_cycles_are_the_cycles_from_start_to_exit_of_each_warp),
           UNIT(lanes_are_counted_by_path_and_by_guard),
           UNIT(units_count_their_instructions_and_the_cycles_for_which_they_are_held),
           UNIT(an_sm_without_work_costs_and_counts_nothing))
