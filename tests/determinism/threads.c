/* The same run gives the same bytes, counters of each instruction included: for any number of host threads, with idle
 * cycles skipped or not, and again. */
#include "cli/demo.h"
#include "tests/unit.h"

enum { RESULTS = 64, LINES = 4096 };

struct outcome {
    uint64_t digest;
    size_t count, longest;
    struct kernel_result results[RESULTS];
    uint32_t instructions; /* of the longest launch, with the counters of each */
    struct line_counters line[LINES + 1];
};

static const char *const examples[] = {"reduce-shuffle", "histogram-global", "bfs",
                                       "hgemm",          "sgemm-tiled",      "transpose-conflict"};

static const struct example *find(const char *name)
{
    size_t count;
    const struct example *list = example_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    }
    fail_msg("no example %s", name);
    return NULL;
}

/* The counts of instructions add up to those of the SMs. */
static void check_lines(const struct outcome *o)
{
    const struct sm_counters *n = &o->results[o->longest].sm;
    struct line_counters sum = {0};
    for (uint32_t i = 0; i <= o->instructions; i++)
        line_counters_add(&sum, &o->line[i]);
    assert_int_equal(sum.inst_issued, n->inst_issued);
    assert_int_equal(sum.thread_inst_executed, n->thread_inst_executed);
    assert_int_equal(sum.thread_inst_executed_pred_on, n->thread_inst_executed_pred_on);
    assert_memory_equal(sum.stall, n->stall, sizeof sum.stall);
    assert_memory_equal(sum.cycle, n->cycle, sizeof sum.cycle);
    for (uint32_t i = 0; i < o->instructions; i++)
        assert_int_equal(o->line[i].stall[STALL_SELECTED], o->line[i].inst_issued);
    assert_int_equal(o->line[o->instructions].cycle[CYCLE_NO_WARP], n->cycle[CYCLE_NO_WARP]);
}

/* `study`: a further --set, or NULL. */
static void run(const char *gpu, const char *name, const char *study, unsigned threads, bool skip, struct outcome *out)
{
    struct status status = {0};
    struct cli_options options = {.gpu = gpu, .threads = threads, .quiet = true, .source = true};
    const char *set[] = {skip ? "run.skip_idle=true" : "run.skip_idle=false", study};
    options.set = (struct cli_list){set, study ? 2 : 1};
    struct session session;
    struct demo_run demo;
    if (!session_begin(&session, &options, &status))
        fail_msg("%s", status.text);
    if (!demo_run(&demo, find(name), &session, &status))
        fail_msg("%s on %s: %s%s%s", name, gpu, status.text, demo.status.text, demo.check.text);
    assert_in_range(demo.count, 1, RESULTS);
    memset(out, 0, sizeof *out);
    out->digest = demo.memory_digest;
    out->count = demo.count;
    out->longest = demo.longest;
    memcpy(out->results, demo.results, demo.count * sizeof demo.results[0]);
    for (size_t i = 0; i < out->count; i++) { /* members that may differ: the host's time, and the key that is varied */
        out->results[i].host_seconds = 0;
        out->results[i].threads = 0;
        out->results[i].config_hash = 0;
    }
    assert_in_range(demo.lines.count, 1, LINES);
    out->instructions = demo.lines.count;
    memcpy(out->line, demo.lines.line, (out->instructions + 1u) * sizeof out->line[0]);
    check_lines(out);
    demo_run_free(&demo);
    session_end(&session);
}

static void compare(const char *gpu, const char *name, const char *study)
{
    static const struct {
        unsigned threads;
        bool skip;
    } variants[] = {{1, true}, {2, true}, {3, true}, {8, true}, {1, false}, {3, false}};
    struct outcome *first = malloc(sizeof *first), *other = malloc(sizeof *other);
    assert_non_null(first);
    assert_non_null(other);
    run(gpu, name, study, 1, true, first);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        run(gpu, name, study, variants[v].threads, variants[v].skip, other);
        if (memcmp(first, other, sizeof *first) != 0)
            fail_msg("%s on %s differs with %u threads, skipping %s: %llu and %llu cycles", name, gpu,
                     variants[v].threads, variants[v].skip ? "on" : "off", (unsigned long long)first->results[0].cycles,
                     (unsigned long long)other->results[0].cycles);
    }
    free(first);
    free(other);
}

static void results_do_not_depend_on_threads_or_skipping_on_rtx_a6000(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        compare("rtx-a6000", examples[i], NULL);
}

static void results_do_not_depend_on_threads_or_skipping_on_a100(void **state)
{
    (void)state;
    compare("a100", "histogram-shared", NULL);
    compare("a100", "spmv-scalar", NULL);
}

static void results_do_not_depend_on_threads_or_skipping_on_h200(void **state)
{
    (void)state;
    compare("h200", "scan", NULL);
    compare("h200", "tf32gemm", NULL);
}

static void results_of_the_studies_do_not_depend_on_threads_or_skipping(void **state)
{
    (void)state;
    compare("rtx-a6000", "hgemm", "core.dependence=scoreboard");
    compare("rtx-a6000", "reduce-shuffle", "core.dependence=scoreboard");
    compare("rtx-a6000", "histogram-global", "core.scheduler=lrr");
}

static void results_of_the_legacy_core_do_not_depend_on_threads_or_skipping(void **state)
{
    (void)state;
    compare("rtx-a6000", "hgemm", "core.model=legacy");
    compare("legacy-rtx-3070", "histogram-global", NULL);
    compare("legacy-v100", "bfs", NULL);
    compare("legacy-rtx-2060", "sgemm-tiled", "core.scheduler=gto");
}

UNIT_TESTS(UNIT(results_do_not_depend_on_threads_or_skipping_on_rtx_a6000),
           UNIT(results_do_not_depend_on_threads_or_skipping_on_a100),
           UNIT(results_do_not_depend_on_threads_or_skipping_on_h200),
           UNIT(results_of_the_studies_do_not_depend_on_threads_or_skipping),
           UNIT(results_of_the_legacy_core_do_not_depend_on_threads_or_skipping))
