/* Launches that overlap, by the places and times of their CTAs: kernels of overlap.cu on an H200. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { CTAS = 6000, CELLS = 1 << 20, LAUNCHES = 8, SMS = 132, WARP = 32 };

struct note {
    uint64_t begin, end;
    uint32_t sm, first;
};

/* A launch as a test wants it, and its result. */
struct wish {
    const char *kernel;
    uint32_t ctas, threads, steps, shared;
    uint64_t cycle;
    int priority;
    int after;         /* number of the launch that it depends on, whose end it waits for (-1: none) */
    bool programmatic; /* it may begin when that has preexited */
    bool own;          /* cells of its own */
    bool launched, ended, preexited, waits;
    uint64_t preexit_cycle, end_cycle;
    struct kernel_result result;
    struct note *note; /* [ctas] */
};

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct config config;
    struct status status;
    uint64_t notes[LAUNCHES], cells;
    struct {
        uint64_t notes, cells;
        uint32_t steps, unused;
    } arguments[LAUNCHES];
    struct wish *wish;
    int count;
};

static void rig_begin(struct rig *r, unsigned threads, const char *setting)
{
    char path[4096];
    struct file_bytes file;
    const struct gpu_options options = {.threads = threads};
    memset(r, 0, sizeof *r);
    assert_true(config_load(&r->config, "h200", &r->status));
    assert_true(config_set(&r->config, "gpu.memory=2", &r->status));
    if (setting && !config_set(&r->config, setting, &r->status))
        fail_msg("%s", r->status.text);
    r->gpu = gpu_create(&r->config, &options, &r->status);
    assert_non_null(r->gpu);
    assert_true(file_read(unit_path(path, "tests/gpu/cubin/overlap.sm_90.cubin"), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, "overlap", &r->status);
    assert_non_null(r->module);
    file_free(&file);
    for (int i = 0; i < LAUNCHES; i++)
        r->notes[i] = memory_alloc(gpu_memory(r->gpu), CTAS * sizeof(struct note));
    r->cells = memory_alloc(gpu_memory(r->gpu), 2 * CELLS * 4);
}

static void rig_end(struct rig *r) { gpu_destroy(r->gpu); }

static struct gpu_launch launch_of(struct rig *r, int i)
{
    struct wish *w = &r->wish[i];
    r->arguments[i].notes = r->notes[i];
    r->arguments[i].cells = r->cells + (w->own ? 4u * CELLS : 0);
    r->arguments[i].steps = w->steps;
    return (struct gpu_launch){.module = r->module,
                               .kernel = w->kernel,
                               .grid = {w->ctas, 1, 1},
                               .block = {w->threads, 1, 1},
                               .dynamic_shared_bytes = w->shared,
                               .parameters = &r->arguments[i],
                               .parameter_bytes = 20,
                               .mode = GPU_MODE_DETAILED};
}

static bool may_begin(const struct rig *r, const struct wish *w, uint64_t *cycle)
{
    *cycle = w->cycle;
    if (w->after < 0)
        return true;
    const struct wish *before = &r->wish[w->after];
    uint64_t from = w->programmatic ? before->preexit_cycle : before->end_cycle;
    *cycle = from > *cycle ? from : *cycle;
    return w->programmatic ? before->preexited : before->ended;
}

static bool next(void *self, uint64_t now, struct gpu_overlap *out, uint64_t *again, struct status *status)
{
    struct rig *r = self;
    (void)status;
    for (int i = 0; i < r->count; i++) {
        struct wish *w = &r->wish[i];
        uint64_t cycle;
        if (w->launched || !may_begin(r, w, &cycle))
            continue;
        if (cycle > now) {
            *again = cycle < *again ? cycle : *again;
            continue;
        }
        w->launched = true;
        w->waits = w->programmatic && !r->wish[w->after].ended;
        *out = (struct gpu_overlap){.tag = w,
                                    .launch = launch_of(r, i),
                                    .cycle = cycle,
                                    .priority = w->priority,
                                    .dependent = w->programmatic,
                                    .waits = w->waits};
        return true;
    }
    return true;
}

static void preexited(void *self, void *tag, uint64_t cycle)
{
    struct wish *w = tag;
    (void)self;
    assert_false(w->preexited || w->ended);
    w->preexited = true;
    w->preexit_cycle = cycle;
}

static bool ended(void *self, void *tag, const struct kernel_result *result, uint64_t cycle,
                  const struct status *status)
{
    struct rig *r = self;
    struct wish *w = tag;
    w->ended = true;
    w->end_cycle = cycle;
    w->result = *result;
    for (int i = 0; i < r->count; i++)
        if (r->wish[i].launched && r->wish[i].after == w - r->wish)
            gpu_acquire(r->gpu, &r->wish[i]);
    return status->code == STATUS_OK;
}

static void take_notes(struct rig *r)
{
    for (int i = 0; i < r->count; i++) {
        free(r->wish[i].note);
        r->wish[i].note = malloc(CTAS * sizeof(struct note));
        memcpy(r->wish[i].note, memory_at(gpu_memory(r->gpu), r->notes[i]), CTAS * sizeof(struct note));
    }
}

/* Runs them together, from the state of a new GPU. */
static void run(struct rig *r, struct wish *wish, int count)
{
    r->wish = wish;
    r->count = count;
    memset(memory_at(gpu_memory(r->gpu), r->cells), 0, 8u * CELLS);
    for (int i = 0; i < count; i++)
        wish[i].launched = wish[i].ended = wish[i].preexited = false;
    const struct gpu_overlaps overlaps = {r, next, preexited, ended};
    for (bool again = true; again;) {
        if (!gpu_launch_all(r->gpu, &overlaps, &r->status))
            fail_msg("%s", r->status.text);
        again = false;
        for (int i = 0; i < count; i++)
            again |= !wish[i].launched;
        for (int i = 0; i < count && again; i++)
            wish[i].end_cycle = 0; /* cycles begin anew */
    }
    for (int i = 0; i < count; i++)
        assert_true(wish[i].ended && wish[i].result.complete);
    take_notes(r);
}

static void forget(struct wish *wish, int count)
{
    for (int i = 0; i < count; i++)
        free(wish[i].note);
}

/* The cycles of one alone, by the ordinary way. */
static struct kernel_result alone(struct rig *r, struct wish *wish)
{
    struct kernel_result result;
    r->wish = wish;
    const struct gpu_launch launch = launch_of(r, 0);
    if (!gpu_launch(r->gpu, &launch, &result, &r->status))
        fail_msg("%s", r->status.text);
    return result;
}

static uint64_t first_begin(const struct wish *w)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < w->ctas; i++)
        first = w->note[i].begin < first ? w->note[i].begin : first;
    return first;
}

