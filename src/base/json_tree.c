#include "base/json_tree.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    struct json_tree *tree;
    const char *begin, *at, *end, *path;
    int depth;
    struct status *status;
};

static bool fail(struct parser *p, const char *what)
{
    size_t line = 1, column = 1;
    for (const char *c = p->begin; c < p->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return status_fail(p->status, STATUS_FORMAT, "%.200s:%zu:%zu: %s", p->path, line, column, what);
}

static void skip_space(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

static bool is_digit(const struct parser *p) { return p->at < p->end && *p->at >= '0' && *p->at <= '9'; }

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Behind the quotation mark that opens it. */
static bool take_string(struct parser *p, struct json_slice *out)
{
    out->at = p->at;
    for (; p->at < p->end && *p->at != '"'; p->at++) {
        if ((unsigned char)*p->at < 0x20)
            return fail(p, "a control character in a string");
        if (*p->at != '\\')
            continue;
        if (++p->at == p->end || !*p->at || !strchr("\"\\/bfnrtu", *p->at))
            return fail(p, "an unknown escape in a string");
        for (int i = 0; i < 4 && p->end - p->at >= 5 && *p->at == 'u'; i++)
            if (hex_digit(p->at[i + 1]) < 0)
                return fail(p, "an unknown escape in a string");
        if (*p->at == 'u' && p->end - p->at < 5)
            return fail(p, "an unknown escape in a string");
    }
    if (p->at == p->end)
        return fail(p, "a string has no end");
    out->length = (size_t)(p->at++ - out->at);
    return true;
}

static bool take_digits(struct parser *p)
{
    if (!is_digit(p))
        return fail(p, "a digit is missing");
    while (is_digit(p))
        p->at++;
    return true;
}

static bool take_number(struct parser *p, struct json_value *value)
{
    value->kind = JSON_NUMBER;
    value->text.at = p->at;
    p->at += *p->at == '-';
    bool zero = p->at < p->end && *p->at == '0';
    if (!take_digits(p))
        return false;
    if (zero && p->at - value->text.at > 1 + (*value->text.at == '-'))
        return fail(p, "a number begins with 0");
    if (p->at < p->end && *p->at == '.' && (p->at++, !take_digits(p)))
        return false;
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        p->at += p->at < p->end && (*p->at == '+' || *p->at == '-');
        if (!take_digits(p))
            return false;
    }
    value->text.length = (size_t)(p->at - value->text.at);
    return true;
}

static bool take_word(struct parser *p, struct json_value *value)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(p->end - p->at) < length || memcmp(p->at, words[i].word, length) != 0)
            continue;
        value->kind = words[i].kind;
        value->text = (struct json_slice){p->at, length};
        p->at += length;
        return true;
    }
    return fail(p, "a value is missing");
}

static bool take_value(struct parser *p, struct json_value *value);

static bool take_key(struct parser *p, struct json_value *value)
{
    if (p->at == p->end || *p->at != '"')
        return fail(p, "a key is missing");
    p->at++;
    if (!take_string(p, &value->key))
        return false;
    skip_space(p);
    if (p->at == p->end || *p->at != ':')
        return fail(p, "a colon is missing");
    p->at++;
    skip_space(p);
    return true;
}

/* Behind the bracket that opens it. */
static bool take_level(struct parser *p, struct json_value *value, char close)
{
    struct json_value **link = &value->first;
    value->kind = close == '}' ? JSON_OBJECT : JSON_ARRAY;
    if (++p->depth > JSON_TREE_DEPTH)
        return fail(p, "too many levels");
    skip_space(p);
    bool more = p->at == p->end || *p->at != close;
    while (more) {
        struct json_value *item = arena_take(&p->tree->storage, sizeof *item);
        if (!item)
            return status_fail(p->status, STATUS_MEMORY, "%.200s: no memory for its values", p->path);
        *link = item;
        link = &item->next;
        value->count++;
        skip_space(p);
        if ((close == '}' && !take_key(p, item)) || !take_value(p, item))
            return false;
        skip_space(p);
        more = p->at < p->end && *p->at == ',';
        p->at += more;
    }
    if (p->at == p->end || *p->at != close)
        return fail(p, close == '}' ? "a brace is missing" : "a bracket is missing");
    p->at++;
    p->depth--;
    return true;
}

