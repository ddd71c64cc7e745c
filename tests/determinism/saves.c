/* A run that is saved in the middle of a kernel and goes on elsewhere ends with the bytes of one that was not. */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/demo.h"
#include "gpu/save.h"
#include "gpu/state.h"
#include "tests/temporary.h"

enum { RESULTS = 64, RANGES = 4096, STRUCTURE = 2 /* behind its name and its size */ };

struct outcome {
    uint64_t digest;
    size_t count;
    char check[256];
    struct kernel_result results[RESULTS];
};

static const struct example *find(const char *name)
{
    struct status status = {0};
    const struct example *example = demo_find(name, &status);
    if (!example)
        fail_msg("%s", status.text);
    return example;
}

static const char *temporary(unsigned which)
{
    static char path[2][4096];
    snprintf(path[which], sizeof path[which], "%s/subcore-save-%u-%ld", file_temporary_folder(), which, (long)getpid());
    return path[which];
}

struct variant {
    const char *gpu, *name;
    unsigned threads;
    struct cli_list set;
    const char *save, *resume;
    struct gpu_pause pause; /* instead of these two, where it has a function */
};

static bool try_run(const struct variant *v, struct outcome *out, struct status *status)
{
    struct cli_options options = {
        .gpu = v->gpu, .threads = v->threads, .quiet = true, .save = v->save, .resume = v->resume};
    options.set = v->set;
    struct session session;
    struct demo_run demo;
    if (!session_begin(&session, &options, status)) {
        session_end(&session);
        return false;
    }
    if (v->pause.begun || v->pause.save) {
        session.options.pause = v->pause;
        *(struct gpu ***)v->pause.self = &session.gpu;
        assert_true(session_renew(&session, status));
    }
    bool ok = demo_run(&demo, find(v->name), &session, status);
    assert_in_range(demo.count, 0, RESULTS);
    memset(out, 0, sizeof *out);
    out->digest = demo.memory_digest;
    out->count = demo.count;
    snprintf(out->check, sizeof out->check, "%s", demo.check.text);
    memcpy(out->results, demo.results, demo.count * sizeof demo.results[0]);
    for (size_t i = 0; i < out->count; i++)
        out->results[i].host_seconds = out->results[i].threads = 0;
    demo_run_free(&demo);
    session_end(&session);
    return ok;
}

static void run(const struct variant *v, struct outcome *out)
{
    struct status status = {0};
    if (!try_run(v, out, &status))
        fail_msg("%s on %s, resumed from %s: %s", v->name, v->gpu, v->resume ? v->resume : "nothing", status.text);
}

static void same(const struct variant *v, const char *save, const struct outcome *a, const struct outcome *b)
{
    if (memcmp(a, b, sizeof *a) != 0)
        fail_msg("%s on %s, saved with %s, differs when it goes on: %llu and %llu cycles, digests %llx and %llx",
                 v->name, v->gpu, save, (unsigned long long)a->results[a->count - 1].cycles,
                 (unsigned long long)b->results[b->count - 1].cycles, (unsigned long long)a->digest,
                 (unsigned long long)b->digest);
}

/* Saves at the last multiple of several cycle counts, goes on with other numbers of threads, saves that again. */
static void compare(const char *gpu, const char *name, struct cli_list set, unsigned parts)
{
    static struct outcome whole, other;
    char save[4096 + 32], again[4096 + 32];
    run(&(struct variant){.gpu = gpu, .name = name, .set = set, .threads = 1}, &whole);
    uint64_t longest = 0;
    for (size_t i = 0; i < whole.count; i++)
        longest = whole.results[i].cycles > longest ? whole.results[i].cycles : longest;
    for (unsigned part = 1; part < parts; part++) {
        uint64_t every = longest * part / parts + part;
        struct variant v = {.gpu = gpu, .name = name, .set = set, .threads = 1 + part % 2, .save = save};
        snprintf(save, sizeof save, "%s:%llu", temporary(0), (unsigned long long)every);
        run(&v, &other);
        same(&v, save, &whole, &other);
        v.save = NULL;
        v.resume = temporary(0);
        v.threads = 2 - part % 2;
        if (part % 2) {
            snprintf(again, sizeof again, "%s:%llu", temporary(1), (unsigned long long)(longest / 16 + 1));
            v.save = again;
        }
        run(&v, &other);
        same(&v, save, &whole, &other);
        if (!v.save || access(temporary(1), F_OK) != 0)
            continue;
        v.resume = temporary(1);
        v.save = NULL;
        run(&v, &other);
        same(&v, again, &whole, &other);
        unlink(temporary(1));
    }
    unlink(temporary(0));
}

