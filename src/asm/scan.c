#include "asm/scan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool scan_letter(char c) { return isalpha((unsigned char)c) || c == '_' || c == '.' || c == '$'; }

bool scan_inside(char c) { return scan_letter(c) || isdigit((unsigned char)c); }

void scan_blanks(struct scan *s)
{
    while (s->at < s->end && (s->text[s->at] == ' ' || s->text[s->at] == '\t' || s->text[s->at] == '\r'))
        s->at++;
}

char scan_peek(struct scan *s)
{
    scan_blanks(s);
    return s->at < s->end ? s->text[s->at] : '\0';
}

bool scan_at_end(struct scan *s)
{
    scan_blanks(s);
    return s->at == s->end;
}

bool scan_char(struct scan *s, char c)
{
    if (scan_at_end(s) || s->text[s->at] != c)
        return false;
    s->at++;
    return true;
}

unsigned scan_column(const struct scan *s) { return (unsigned)s->at + 1; }

struct word scan_name(struct scan *s)
{
    scan_blanks(s);
    struct word word = {.text = s->text + s->at, .column = scan_column(s)};
    if (s->at < s->end && scan_letter(s->text[s->at]))
        while (s->at < s->end && scan_inside(s->text[s->at])) {
            s->at++;
            word.length++;
        }
    return word;
}

bool word_is(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

bool scan_error(const struct scan *s, unsigned column, const char *format, ...)
{
    char message[ISA_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return diagnose(s->errors, s->line, column, "%s", message);
}

static int digit_of(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Digits at the place; false when there are none, or more than fit. */
static bool read_digits(struct scan *s, unsigned base, uint64_t *value, bool *overflow)
{
    size_t start = s->at;
    *value = 0;
    for (; s->at < s->end && digit_of(s->text[s->at]) < (int)base; s->at++)
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit_of(s->text[s->at]), value))
            *overflow = true;
    return s->at > start;
}

static bool read_magnitude(struct scan *s, uint64_t *value, bool *overflow)
{
    bool hexadecimal = s->end - s->at > 2 && s->text[s->at] == '0' && (s->text[s->at + 1] | 0x20) == 'x';
    s->at += hexadecimal ? 2 : 0;
    return read_digits(s, hexadecimal ? 16 : 10, value, overflow) && !(s->at < s->end && scan_inside(s->text[s->at]));
}

bool scan_integer(struct scan *s, const char *what, int64_t *value)
{
    scan_blanks(s);
    unsigned column = scan_column(s);
    uint64_t magnitude = 0;
    bool overflow = false, negative = scan_char(s, '-');
    if (!read_magnitude(s, &magnitude, &overflow))
        return scan_error(s, column, "expected %s", what);
    if (overflow || (negative && magnitude > UINT64_C(1) << 63))
        return scan_error(s, column, "the number does not fit 64 bits");
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

bool scan_number(struct scan *s, const char *what, uint64_t low, uint64_t high, uint64_t *value)
{
    scan_blanks(s);
    unsigned column = scan_column(s);
    bool overflow = false;
    if (!read_magnitude(s, value, &overflow))
        return scan_error(s, column, "expected %s", what);
    if (overflow || *value < low || *value > high)
        return scan_error(s, column, "%s must lie between %" PRIu64 " and %" PRIu64, what, low, high);
    return true;
}

bool scan_finish(struct scan *s)
{
    return scan_at_end(s) || scan_error(s, scan_column(s), "unexpected '%c' at the end of the directive",
                                        isprint((unsigned char)s->text[s->at]) ? s->text[s->at] : '?');
}

/* ---- comments ---------------------------------------------------------------------------------------------------- */

struct cleaner {
    char *text;
    size_t at, size;
    unsigned line;
    size_t line_start;
    struct diagnostics *errors;
};

static void next_char(struct cleaner *c)
{
    if (c->text[c->at] == '\n') {
        c->line++;
        c->line_start = c->at + 1;
    }
    c->at++;
}

static bool ahead(const struct cleaner *c, const char *mark)
{
    return c->size - c->at >= strlen(mark) && memcmp(c->text + c->at, mark, strlen(mark)) == 0;
}

static void blank_to_line_end(struct cleaner *c)
{
    while (c->at < c->size && c->text[c->at] != '\n')
        c->text[c->at++] = ' ';
}

static void blank_block(struct cleaner *c)
{
    unsigned line = c->line, column = (unsigned)(c->at - c->line_start) + 1;
    memset(c->text + c->at, ' ', 2);
    c->at += 2;
    while (c->at < c->size && !ahead(c, "*/")) {
        if (c->text[c->at] != '\n')
            c->text[c->at] = ' ';
        next_char(c);
    }
    if (c->at == c->size) {
        diagnose(c->errors, line, column, "the comment does not end");
        return;
    }
    memset(c->text + c->at, ' ', 2);
    c->at += 2;
}

static void skip_string(struct cleaner *c)
{
    c->at++;
    while (c->at < c->size && c->text[c->at] != '"' && c->text[c->at] != '\n')
        c->at += c->text[c->at] == '\\' && c->at + 1 < c->size && c->text[c->at + 1] != '\n' ? 2 : 1;
    if (c->at < c->size && c->text[c->at] == '"')
        c->at++;
}

char *scan_clean(const char *text, size_t size, struct diagnostics *errors)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    struct cleaner c = {.text = copy, .size = size, .line = 1, .errors = errors};
    while (c.at < size) {
        if (ahead(&c, "//") || ahead(&c, "#"))
            blank_to_line_end(&c);
        else if (ahead(&c, "/*"))
            blank_block(&c);
        else if (copy[c.at] == '"')
            skip_string(&c);
        else
            next_char(&c);
    }
    return copy;
}
