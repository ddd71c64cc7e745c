/* Random programs of nested branches, loops, breaks, exits and yields, against an interpreter that runs one thread at a
 * time; and loops in which a thread waits for another one of its warp. */
#include "machine.h"

/* ---- random programs ------------------------------------------------------------------------------------------- */

enum kind { MIX, IF, LOOP, BREAK_IF, EXIT_IF, YIELD };
enum { NODES = 512, VALUE = 2, COUNTER = 8, DEPTH = 6, LEFT = 31 };

struct node {
    enum kind kind;
    uint32_t constant;
    int first, other; /* body, else branch (-1: none) */
    int next;
};

struct program {
    struct node node[NODES];
    int count, budget;
    uint64_t random;
};

static uint32_t draw(struct program *p, uint32_t limit)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(p->random >> 33) % limit;
}

static int block(struct program *p, unsigned depth, bool in_loop);

static int statement(struct program *p, unsigned depth, bool in_loop)
{
    static const enum kind kinds[] = {MIX, MIX, IF, IF, IF, LOOP, LOOP, BREAK_IF, EXIT_IF, YIELD};
    int n = p->count++;
    enum kind kind = kinds[draw(p, sizeof kinds / sizeof kinds[0])];
    if ((depth >= DEPTH && (kind == IF || kind == LOOP)) || (kind == BREAK_IF && !in_loop) || p->count > NODES - 64)
        kind = MIX;
    p->node[n] = (struct node){.kind = kind, .first = -1, .other = -1, .next = -1};
    p->node[n].constant = draw(p, UINT32_C(0x7fffffff)) * 2 + 1;
    if (kind == EXIT_IF)
        p->node[n].constant >>= 4;
    if (kind == IF || kind == LOOP) {
        int first = block(p, depth + 1, in_loop || kind == LOOP);
        int other = kind == IF && draw(p, 2) ? block(p, depth + 1, in_loop) : -1;
        p->node[n].first = first;
        p->node[n].other = other;
    }
    return n;
}

static int block(struct program *p, unsigned depth, bool in_loop)
{
    int first = -1, last = -1;
    for (uint32_t left = 1 + draw(p, 4); left > 0; left--) {
        int n = statement(p, depth, in_loop);
        if (last >= 0)
            p->node[last].next = n;
        else
            first = n;
        last = n;
    }
    return first;
}

enum outcome { GOES_ON, BREAKS, EXITS };

/* One thread. A loop turns 1 to 4 times, as the value says when it starts. */
static enum outcome interpret(struct program *p, int at, uint32_t *v)
{
    for (; at >= 0; at = p->node[at].next) {
        const struct node *n = &p->node[at];
        enum outcome outcome = GOES_ON;
        switch (n->kind) {
        case MIX: *v = *v + *v + n->constant; break;
        case IF: outcome = interpret(p, *v < n->constant ? n->first : n->other, v); break;
        case LOOP:
            for (uint32_t turns = (*v & 3) + 1; turns > 0 && outcome == GOES_ON; turns--)
                outcome = interpret(p, n->first, v);
            outcome = outcome == EXITS ? EXITS : GOES_ON;
            break;
        case BREAK_IF: outcome = *v < n->constant ? BREAKS : GOES_ON; break;
        case EXIT_IF: outcome = *v < n->constant ? EXITS : GOES_ON; break;
        case YIELD: break;
        }
        if (outcome != GOES_ON)
            return outcome;
    }
    return GOES_ON;
}

/* ---- the same as code: a region at depth d uses convergence barrier d and counter register 8 + d --------------- */

struct region {
    bool loop;
    uint32_t breaks[64], break_count;
};

static void compile(struct machine *m, struct program *p, int at, struct region *outer, unsigned depth);

static struct isa_inst and_with(unsigned d, unsigned a, uint32_t mask)
{
    struct isa_inst i = inst(ISA_OP_LOP3);
    i.d = reg(d);
    i.a = reg(a);
    i.b = value(mask);
    i.c = reg(RZ);
    i.mod[ISA_MOD_LUT] = 0xc0;
    i.pu = predicate(PT, false);
    i.pp = predicate(PT, true);
    return i;
}