static void a_saved_run_goes_on_to_the_same_end_on_rtx_a6000(void **state)
{
    static const char *const names[] = {
        "hgemm", "histogram-global", "histogram-shared",   "reduce-shuffle", "spmv-scalar", "bfs",
        "scan",  "sgemm-register",   "transpose-conflict", "nbody"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        compare("rtx-a6000", names[i], (struct cli_list){0}, unit_full() ? 4 : 2);
}

static void a_saved_run_goes_on_to_the_same_end_on_other_gpus(void **state)
{
    (void)state;
    const char *scoreboard[] = {"core.dependence=scoreboard"};
    compare("a100", "histogram-shared", (struct cli_list){0}, 3);
    compare("h200", "tf32gemm", (struct cli_list){0}, 3);
    compare("rtx-a6000", "hgemm", (struct cli_list){scoreboard, 1}, 3);
    compare("legacy-rtx-3070", "hgemm", (struct cli_list){0}, 3);
    compare("legacy-rtx-3070", "histogram-global", (struct cli_list){0}, 3);
}

/* ---- policies ---------------------------------------------------------------------------------------------------- */

/* Small rows and few banks, so that rows are in each other's way. */
static void a_row_policy_goes_on_with_what_its_banks_have_learnt(void **state)
{
    (void)state;
    static struct outcome open, adaptive;
    const char *set[] = {"dram.row_bytes=256", "dram.banks=2", "dram.row_policy=adaptive"};
    struct variant v = {.gpu = "rtx-a6000", .name = "histogram-global", .threads = 1, .set = {set, 2}};
    run(&v, &open);
    v.set.count = 3;
    run(&v, &adaptive);
    assert_true(open.results[0].mem.dram_row_conflicts > adaptive.results[0].mem.dram_row_conflicts);
    compare(v.gpu, v.name, v.set, 4);
}

struct turns {
    uint32_t issued;
};

/* Issues move the place on from which the first eligible warp is looked for. A place is kept for some of them, so that
 * a restore that forgets how many there were goes on elsewhere. */
static int turns_choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    unsigned from = ((const struct turns *)state)->issued / 64 % SUBCORE_WARPS;
    uint32_t behind = eligible & ~((1u << from) - 1);
    (void)s, (void)now;
    return (int)lowest_bit32(behind ? behind : eligible);
}

static void turns_event(const struct scheduler *s, void *state, enum scheduler_event what, unsigned warp, uint64_t line)
{
    (void)s, (void)warp, (void)line;
    ((struct turns *)state)->issued += what == SCHEDULER_ISSUES;
}

static const struct scheduler_policy turns = {.name = "turns",
                                              .summary = "warps take turns, from one place further at each issue",
                                              .state_bytes = sizeof(struct turns),
                                              .choose = turns_choose,
                                              .event = turns_event};

struct steered {
    struct gpu **gpu; /* first: try_run fills it in */
    const char *save, *resume;
    unsigned saves;
    bool forgets; /* the state of the policy, when the run goes on */
};

static void each_scheduler(struct gpu *gpu, void (*act)(struct scheduler *s))
{
    for (uint32_t i = 0; i < gpu->timed.used; i++)
        for (unsigned p = 0; p < SM_SUBCORES; p++)
            act(&gpu->timed.sms[i].sm.subcore[p].scheduler);
}

static void take_turns(struct scheduler *s)
{
    s->policy = &turns;
    scheduler_begin(s);
}

static void forget(struct scheduler *s) { memset(s->state, 0, SCHEDULER_STATE); }

