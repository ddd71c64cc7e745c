/* Shadows, findings and their files, by themselves. */
#include "check/shadow.h"

#include "check/record.h"
#include "tests/temporary.h"
#include "tests/unit.h"

static void a_page_has_words_until_a_byte_is_accessed(void **state)
{
    (void)state;
    struct shadow s = {0};
    struct shadow_page *page = shadow_page(&s, 5 * SHADOW_PAGE + 12);
    assert_ptr_equal(page, shadow_page(&s, 5 * SHADOW_PAGE));
    assert_ptr_not_equal(page, shadow_page(&s, 6 * SHADOW_PAGE));
    assert_true(shadow_cells(page, 4));
    page->cell[3].write = (struct shadow_write){.stamp = 7, .warp = 2, .value = 0x44332211};
    assert_true(shadow_cells(page, 8));
    assert_int_equal(page->shift, 2);
    assert_true(shadow_cells(page, 1));
    assert_int_equal(page->shift, 0);
    assert_int_equal(page->cell[13].write.stamp, 7);
    assert_int_equal(page->cell[13].write.value, 0x22);
    assert_int_equal(page->cell[16].write.stamp, 0);
    shadow_clear(&s);
}

static void bytes_are_written_one_by_one_and_across_pages(void **state)
{
    (void)state;
    struct shadow s = {0};
    struct shadow_page *page = shadow_page(&s, 0);
    shadow_write(page, 3, 6);
    assert_true(shadow_written(page, 3, 6));
    assert_false(shadow_written(page, 2, 2));
    assert_false(shadow_written(page, 8, 2));
    shadow_renew(&s, SHADOW_PAGE - 3, 8);
    assert_true(shadow_written(shadow_page(&s, 0), SHADOW_PAGE - 3, 3));
    assert_true(shadow_written(shadow_page(&s, SHADOW_PAGE), 0, 5));
    assert_false(shadow_written(shadow_page(&s, SHADOW_PAGE), 5, 1));
    shadow_clear(&s);
}

static void many_pages_are_found_again(void **state)
{
    (void)state;
    struct shadow s = {0};
    for (uint64_t i = 0; i < 1000; i++)
        shadow_page(&s, i * 7 * SHADOW_PAGE)->written[0] = (uint8_t)i;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(shadow_page(&s, i * 7 * SHADOW_PAGE)->written[0], (uint8_t)i);
    assert_int_equal(s.pages, 1000);
    shadow_clear(&s);
}

static void a_pair_of_instructions_is_one_finding(void **state)
{
    (void)state;
    struct check_found found = {0};
    bool is_new;
    assert_non_null(check_found_at(&found, "k", CHECK_RAW, CHECK_SHARED, 16, 32, &is_new));
    assert_true(is_new);
    assert_non_null(check_found_at(&found, "k", CHECK_RAW, CHECK_SHARED, 16, 32, &is_new));
    assert_false(is_new);
    check_found_at(&found, "k", CHECK_RAW, CHECK_GLOBAL, 16, 32, &is_new);
    check_found_at(&found, "k", CHECK_WAR, CHECK_SHARED, 16, 32, &is_new);
    check_found_at(&found, "l", CHECK_RAW, CHECK_SHARED, 16, 32, &is_new);
    assert_int_equal(found.count, 4);
    assert_int_equal(check_found_count(&found), 5);
    for (uint32_t i = 0; i < CHECK_MOST + 10; i++)
        check_found_at(&found, "m", CHECK_RAW, CHECK_SHARED, 16, 16 * i, &is_new);
    assert_int_equal(found.count, CHECK_MOST);
    assert_int_equal(check_found_count(&found), 5 + CHECK_MOST + 10);
    check_found_free(&found);
}

static void findings_go_through_a_file_with_their_occurrences(void **state)
{
    (void)state;
    char path[TEMPORARY_PATH];
    temporary_file(path);
    unlink(path);
    struct check_found found = {0}, read = {0};
    struct status status = {0};
    bool is_new;
    assert_true(check_collect(&read, path, &status));
    for (int i = 0; i < 3; i++) {
        check_found_at(&found, "k", CHECK_RAW, CHECK_SHARED, 16, 32, &is_new)->second.present = true;
        assert_int_equal(check_append(&found, path), 0);
        assert_int_equal(check_append(&found, path), 0);
    }
    assert_true(check_collect(&read, path, &status));
    assert_int_equal(read.count, 1);
    assert_int_equal(read.item[0].count, 3);
    assert_string_equal(read.item[0].kernel, "k");
    check_found_free(&read);
    assert_int_equal(truncate(path, 100), 0);
    assert_true(check_collect(&read, path, &status));
    assert_int_equal(read.count, 0);
    unlink(path);
    check_found_free(&found);
    check_found_free(&read);
}

static void a_list_of_checks_has_names_and_commas(void **state)
{
    (void)state;
    assert_int_equal(check_parse("race"), CHECK_SET(RACE));
    assert_int_equal(check_parse("leak,memory"), CHECK_SET(LEAK) | CHECK_SET(MEMORY));
    assert_int_equal(check_parse("all"), (1u << CHECK_BITS) - 1);
    assert_int_equal(check_parse(""), 0);
    assert_int_equal(check_parse("race,"), 0);
    assert_int_equal(check_parse("races"), 0);
    assert_int_equal(check_parse("rac"), 0);
}

UNIT_TESTS(UNIT(a_page_has_words_until_a_byte_is_accessed), UNIT(bytes_are_written_one_by_one_and_across_pages),
           UNIT(many_pages_are_found_again), UNIT(a_pair_of_instructions_is_one_finding),
           UNIT(findings_go_through_a_file_with_their_occurrences), UNIT(a_list_of_checks_has_names_and_commas))
