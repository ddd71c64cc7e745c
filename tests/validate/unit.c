#include "validate/micro/unit.h"

#include "tests/unit.h"
#include "validate/reference.h"

static void units_of_measurements_are_those_of_the_published_numbers(void **state)
{
    (void)state;
    enum { MOST = 1 << 20 };
    char path[4096], error[128], *text = malloc(MOST);
    struct references r = {0};
    FILE *file = fopen(unit_path(path, "validate/data/published.csv"), "rb");
    assert_non_null(file);
    assert_true(references_read(&r, text, fread(text, 1, MOST, file), error, sizeof error));
    assert_true(r.count > 200);
    for (size_t i = 0; i < r.count; i++)
        if (strncmp(r.row[i].quantity, "kernel.", strlen("kernel.")) != 0)
            assert_string_equal(measure_unit(r.row[i].quantity), r.row[i].unit);
    references_free(&r);
    fclose(file);
    free(text);
}

UNIT_TESTS(UNIT(units_of_measurements_are_those_of_the_published_numbers))