static bool steer(void *self, struct status *status)
{
    struct steered *d = self;
    each_scheduler(*d->gpu, take_turns);
    if (d->resume == NULL)
        return true;
    struct archive *a = archive_open(d->resume, gpu_layout("test"), status);
    assert_non_null(a);
    gpu_archive(*d->gpu, a);
    if (d->forgets)
        each_scheduler(*d->gpu, forget);
    return archive_close(a, status);
}

static bool save_once(void *self, uint64_t cycle, bool last, struct status *status)
{
    struct steered *d = self;
    (void)cycle;
    (void)last;
    if (d->saves++)
        return true;
    struct archive *a = archive_create(d->save, gpu_layout("test"), status);
    assert_non_null(a);
    gpu_archive(*d->gpu, a);
    return archive_close(a, status);
}

static void a_scheduler_policy_goes_on_with_its_state(void **state)
{
    (void)state;
    static struct outcome cggty, whole, other;
    struct steered plain = {0}, saver = {.save = temporary(0)}, resumer = {.resume = temporary(0)};
    struct variant v = {.gpu = "rtx-a6000", .name = "sgemm-tiled", .threads = 1};
    run(&v, &cggty);
    v.pause = (struct gpu_pause){.self = &plain, .begun = steer};
    run(&v, &whole);
    assert_true(whole.results[0].cycles != cggty.results[0].cycles);
    v.pause =
        (struct gpu_pause){.self = &saver, .begun = steer, .save = save_once, .every = whole.results[0].cycles / 2};
    run(&v, &other);
    assert_true(saver.saves > 0);
    assert_memory_equal(&whole, &other, sizeof whole);
    v.pause = (struct gpu_pause){.self = &resumer, .begun = steer};
    v.threads = 2;
    run(&v, &other);
    assert_memory_equal(&whole, &other, sizeof whole);
    resumer.forgets = true;
    run(&v, &other);
    assert_memory_not_equal(&whole, &other, sizeof whole); /* so that the state counts */
    unlink(temporary(0));
}

/* ---- completeness ------------------------------------------------------------------------------------------------ */

struct range {
    uint64_t begin, end;
};

struct looker {
    struct gpu **gpu; /* first: try_run fills it in */
    struct range range[RANGES];
    size_t ranges;
    uint64_t at_save, after;
    unsigned saves;
    char name[24];
    unsigned parts; /* since the name: its size, the structure, its arrays */
    const char *path;
    struct archive *from;
};

static void find_ranges(struct looker *l)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    l->ranges = 0;
    while (l->ranges < RANGES && fgets(line, sizeof line, maps)) {
        unsigned long long begin, end;
        /* Not device memory, which takes so many addresses that numbers fall among them. */
        if (sscanf(line, "%llx-%llx", &begin, &end) == 2 && end - begin < UINT64_C(1) << 28)
            l->range[l->ranges++] = (struct range){begin, end};
    }
    fclose(maps);
}

/* No word of a structure that is saved is an address of this process. Words in arrays may look like one. */
static void look(void *self, const void *bytes, size_t size)
{
    struct looker *l = self;
    bool named = size == sizeof l->name; /* of the structure that comes, very likely */
    l->parts = named ? 0 : l->parts + 1;
    if (named)
        memcpy(l->name, bytes, sizeof l->name - 1);
    if (l->parts != STRUCTURE || !l->name[0] || (uintptr_t)bytes % 8)
        return;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)bytes + i, sizeof word);
        if (word < 0x10000 || word % 8)
            continue;
        for (size_t r = 0; r < l->ranges; r++)
            if (word >= l->range[r].begin && word < l->range[r].end)
                fail_msg("%s: 0x%llx, %zu bytes into a part of %zu, is a pointer", l->name, (unsigned long long)word, i,
                         size);
    }
}

static uint64_t digest(struct gpu *gpu, void (*watch)(void *self, const void *bytes, size_t size), void *self)
{
    struct archive *a = archive_digest(watch, self);
    assert_non_null(a);
    gpu_archive(gpu, a);
    uint64_t value = archive_value(a);
    assert_true(archive_close(a, &(struct status){0}));
    return value;
}

