/* Schedules of CTAs: kept, written, read, followed, and refused. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { CTAS = 96, SMS = 10, NOWHERE = 0xffff };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct config config;
    struct kernel_result result;
    struct status status;
    uint64_t out;
    struct cta_schedule places;
    uint16_t sm[CTAS]; /* of a CTA */
    uint64_t begin[CTAS];
    struct {
        uint64_t out;
        uint32_t steps, unused;
    } arguments;
    uint32_t handed_out, ended; /* launches that overlap */
    struct status told;         /* with the last end */
};

static void see(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                const struct issued *issued, uint64_t cycle)
{
    struct rig *r = self;
    (void)slot, (void)code, (void)issued;
    if (r->sm[cta] == NOWHERE)
        r->begin[cta] = cycle;
    r->sm[cta] = sm;
}

static void rig_begin(struct rig *r, const struct cta_schedule *schedule)
{
    char path[4096];
    struct file_bytes file;
    memset(r, 0, sizeof *r);
    const struct gpu_options options = {.threads = 1, .schedule = schedule, .places = &r->places};
    assert_true(config_load(&r->config, "h200", &r->status));
    assert_true(config_set(&r->config, "gpu.memory=1", &r->status));
    assert_true(config_set(&r->config, "gpu.sms=10", &r->status) && config_set(&r->config, "gpu.gpcs=6 4", &r->status));
    r->gpu = gpu_create(&r->config, &options, &r->status);
    assert_non_null(r->gpu);
    assert_true(file_read(unit_path(path, "tests/gpu/cubin/launches.sm_90.cubin"), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, "launches", &r->status);
    assert_non_null(r->module);
    file_free(&file);
    r->out = memory_alloc(gpu_memory(r->gpu), 16 * CTAS);
}

static void rig_end(struct rig *r)
{
    gpu_destroy(r->gpu);
    cta_schedule_free(&r->places);
}

static struct gpu_launch launch_of(struct rig *r, uint32_t group)
{
    r->arguments.out = r->out;
    r->arguments.steps = 100;
    return (struct gpu_launch){.module = r->module,
                               .kernel = "timer",
                               .grid = {CTAS, 1, 1},
                               .block = {1024, 1, 1},
                               .parameters = &r->arguments,
                               .parameter_bytes = 12,
                               .start_ns = 1,
                               .cluster = {group, 1, 1}};
}

static bool run(struct rig *r)
{
    const struct sm_observer observer = {.self = r, .issued = see};
    struct gpu_launch l = launch_of(r, 1);
    l.observer = &observer;
    memset(r->sm, 0xff, sizeof r->sm);
    return gpu_launch(r->gpu, &l, &r->result, &r->status);
}

static char *text_of(const struct cta_schedule *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(cta_schedule_write(s, out));
    fclose(out);
    return text;
}

static void parse(struct cta_schedule *s, const char *text)
{
    struct status status = {0};
    if (!cta_schedule_parse(s, text, strlen(text), "s.txt", &status))
        fail_msg("%s", status.text);
}

/* ---- followed ---------------------------------------------------------------------------------------------------- */

static void a_launch_that_follows_its_own_schedule_takes_the_same_cycles(void **state)
{
    (void)state;
    struct rig first, again;
    struct cta_schedule s;
    rig_begin(&first, NULL);
    assert_true(run(&first) && run(&first)); /* the second is launch 2 */
    char *text = text_of(&first.places);
    parse(&s, text);
    rig_begin(&again, &s);
    for (unsigned i = 0; i < 2; i++) {
        if (!run(&again))
            fail_msg("%s", again.status.text);
        assert_int_equal(again.result.cycles, first.result.cycles);
        assert_memory_equal(again.sm, first.sm, sizeof first.sm);
        assert_memory_equal(again.begin, first.begin, sizeof first.begin);
    }
    char *same = text_of(&again.places);
    assert_string_equal(same, text);
    free(same);
    free(text);
    cta_schedule_free(&s);
    rig_end(&first);
    rig_end(&again);
}

/* Backwards, 60 on SM 7 and the others on SM 0 to 3. */
static void ctas_go_where_the_schedule_says_in_its_order(void **state)
{
    (void)state;
    struct rig r;
    struct cta_schedule s;
    cta_schedule_begin(&s);
    struct cta_schedule_launch *l = cta_schedule_launch(&s, 0, "timer", CTAS);
    for (uint32_t c = CTAS; c-- > 0;)
        assert_true(cta_schedule_add(l, (struct cta_schedule_entry){c, c < 60 ? 7 : (uint16_t)(c % 4)}));
    rig_begin(&r, &s);
    if (!run(&r))
        fail_msg("%s", r.status.text);
    assert_int_equal(r.result.ctas_done, CTAS);
    for (uint32_t c = 0; c < CTAS; c++)
        assert_int_equal(r.sm[c], c < 60 ? 7 : c % 4);
    for (uint32_t c = 2; c < 60; c++) /* two are resident at once, and the younger one may issue first */
        assert_true(r.begin[c - 2] > r.begin[c]);
    for (uint32_t c = 68; c < CTAS; c++)
        assert_true(r.begin[c - 8] > r.begin[c]);
    assert_int_equal(r.result.sms_used, 5);
    rig_end(&r);
    cta_schedule_free(&s);
}

/* ---- refused ----------------------------------------------------------------------------------------------------- */

/* A launch of CTAs 0 .. count - 1 on this SM, and one more. */
static void refuse(const char *kernel, uint64_t ctas, size_t count, uint16_t sm, int64_t more, const char *message)
{
    struct rig r;
    struct cta_schedule s;
    cta_schedule_begin(&s);
    struct cta_schedule_launch *l = cta_schedule_launch(&s, 0, kernel, ctas);
    for (uint64_t c = 0; c < count; c++)
        assert_true(cta_schedule_add(l, (struct cta_schedule_entry){c, sm}));
    if (more >= 0)
        assert_true(cta_schedule_add(l, (struct cta_schedule_entry){(uint64_t)more, sm}));
    rig_begin(&r, &s);
    assert_false(run(&r));
    assert_string_equal(r.status.text, message);
    assert_int_equal(r.status.code, STATUS_USAGE);
    rig_end(&r);
    cta_schedule_free(&s);
}

static void a_schedule_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    refuse("other", CTAS, CTAS, 0, -1, "launch 1 of the schedule is of kernel other, not timer");
    refuse("timer", 95, 95, 0, -1, "launch 1 of the schedule has 95 CTAs, and timer has 96");
    refuse("timer", CTAS, 95, 0, -1, "launch 1 of the schedule has places for 95 of 96 CTAs");
    refuse("timer", CTAS, 95, 0, 94, "launch 1 of the schedule has CTA 94 twice");
    refuse("timer", CTAS, 95, 0, 96, "launch 1 of the schedule has CTA 96 outside of the grid");
    refuse(NULL, 0, CTAS, 0, 0, "launch 1 of the schedule has CTA 0 twice");
    refuse(NULL, 0, CTAS, SMS, -1, "launch 1 of the schedule has a CTA on SM 10, and the GPU has 10 SMs");
}

