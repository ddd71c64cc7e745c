#include "config/range.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit.h"

struct subject {
    struct config config;
    struct config_origin origin;
};

static void load(struct subject *gpu, const char *name)
{
    struct status status = {0};
    if (!config_load(&gpu->config, name, &status))
        fail_msg("%s", status.text);
    config_origin_open(&gpu->origin, name);
}

static bool is_number(const char *text) { return text[0] >= '0' && text[0] <= '9'; }

/* An end below and one above. Where the table names the value itself as an end, one is left. */
static void holds(const struct config_value *v, const struct config_range *range)
{
    double value = strtod(v->text, NULL);
    bool below = range->count < range->rules, above = below;
    for (unsigned i = 0; i < range->count; i++) {
        double end = strtod(range->end[i].value, NULL);
        below |= end < value;
        above |= end > value;
    }
    if (!below || !above)
        fail_msg("%s.%s = %s lies not between its ends, %s and %s", v->section, v->key, v->text, range->end[0].value,
                 range->end[1].value);
}

static void every_assumed_value_has_a_range_that_contains_it(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t g = 0; g < config_gpu_count(); g++) {
        struct subject gpu;
        struct config_value v;
        struct config_range range;
        load(&gpu, config_gpu_name(g));
        for (size_t i = 0; config_value_at(&gpu.config, &gpu.origin, i, &v); i++) {
            if (!v.assumed)
                continue;
            if (!config_range_find(&gpu.config, v.section, v.key, &range))
                fail_msg("range.def has no row for %s.%s", v.section, v.key);
            assert_true(range.why[0]);
            if (range.used && range.rules > 0 && is_number(v.text))
                holds(&v, &range);
            found++;
        }
        config_origin_close(&gpu.origin);
    }
    assert_true(found > 1000);
}

static void every_end_is_a_configuration_of_its_gpu(void **state)
{
    (void)state;
    for (size_t g = 0; g < config_gpu_count(); g++) {
        struct subject gpu;
        struct config_value v;
        struct config_range range;
        load(&gpu, config_gpu_name(g));
        for (size_t i = 0; config_value_at(&gpu.config, &gpu.origin, i, &v); i++) {
            if (!v.assumed || !config_range_find(&gpu.config, v.section, v.key, &range))
                continue;
            for (unsigned e = 0; e < range.count; e++) {
                struct config changed = gpu.config;
                struct status status = {0};
                bool ok = true;
                for (unsigned s = 0; ok && s < range.end[e].sets; s++)
                    ok = config_set(&changed, range.end[e].set[s], &status);
                if (!ok || !config_check(&changed, &status))
                    fail_msg("%s, %s: %s", config_gpu_name(g), range.end[e].set[0], status.text);
                assert_true(config_hash(&changed) != config_hash(&gpu.config));
            }
        }
        config_origin_close(&gpu.origin);
    }
}

static struct config_range range_of(const char *gpu, const char *section, const char *key)
{
    struct subject subject;
    struct config_range range;
    load(&subject, gpu);
    assert_true(config_range_find(&subject.config, section, key, &range));
    config_origin_close(&subject.origin);
    return range;
}

static void factors_and_steps_round_and_take_what_depends_on_them_along(void **state)
{
    (void)state;
    char text[CONFIG_RANGE_TEXT];
    struct config_range range = range_of("rtx-a6000", "noc", "latency"); /* 40, with an L2 of 96 */
    assert_int_equal(range.count, 2);
    assert_string_equal(range.end[0].set[0], "noc.latency=32");
    assert_int_equal(range.end[0].sets, 2);
    assert_string_equal(range.end[1].value, "48");
    config_range_text(&range, text);
    assert_string_equal(text, "32 or 48");
    range = range_of("rtx-a6000", "dram", "write_high"); /* 80 */
    assert_string_equal(range.end[0].value, "56");
    assert_string_equal(range.end[1].value, "100");
    assert_string_equal(range.end[1].set[1], "dram.write_queue=120");
}

static void words_other_than_the_value_are_ends(void **state)
{
    (void)state;
    char text[CONFIG_RANGE_TEXT];
    struct config_range range = range_of("rtx-a6000", "l1", "replacement");
    config_range_text(&range, text);
    assert_string_equal(text, "\"lru\" or \"random\"");
    assert_int_equal(range.rules, 3);
    range = range_of("rtx-a6000", "l2", "copies");
    assert_string_equal(range.end[0].set[0], "l2.copies=false");
}

static void a_gpu_without_the_structure_has_no_ends(void **state)
{
    (void)state;
    assert_false(range_of("rtx-a6000", "tma", "latency").used);
    assert_int_equal(range_of("rtx-a6000", "tma", "latency").count, 0);
    assert_int_equal(range_of("rtx-5090", "tma", "latency").count, 2);
    assert_int_equal(range_of("rtx-5090", "tcgen05", "burst").count, 0);
    assert_int_equal(range_of("b200", "tcgen05", "burst").count, 2);
}

static void the_last_gpc_gives_two_sms_to_the_first_with_room(void **state)
{
    (void)state;
    assert_string_equal(range_of("a100", "gpu", "gpcs").end[0].value, "\"16 16 16 16 16 16 12\"");
    assert_string_equal(range_of("t4", "gpu", "gpcs").end[0].value, "\"8 8 8 6 6 4\"");
    assert_int_equal(range_of("rtx-5060-ti", "gpu", "gpcs").count, 0); /* the full chip */
}

static void keys_without_a_row_are_told(void **state)
{
    (void)state;
    struct subject gpu;
    struct config_range range;
    load(&gpu, "a100");
    assert_false(config_range_find(&gpu.config, "gpu", "sms", &range));
    assert_false(config_range_find(&gpu.config, "l2", "nothing", &range));
    config_origin_close(&gpu.origin);
}

UNIT_TESTS(UNIT(every_assumed_value_has_a_range_that_contains_it), UNIT(every_end_is_a_configuration_of_its_gpu),
           UNIT(factors_and_steps_round_and_take_what_depends_on_them_along), UNIT(words_other_than_the_value_are_ends),
           UNIT(a_gpu_without_the_structure_has_no_ends), UNIT(the_last_gpc_gives_two_sms_to_the_first_with_room),
           UNIT(keys_without_a_row_are_told))
