/* Warps that spin are found out, and others are not. */
#include "exec/control/spin.h"

#include "exec/observers.h"
#include "exec/run.h"
#include "machine.h"

enum { AFTER = 1 << 18, P0 = 0, P1 = 1 };

struct told {
    unsigned times;
    char kernel[64], text[SPIN_TEXT];
};

static void tell(void *self, const char *kernel, const char *text)
{
    struct told *told = self;
    told->times++;
    snprintf(told->kernel, sizeof told->kernel, "%s", kernel);
    snprintf(told->text, sizeof told->text, "%s", text);
}

struct clock {
    bool stop;
};

static void stop_late(void *self, uint64_t done, uint64_t total, uint64_t instructions)
{
    (void)done, (void)total;
    ((struct clock *)self)->stop = instructions >= UINT64_C(16) * AFTER;
}

/* Stops a kernel that does not end after some 16 * AFTER instructions. */
static enum status_code run(struct machine *m, uint32_t ctas, struct told *told)
{
    struct exec_totals totals;
    struct status status = {0};
    struct clock clock = {false};
    const struct exec_spins spins = {told, tell, AFTER};
    *told = (struct told){0};
    m->launch.grid = (struct exec_dim){ctas, 1, 1};
    m->launch.cta_count = ctas;
    m->launch.spins = &spins;
    machine_prepare(m);
    exec_run(&m->launch, &clock.stop, stop_late, &clock, &totals, &status);
    return status.code;
}

/* Waits until the word at the address in R2 and R3 is not 0: instructions 2 to 4. */
static void add_wait(struct machine *m)
{
    uint64_t flag = memory_alloc(m->memory, 4);
    uint8_t zero[4] = {0};
    assert_true(memory_write(m->memory, flag, zero, sizeof zero));
    add(m, move(2, (uint32_t)flag));
    add(m, move(3, (uint32_t)(flag >> 32)));
    add(m, global_load(4, 2, 0, 4));
    add(m, compare(P0, MACHINE_EQ, 4, 0));
    add(m, when(P0, jump(2)));
    add(m, plain(ISA_OP_EXIT, 0));
}

static void warps_that_wait_for_a_store_that_never_comes_are_named_once_and_at_a_stop(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 64);
    struct told told;
    add_wait(m);
    assert_int_equal(run(m, 3, &told), STATUS_INTERRUPTED);
    assert_int_equal(told.times, 2);
    assert_string_equal(told.kernel, "test");
    const char *begin = "spins: no CTA has begun or ended for ";
    assert_memory_equal(told.text, begin, strlen(begin));
    uint64_t amount = strtoull(told.text + strlen(begin), NULL, 10);
    assert_in_range(amount, AFTER, AFTER + 6 * 65536);
    assert_non_null(strstr(told.text, "; 6 warps at pc 0x20 to 0x40 (0x20: "));
    assert_non_null(strstr(told.text, ", the first of CTA (0,0,0) warp 0, which waits for a change of global memory "));
    assert_string_equal(told.text + strlen(told.text) - strlen(", now 0x0"), ", now 0x0");
    machine_destroy(m);
}

static void a_loop_that_counts_does_not_spin(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct told told;
    add(m, move(1, 0));
    add(m, add_to(1, 1, 1));
    add(m, jump(1));
    assert_int_equal(run(m, 1, &told), STATUS_INTERRUPTED);
    assert_int_equal(told.times, 0);
    machine_destroy(m);
}

static void one_warp_that_counts_keeps_the_others_from_being_called_spinning(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 64);
    struct told told;
    add(m, special(0, MACHINE_TID_X));
    add(m, compare(P0, MACHINE_LT, 0, 32));
    add(m, when(P0, jump(4)));
    add(m, jump(3));
    add(m, add_to(1, 1, 1));
    add(m, jump(4));
    assert_int_equal(run(m, 1, &told), STATUS_INTERRUPTED);
    assert_int_equal(told.times, 0);
    machine_destroy(m);
}

static void warps_at_a_barrier_are_counted_beside_those_that_spin(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 96);
    struct told told;
    struct isa_inst barrier = inst(ISA_OP_BAR);
    barrier.a = value(0);
    add(m, special(0, MACHINE_TID_X));
    add(m, compare(P0, MACHINE_LT, 0, 64));
    add(m, compare(P1, MACHINE_LT, 0, 32));
    add(m, when(P1, jump(3)));
    add(m, when(P0, jump(4)));
    add(m, barrier);
    add(m, plain(ISA_OP_EXIT, 0));
    assert_int_equal(run(m, 2, &told), STATUS_INTERRUPTED);
    assert_int_equal(told.times, 2);
    assert_non_null(strstr(told.text, "; 2 warps at pc 0x30 to 0x30 (0x30: "));
    assert_non_null(strstr(told.text, "; 2 warps at pc 0x40 to 0x40 (0x40: "));
    assert_non_null(strstr(told.text, ", the first of CTA (0,0,0) warp 1"));
    assert_non_null(strstr(told.text, "; 2 warps wait at a barrier for those that go round, the first of CTA (0,0,0) "
                                      "warp 2 at barrier 0"));
    machine_destroy(m);
}

static void a_launch_that_ends_before_is_not_looked_at(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct told told;
    add(m, move(1, 10000));
    add(m, add_to(1, 1, UINT32_MAX));
    add(m, compare(P0, MACHINE_NE, 1, 0));
    add(m, when(P0, jump(1)));
    add(m, plain(ISA_OP_EXIT, 0));
    assert_int_equal(run(m, 100, &told), STATUS_OK);
    assert_int_equal(told.times, 0);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(warps_that_wait_for_a_store_that_never_comes_are_named_once_and_at_a_stop),
           UNIT(a_loop_that_counts_does_not_spin),
           UNIT(one_warp_that_counts_keeps_the_others_from_being_called_spinning),
           UNIT(warps_at_a_barrier_are_counted_beside_those_that_spin),
           UNIT(a_launch_that_ends_before_is_not_looked_at))