static void launches_of_clusters_and_launches_that_are_not_there_are_refused(void **state)
{
    (void)state;
    struct rig r, whole;
    rig_begin(&whole, NULL);
    assert_true(run(&whole));
    rig_begin(&r, &whole.places);
    struct gpu_launch l = launch_of(&r, 2);
    assert_false(gpu_launch(r.gpu, &l, &r.result, &r.status));
    assert_string_equal(r.status.text, "timer: a schedule does not tell where clusters run");
    r.status = (struct status){0};
    assert_false(run(&r)); /* the second timed launch */
    assert_string_equal(r.status.text, "the schedule has 1 launches, and this one of timer is number 2");
    rig_end(&r);
    rig_end(&whole);
}

static bool hand_out(void *self, uint64_t cycle, struct gpu_overlap *out, uint64_t *again, struct status *status)
{
    struct rig *r = self;
    (void)cycle, (void)again, (void)status;
    if (r->handed_out < 2)
        *out = (struct gpu_overlap){.tag = &r->handed_out, .launch = launch_of(r, 1)};
    r->handed_out++;
    return true;
}

static void pass(void *self, void *tag, uint64_t cycle) { (void)self, (void)tag, (void)cycle; }

static bool hear(void *self, void *tag, const struct kernel_result *result, uint64_t cycle, const struct status *status)
{
    struct rig *r = self;
    (void)tag, (void)result, (void)cycle;
    r->ended++;
    r->told = *status;
    return status->code == STATUS_OK;
}

