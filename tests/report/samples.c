/* Samples: even distances, half of them given up when there is no room, and growth that adds up. */
#include "report/samples.h"

#include <string.h>

#include "tests/report/sample.h"
#include "tests/unit.h"

enum { MOST = 1 << 14 };

static struct sample_series series_of(uint32_t most, uint32_t count)
{
    struct sample_series series = {.first_period = 10, .most = most};
    assert_true(sample_series_reset(&series));
    for (uint64_t i = 1; i <= count; i++) {
        struct sample *s = sample_series_next(&series);
        *s = (struct sample){.cycle = 10 * i, .sm = {.inst_issued = 3 * i, .ctas = i == 3}};
    }
    return series;
}

static void the_last_sample_with_room_is_kept_beside_all_before(void **state)
{
    (void)state;
    struct sample_series series = series_of(4, 4);
    assert_int_equal(series.count, 4);
    assert_int_equal(series.period, 10);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(series.sample[i].cycle, 10 * (i + 1));
    sample_series_free(&series);
}

static void without_room_every_second_sample_goes_and_the_distance_doubles(void **state)
{
    (void)state;
    struct sample_series series = series_of(4, 5);
    static const uint64_t cycles[] = {20, 40, 50};
    assert_int_equal(series.count, 3);
    assert_int_equal(series.period, 20);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(series.sample[i].cycle, cycles[i]);
    assert_true(sample_series_reset(&series));
    assert_int_equal(series.count, 0);
    assert_int_equal(series.period, 10);
    sample_series_free(&series);
}

static void growth_ends_at_the_kernels_end_and_counters_of_0_are_left_out(void **state)
{
    (void)state;
    struct sample_series series = series_of(4, 4);
    struct kernel_result r = {.cycles = 35};
    r.sm.inst_issued = 11;
    char text[MOST] = "", flat[MOST] = "";
    struct json json;
    FILE *out = fmemopen(text, sizeof text, "w");
    json_begin(&json, out);
    report_samples_json(&series, &r, 2, &json, NULL);
    fclose(out);
    for (char *from = text, *to = flat; *from; from++)
        if (*from != ' ' && *from != '\n')
            *to++ = *from;
    assert_string_equal(flat, "{\"kernel\":2,\"period\":10,\"cycle\":[10,20,30,35],\"sm\":{\"inst_issued\":[3,3,3,2]},"
                              "\"mem\":{},\"stalls\":{},\"events\":{},\"pipes\":{}}");
    sample_series_free(&series);
}

UNIT_TESTS(UNIT(the_last_sample_with_room_is_kept_beside_all_before),
           UNIT(without_room_every_second_sample_goes_and_the_distance_doubles),
           UNIT(growth_ends_at_the_kernels_end_and_counters_of_0_are_left_out))