static uint64_t last_begin(const struct wish *w)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < w->ctas; i++)
        last = w->note[i].begin > last ? w->note[i].begin : last;
    return last;
}

static uint64_t last_end(const struct wish *w)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < w->ctas; i++)
        last = w->note[i].end > last ? w->note[i].end : last;
    return last;
}

static uint64_t end_of(const struct wish *wish, int count)
{
    uint64_t end = 0;
    for (int i = 0; i < count; i++)
        end = wish[i].end_cycle > end ? wish[i].end_cycle : end;
    return end;
}

static void assert_within_5_percent(uint64_t value, uint64_t expected)
{
    if (value * 100 < expected * 95 || value * 100 > expected * 105)
        fail_msg("%ju is not within 5 %% of %ju", (uintmax_t)value, (uintmax_t)expected);
}

/* ---- one --------------------------------------------------------------------------------------------------------- */

static void a_launch_that_is_alone_is_the_same_as_ever(void **state)
{
    (void)state;
    static const struct wish kinds[] = {
        {.kernel = "busy", .ctas = 700, .threads = 256, .steps = 60, .after = -1},
        {.kernel = "sums", .ctas = 300, .threads = 128, .steps = 8, .after = -1},
        {.kernel = "shared_busy", .ctas = 500, .threads = 96, .steps = 20, .shared = 40000, .after = -1},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct rig r;
        struct wish wish = kinds[i];
        rig_begin(&r, 2, NULL);
        struct kernel_result expected = alone(&r, &wish);
        rig_end(&r);
        rig_begin(&r, 2, NULL);
        run(&r, &wish, 1);
        rig_end(&r);
        expected.host_seconds = wish.result.host_seconds = 0;
        assert_memory_equal(&expected, &wish.result, sizeof expected);
        forget(&wish, 1);
    }
}

