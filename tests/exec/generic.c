/* The kernels of generic.cu, at once and on cores whose accesses take effect late. */
#include "kernel_run.h"
#include "tests/unit.h"

static void on_each_since(unsigned first, void (*check)(struct kernel_run *r))
{
    static const unsigned architectures[] = {60, 70, 75, 80, 90, 100, 120};
    unsigned skipped = 0;
    while (architectures[skipped] < first)
        skipped++;
    kernel_run_each("generic", architectures + skipped, 7 - skipped, check);
}

static void check_pointers(struct kernel_run *r)
{
    enum { THREADS = 96 };
    kernel_run(r, "pointers", THREADS);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t before[3] = {7 * (t ^ 1), 1000 * t, 9 * t};
        uint32_t shared = 7 * t + ((t ^ 1) % 3 == 0 ? 5 : 0), local = 1000 * t + (t % 3 == 1 ? 5 : 0);
        uint32_t global = 9 * t + (t % 3 == 2 ? 5 : 0);
        assert_int_equal(r->out[128 + t], before[t % 3] + 5);
        assert_int_equal(r->out[256 + t], shared + local + global);
    }
}

static void lanes_of_one_access_are_in_different_memories(void **state)
{
    (void)state;
    on_each_since(60, check_pointers);
}

static void check_atomics(struct kernel_run *r)
{
    uint32_t iterated = 0;
    kernel_run(r, "atomics", 128);
    for (unsigned i = 0; i < 64; i++)
        iterated = iterated * 3 + 1;
    for (unsigned odd = 0; odd < 2; odd++) {
        const uint32_t expected[14] = {63 * 64 + 64 * odd, 76 + odd, 0x42000000, 0,  64, 64, 0x4c005400, 0, 0,
                                       0x40200000,         iterated, 0,          77, 0};
        assert_memory_equal(r->out + 32 * odd, expected, sizeof expected);
    }
}

static void atomics_on_generic_pointers_lose_nothing(void **state)
{
    (void)state;
    on_each_since(60, check_atomics);
}

static void check_bfloats(struct kernel_run *r)
{
    kernel_run(r, "bfloats", 128);
    assert_int_equal(r->out[0], 0x43804300);
}

static void bfloats_are_added(void **state)
{
    (void)state;
    on_each_since(80, check_bfloats);
}

static void check_barrier(struct kernel_run *r)
{
    enum { THREADS = 96 };
    kernel_run(r, "barrier_object", THREADS);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(r->out[t], 10 * ((t + 33) % THREADS));
}

static void threads_meet_at_a_barrier_object(void **state)
{
    (void)state;
    on_each_since(80, check_barrier);
}

static uint32_t copied(uint32_t word) { return 4 * (word - word % 4) + word % 4; }

static void check_copies(struct kernel_run *r)
{
    enum { THREADS = 128 };
    kernel_run(r, "copies", THREADS);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(r->out[512 + t],
                         copied((4 * t + 5) % (4 * THREADS)) + copied(4 * t) + copied((t + 1) % THREADS));
}

static void copies_are_there_after_the_wait(void **state)
{
    (void)state;
    on_each_since(80, check_copies);
}

static void check_transactions(struct kernel_run *r)
{
    enum { THREADS = 64 };
    kernel_run(r, "transactions", THREADS);
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(r->out[t], 0);
        assert_int_equal(r->out[128 + t], 2);
    }
}

static void a_phase_waits_for_its_bytes_and_forgets_who_dropped_out(void **state)
{
    (void)state;
    on_each_since(90, check_transactions);
}

static void check_vectors(struct kernel_run *r)
{
    static const uint32_t expected[] = {0x42800000, 0x43000000, 0x43400000, 0x42000000, 0x54005400,
                                        0x54005400, 0x58005000, 0x58005000, 0x3f80003f, 0};
    kernel_run(r, "vectors", 64);
    assert_memory_equal(r->out, expected, sizeof expected);
}

static void reductions_of_vectors_work_element_by_element(void **state)
{
    (void)state;
    on_each_since(90, check_vectors);
}

/* PTX, isspacep: the window of a cluster holds its CTAs' windows. */
static void check_queries(struct kernel_run *r)
{
    kernel_run(r, "queries", 32);
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t shared = r->sm >= 90 ? 4 + 8 : 4;
        assert_int_equal(r->out[t], t % 3 == 0 ? shared : t % 3 == 1 ? 2 : 1);
    }
}

static void an_address_says_which_windows_hold_it(void **state)
{
    (void)state;
    on_each_since(60, check_queries);
}

UNIT_TESTS(UNIT(lanes_of_one_access_are_in_different_memories), UNIT(atomics_on_generic_pointers_lose_nothing),
           UNIT(bfloats_are_added), UNIT(threads_meet_at_a_barrier_object), UNIT(copies_are_there_after_the_wait),
           UNIT(a_phase_waits_for_its_bytes_and_forgets_who_dropped_out),
           UNIT(reductions_of_vectors_work_element_by_element), UNIT(an_address_says_which_windows_hold_it))
