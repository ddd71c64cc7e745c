/* Examples under other ways of handling dependences and of choosing warps: the same bytes in device memory, and every
 * instruction and warp-cycle accounted for. */
#include "cli/demo.h"
#include "tests/unit.h"

struct outcome {
    uint64_t digest, cycles;
};

static void run(const struct example *example, const char *const *set, size_t count, struct outcome *out)
{
    struct status status = {0};
    struct cli_options options = {.gpu = "rtx-a6000", .threads = 1, .quiet = true};
    const char *items[4];
    struct session session;
    struct demo_run demo;
    memcpy(items, set, count * sizeof *items);
    options.set = (struct cli_list){items, count};
    if (!session_begin(&session, &options, &status))
        fail_msg("%s", status.text);
    if (!demo_run(&demo, example, &session, &status))
        fail_msg("%s with %s: %s%s%s", example->name, count ? set[0] : "nothing set", status.text, demo.status.text,
                 demo.check.text);
    *out = (struct outcome){.digest = demo.memory_digest};
    for (size_t i = 0; i < demo.count; i++) {
        const struct sm_counters *n = &demo.results[i].sm;
        uint64_t sum = 0;
        for (unsigned s = 0; s < STALL_COUNT; s++)
            sum += n->stall[s];
        assert_int_equal(sum, n->warp_cycles);
        assert_int_equal(n->stall[STALL_SELECTED], n->inst_issued);
        out->cycles += demo.results[i].cycles;
    }
    demo_run_free(&demo);
    session_end(&session);
}

static const struct example *find(const char *name)
{
    size_t count;
    const struct example *list = example_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    fail_msg("no example %s", name);
    return NULL;
}

static void every_example_is_right_under_a_scoreboard_that_counts_one_reader(void **state)
{
    (void)state;
    static const char *const set[] = {"core.dependence=scoreboard", "core.scoreboard_consumers=1"};
    size_t count;
    const struct example *list = example_list(&count);
    for (size_t i = 0; i < count; i++) {
        struct outcome plain, other;
        run(&list[i], NULL, 0, &plain);
        run(&list[i], set, 2, &other);
        assert_int_equal(plain.digest, other.digest);
    }
}

static void compiled_code_has_control_bits_and_automatic_obeys_them(void **state)
{
    (void)state;
    static const char *const automatic[] = {"core.dependence=automatic"};
    struct outcome plain, other;
    run(find("sgemm-tiled"), NULL, 0, &plain);
    run(find("sgemm-tiled"), automatic, 1, &other);
    assert_memory_equal(&plain, &other, sizeof plain);
}

static void one_reader_slows_code_that_uses_memory_and_more_readers_less(void **state)
{
    (void)state;
    static const char *const one[] = {"core.dependence=scoreboard", "core.scoreboard_consumers=1"};
    static const char *const many[] = {"core.dependence=scoreboard", "core.scoreboard_consumers=0"};
    struct outcome narrow, wide;
    run(find("sgemm-naive"), one, 2, &narrow);
    run(find("sgemm-naive"), many, 2, &wide);
    assert_true(narrow.cycles > wide.cycles);
}

static void the_comparison_schedulers_compute_the_same(void **state)
{
    (void)state;
    static const char *const schedulers[] = {"core.scheduler=gto", "core.scheduler=lrr"};
    static const char *const names[] = {"bfs", "reduce-shared", "hgemm"};
    for (unsigned e = 0; e < 3; e++) {
        struct outcome plain, other;
        run(find(names[e]), NULL, 0, &plain);
        for (unsigned s = 0; s < 2; s++) {
            run(find(names[e]), &schedulers[s], 1, &other);
            assert_int_equal(plain.digest, other.digest);
        }
    }
}

UNIT_TESTS(UNIT(every_example_is_right_under_a_scoreboard_that_counts_one_reader),
           UNIT(compiled_code_has_control_bits_and_automatic_obeys_them),
           UNIT(one_reader_slows_code_that_uses_memory_and_more_readers_less),
           UNIT(the_comparison_schedulers_compute_the_same))