/* ---- two of half the size ---------------------------------------------------------------------------------------- */

static void two_kernels_on_half_of_the_sms_take_the_time_of_one(void **state)
{
    (void)state;
    struct rig r;
    struct wish wish[] = {
        {.kernel = "busy", .ctas = SMS / 2, .threads = WARP, .steps = 2000, .after = -1},
        {.kernel = "busy", .ctas = SMS / 2, .threads = WARP, .steps = 2000, .after = -1},
    };
    bool taken[SMS] = {false};
    rig_begin(&r, 2, NULL);
    uint64_t one = alone(&r, wish).cycles;
    run(&r, wish, 2);
    assert_within_5_percent(end_of(wish, 2), one);
    for (int i = 0; i < 2; i++)
        for (uint32_t c = 0; c < wish[i].ctas; c++) {
            assert_false(taken[wish[i].note[c].sm]);
            taken[wish[i].note[c].sm] = true;
        }
    assert_true(first_begin(&wish[1]) < last_end(&wish[0]) && first_begin(&wish[0]) < last_end(&wish[1]));
    assert_int_equal(wish[0].result.overlapped, 1);
    rig_end(&r);
    forget(wish, 2);
}

static void two_kernels_on_half_of_each_sm_take_the_time_of_one(void **state)
{
    (void)state;
    struct rig r;
    struct wish wish[] = {
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 2000, .shared = 100000, .after = -1},
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 2000, .shared = 100000, .after = -1},
    };
    unsigned held[2][SMS] = {{0}};
    rig_begin(&r, 2, NULL);
    uint64_t one = alone(&r, wish).cycles;
    run(&r, wish, 2);
    assert_within_5_percent(end_of(wish, 2), one);
    for (int i = 0; i < 2; i++)
        for (uint32_t c = 0; c < SMS; c++)
            held[i][wish[i].note[c].sm]++;
    for (int sm = 0; sm < SMS; sm++)
        assert_true(held[0][sm] == 1 && held[1][sm] == 1);
    rig_end(&r);
    forget(wish, 2);
}

static void what_does_not_fit_beside_others_waits(void **state)
{
    (void)state;
    struct rig r;
    struct wish wish[] = {
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 1000, .shared = 150000, .after = -1},
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 1000, .shared = 150000, .after = -1},
    };
    rig_begin(&r, 2, NULL);
    run(&r, wish, 2);
    for (uint32_t c = 0; c < SMS; c++)
        for (uint32_t d = 0; d < SMS; d++)
            if (wish[0].note[c].sm == wish[1].note[d].sm)
                assert_true(wish[1].note[d].begin > wish[0].note[c].end);
    assert_true(wish[1].result.queued_cycles > 0);
    rig_end(&r);
    forget(wish, 2);
}

