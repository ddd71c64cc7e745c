#include "base/json_tree.h"

#include <string.h>

#include "tests/unit.h"

static struct json_tree tree_of(const char *text)
{
    struct json_tree tree;
    struct status status = {0};
    bool ok = json_tree_read(&tree, text, strlen(text), "test.json", &status);
    assert_string_equal(status.text, "");
    assert_true(ok);
    return tree;
}

static void a_document_becomes_a_tree_of_its_values(void **state)
{
    (void)state;
    struct json_tree tree = tree_of(" {\"a\": [1, -2.5e3, true, null, false, []], \"b\": {\"c\": \"x\"}} ");
    const struct json_value *a = json_tree_member(tree.root, "a");
    assert_int_equal(tree.root->kind, JSON_OBJECT);
    assert_int_equal(tree.root->count, 2);
    assert_int_equal(a->count, 6);
    assert_true(json_tree_number(a->first) == 1);
    assert_true(json_tree_number(a->first->next) == -2500);
    assert_true(json_slice_is(a->first->next->text, "-2.5e3"));
    assert_int_equal(a->first->next->next->kind, JSON_TRUE);
    assert_int_equal(a->first->next->next->next->kind, JSON_NULL);
    assert_true(json_slice_is(json_tree_path(tree.root, "b/c")->text, "x"));
    assert_null(json_tree_path(tree.root, "b/d"));
    assert_null(json_tree_path(tree.root, "a/c"));
    assert_null(json_tree_path(NULL, "a"));
    json_tree_free(&tree);
}

static void strings_are_given_without_escapes_and_cut_between_characters(void **state)
{
    (void)state;
    char text[64];
    struct json_tree tree = tree_of("\"a\\n\\\"\\\\\\/\\u0041\\u20acz\"");
    assert_true(json_tree_string(tree.root, text, sizeof text));
    assert_string_equal(text, "a\n\"\\/A\xe2\x82\xacz");
    assert_false(json_tree_string(tree.root, text, 9)); /* the euro sign does not fit */
    assert_string_equal(text, "a\n\"\\/A");
    assert_true(json_tree_string(NULL, text, sizeof text));
    assert_string_equal(text, "");
    json_tree_free(&tree);
}

static void what_is_no_document_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "test.json:1:1: a value is missing"},
        {"{\"a\": 1,\n \"b\" 2}", "test.json:2:6: a colon is missing"},
        {"[1, 2", "test.json:1:6: a bracket is missing"},
        {"[1,]", "test.json:1:4: a value is missing"},
        {"{\"a\": 1", "test.json:1:8: a brace is missing"},
        {"{1: 2}", "test.json:1:2: a key is missing"},
        {"01", "test.json:1:3: a number begins with 0"},
        {"-", "test.json:1:2: a digit is missing"},
        {"1.", "test.json:1:3: a digit is missing"},
        {"1e+", "test.json:1:4: a digit is missing"},
        {"tru", "test.json:1:1: a value is missing"},
        {"\"a", "test.json:1:3: a string has no end"},
        {"\"\\x\"", "test.json:1:3: an unknown escape in a string"},
        {"\"\\u12g4\"", "test.json:1:3: an unknown escape in a string"},
        {"\"\\u12", "test.json:1:3: an unknown escape in a string"},
        {"\"a\tb\"", "test.json:1:3: a control character in a string"},
        {"1 2", "test.json:1:3: something stands behind the document"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct json_tree tree;
        struct status status = {0};
        assert_false(json_tree_read(&tree, wrong[i].text, strlen(wrong[i].text), "test.json", &status));
        assert_string_equal(status.text, wrong[i].message);
        assert_null(tree.root);
    }
}

static void sixty_four_levels_are_read_and_not_one_more(void **state)
{
    (void)state;
    char text[2 * JSON_TREE_DEPTH + 2];
    memset(text, '[', JSON_TREE_DEPTH + 1);
    memset(text + JSON_TREE_DEPTH + 1, ']', JSON_TREE_DEPTH + 1);
    struct json_tree tree;
    struct status status = {0};
    assert_false(json_tree_read(&tree, text, sizeof text, "test.json", &status));
    assert_string_equal(status.text, "test.json:1:66: too many levels");
    status = (struct status){0};
    assert_true(json_tree_read(&tree, text + 1, sizeof text - 2, "test.json", &status));
    json_tree_free(&tree);
}

UNIT_TESTS(UNIT(a_document_becomes_a_tree_of_its_values),
           UNIT(strings_are_given_without_escapes_and_cut_between_characters),
           UNIT(what_is_no_document_is_refused_with_its_place), UNIT(sixty_four_levels_are_read_and_not_one_more))