/* A thread that waits for the launch would wait for ever otherwise. */
static void the_end_of_launches_beside_each_other_is_told_when_one_is_refused(void **state)
{
    (void)state;
    struct rig r, whole;
    const struct gpu_overlaps overlaps = {&r, hand_out, pass, hear};
    rig_begin(&whole, NULL);
    assert_true(run(&whole));
    rig_begin(&r, &whole.places);
    assert_false(gpu_launch_all(r.gpu, &overlaps, &r.status));
    assert_int_equal(r.ended, 2);
    assert_string_equal(r.told.text, "the schedule has 1 launches, and this one of timer is number 2");
    rig_end(&r);
    rig_end(&whole);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void a_file_of_hyfiss_is_read(void **state)
{
    (void)state;
    struct cta_schedule s;
    parse(&s, "# a comment\n-trace_issued_sms_num 3\n-trace_issued_sm_id_0 3,0,(1,0,7f),(1,2,a0),(2,0,ff),\n"
              "-trace_issued_sm_id_2 1,2,(1,1,80),\n-trace_issued_sms_vector 0,2,\n");
    assert_int_equal(s.count, 2);
    assert_null(s.launch[0].kernel);
    assert_int_equal(s.launch[0].count, 3);
    assert_int_equal(s.launch[1].count, 1);
    const struct cta_schedule_entry *e = s.launch[0].entry;
    assert_int_equal(e[0].cta * 100 + e[0].sm, 0);
    assert_int_equal(e[1].cta * 100 + e[1].sm, 200);
    assert_int_equal(e[2].cta * 100 + e[2].sm, 102);
    cta_schedule_free(&s);
}

static void a_malformed_line_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\n# no\n", "s.txt: a schedule without a launch"},
        {"sm 0 1\n", "s.txt:1: an SM before the first launch"},
        {"launch 2 1 k\n", "s.txt:1: launches have numbers from 1 on, one after the other"},
        {"launch 1 0 k\n", "s.txt:1: behind a launch's number stand its CTAs"},
        {"launch 1 4294967296 k\n", "s.txt:1: behind a launch's number stand its CTAs"},
        {"launch 1 1\n", "s.txt:1: behind a launch's CTAs stands its kernel"},
        {"launch 1 1 k\nsm x\n", "s.txt:2: behind sm stands its number"},
        {"launch 1 1 k\nsm 256 0\n", "s.txt:2: behind sm stands its number"},
        {"launch 1 1 k\nsm 0 1x\n", "s.txt:2: behind an SM's number stand the numbers of CTAs"},
        {"kernel 1\n", "s.txt:1: a line begins with launch, sm or #"},
        {"-trace_issued_sm_id_0 1,1,(1,0,0),\n",
         "s.txt:1: an SM's line begins with the number of its CTAs and its own number"},
        {"-trace_issued_sm_id_0 2,0,(1,0,0),\n", "s.txt:1: the line has not as many CTAs as it says"},
        {"-trace_issued_sm_id_0 1,0,(0,0,0),\n", "s.txt:1: CTAs are (KERNEL,CTA,TIME), with commas between them"},
        {"-trace_issued_sm_id_0 1,0,(1,0,0\n", "s.txt:1: a CTA without a closing parenthesis"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cta_schedule s;
        struct status status = {0};
        assert_false(cta_schedule_parse(&s, cases[i][0], strlen(cases[i][0]), "s.txt", &status));
        assert_string_equal(status.text, cases[i][1]);
        assert_int_equal(status.code, STATUS_FORMAT);
        assert_null(s.launch);
    }
}

static void a_zero_byte_is_refused(void **state)
{
    static const char text[] = "launch 1 4\0 k\n";
    struct cta_schedule s;
    struct status status = {0};
    (void)state;
    assert_false(cta_schedule_parse(&s, text, sizeof text - 1, "s.txt", &status));
    assert_string_equal(status.text, "s.txt: a schedule is text, and this file has a zero byte");
    assert_null(s.launch);
}

UNIT_TESTS(UNIT(a_launch_that_follows_its_own_schedule_takes_the_same_cycles),
           UNIT(ctas_go_where_the_schedule_says_in_its_order), UNIT(a_schedule_that_does_not_fit_is_refused),
           UNIT(launches_of_clusters_and_launches_that_are_not_there_are_refused),
           UNIT(the_end_of_launches_beside_each_other_is_told_when_one_is_refused), UNIT(a_file_of_hyfiss_is_read),
           UNIT(a_malformed_line_is_named), UNIT(a_zero_byte_is_refused))
