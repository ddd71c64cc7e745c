/* Examples under other ways of handling dependences and choosing warps: the same bytes in device memory, and every
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

static void examples_are_right_under_a_scoreboard_that_counts_one_reader(void **state)
{
    (void)state;
    static const char *const set[] = {"core.dependence=scoreboard", "core.scoreboard_consumers=1"};
    size_t count;
    const struct example *list = example_list(&count);
    for (size_t i = 0; i < count; i += unit_full() ? 1 : 2) {
        struct outcome plain, other;
        run(&list[i], NULL, 0, &plain);
        run(&list[i], set, 2, &other);
        assert_int_equal(plain.digest, other.digest);
    }
}

static void examples_are_right_on_the_legacy_core(void **state)
{
    (void)state;
    static const char *const set[] = {"core.model=legacy", "core.scheduler=gto"};
    size_t count;
    const struct example *list = example_list(&count);
    for (size_t i = 0; i < count; i++) {
        struct outcome plain, other;
        run(&list[i], NULL, 0, &plain);
        run(&list[i], set, 1 + i % 2, &other);
        assert_int_equal(plain.digest, other.digest);
        assert_true(other.cycles != plain.cycles);
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

static uint64_t cycles_of(const char *name, const char *set)
{
    struct outcome out;
    run(find(name), &set, set ? 1 : 0, &out);
    return out.cycles;
}

static void the_register_file_cache_and_the_prefetcher_are_worth_what_docs_studies_says(void **state)
{
    (void)state;
    uint64_t product = cycles_of("sgemm-register", NULL), stencil = cycles_of("stencil", NULL);
    uint64_t straight = cycles_of("straight", NULL);
    assert_in_range(cycles_of("sgemm-register", "core.rfc=false"), product * 105 / 100, product * 112 / 100);
    assert_in_range(cycles_of("sgemm-register", "core.read_ports=2"), product * 95 / 100, product * 99 / 100);
    assert_in_range(cycles_of("stencil", "icache.stream_buffer=0"), stencil * 110 / 100, stencil * 125 / 100);
    assert_in_range(cycles_of("straight", "icache.stream_buffer=0"), straight * 3, straight * 6);
    assert_in_range(cycles_of("straight", "icache.perfect=true"), straight / 3, straight * 2 / 3);
}

UNIT_TESTS(UNIT(examples_are_right_under_a_scoreboard_that_counts_one_reader),
           UNIT(examples_are_right_on_the_legacy_core), UNIT(compiled_code_has_control_bits_and_automatic_obeys_them),
           UNIT(one_reader_slows_code_that_uses_memory_and_more_readers_less),
           UNIT(the_comparison_schedulers_compute_the_same),
           UNIT(the_register_file_cache_and_the_prefetcher_are_worth_what_docs_studies_says))
