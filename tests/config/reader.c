#include "config/reader.h"

#include "tests/unit.h"

static struct config config;

static bool apply(const char *text, struct status *status)
{
    *status = (struct status){0};
    config_defaults(&config);
    return reader_apply(&config, "x.toml", text, strlen(text), 0, status);
}

static void good(const char *text)
{
    struct status status;
    if (!apply(text, &status))
        fail_msg("%s", status.text);
}

static void bad(const char *text, const char *expected)
{
    struct status status;
    assert_false(apply(text, &status));
    assert_int_equal(status.code, STATUS_CONFIG);
    assert_string_equal(status.text, expected);
}

static void values_comments_and_blank_lines_are_read(void **state)
{
    (void)state;
    good("# a file\n\n[gpu]   # the chip\n  name = \"A # B\"  # text\nsms=7#tight\r\n\tclock = 1500.5 # \"quoted\n"
         "[core]\nrfc = false");
    assert_string_equal(config.gpu.name, "A # B");
    assert_int_equal(config.gpu.sms, 7);
    assert_true(config.gpu.clock == 1500.5);
    assert_false(config.core.rfc);
    good("");
    good("# only a comment");
}

static void a_long_comment_does_not_hurt(void **state)
{
    (void)state;
    char text[2000] = "[gpu]\nsms = 9 # ";
    memset(text + strlen(text), 'x', 1500);
    strcat(text, "\nclock = 200\n");
    good(text);
    assert_int_equal(config.gpu.sms, 9);
    assert_true(config.gpu.clock == 200);
}

static void an_unknown_name_is_an_error_with_its_line(void **state)
{
    (void)state;
    bad("[gpu]\nsms = 7\nsmz = 8\n", "x.toml:3: [gpu] has no key 'smz', did you mean gpu.sms?");
    bad("\n[gpus]\n", "x.toml:2: there is no section [gpus], did you mean [gpu]?");
    bad("sms = 7\n", "x.toml:1: the key 'sms' stands before the first section, did you mean gpu.sms?");
    bad("latency = 7\n", "x.toml:1: the key 'latency' stands before the first section");
    bad("inherit = \"a100\"\n", "x.toml:1: the key 'inherit' stands before the first section, did you mean inherits?");
    bad("[gpu]\nSMS = 7\n", "x.toml:2: [gpu] has no key 'SMS'");
}

static void a_wrong_value_is_an_error_with_its_line_and_range(void **state)
{
    (void)state;
    bad("[gpu]\n\nsms = 300 # many\n", "x.toml:3: gpu.sms = 300: expected a whole number from 1 to 256 (SM)");
    bad("[gpu]\nsms = 8 SM\n", "x.toml:2: gpu.sms = 8 SM: expected a whole number from 1 to 256 (SM)");
    bad("[core]\nrfc = 1\n", "x.toml:2: core.rfc = 1: expected true or false");
    bad("[gpu]\nsms =\n", "x.toml:2: gpu.sms = : expected a whole number from 1 to 256 (SM)");
    bad("[gpu]\nsms = \"8\"\n", "x.toml:2: gpu.sms = \"8\": expected a whole number from 1 to 256 (SM)");
}

static void a_text_needs_its_quotes(void **state)
{
    (void)state;
    struct status status;
    assert_false(apply("[gpu]\nname = A100\n", &status));
    assert_non_null(strstr(status.text, "x.toml:2: gpu.name = A100: expected a text in quotes"));
    assert_false(apply("[gpu]\nname = \"A100\n", &status));
    assert_false(apply("[gpu]\nname = \"A;100\"\n", &status));
    assert_false(apply("[gpu]\nname = \"A ;100\"\n", &status));
}

static void a_key_can_be_set_once(void **state)
{
    (void)state;
    bad("[gpu]\nsms = 7\n[sm]\nwarps = 8\n[gpu]\nsms = 7\n", "x.toml:6: gpu.sms is set a second time");
}

static void a_file_starts_from_the_values_of_the_one_it_inherits(void **state)
{
    (void)state;
    good("# half a chip\n\ninherits = \"h200\"  # GH100\n[gpu]\nsms = 66\n");
    assert_int_equal(config.gpu.sms, 66);
    assert_int_equal(config.gpu.architecture, 90);
    assert_int_equal(config.sm.warps, 64);
    assert_string_equal(config.gpu.chip, "GH100");
    good("inherits = \"sm_75\"");
    assert_int_equal(config.gpu.architecture, 75);
    assert_int_equal(config.sm.shared_reserved, 0);
}

