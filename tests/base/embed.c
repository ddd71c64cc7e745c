#include "base/embed.h"
#include "tests/unit.h"

static void check_table(const struct embedded *table, size_t count)
{
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(table[i].size > 0);
        assert_int_equal(table[i].data[table[i].size], 0);
        if (i > 0)
            assert_true(strcmp(table[i - 1].name, table[i].name) < 0);
    }
}

static void tables_are_sorted_and_every_file_ends_in_a_zero_byte(void **state)
{
    (void)state;
    size_t count;
    const struct embedded *table = embedded_configs(&count);
    check_table(table, count);
    table = embedded_architectures(&count);
    check_table(table, count);
    table = embedded_cubins(&count);
    check_table(table, count);
}

static void a_cubin_is_embedded_byte_for_byte(void **state)
{
    (void)state;
    size_t count;
    const struct embedded *table = embedded_cubins(&count);
    char path[4096], name[256];
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/cubin/%s.cubin",
                 strncmp(table[i].name, "measure.", 8) == 0 ? "validate/micro" : "examples", table[i].name);
        FILE *file = fopen(unit_path(path, name), "rb");
        assert_non_null(file);
        for (size_t at = 0; at < table[i].size; at++)
            assert_int_equal(fgetc(file), table[i].data[at]);
        assert_int_equal(fgetc(file), EOF);
        fclose(file);
    }
}

UNIT_TESTS(UNIT(tables_are_sorted_and_every_file_ends_in_a_zero_byte), UNIT(a_cubin_is_embedded_byte_for_byte))