static void compile_if(struct machine *m, struct program *p, const struct node *n, struct region *regions,
                       unsigned depth)
{
    regions[depth] = (struct region){.loop = false};
    add(m, compare(0, MACHINE_LT, VALUE, n->constant));
    add(m, plain(ISA_OP_BSSY, depth));
    uint32_t to_then = add(m, when(0, jump(0)));
    compile(m, p, n->other, regions, depth + 1);
    uint32_t to_end = add(m, jump(0));
    m->code[to_then].isa.target = 16 * m->kernel.count;
    compile(m, p, n->first, regions, depth + 1);
    m->code[to_end].isa.target = 16 * m->kernel.count;
    add(m, plain(ISA_OP_BSYNC, depth));
}

static void compile_loop(struct machine *m, struct program *p, const struct node *n, struct region *regions,
                         unsigned depth)
{
    regions[depth] = (struct region){.loop = true};
    add(m, and_with(COUNTER + depth, VALUE, 3));
    add(m, plain(ISA_OP_BSSY, depth));
    uint32_t top = m->kernel.count;
    compile(m, p, n->first, regions, depth + 1);
    add(m, add_to(COUNTER + depth, COUNTER + depth, UINT32_MAX));
    add(m, compare(0, MACHINE_NE, COUNTER + depth, UINT32_MAX));
    add(m, when(0, jump(top)));
    for (uint32_t i = 0; i < regions[depth].break_count; i++)
        m->code[regions[depth].breaks[i]].isa.target = 16 * m->kernel.count;
    add(m, plain(ISA_OP_BSYNC, depth));
}

static void compile_break(struct machine *m, const struct node *n, struct region *regions, unsigned depth)
{
    add(m, compare(0, MACHINE_LT, VALUE, n->constant));
    while (!regions[--depth].loop)
        add(m, when(0, plain(ISA_OP_BREAK, depth)));
    regions[depth].breaks[regions[depth].break_count++] = add(m, when(0, jump(0)));
}

static void compile(struct machine *m, struct program *p, int at, struct region *regions, unsigned depth)
{
    for (; at >= 0; at = p->node[at].next) {
        const struct node *n = &p->node[at];
        switch (n->kind) {
        case MIX:
            add(m, add_registers(VALUE, VALUE, VALUE));
            add(m, add_to(VALUE, VALUE, n->constant));
            break;
        case IF: compile_if(m, p, n, regions, depth); break;
        case LOOP: compile_loop(m, p, n, regions, depth); break;
        case BREAK_IF: compile_break(m, n, regions, depth); break;
        case EXIT_IF:
            add(m, compare(0, MACHINE_LT, VALUE, n->constant));
            add(m, when(0, plain(ISA_OP_EXIT, 0)));
            break;
        case YIELD: add(m, plain(ISA_OP_YIELD, 0)); break;
        }
    }
}

static void try_program(uint64_t seed, uint32_t threads)
{
    static struct program p;
    static struct region regions[DEPTH + 2];
    p = (struct program){.random = seed};
    struct machine *m = machine_create(true, threads);
    int first;
    do {
        p.count = 0;
        first = block(&p, 0, false);
    } while (p.count > 40);
    compile(m, &p, first, regions, 0);
    uint32_t end = add(m, move(LEFT, 1));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    uint32_t expected[32], stays = 0;
    for (unsigned lane = 0; lane < threads; lane++) {
        expected[lane] = row(m, VALUE)[lane] = draw(&p, UINT32_MAX);
        stays |= (interpret(&p, first, &expected[lane]) == EXITS ? 0 : 1u) << lane;
    }
    machine_run(m, 0);
    for (unsigned lane = 0; lane < threads; lane++) {
        assert_int_equal(row(m, VALUE)[lane], expected[lane]);
        assert_int_equal(row(m, LEFT)[lane], stays >> lane & 1);
    }
    for (uint32_t i = 0; i < m->steps; i++)
        if (m->step[i].pc == 16 * end)
            assert_int_equal(m->step[i].path, stays);
    machine_destroy(m);
}

