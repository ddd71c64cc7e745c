/* A replay that is saved, inside a kernel or where one begins, and goes on ends as one that was never stopped. */
#include <unistd.h>

#include "cli/demo.h"
#include "tests/replay/hopper_rig.h"
#include "tests/replay/runner.h"
#include "tests/temporary.h"

enum { LAUNCHES = 16 };

struct outcome {
    size_t count;
    struct launch_outcome launch[LAUNCHES];
};

struct variant {
    const char *trace, *gpu, *set; /* set NULL: nothing */
    unsigned threads;
    const char *save, *resume;
};

static bool replay(const struct variant *v, struct outcome *out, struct status *status)
{
    struct cli_options options = {
        .gpu = v->gpu, .threads = v->threads, .quiet = true, .save = v->save, .resume = v->resume, .keep_going = true};
    const char *set[] = {v->set};
    options.set = (struct cli_list){set, v->set ? 1 : 0};
    struct session session;
    memset(out, 0, sizeof *out);
    if (!session_begin(&session, &options, status))
        return false;
    struct trace_file *file = trace_open(v->trace, status);
    bool ok = file && checkpoint_trace(&session.checkpoint, file, v->trace, status);
    for (uint32_t k = 0; ok && k < trace_kernels(file); k++) {
        struct trace_kernel *kernel = trace_kernel_open(file, k, status);
        struct launch_outcome *launch = &out->launch[out->count++];
        assert_in_range(out->count, 1, LAUNCHES);
        assert_non_null(kernel);
        ok = session_replay(&session, kernel, launch, status);
        launch->result.host_seconds = launch->result.threads = 0;
        trace_kernel_close(kernel);
    }
    ok = ok && session_complete(&session, status);
    trace_close(file);
    session_end(&session);
    return ok;
}

static void run(const struct variant *v, struct outcome *out)
{
    struct status status = {0};
    if (!replay(v, out, &status))
        fail_msg("%s on %s, resumed from %s: %s", v->trace, v->gpu, v->resume ? v->resume : "nothing", status.text);
}

static void same(const char *name, const char *what, const struct outcome *a, const struct outcome *b)
{
    if (memcmp(a, b, sizeof *a) != 0)
        fail_msg("%s, %s, differs: launch %zu has %llu and %llu cycles", name, what, a->count - 1,
                 (unsigned long long)a->launch[a->count - 1].result.cycles,
                 (unsigned long long)b->launch[b->count - 1].result.cycles);
}

/* Saves after `every` cycles and its multiples. The last save goes on with another number of threads, and is saved
 * again on its way. */
static void save_and_go_on(const char *name, struct variant v, uint64_t every, const struct outcome *whole)
{
    static struct outcome other;
    char first[TEMPORARY_PATH], second[TEMPORARY_PATH], save[TEMPORARY_PATH + 32], again[TEMPORARY_PATH + 32];
    temporary_file(first);
    temporary_file(second);
    snprintf(save, sizeof save, "%s:%llu", first, (unsigned long long)every);
    snprintf(again, sizeof again, "%s:%llu", second, (unsigned long long)every / 7 + 1);
    v.threads = 1 + every % 2;
    v.save = save;
    run(&v, &other);
    same(name, save, whole, &other);
    v.threads = 3 - v.threads;
    v.save = again;
    v.resume = first;
    run(&v, &other);
    same(name, "resumed", whole, &other);
    v.save = NULL;
    v.resume = second;
    struct status status = {0};
    if (replay(&v, &other, &status)) /* else it was not saved again */
        same(name, "resumed again", whole, &other);
    else
        assert_int_equal(status.code, STATUS_FORMAT);
    unlink(first);
    unlink(second);
}

static uint64_t cycles_until(const struct outcome *o, size_t launch)
{
    uint64_t cycles = 0;
    for (size_t i = 0; i < launch; i++)
        cycles += o->launch[i].result.cycles;
    return cycles;
}

static void record(const char *name, const char *gpu, char path[TEMPORARY_PATH])
{
    struct runner r;
    struct status status = {0};
    temporary_file(path);
    runner_run(&r, demo_find(name, &status), gpu, NULL, true, path);
    runner_end(&r);
}

/* At several cycles of the whole, and at the first of each later kernel. */
static void compare_saves(const char *name, struct variant v, unsigned parts)
{
    static struct outcome whole;
    run(&v, &whole);
    uint64_t all = cycles_until(&whole, whole.count);
    for (unsigned part = 1; part < parts; part++)
        save_and_go_on(name, v, all * part / parts + part, &whole);
    for (size_t i = 1; i < whole.count; i++)
        if (2 * cycles_until(&whole, i) > all)
            save_and_go_on(name, v, cycles_until(&whole, i) + 1, &whole);
}

static void compare(const char *gpu, const char *name, const char *set, unsigned parts)
{
    char trace[TEMPORARY_PATH];
    record(name, gpu, trace);
    compare_saves(name, (struct variant){.trace = trace, .gpu = gpu, .set = set, .threads = 1}, parts);
    unlink(trace);
}

/* Clusters, waits at barrier objects and transfers in flight. */
static void a_saved_replay_of_hopper_goes_on_to_the_same_end(void **state)
{
    static const char *const names[] = {"phases", "spread", "quarters"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char trace[TEMPORARY_PATH];
        unsigned k = 0;
        while (strcmp(hopper_kernels[k].kernel, names[i]) != 0)
            k++;
        temporary_file(trace);
        hopper_record(&hopper_kernels[k], i % 2 != 0, trace);
        compare_saves(names[i], (struct variant){.trace = trace, .gpu = "h200", .threads = 1}, 5);
        unlink(trace);
    }
    compare("h200", "wgmma-cluster", NULL, 5);
}