static bool save_first(void *self, uint64_t cycle, bool last, struct status *status)
{
    struct looker *l = self;
    (void)cycle;
    (void)last;
    if (l->saves++)
        return true;
    find_ranges(l);
    l->at_save = digest(*l->gpu, look, l);
    struct archive *a = archive_create(l->path, gpu_layout("test"), status);
    assert_non_null(a);
    gpu_archive(*l->gpu, a);
    return archive_close(a, status);
}

static bool restore(void *self, struct status *status)
{
    struct looker *l = self;
    struct archive *a = archive_open(l->path, gpu_layout("test"), status);
    assert_non_null(a);
    gpu_archive(*l->gpu, a);
    l->after = digest(*l->gpu, NULL, NULL);
    return archive_close(a, status);
}

static void what_is_saved_has_no_pointer_and_is_the_same_when_it_is_back(void **state)
{
    static const char *const names[] = {"histogram-global", "histogram-shared", "spmv-scalar"};
    static struct outcome whole, other;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static struct looker saver, restorer;
        mallopt(M_PERTURB, 0x5a); /* unwritten memory holds no pointers of its former owners */
        saver = restorer = (struct looker){.path = temporary(0)};
        run(&(struct variant){.gpu = "rtx-a6000", .name = names[i], .threads = 1}, &whole);
        run(&(struct variant){.gpu = "rtx-a6000",
                              .name = names[i],
                              .threads = 2,
                              .pause = {.self = &saver, .save = save_first, .every = whole.results[0].cycles * 3 / 4}},
            &other);
        assert_true(saver.saves > 0);
        assert_memory_equal(&whole, &other, sizeof whole);
        run(
            &(struct variant){
                .gpu = "rtx-a6000", .name = names[i], .threads = 1, .pause = {.self = &restorer, .begun = restore}},
            &other);
        assert_int_equal(saver.at_save, restorer.after);
        assert_memory_equal(&whole, &other, sizeof whole);
    }
    unlink(temporary(0));
}

/* ---- misfits ------------------------------------------------------------------------------------------- */

static void refuse(const struct variant *v, enum status_code code, const char *why)
{
    static struct outcome out;
    struct status status = {0};
    assert_false(try_run(v, &out, &status));
    assert_int_equal(status.code, code);
    if (!strstr(status.text, why))
        fail_msg("'%s' does not say '%s'", status.text, why);
}

static void a_run_that_is_another_one_is_refused(void **state)
{
    static struct outcome out;
    char save[4096 + 32];
    (void)state;
    snprintf(save, sizeof save, "%s:3000", temporary(0));
    const struct variant saved = {.gpu = "rtx-a6000", .name = "hgemm", .threads = 1, .save = save};
    run(&saved, &out);
    struct variant v = {.gpu = "rtx-a6000", .name = "hgemm", .threads = 1, .resume = temporary(0)};
    const char *queue[] = {"lsu.queue=7"};
    v.set = (struct cli_list){queue, 1};
    refuse(&v, STATUS_USAGE, "another configuration");
    v.set = (struct cli_list){0};
    v.gpu = "rtx-3080";
    refuse(&v, STATUS_USAGE, "another configuration");
    v.gpu = "rtx-a6000";
    v.name = "nbody";
    refuse(&v, STATUS_USAGE, "another kernel");
    v.name = "hgemm";
    v.resume = temporary(1);
    refuse(&v, STATUS_IO, temporary(1));
    assert_int_equal(truncate(temporary(0), 5000), 0);
    v.resume = temporary(0);
    refuse(&v, STATUS_FORMAT, "damaged");
    unlink(temporary(0));
}

UNIT_TESTS(UNIT(what_is_saved_has_no_pointer_and_is_the_same_when_it_is_back),
           UNIT(a_saved_run_goes_on_to_the_same_end_on_rtx_a6000),
           UNIT(a_saved_run_goes_on_to_the_same_end_on_other_gpus),
           UNIT(a_row_policy_goes_on_with_what_its_banks_have_learnt), UNIT(a_scheduler_policy_goes_on_with_its_state),
           UNIT(a_run_that_is_another_one_is_refused))
