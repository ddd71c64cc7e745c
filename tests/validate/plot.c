#include "validate/micro/plot.h"

#include <math.h>

#include "tests/unit.h"

static const struct measure curve = {
    .name = "curve",
    .title = "a <curve> & more",
    .column = {{"x", 0}, {"y", 1}},
    .columns = 2,
    .plot = {.x = "x", .y = "y", .x_scale = SCALE_LOG, .y_scale = SCALE_LOG, .across = {"curve.level"}},
};

static const struct measure bars = {
    .name = "bars", .title = "bars", .label = "who", .column = {{"y", 1}}, .columns = 1, .plot = {.x = "", .y = "y"}};

static char *draw(const struct measure *measure, struct measure_row *row, size_t rows)
{
    static const char level[] = "gpu,quantity,low,high,unit,tolerance,source,open\n"
                                "a100,curve.level,20,40,cycles,3,someone,\n";
    const struct measure_device device = {.gpu = {.name = "a100"}};
    struct measure_run run = {.measure = measure, .device = &device, .row = row, .rows = rows};
    struct references references = {0};
    char error[128], *text = NULL;
    size_t size;
    assert_true(references_read(&references, level, sizeof level - 1, error, sizeof error));
    FILE *out = open_memstream(&text, &size);
    plot_svg(&run, &references, out);
    fclose(out);
    references_free(&references);
    return text;
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        found++;
    return found;
}

static void a_curve_has_a_mark_for_each_point_and_its_references(void **state)
{
    (void)state;
    struct measure_row row[] = {{"", {1, 10}}, {"", {2, 20}}, {"", {4, NAN}}, {"", {8, 80}}};
    char *text = draw(&curve, row, 4);
    assert_int_equal(count(text, "<circle"), 3);
    assert_int_equal(count(text, "<polyline"), 1);
    assert_int_equal(count(text, "curve.level"), 1);
    assert_non_null(strstr(text, "a &lt;curve> &amp; more"));
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "</svg>"));
    free(text);
}

static void rows_with_labels_are_bars(void **state)
{
    (void)state;
    struct measure_row row[] = {{"one", {1}}, {"two", {2}}, {"none", {NAN}}};
    char *text = draw(&bars, row, 3);
    assert_int_equal(count(text, "<polyline"), 0);
    assert_int_equal(count(text, ">two<"), 1);
    assert_null(strstr(text, "nan"));
    free(text);
}

static void one_point_or_none_can_be_drawn(void **state)
{
    (void)state;
    struct measure_row row[] = {{"", {1, 10}}};
    for (size_t rows = 0; rows < 2; rows++) {
        char *text = draw(&curve, row, rows);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        free(text);
    }
}

UNIT_TESTS(UNIT(a_curve_has_a_mark_for_each_point_and_its_references), UNIT(rows_with_labels_are_bars),
           UNIT(one_point_or_none_can_be_drawn))