static void a_saved_replay_goes_on_to_the_same_end(void **state)
{
    static const char *const names[] = {"hgemm", "histogram-global",   "reduce-shuffle", "spmv-scalar", "bfs",
                                        "scan",  "transpose-conflict", "saxpy"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        compare("rtx-a6000", names[i], NULL, 5);
}

static void a_saved_replay_goes_on_to_the_same_end_on_other_gpus(void **state)
{
    (void)state;
    compare("a100", "bfs", NULL, 3);
    compare("h200", "tf32gemm", NULL, 3);
    compare("rtx-a6000", "hgemm", "core.dependence=scoreboard", 3);
}

/* The byte at `at` of a file, changed. */
static void spoil(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 0x10, file);
    fclose(file);
}

static void what_is_damaged_in_a_trace_is_damaged_after_a_save_too(void **state)
{
    static struct outcome whole;
    char trace[TEMPORARY_PATH];
    (void)state;
    record("bfs", "rtx-a6000", trace);
    struct status status = {0};
    struct trace_file *file = trace_open(trace, &status);
    struct trace_summary summary;
    trace_summary(file, 0, &summary);
    trace_close(file);
    spoil(trace, 16 + 32 + (long)summary.bytes / 3);
    struct variant v = {.trace = trace, .gpu = "rtx-a6000", .threads = 1};
    run(&v, &whole);
    uint64_t damaged = 0;
    for (size_t i = 0; i < whole.count; i++)
        damaged += whole.launch[i].damaged;
    assert_true(damaged > 0);
    for (uint64_t part = 1; part < 6; part++)
        save_and_go_on("damaged bfs", v, cycles_until(&whole, whole.count) * part / 6 + 1, &whole);
    unlink(trace);
}

static void refuse(const struct variant *v, enum status_code code, const char *why)
{
    static struct outcome out;
    struct status status = {0};
    assert_false(replay(v, &out, &status));
    if (status.code != code || !strstr(status.text, why))
        fail_msg("'%s' does not say '%s'", status.text, why);
}

static void a_replay_of_another_trace_is_refused(void **state)
{
    static struct outcome out;
    char trace[TEMPORARY_PATH], other[TEMPORARY_PATH], path[TEMPORARY_PATH], save[TEMPORARY_PATH + 32];
    (void)state;
    record("scan", "rtx-a6000", trace);
    record("hgemm", "rtx-a6000", other);
    temporary_file(path);
    snprintf(save, sizeof save, "%s:3000", path);
    run(&(struct variant){.trace = trace, .gpu = "rtx-a6000", .threads = 1, .save = save}, &out);
    struct variant v = {.trace = other, .gpu = "rtx-a6000", .threads = 1, .resume = path};
    refuse(&v, STATUS_USAGE, "is another trace");
    v.trace = trace;
    v.set = "lsu.queue=7";
    refuse(&v, STATUS_USAGE, "another configuration");
    v.set = NULL;
    assert_int_equal(rename(trace, other), 0); /* under another name it is the same one */
    v.trace = other;
    run(&v, &out);
    unlink(other);
    unlink(path);
}

/* A change that zstd does not see leaves the contents as they were. Returns 1 if the save is refused, 0 if it goes on
 * to the same end. */
static unsigned refused_or_equal(const struct variant *v, const struct outcome *whole)
{
    static struct outcome out;
    struct status status = {0};
    if (replay(v, &out, &status)) {
        same("hgemm", "changed save", whole, &out);
        return 0;
    }
    assert_int_equal(status.code, STATUS_FORMAT);
    assert_non_null(strstr(status.text, "damaged, or not whole"));
    return 1;
}

static void a_damaged_save_of_a_replay_is_refused(void **state)
{
    static struct outcome out;
    char trace[TEMPORARY_PATH], path[TEMPORARY_PATH], save[TEMPORARY_PATH + 32];
    (void)state;
    record("hgemm", "rtx-a6000", trace);
    temporary_file(path);
    snprintf(save, sizeof save, "%s:3000", path);
    run(&(struct variant){.trace = trace, .gpu = "rtx-a6000", .threads = 1, .save = save}, &out);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    struct variant v = {.trace = trace, .gpu = "rtx-a6000", .threads = 1, .resume = path};
    run(&v, &out);
    unsigned places = 0, refused = 0;
    for (long at = 16; at < size; at += size / 40, places++) {
        spoil(path, at);
        refused += refused_or_equal(&v, &out);
        spoil(path, at);
    }
    assert_in_range(refused, places - 2, places);
    run(&v, &out);
    for (long cut = size - 1; cut > 16; cut -= size / 40) {
        assert_int_equal(truncate(path, cut), 0);
        refuse(&v, STATUS_FORMAT, "damaged, or not whole");
    }
    unlink(trace);
    unlink(path);
}

UNIT_TESTS(UNIT(a_saved_replay_goes_on_to_the_same_end), UNIT(a_saved_replay_goes_on_to_the_same_end_on_other_gpus),
           UNIT(a_saved_replay_of_hopper_goes_on_to_the_same_end),
           UNIT(what_is_damaged_in_a_trace_is_damaged_after_a_save_too), UNIT(a_replay_of_another_trace_is_refused),
           UNIT(a_damaged_save_of_a_replay_is_refused))
