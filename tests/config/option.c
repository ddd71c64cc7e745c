#include "config/option.h"
#include "tests/unit.h"

static struct config config;

static bool parse(const char *section, const char *key, const char *value)
{
    const struct option *option = option_find(section, key);
    assert_non_null(option);
    return option_parse(option, value, &config);
}

static void every_section_of_the_list_has_its_own_table(void **state)
{
    (void)state;
    bool seen[sizeof(struct config)] = {false};
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        assert_true(section.count > 0);
        for (size_t i = 0; i < section.count; i++) {
            const struct option *option = &section.options[i];
            assert_ptr_equal(option_find(section.name, option->key), option);
            assert_false(seen[option->offset]);
            seen[option->offset] = true;
        }
    }
}

static void defaults_are_in_range_and_every_option_has_a_sentence(void **state)
{
    (void)state;
    config_defaults(&config);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        for (size_t i = 0; i < section.count; i++) {
            const struct option *option = &section.options[i];
            char value[OPTION_VALUE];
            option_format(option, &config, value);
            assert_true(option_parse(option, value, &config));
            assert_true(strlen(option->sentence) > 5);
            assert_true(option->low <= option->high);
        }
    }
}

static void a_whole_number_is_taken_at_the_ends_of_its_range_and_not_beyond(void **state)
{
    (void)state;
    assert_true(parse("gpu", "sms", "1"));
    assert_int_equal(config.gpu.sms, 1);
    assert_true(parse("gpu", "sms", "256"));
    assert_int_equal(config.gpu.sms, 256);
    assert_false(parse("gpu", "sms", "0"));
    assert_false(parse("gpu", "sms", "257"));
    assert_false(parse("gpu", "sms", "18446744073709551617"));
    assert_int_equal(config.gpu.sms, 256);
}

static void what_is_not_a_whole_number_is_refused(void **state)
{
    (void)state;
    const char *bad[] = {"", " 8", "8 ", "+8", "-8", "0x8", "8.0", "8e0", "8 cycle", "eight", "\"8\"", "8,8"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(parse("gpu", "sms", bad[i]));
}

static void a_real_number_is_finite_and_in_range(void **state)
{
    (void)state;
    assert_true(parse("gpu", "clock", "1597.5"));
    assert_true(config.gpu.clock == 1597.5);
    assert_true(parse("gpu", "clock", "1.5e3"));
    assert_true(config.gpu.clock == 1500);
    const char *bad[] = {"", "nan", "inf", "99.9", "5000.1", "1500MHz", "1e", "0x1p10", "1.5.0", "-1500"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(parse("gpu", "clock", bad[i]));
}

static void a_switch_has_four_words(void **state)
{
    (void)state;
    assert_true(parse("core", "rfc", "off") && !config.core.rfc);
    assert_true(parse("core", "rfc", "on") && config.core.rfc);
    assert_true(parse("core", "rfc", "false") && !config.core.rfc);
    assert_true(parse("core", "rfc", "true") && config.core.rfc);
    assert_false(parse("core", "rfc", "1"));
    assert_false(parse("core", "rfc", "TRUE"));
}

static void a_text_fits_in_its_field(void **state)
{
    (void)state;
    char longest[CONFIG_TEXT + 1];
    memset(longest, 'x', sizeof longest);
    longest[CONFIG_TEXT] = '\0';
    assert_false(parse("gpu", "name", longest));
    longest[CONFIG_TEXT - 1] = '\0';
    assert_true(parse("gpu", "name", longest));
    assert_string_equal(config.gpu.name, longest);
    assert_true(parse("gpu", "name", "\"A # B\""));
    assert_string_equal(config.gpu.name, "A # B");
    assert_false(parse("gpu", "name", "\"A\"B\""));
    assert_false(parse("gpu", "name", "A;B"));
    assert_false(parse("gpu", "name", "A\\B"));
}

static void an_enumeration_takes_its_words_and_no_other(void **state)
{
    (void)state;
    assert_true(parse("dram", "refresh", "off"));
    assert_int_equal(config.dram.refresh, CONFIG_REFRESH_OFF);
    assert_string_equal(config_refresh_text(config.dram.refresh), "off");
    assert_true(parse("dram", "refresh", "\"per-bank\""));
    assert_int_equal(config.dram.refresh, CONFIG_REFRESH_PER_BANK);
    assert_string_equal(option_text(option_find("dram", "refresh"), &config), "per-bank");
    const char *bad[] = {"", "\"\"", "per", "Off", "per-banks", " off", "1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(parse("dram", "refresh", bad[i]));
    assert_int_equal(config.dram.refresh, CONFIG_REFRESH_PER_BANK);
}

static void the_expectation_names_range_and_unit(void **state)
{
    (void)state;
    char text[160];
    option_expectation(option_find("gpu", "sms"), text, sizeof text);
    assert_string_equal(text, "a whole number from 1 to 256 (SM)");
    option_expectation(option_find("l1", "usable"), text, sizeof text);
    assert_string_equal(text, "a number from 0.25 to 1");
    option_expectation(option_find("dram", "refresh"), text, sizeof text);
    assert_string_equal(text, "\"off\", \"all-bank\" or \"per-bank\"");
}

UNIT_TESTS(UNIT(every_section_of_the_list_has_its_own_table),
           UNIT(defaults_are_in_range_and_every_option_has_a_sentence),
           UNIT(a_whole_number_is_taken_at_the_ends_of_its_range_and_not_beyond),
           UNIT(what_is_not_a_whole_number_is_refused), UNIT(a_real_number_is_finite_and_in_range),
           UNIT(a_switch_has_four_words), UNIT(a_text_fits_in_its_field),
           UNIT(an_enumeration_takes_its_words_and_no_other), UNIT(the_expectation_names_range_and_unit))
