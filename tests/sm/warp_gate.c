/* Only the gate changes the scheduler's sets, and ends a nap. */
#include "sm/scheduler/warp_gate.h"

#include "tests/sm/harness.h"

/* A sub-core's scheduler with its counters, and nothing else. */
struct place {
    struct scheduler scheduler;
    struct units units;
    struct unit_choice choice;
    struct sm_warp warp[SM_WARPS];
    struct code_table code;
    struct line_counters *lines;
    struct sm_counters n;
    struct attribution_ports attribution;
    struct nap nap;
    struct warp_gate gate;
    uint64_t now;
    _Alignas(8) uint8_t scheduler_state[SCHEDULER_STATE];
};

static struct place *place_new(void)
{
    struct place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    scheduler_init(&p->scheduler, CONFIG_SCHEDULER_CGGTY, 6, p->scheduler_state);
    p->attribution = (struct attribution_ports){.scheduler = &p->scheduler,
                                                .units = &p->units,
                                                .choice = &p->choice,
                                                .warp = p->warp,
                                                .code = &p->code,
                                                .lines = &p->lines,
                                                .n = &p->n};
    p->nap.to = (struct nap_ports){&p->attribution, &p->now};
    p->gate = (struct warp_gate){&p->scheduler, &p->nap};
    return p;
}

static void a_gate_is_closed_for_each_reason_until_it_is_opened_for_that_reason(void **state)
{
    (void)state;
    static const enum stall_reason reasons[] = {
#define X(reason) STALL_##reason,
        STALL_GATES(X)
#undef X
    };
    struct place *p = place_new();
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        gate_close(&p->gate, 3, reasons[i]);
        assert_int_equal(scheduler_held(&p->scheduler), 1u << 3);
        assert_int_equal(attribution_state(&p->scheduler, 3), reasons[i]);
        gate_open(&p->gate, 4, reasons[i]);
        assert_int_equal(scheduler_held(&p->scheduler), 1u << 3);
        gate_open(&p->gate, 3, reasons[i]);
        assert_int_equal(scheduler_held(&p->scheduler), 0);
    }
    free(p);
}

static void a_warp_that_retires_leaves_every_set(void **state)
{
    (void)state;
    struct place *p = place_new();
    gate_start(&p->gate, 5, 1);
    gate_set_class(&p->gate, 5, CLASS_FMA);
    gate_redirect(&p->gate, 5, true);
    gate_set_results(&p->gate, 5, (struct gate_results){true, true, true});
#define X(reason) gate_close(&p->gate, 5, STALL_##reason);
    STALL_GATES(X)
#undef X
    gate_retire(&p->gate, 5);
    assert_int_equal(scheduler_held(&p->scheduler), 0);
    assert_int_equal(p->scheduler.resident | p->scheduler.mio_data | p->scheduler.redirected, 0);
    assert_int_equal(p->scheduler.head[CLASS_FMA], 0);
    free(p);
}

static void a_change_ends_the_nap_whose_cycles_count_with_the_sets_of_before(void **state)
{
    (void)state;
    struct place *p = place_new();
    gate_start(&p->gate, 2, 1);
    gate_close(&p->gate, 2, STALL_BARRIER);
    p->now = 10;
    nap_start(&p->nap, 10, 100, 0);
    p->now = 25;
    gate_open(&p->gate, 2, STALL_BARRIER);
    assert_false(nap_goes_on(&p->nap, 25));
    assert_int_equal(p->n.stall[STALL_BARRIER], 15);
    assert_int_equal(p->n.cycle[CYCLE_CTA_BARRIER], 15);
    assert_int_equal(p->n.warp_cycles, 15);
    free(p);
}

/* Two CTAs of two warps: the second, in CTA slot 1, meets at a barrier on sub-cores 2 and 3, while the third, in CTA
 * slot 2, sleeps on sub-cores 0 and 1. */
static void a_barrier_does_not_end_the_nap_of_a_sub_core_without_its_warps(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->warps_per_cta = 2;
    add(h, barrier_sync(0, 0));
    add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 1);
    harness_cta(h, 2);
    harness_hold(h, START);
    scheduler_stall(&h->sm->subcore[0].scheduler, 1, 1000);
    scheduler_stall(&h->sm->subcore[1].scheduler, 1, 1000);
    harness_run_until(h, START);
    uint64_t napped = h->sm->subcore[1].nap.from;
    assert_int_equal(napped, START);
    for (uint64_t now = START; !h->released; now++) {
        assert_true(now < 500);
        sm_cycle(h->sm, now);
    }
    assert_int_equal(h->released, 2);
    assert_int_equal(h->sm->subcore[1].nap.from, napped);
    harness_free(h);
}

UNIT_TESTS(UNIT(a_gate_is_closed_for_each_reason_until_it_is_opened_for_that_reason),
           UNIT(a_warp_that_retires_leaves_every_set),
           UNIT(a_change_ends_the_nap_whose_cycles_count_with_the_sets_of_before),
           UNIT(a_barrier_does_not_end_the_nap_of_a_sub_core_without_its_warps))
