/* Every example on GPUs of all architectures, from cubin to checked result: executed only, and timed. Both must leave
 * the same bytes in device memory, and the timed run must account for every instruction and every resident
 * warp-cycle. */
#include "cli/demo.h"
#include "tests/unit.h"

/* One of each architecture. */
static const char *const gpus[] = {"rtx-2080-ti", "a100", "rtx-a6000", "rtx-4090", "h200", "b200", "rtx-5080"};

struct outcome {
    bool ok;
    uint64_t digest, instructions;
};

static void check_accounts(const struct kernel_result *r)
{
    const struct sm_counters *n = &r->sm;
    uint64_t sum = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += n->stall[i];
    assert_int_equal(sum, n->warp_cycles);
    sum = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        sum += n->cycle[i];
    assert_int_equal(sum, 4 * n->cycles_active);
    assert_int_equal(n->cycle[CYCLE_ISSUE], n->inst_issued);
    assert_int_equal(n->stall[STALL_SELECTED], n->inst_issued);
    assert_int_equal(n->inst_issued, n->inst_executed);
    assert_int_equal(n->inst_executed, r->warp_instructions);
    assert_int_equal(n->ctas, r->ctas);
    assert_int_equal(r->ctas_done, r->ctas);
    assert_int_equal(n->warps, r->ctas * r->occupancy.warps_per_cta);
    assert_true(n->stall[STALL_MISC] == 0);
    assert_true(r->cycles > r->launch_cycles && r->sm_active_max <= r->cycles);
    assert_true(n->warp_cycles <= n->cycles_active * r->occupancy.warps_per_sm);
    assert_true(n->l1_sectors_load_hit <= n->l1_sectors_load);
    assert_true(r->mem.l2_sectors_read_hit <= r->mem.l2_sectors_read);
}

static struct outcome run(const char *gpu, const struct example *example, bool functional)
{
    struct status status = {0};
    struct cli_options options = {.gpu = gpu, .functional = functional, .threads = 1, .quiet = true};
    struct session session;
    if (!session_begin(&session, &options, &status))
        fail_msg("%s", status.text);
    struct demo_run demo;
    bool ok = demo_run(&demo, example, &session, &status);
    if (!ok)
        print_message("%s on %s: %s %s %s\n", example->name, gpu, status.text, demo.status.text, demo.check.text);
    struct outcome out = {.ok = ok, .digest = demo.memory_digest};
    for (size_t i = 0; i < demo.count; i++) {
        out.instructions += demo.results[i].warp_instructions;
        if (ok && !functional)
            check_accounts(&demo.results[i]);
    }
    demo_run_free(&demo);
    session_end(&session);
    return out;
}

/* Only the matrix products need features that sm_75 has not. */
static bool has_code(const char *gpu, const struct example *example)
{
    struct config config;
    struct status status = {0};
    struct cubin_bytes image;
    assert_true(config_load(&config, gpu, &status));
    bool has = demo_cubin(example->module, config.gpu.architecture, &image, &status);
    assert_true(has || (config.gpu.architecture == 75 && strcmp(example->module, "hgemm") == 0));
    return has;
}

static void every_example_is_right_executed_and_timed(void **state)
{
    (void)state;
    size_t count;
    const struct example *list = example_list(&count);
    unsigned wrong = 0;
    for (unsigned g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        for (size_t i = 0; i < count; i++) {
            bool chosen = unit_full() || (i + g) % 2 == 0; /* the quick form: half of the pairs */
            if (!chosen || !has_code(gpus[g], &list[i]))
                continue;
            struct outcome functional = run(gpus[g], &list[i], true);
            struct outcome timed = run(gpus[g], &list[i], false);
            bool same = functional.ok && timed.ok && functional.digest == timed.digest;
            if (!same)
                print_message("%s on %s: functional %s %llx, timed %s %llx\n", list[i].name, gpus[g],
                              functional.ok ? "right" : "wrong", (unsigned long long)functional.digest,
                              timed.ok ? "right" : "wrong", (unsigned long long)timed.digest);
            wrong += !same;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Which needs features that Hopper alone has, or clusters only. */
static void examples_of_hopper_are_right_executed_and_timed(void **state)
{
    (void)state;
    static const char *const with_clusters[] = {"h200", "b200", "rtx-5080"};
    size_t count;
    const struct example *list = example_list_hopper(&count);
    for (unsigned g = 0; g < sizeof with_clusters / sizeof with_clusters[0]; g++) {
        for (size_t i = 0; i < count; i++) {
            if (g > 0 && strcmp(list[i].module, "cluster") != 0)
                continue;
            struct outcome functional = run(with_clusters[g], &list[i], true);
            struct outcome timed = run(with_clusters[g], &list[i], false);
            assert_true(functional.ok && timed.ok);
            assert_true(functional.digest == timed.digest);
        }
    }
}

static void examples_of_blackwell_end_with_the_same_memory(void **state)
{
    (void)state;
    size_t count;
    const struct example *list = example_list_blackwell(&count);
    for (size_t i = 0; i < count; i++) {
        struct outcome functional = run("b200", &list[i], true);
        struct outcome timed = run("b200", &list[i], false);
        assert_true(functional.ok && timed.ok);
        assert_true(functional.digest == timed.digest);
    }
}

UNIT_TESTS(UNIT(every_example_is_right_executed_and_timed), UNIT(examples_of_hopper_are_right_executed_and_timed),
           UNIT(examples_of_blackwell_end_with_the_same_memory))