static void what_cannot_be_inherited_is_an_error_with_its_line(void **state)
{
    (void)state;
#define KNOWN                                                                                                          \
    " Architectures are sm_100, sm_103, sm_120, sm_60, sm_61, sm_70, sm_75, sm_80, sm_86, sm_89, sm_90; 'subcore "     \
    "gpus' lists the GPUs"
    bad("inherits = \"sm_76\"\n",
        "x.toml:1: inherits = \"sm_76\": there is no such architecture or GPU, did you mean sm_70?" KNOWN);
    bad("inherits = \"rtx4090\"\n",
        "x.toml:1: inherits = \"rtx4090\": there is no such architecture or GPU, did you mean rtx-4090?" KNOWN);
    bad("inherits = \"./y.toml\"\n", "x.toml:1: inherits = \"./y.toml\": there is no such architecture or GPU." KNOWN);
    bad("inherits = \"\"\n", "x.toml:1: inherits = \"\": there is no such architecture or GPU." KNOWN);
    bad("inherits = sm_90\n", "x.toml:1: inherits takes the name of an architecture or a GPU, in quotes");
    bad("inherits = \"sm_90\"\ninherits = \"sm_80\"\n", "x.toml:2: inherits has to stand before everything else, once");
    bad("[gpu]\ninherits = \"sm_90\"\n", "x.toml:2: [gpu] has no key 'inherits'");
    bad("inherits = \"sm_90\"\n[gpu]\nsms = 0\n", "x.toml:3: gpu.sms = 0: expected a whole number from 1 to 256 (SM)");
}

static void the_name_of_what_is_inherited_is_found(void **state)
{
    (void)state;
    char name[CONFIG_TEXT];
    const char *text = "\n# of\n inherits=\"sm_90\" # x\n[gpu]\n";
    assert_true(reader_inherits(text, strlen(text), name));
    assert_string_equal(name, "sm_90");
    assert_false(reader_inherits("[gpu]\nname = \"inherits\"", 23, name));
    assert_false(reader_inherits("# only", 6, name));
}

static void a_line_of_another_kind_is_an_error(void **state)
{
    (void)state;
    const char *expected = "x.toml:2: expected [section], key = value, or a comment behind #";
    bad("[gpu]\nsms\n", expected);
    bad("[gpu]\nsms: 7\n", expected);
    bad("[gpu]\n; sms = 7\n", expected);
    bad("[gpu]\n = 7\n", "x.toml:2: [gpu] has no key ''");
    bad("[gpu] sms = 7\n", "x.toml:1: a section is [name]");
    bad("[gpu\n", "x.toml:1: a section is [name]");
    bad("[\n", "x.toml:1: a section is [name]");
    bad("[]\n", "x.toml:1: there is no section []");
}

static void an_indented_line_is_not_a_continued_value(void **state)
{
    (void)state;
    good("[gpu]\nsms = 7\n   clock = 300\n");
    assert_int_equal(config.gpu.sms, 7);
    assert_true(config.gpu.clock == 300);
}

static void binary_bytes_and_endless_lines_are_errors(void **state)
{
    (void)state;
    struct status status = {0};
    config_defaults(&config);
    assert_false(reader_apply(&config, "x.toml", "[gpu]\nsm\0s = 7\n", 15, 0, &status));
    assert_string_equal(status.text, "x.toml:2: a zero byte: this is not a text file");
    char text[1000] = "[gpu]\nname = \"";
    memset(text + strlen(text), 'x', 900);
    bad(text, "x.toml:2: the line is too long");
}

static void the_comment_behind_a_key_is_found_in_its_section(void **state)
{
    (void)state;
    const char *text = "[l1] # one\nlatency = 5 # of the L1\n[noc]\nlatency=6\nrequest_bytes = 8  #   of the port  \n";
    char out[64];
    assert_true(reader_comment(text, strlen(text), "l1", "latency", out, sizeof out));
    assert_string_equal(out, "of the L1");
    assert_true(reader_comment(text, strlen(text), "noc", "latency", out, sizeof out));
    assert_string_equal(out, "");
    assert_true(reader_comment(text, strlen(text), "noc", "request_bytes", out, 7));
    assert_string_equal(out, "of the");
    assert_false(reader_comment(text, strlen(text), "noc", "reply_bytes", out, sizeof out));
    assert_false(reader_comment(text, strlen(text), "l2", "latency", out, sizeof out));
}

UNIT_TESTS(UNIT(values_comments_and_blank_lines_are_read), UNIT(a_long_comment_does_not_hurt),
           UNIT(an_unknown_name_is_an_error_with_its_line), UNIT(a_wrong_value_is_an_error_with_its_line_and_range),
           UNIT(a_text_needs_its_quotes), UNIT(a_key_can_be_set_once),
           UNIT(a_file_starts_from_the_values_of_the_one_it_inherits),
           UNIT(what_cannot_be_inherited_is_an_error_with_its_line), UNIT(the_name_of_what_is_inherited_is_found),
           UNIT(a_line_of_another_kind_is_an_error), UNIT(an_indented_line_is_not_a_continued_value),
           UNIT(binary_bytes_and_endless_lines_are_errors), UNIT(the_comment_behind_a_key_is_found_in_its_section))