static bool take_value(struct parser *p, struct json_value *value)
{
    if (p->at == p->end)
        return fail(p, "a value is missing");
    switch (*p->at) {
    case '{': p->at++; return take_level(p, value, '}');
    case '[': p->at++; return take_level(p, value, ']');
    case '"':
        p->at++;
        value->kind = JSON_STRING;
        return take_string(p, &value->text);
    default: return *p->at == '-' || is_digit(p) ? take_number(p, value) : take_word(p, value);
    }
}

bool json_tree_read(struct json_tree *tree, const char *text, size_t size, const char *path, struct status *status)
{
    *tree = (struct json_tree){0};
    struct parser p = {.tree = tree, .begin = text, .at = text, .end = text + size, .path = path, .status = status};
    struct json_value *root = arena_take(&tree->storage, sizeof *root);
    if (!root)
        return status_fail(status, STATUS_MEMORY, "%.200s: no memory for its values", path);
    skip_space(&p);
    bool ok = take_value(&p, root);
    skip_space(&p);
    if (ok && p.at < p.end)
        ok = fail(&p, "something stands behind the document");
    tree->root = root;
    if (!ok)
        json_tree_free(tree);
    return ok;
}

void json_tree_free(struct json_tree *tree)
{
    arena_free(&tree->storage);
    *tree = (struct json_tree){0};
}

/* ---- looking --------------------------------------------------------------------------------------------------- */

bool json_slice_is(struct json_slice slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.at, text, slice.length) == 0;
}

static const struct json_value *member(const struct json_value *object, const char *key, size_t length)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *v = object->first; v; v = v->next)
        if (v->key.length == length && memcmp(v->key.at, key, length) == 0)
            return v;
    return NULL;
}

const struct json_value *json_tree_member(const struct json_value *object, const char *key)
{
    return member(object, key, strlen(key));
}

const struct json_value *json_tree_path(const struct json_value *object, const char *path)
{
    for (const char *slash; object && (slash = strchr(path, '/')); path = slash + 1)
        object = member(object, path, (size_t)(slash - path));
    return json_tree_member(object, path);
}

double json_tree_number(const struct json_value *value)
{
    char text[64];
    if (!value || value->kind != JSON_NUMBER)
        return 0;
    size_t length = value->text.length < sizeof text ? value->text.length : sizeof text - 1;
    memcpy(text, value->text.at, length);
    text[length] = '\0';
    return strtod(text, NULL);
}

/* UTF-8 of a code point below 65536. A half of a pair stands for itself. */
static size_t encode(unsigned code, char out[3])
{
    if (code < 0x80)
        return out[0] = (char)code, 1;
    if (code < 0x800)
        return out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 63)), 2;
    out[0] = (char)(0xe0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 63));
    out[2] = (char)(0x80 | (code & 63));
    return 3;
}

/* At a backslash: its character, and the bytes that it takes. */
static size_t escape(const char *at, char out[3], size_t *taken)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *letter = strchr(from, at[1]);
    *taken = 2;
    if (at[1] != 'u')
        return out[0] = letter ? to[letter - from] : at[1], 1;
    unsigned code = 0;
    for (int i = 2; i < 6; i++)
        code = code << 4 | (unsigned)hex_digit(at[i]);
    *taken = 6;
    return encode(code, out);
}

bool json_tree_string(const struct json_value *value, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    if (!value || value->kind != JSON_STRING)
        return true;
    const char *at = value->text.at, *end = at + value->text.length;
    while (at < end) {
        char bytes[3] = {*at};
        size_t taken = 1, length = *at == '\\' ? escape(at, bytes, &taken) : 1;
        if (used + length >= size)
            return false;
        memcpy(out + used, bytes, length);
        used += length;
        out[used] = '\0';
        at += taken;
    }
    return true;
}
