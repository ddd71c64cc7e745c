/* Where the warps of CTAs go, and when their places are free again. */
#include "tests/sm/harness.h"

static struct harness *with(uint32_t warps, uint32_t ctas)
{
    struct harness *h = harness_new();
    h->warps_per_cta = warps;
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t c = 0; c < ctas; c++)
        harness_cta(h, c);
    return h;
}

static unsigned residents(const struct harness *h, unsigned subcore)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SUBCORE_WARPS; i++)
        count += h->sm->subcore[subcore].scheduler.resident >> i & 1;
    return count;
}

/* MICRO 2025 paper: consecutive slots, sub-core = slot modulo 4. Small and odd CTAs fill the sub-cores evenly. */
static void warps_of_a_cta_have_consecutive_slots_and_sub_cores_in_turn(void **state)
{
    (void)state;
    for (uint32_t warps = 1; warps <= 16; warps++) {
        uint32_t ctas = 48 / warps < 16 ? 48 / warps : 16;
        struct harness *h = with(warps, ctas);
        for (uint32_t slot = 0; slot < warps * ctas; slot++)
            assert_int_equal(h->sm->warp[slot].cta, slot / warps);
        for (unsigned p = 0; p < SM_SUBCORES; p++)
            assert_int_equal(residents(h, p), (warps * ctas + 3 - p) / 4);
        harness_free(h);
    }
}

/* The second warp exits at once, and the first one 11 cycles after its store (tests/sm/stores.c). */
static void a_cta_ends_when_the_last_store_of_its_last_warp_is_sent(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->warps_per_cta = 2;
    add(h, stg(true, 4, 0));
    uint32_t out = add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_enter(h, 1, out);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(h->finished[0], issued_at(h, 0, 0) + 11);
    assert_int_equal(h->sm->n.warps, 2);
    harness_free(h);
}

UNIT_TESTS(UNIT(warps_of_a_cta_have_consecutive_slots_and_sub_cores_in_turn),
           UNIT(a_cta_ends_when_the_last_store_of_its_last_warp_is_sent))