/* Different code, each with much of it, and with its own constants. */
static void kernels_that_share_sms_compute_what_they_compute_alone(void **state)
{
    (void)state;
    struct rig r;
    struct wish wish[] = {
        {.kernel = "busy", .ctas = 3 * SMS, .threads = 64, .steps = 300, .after = -1},
        {.kernel = "sums", .ctas = 2 * SMS, .threads = 128, .steps = 9, .after = -1},
        {.kernel = "sums", .ctas = 2 * SMS, .threads = 128, .steps = 5, .own = true, .after = -1},
        {.kernel = "shared_busy", .ctas = SMS, .threads = 96, .steps = 200, .shared = 4096, .after = -1},
    };
    rig_begin(&r, 2, NULL);
    run(&r, wish, 4);
    const uint32_t *cell = (const uint32_t *)(void *)memory_at(gpu_memory(r.gpu), r.cells);
    for (unsigned own = 0; own < 2; own++) {
        uint32_t expected = 0;
        for (uint32_t s = 0; s < wish[1 + own].steps; s++)
            expected = expected * 5 + s;
        for (uint32_t i = 0; i < 2 * SMS * 128; i++)
            assert_int_equal(cell[own * CELLS + i], expected);
    }
    rig_end(&r);
    forget(wish, 4);
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

static void the_ctas_of_the_kernel_launched_first_go_first(void **state)
{
    (void)state;
    struct rig r;
    struct wish wish[] = {
        {.kernel = "shared_busy", .ctas = 3 * SMS, .threads = WARP, .steps = 500, .shared = 100000, .after = -1},
        {.kernel = "shared_busy", .ctas = 20, .threads = WARP, .steps = 500, .shared = 100000, .after = -1},
    };
    rig_begin(&r, 2, NULL);
    run(&r, wish, 2);
    assert_true(first_begin(&wish[1]) >= last_begin(&wish[0]) - 10);
    assert_true(first_begin(&wish[1]) < last_end(&wish[0]));
    rig_end(&r);
    forget(wish, 2);
}

static void ctas_of_a_higher_priority_go_before_those_that_wait(void **state)
{
    (void)state;
    for (int priority = -5; priority <= 0; priority += 5) {
        struct rig r;
        struct wish wish[] = {
            {.kernel = "shared_busy", .ctas = 8 * SMS, .threads = WARP, .steps = 500, .shared = 100000, .after = -1},
            {.kernel = "shared_busy",
             .ctas = SMS,
             .threads = WARP,
             .steps = 500,
             .shared = 100000,
             .cycle = 2000,
             .priority = priority,
             .after = -1},
        };
        rig_begin(&r, 2, NULL);
        run(&r, wish, 2);
        if (priority < 0)
            assert_true(last_end(&wish[1]) < last_begin(&wish[0]));
        else
            assert_true(first_begin(&wish[1]) + 10 >= last_begin(&wish[0]));
        rig_end(&r);
        forget(wish, 2);
    }
}

static void a_limit_of_grids_holds_the_next_back(void **state)
{
    (void)state;
    struct rig r;
    struct wish wish[] = {
        {.kernel = "busy", .ctas = 20, .threads = WARP, .steps = 500, .after = -1},
        {.kernel = "busy", .ctas = 20, .threads = WARP, .steps = 900, .after = -1},
        {.kernel = "busy", .ctas = 20, .threads = WARP, .steps = 500, .after = -1},
    };
    rig_begin(&r, 2, "launch.resident_grids=2");
    run(&r, wish, 3);
    assert_true(first_begin(&wish[1]) < last_end(&wish[0]));
    assert_true(first_begin(&wish[2]) > last_end(&wish[0]));
    rig_end(&r);
    forget(wish, 3);
}

/* ---- programmatic dependent launch ------------------------------------------------------------------------------- */

static void a_dependent_grid_begins_early_and_waits_for_the_end(void **state)
{
    (void)state;
    for (unsigned programmatic = 0; programmatic < 2; programmatic++) {
        struct rig r;
        struct wish wish[] = {
            {.kernel = "primary", .ctas = SMS, .threads = 128, .steps = 2000, .after = -1},
            {.kernel = "secondary",
             .ctas = SMS,
             .threads = 128,
             .steps = 100,
             .after = 0,
             .programmatic = programmatic},
        };
        rig_begin(&r, 2, NULL);
        run(&r, wish, 2);
        for (uint32_t c = 0; c < SMS; c++) {
            const struct note *n = &wish[1].note[c];
            assert_int_equal(n->first, 7); /* the primary's words */
            if (programmatic)
                assert_true(n->begin < last_end(&wish[0]) && n->end >= last_end(&wish[0]));
        }
        uint64_t gap = first_begin(&wish[1]) * 198 / 100;
        if (programmatic)
            assert_true(gap >= wish[0].preexit_cycle + r.config.launch.dependent_latency);
        else
            assert_int_equal(wish[1].result.begin_cycle, 0); /* nothing was in flight: a run of its own */
        rig_end(&r);
        forget(wish, 2);
    }
}

/* ---- determinism ------------------------------------------------------------------------------------------------- */

static void the_result_does_not_depend_on_threads_or_skipping(void **state)
{
    (void)state;
    static const struct wish mix[] = {
        {.kernel = "sums", .ctas = 5 * SMS, .threads = 192, .steps = 4, .after = -1},
        {.kernel = "busy", .ctas = 3 * SMS, .threads = 64, .steps = 100, .cycle = 300, .after = -1},
        {.kernel = "shared_busy", .ctas = 200, .threads = 96, .steps = 60, .shared = 30000, .cycle = 900, .after = -1},
        {.kernel = "sums",
         .ctas = SMS,
         .threads = 96,
         .steps = 7,
         .cycle = 1500,
         .priority = -1,
         .own = true,
         .after = -1},
        {.kernel = "primary", .ctas = 77, .threads = 64, .steps = 90, .own = true, .after = 3},
        {.kernel = "secondary", .ctas = 77, .threads = 64, .steps = 30, .own = true, .after = 4, .programmatic = true},
    };
    enum { MIX = sizeof mix / sizeof mix[0] };
    static const struct {
        unsigned threads;
        const char *setting;
    } ways[] = {{1, NULL}, {2, NULL}, {5, NULL}, {1, "run.skip_idle=false"}, {3, "run.skip_idle=false"}};
    struct wish first[MIX];
    for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct rig r;
        struct wish wish[MIX];
        memcpy(wish, mix, sizeof wish);
        rig_begin(&r, ways[w].threads, ways[w].setting);
        run(&r, wish, MIX);
        rig_end(&r);
        for (int i = 0; i < MIX; i++) {
            wish[i].result.host_seconds = wish[i].result.threads = 0;
            wish[i].result.config_hash = 0;
            if (w == 0)
                continue;
            assert_memory_equal(&wish[i].result, &first[i].result, sizeof wish[i].result);
            assert_memory_equal(wish[i].note, first[i].note, mix[i].ctas * sizeof(struct note));
            assert_int_equal(wish[i].end_cycle, first[i].end_cycle);
        }
        if (w == 0)
            memcpy(first, wish, sizeof first);
        else
            forget(wish, MIX);
    }
    forget(first, MIX);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void each_kernel_has_its_own_instructions_and_stalls(void **state)
{
    (void)state;
    struct rig r;
    struct wish wish[] = {
        {.kernel = "sums", .ctas = 40 * SMS, .threads = 128, .steps = 9, .after = -1},
        {.kernel = "busy", .ctas = 3 * SMS, .threads = 64, .steps = 300, .after = -1},
    };
    rig_begin(&r, 2, NULL);
    struct kernel_result expected[2] = {alone(&r, &wish[0]), alone(&r, &wish[1])};
    run(&r, wish, 2);
    for (int i = 0; i < 2; i++) {
        const struct kernel_result *n = &wish[i].result, *e = &expected[i];
        uint64_t stalls = 0;
        assert_int_equal(n->warp_instructions, e->warp_instructions);
        assert_int_equal(n->thread_instructions, e->thread_instructions);
        assert_int_equal(n->sm.thread_inst_executed, e->sm.thread_inst_executed);
        assert_int_equal(n->sm.warps, e->sm.warps);
        assert_int_equal(n->sm.ctas, e->sm.ctas);
        for (unsigned s = 0; s < STALL_COUNT; s++)
            stalls += n->sm.stall[s];
        assert_int_equal(stalls, n->sm.warp_cycles);
    }
    assert_true(wish[0].result.sm.l1_requests_load + wish[1].result.sm.l1_requests_load ==
                expected[0].sm.l1_requests_load + expected[1].sm.l1_requests_load);
    assert_true(wish[0].result.sm.stall[STALL_LONG_SCOREBOARD] > 0);
    assert_int_equal(wish[1].result.sm.stall[STALL_LONG_SCOREBOARD], 0);
    rig_end(&r);
    forget(wish, 2);
}

UNIT_TESTS(UNIT(a_launch_that_is_alone_is_the_same_as_ever), UNIT(two_kernels_on_half_of_the_sms_take_the_time_of_one),
           UNIT(two_kernels_on_half_of_each_sm_take_the_time_of_one), UNIT(what_does_not_fit_beside_others_waits),
           UNIT(kernels_that_share_sms_compute_what_they_compute_alone),
           UNIT(the_ctas_of_the_kernel_launched_first_go_first),
           UNIT(ctas_of_a_higher_priority_go_before_those_that_wait), UNIT(a_limit_of_grids_holds_the_next_back),
           UNIT(a_dependent_grid_begins_early_and_waits_for_the_end),
           UNIT(the_result_does_not_depend_on_threads_or_skipping),
           UNIT(each_kernel_has_its_own_instructions_and_stalls))
