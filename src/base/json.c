#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* The letter of a two-character escape, or 0. */
static int short_escape(unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : 0;
}

static void write_string(FILE *out, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;
    fputc('"', out);
    while (*s) {
        size_t length = text_utf8(s);
        int letter = short_escape(*s);
        if (letter)
            fprintf(out, "\\%c", letter);
        else if (*s < 0x20)
            fprintf(out, "\\u%04x", *s);
        else if (*s == 0xc2 && length && s[1] < 0xa0) /* control characters too, of some terminals */
            fprintf(out, "\\u%04x", s[1]);
        else if (length == 0)
            fputs("\\ufffd", out);
        else
            fwrite(s, 1, length, out);
        s += length ? length : 1;
    }
    fputc('"', out);
}

static void indent(struct json *j)
{
    fputc('\n', j->out);
    for (int i = 0; i < j->depth; i++)
        fputs("  ", j->out);
}

/* Comma, line break and key: everything before a value. */
static void before(struct json *j, const char *key)
{
    assert((key != NULL) == (j->depth > 0 && !j->array[j->depth]));
    if (j->depth == 0) {
        assert(j->first[0]);
        j->first[0] = false;
        return;
    }
    if (!j->first[j->depth])
        fputc(',', j->out);
    j->first[j->depth] = false;
    indent(j);
    if (key) {
        write_string(j->out, key);
        fputs(": ", j->out);
    }
}

static void after(struct json *j)
{
    if (j->depth == 0)
        fputc('\n', j->out);
}

void json_begin(struct json *j, FILE *out)
{
    *j = (struct json){.out = out};
    j->first[0] = true;
}

static void open_level(struct json *j, const char *key, bool array)
{
    before(j, key);
    assert(j->depth + 1 < JSON_DEPTH);
    j->depth++;
    j->first[j->depth] = true;
    j->array[j->depth] = array;
    fputc(array ? '[' : '{', j->out);
}

void json_object(struct json *j, const char *key) { open_level(j, key, false); }
void json_array(struct json *j, const char *key) { open_level(j, key, true); }

void json_end(struct json *j)
{
    assert(j->depth > 0);
    bool empty = j->first[j->depth];
    bool array = j->array[j->depth];
    j->depth--;
    if (!empty)
        indent(j);
    fputc(array ? ']' : '}', j->out);
    after(j);
}

void json_string(struct json *j, const char *key, const char *value)
{
    before(j, key);
    if (value)
        write_string(j->out, value);
    else
        fputs("null", j->out);
    after(j);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
    before(j, key);
    fprintf(j->out, "%ju", (uintmax_t)value);
    after(j);
}

void json_bool(struct json *j, const char *key, bool value)
{
    before(j, key);
    fputs(value ? "true" : "false", j->out);
    after(j);
}

void json_number(struct json *j, const char *key, double value, int digits)
{
    before(j, key);
    char text[NUMBER_TEXT] = "null";
    if (isfinite(value))
        number_format(value, digits, text);
    fputs(text, j->out);
    after(j);
}