static void a_warp_computes_what_its_threads_compute_alone_and_ends_converged(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++)
        try_program(seed * 7919, seed % 5 ? 32 : (uint32_t)(1 + seed % 32));
}

/* ---- waiting for another thread of the warp -------------------------------------------------------------------- */

static struct isa_inst compare_and_swap(unsigned d, unsigned a, unsigned b, unsigned c)
{
    struct isa_inst i = inst(ISA_OP_ATOMG_CAS);
    i.d = reg(d);
    i.a = wide(a, 2);
    i.b = reg(b);
    i.c = reg(c);
    i.pu = predicate(PT, false);
    return i;
}

/* As the compiler writes it: the holder of the lock waits for the others at the barrier behind the loop. */
static void every_lane_gets_a_lock_that_all_lanes_want(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    uint64_t lock = memory_alloc(m->memory, 256), count = lock + 128;
    add(m, plain(ISA_OP_BSSY, 0));
    add(m, plain(ISA_OP_YIELD, 0)); /* 1 */
    add(m, compare_and_swap(0, 4, RZ, 8));
    add(m, compare(0, MACHINE_NE, 0, 0));
    add(m, when(0, jump(1)));
    add(m, plain(ISA_OP_BSYNC, 0));
    add(m, global_load(1, 6, 0, 4)); /* 6 */
    add(m, add_to(1, 1, 1));
    add(m, global_store(6, 0, 1, 4));
    add(m, global_store(4, 0, RZ, 4));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    set_addresses(m, 0, 4, lock, 0);
    set_addresses(m, 0, 6, count, 0);
    for (unsigned lane = 0; lane < 32; lane++)
        row(m, 8)[lane] = 1;
    machine_run(m, 0);
    uint32_t result;
    assert_true(memory_read(m->memory, &result, count, 4));
    assert_int_equal(result, 32);
    assert_true(m->steps < 32 * 1200);
    machine_destroy(m);
}

/* Two loops, each of which ends when the other side has written; neither yields. */
static void two_sides_that_wait_for_each_other_both_finish(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    uint64_t flag = memory_alloc(m->memory, 256);
    add(m, special(0, MACHINE_LANE));
    add(m, move(2, 1));
    add(m, compare(0, MACHINE_LT, 0, 16));
    add(m, when(0, jump(9)));
    add(m, global_load(1, 4, 0, 4)); /* 4: high: waits for flag 0, then sets flag 1 */
    add(m, compare(1, MACHINE_EQ, 1, 0));
    add(m, when(1, jump(4)));
    add(m, global_store(4, 4, 2, 4));
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, global_store(4, 0, 2, 4)); /* 9: low: sets flag 0, then waits for flag 1 */
    add(m, global_load(1, 4, 4, 4));
    add(m, compare(1, MACHINE_EQ, 1, 0));
    add(m, when(1, jump(10)));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    set_addresses(m, 0, 4, flag, 0);
    machine_run(m, 0);
    assert_true(m->steps < 2000);
    machine_destroy(m);
}

/* A long loop of one lane is no reason to give up the others' convergence. */
static void a_long_loop_keeps_the_waiting_lanes_waiting(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, special(0, MACHINE_LANE));
    add(m, compare(0, MACHINE_EQ, 0, 0));
    add(m, move(1, 1));
    add(m, when(0, move(1, 5000)));
    add(m, plain(ISA_OP_BSSY, 0));
    add(m, plain(ISA_OP_YIELD, 0)); /* 5 */
    add(m, add_to(1, 1, UINT32_MAX));
    add(m, compare(1, MACHINE_NE, 1, 0));
    add(m, when(1, jump(5)));
    add(m, plain(ISA_OP_BSYNC, 0));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, m->steps - 1, 10, ALL);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(a_warp_computes_what_its_threads_compute_alone_and_ends_converged),
           UNIT(every_lane_gets_a_lock_that_all_lanes_want), UNIT(two_sides_that_wait_for_each_other_both_finish),
           UNIT(a_long_loop_keeps_the_waiting_lanes_waiting))
