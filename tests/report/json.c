#include "base/json.h"

#include "report/metrics.h"
#include "report/report.h"

#include "tests/report/sample.h"
#include "tests/unit.h"

enum { MOST = 1 << 16 };

static char *write_report(const struct kernel_result *r)
{
    char *text = calloc(1, MOST);
    assert_non_null(text);
    struct json json;
    FILE *out = fmemopen(text, MOST, "w");
    assert_non_null(out);
    json_begin(&json, out);
    struct config config;
    config_defaults(&config);
    report_json(r, &config, &json, NULL);
    fclose(out);
    return text;
}

static void expect_member(const char *text, const char *name, uint64_t value)
{
    char member[128];
    snprintf(member, sizeof member, "\"%s\": %ju", name, (uintmax_t)value);
    const char *at = strstr(text, member);
    assert_non_null(at);
    assert_non_null(strchr(",\n", at[strlen(member)]));
}

static void every_counter_is_there_with_its_value(void **state)
{
    (void)state;
    struct kernel_result r = sample(7);
    char *text = write_report(&r);
    const char *counters = strstr(text, "\"counters\": {");
    assert_non_null(counters);
#define X(name, kind, unit, sentence) expect_member(counters, #name, r.sm.name);
    SM_COUNTERS(X)
#undef X
#define X(name, kind, unit, sentence) expect_member(counters, #name, r.mem.name);
    MEM_COUNTERS(X)
#undef X
    free(text);
}

static void every_metric_stall_reason_class_and_pipe_is_there(void **state)
{
    (void)state;
    struct kernel_result r = sample(7);
    char *text = write_report(&r), name[128];
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        snprintf(name, sizeof name, "\"%s\": ", metric_info((enum metric)i)->name);
        assert_non_null(strstr(text, name));
    }
    for (unsigned i = 0; i < STALL_COUNT; i++) {
        snprintf(name, sizeof name, "\"%s\": {\n      \"warp_cycles\": %ju,", stall_name((enum stall_reason)i),
                 (uintmax_t)r.sm.stall[i]);
        assert_non_null(strstr(text, name));
    }
    for (unsigned i = 0; i < CYCLE_CLASS_COUNT; i++) {
        snprintf(name, sizeof name, "\"%s\": {\n      \"cycles\": %ju,", cycle_class_name((enum cycle_class)i),
                 (uintmax_t)cycle_class_sum(r.sm.cycle, (enum cycle_class)i));
        assert_non_null(strstr(text, name));
    }
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        expect_member(strstr(text, "\"schedulers\""), cycle_event_name((enum cycle_event)i), r.sm.cycle[i]);
    for (unsigned i = 0; i < ISA_PIPE_COUNT; i++) {
        snprintf(name, sizeof name, "\"%s\": {\n      \"inst\": %ju,\n      \"cycles\": %ju,",
                 isa_pipe_name((enum isa_pipe)i), (uintmax_t)r.sm.pipe_inst[i], (uintmax_t)r.sm.pipe_cycles[i]);
        assert_non_null(strstr(text, name));
    }
    free(text);
}

static void only_host_differs_between_equal_runs(void **state)
{
    (void)state;
    struct kernel_result r = sample(7);
    char *one = write_report(&r);
    r.host_seconds *= 3;
    r.threads = 16;
    char *two = write_report(&r);
    const char *host = strstr(one, "  \"host\": {");
    assert_non_null(host);
    assert_memory_equal(one, two, (size_t)(host - one));
    assert_string_not_equal(one, two);
    const char *end = strchr(host, '}');
    assert_string_equal(end, "}\n}\n");
    free(one);
    free(two);
}

static void a_launch_of_clusters_tells_their_shape(void **state)
{
    (void)state;
    struct kernel_result r = sample(7);
    memcpy(r.cluster, (uint32_t[3]){1, 1, 1}, sizeof r.cluster);
    char *text = write_report(&r);
    assert_null(strstr(text, "\"cluster\""));
    free(text);
    r.cluster[1] = 4;
    text = write_report(&r);
    const char *at = strstr(text, "\"cluster\":");
    unsigned shape[3] = {0};
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"cluster\": [ %u, %u, %u ]", &shape[0], &shape[1], &shape[2]), 3);
    assert_true(shape[0] == 1 && shape[1] == 4 && shape[2] == 1);
    free(text);
}

static void a_functional_run_has_no_cycles(void **state)
{
    (void)state;
    struct kernel_result r = sample(7);
    r.detailed = false;
    char *text = write_report(&r);
    assert_non_null(strstr(text, "\"detailed\": false"));
    assert_null(strstr(text, "\"metrics\""));
    assert_null(strstr(text, "\"counters\""));
    assert_non_null(strstr(text, "\"warp_instructions\": 1234567"));
    free(text);
}

UNIT_TESTS(UNIT(every_counter_is_there_with_its_value), UNIT(every_metric_stall_reason_class_and_pipe_is_there),
           UNIT(only_host_differs_between_equal_runs), UNIT(a_functional_run_has_no_cycles),
           UNIT(a_launch_of_clusters_tells_their_shape))
