#include "config/gpcs.h"

#include "tests/unit.h"

static struct gpcs gpcs;

static const char *parse(const char *text, uint32_t sms)
{
    static struct status status;
    struct config config;
    status = (struct status){0};
    config_defaults(&config);
    config.gpu.sms = sms;
    snprintf(config.gpu.gpcs, sizeof config.gpu.gpcs, "%s", text);
    return gpcs_parse(&gpcs, &config.gpu, &status) ? "" : status.text;
}

static void a_list_gives_the_room_of_each_gpc(void **state)
{
    (void)state;
    assert_string_equal(parse("16 14  2", 32), "");
    assert_int_equal(gpcs.count, 3);
    assert_int_equal(gpcs.sms[0], 16);
    assert_int_equal(gpcs.sms[1], 14);
    assert_int_equal(gpcs.sms[2], 2);
}

static void a_gpu_may_have_fewer_sms_than_room_but_not_more(void **state)
{
    (void)state;
    assert_string_equal(parse("16 14", 1), "");
    assert_string_equal(parse("16 14", 30), "");
    assert_string_equal(parse("16 14", 31), "gpu.gpcs = \"16 14\" has room for 30 SMs, gpu.sms = 31 "
                                            "(--set 'gpu.gpcs=\"\"' deals them evenly)");
}

static void without_a_list_whole_tpcs_are_dealt_to_gpcs_of_16(void **state)
{
    (void)state;
    assert_string_equal(parse("", 35), "");
    assert_int_equal(gpcs.count, 3);
    assert_int_equal(gpcs.sms[0], 12);
    assert_int_equal(gpcs.sms[1], 12);
    assert_int_equal(gpcs.sms[2], 12);
    assert_string_equal(parse("", 16), "");
    assert_int_equal(gpcs.count, 1);
    assert_string_equal(parse("", 17), "");
    assert_int_equal(gpcs.count, 2);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    const char *const texts[] = {"16,14", "x", "0", "34", "-2", "16 14x", " 16", "2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_non_null(strstr(parse(texts[i], 1), "expected the SMs of each GPC"));
    assert_string_equal(parse("16 13", 1), "gpu.gpcs = \"16 13\": 13 is not a multiple of gpu.sms_per_tpc = 2");
}

UNIT_TESTS(UNIT(a_list_gives_the_room_of_each_gpc), UNIT(a_gpu_may_have_fewer_sms_than_room_but_not_more),
           UNIT(without_a_list_whole_tpcs_are_dealt_to_gpcs_of_16), UNIT(other_texts_are_refused))
