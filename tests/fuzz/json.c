/* Any text is a tree of slices that lie within it, or is refused with a line. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

static void visit(const struct json_value *value, const char *text, size_t size, int depth)
{
    char string[16];
    uint32_t count = 0;
    hold(depth <= JSON_TREE_DEPTH);
    if (value->text.length > 0)
        hold(value->text.at >= text && value->text.at + value->text.length <= text + size);
    json_tree_string(value, string, sizeof string);
    json_tree_number(value);
    for (const struct json_value *v = value->first; v; v = v->next, count++)
        visit(v, text, size, depth + 1);
    hold(count == value->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_tree tree;
    struct status status = {0};
    char *text = malloc(size ? size : 1); /* a copy, so that a byte behind its end is noticed */
    hold(text);
    if (size)
        memcpy(text, data, size);
    if (json_tree_read(&tree, text, size, "input", &status))
        visit(tree.root, text, size, 0);
    else
        hold(status.code != STATUS_OK && status.text[0] && !tree.root);
    json_tree_free(&tree);
    free(text);
    return 0;
}
