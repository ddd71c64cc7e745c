/* Lanes that meet at one address in one instruction, at once and on cores whose accesses take effect late. */
#include "kernel_run.h"
#include "tests/unit.h"

enum { WARP = 32, PAIRS = 16, WIDE = 8, EXCHANGED = 48, OLD = 64, OLD_SHARED = 96, GENERIC = 40 };

static void on_each(void (*check)(struct kernel_run *r))
{
    static const unsigned architectures[] = {60, 70, 75, 80, 90, 120};
    kernel_run_each("lanes", architectures, 6, check);
}

/* Each value is a lane's number and one. */
static void check_winners(const struct kernel_run *r)
{
    static const uint32_t lowest[WIDE] = {1, 6, 4, 1, 1, 0, 1, 1};
    assert_memory_equal(r->out, lowest, sizeof lowest);
    for (uint32_t pair = 0; pair < WARP / 2; pair++)
        assert_int_equal(r->out[PAIRS + pair], 2 * pair + 1);
}

static void check_global(struct kernel_run *r)
{
    static const uint32_t wide[] = {1, 2, 3, 4};
    kernel_run(r, "global_stores", WARP);
    check_winners(r);
    assert_memory_equal(r->out + WIDE, wide, sizeof wide);
}

static void of_stores_to_one_global_address_that_of_the_lowest_active_lane_stays(void **state)
{
    (void)state;
    on_each(check_global);
}

static void check_shared(struct kernel_run *r)
{
    kernel_run(r, "shared_stores", WARP);
    check_winners(r);
}

static void of_stores_to_one_shared_address_that_of_the_lowest_active_lane_stays(void **state)
{
    (void)state;
    on_each(check_shared);
}

static void check_generic(struct kernel_run *r)
{
    kernel_run(r, "generic_stores", WARP);
    assert_int_equal(r->out[GENERIC], 1);
    for (uint32_t lane = 0; lane < WARP; lane++)
        assert_int_equal(r->out[lane], 2);
}

static void a_generic_store_has_a_winner_in_each_memory(void **state)
{
    (void)state;
    on_each(check_generic);
}

static void check_exchanges(struct kernel_run *r)
{
    kernel_run(r, "exchanges", WARP);
    for (uint32_t lane = 0; lane < WARP; lane++) {
        assert_int_equal(r->out[OLD + lane], lane);
        assert_int_equal(r->out[OLD_SHARED + lane], lane);
    }
    assert_int_equal(r->out[EXCHANGED], WARP);
}

static void atomics_on_one_address_go_from_the_lowest_lane_to_the_highest(void **state)
{
    (void)state;
    on_each(check_exchanges);
}

UNIT_TESTS(UNIT(of_stores_to_one_global_address_that_of_the_lowest_active_lane_stays),
           UNIT(of_stores_to_one_shared_address_that_of_the_lowest_active_lane_stays),
           UNIT(a_generic_store_has_a_winner_in_each_memory),
           UNIT(atomics_on_one_address_go_from_the_lowest_lane_to_the_highest))
