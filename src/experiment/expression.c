#include "experiment/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16, LONGEST_NUMBER = 32 };

struct scan {
    const char *at, *end;
    const struct names *names;
    unsigned depth;
    char reason[96];
};

static bool fail(struct scan *s, const char *reason)
{
    if (!s->reason[0])
        snprintf(s->reason, sizeof s->reason, "%s", reason);
    return false;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        s->at++;
}

static bool take(struct scan *s, const char *token)
{
    size_t length = strlen(token);
    skip_space(s);
    if ((size_t)(s->end - s->at) < length || strncmp(s->at, token, length) != 0)
        return false;
    s->at += length;
    return true;
}

void value_set(struct value *value, double number)
{
    value->count = 1;
    value->item[0] = number;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static double apply(char operation, double a, double b)
{
    switch (operation) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case '%': return fmod(a, b);
    case '=': return a == b;
    case '!': return a != b;
    case '<': return a < b;
    case '>': return a > b;
    case 'l': return a <= b;
    default: return a >= b;
    }
}

static bool combine(struct scan *s, char operation, struct value *left, const struct value *right)
{
    if (left->count != right->count && left->count != 1 && right->count != 1)
        return fail(s, "lists of different lengths");
    double single = left->item[0];
    bool spread = left->count == 1;
    if (right->count > left->count)
        left->count = right->count;
    for (unsigned i = 0; i < left->count; i++)
        left->item[i] =
            apply(operation, spread ? single : left->item[i], right->count == 1 ? right->item[0] : right->item[i]);
    return true;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double float_of(double bits)
{
    uint32_t word = (uint32_t)bits;
    float number;
    memcpy(&number, &word, sizeof number);
    return (double)number;
}

static bool is(const char *name, size_t length, const char *known)
{
    return strlen(known) == length && strncmp(name, known, length) == 0;
}

static bool call(struct scan *s, const char *name, size_t length, struct value *v)
{
    if (is(name, length, "f32")) {
        for (unsigned i = 0; i < v->count; i++)
            v->item[i] = float_of(v->item[i]);
        return true;
    }
    qsort(v->item, v->count, sizeof v->item[0], by_size);
    if (is(name, length, "min"))
        value_set(v, v->item[0]);
    else if (is(name, length, "max"))
        value_set(v, v->item[v->count - 1]);
    else if (!is(name, length, "sort"))
        return fail(s, "there is no such function");
    return true;
}

/* ---- grammar ----------------------------------------------------------------------------------------------------- */

static bool comparison(struct scan *s, struct value *out);

static bool number(struct scan *s, struct value *out)
{
    char text[LONGEST_NUMBER], *end;
    size_t length = (size_t)(s->end - s->at) < sizeof text - 1 ? (size_t)(s->end - s->at) : sizeof text - 1;
    memcpy(text, s->at, length);
    text[length] = '\0';
    value_set(out, strtod(text, &end));
    s->at += end - text;
    return end != text || fail(s, "a number is missing");
}

static bool name_or_call(struct scan *s, struct value *out)
{
    const char *name = s->at;
    while (s->at < s->end && (isalnum((unsigned char)*s->at) || *s->at == '_'))
        s->at++;
    size_t length = (size_t)(s->at - name);
    if (take(s, "("))
        return comparison(s, out) && (take(s, ")") || fail(s, "a ) is missing")) && call(s, name, length, out);
    return s->names->find(s->names->self, name, length, out) || fail(s, "there is no such name");
}

static bool primary(struct scan *s, struct value *out)
{
    skip_space(s);
    if (s->at == s->end)
        return fail(s, "it ends too early");
    if (take(s, "("))
        return comparison(s, out) && (take(s, ")") || fail(s, "a ) is missing"));
    return isalpha((unsigned char)*s->at) || *s->at == '_' ? name_or_call(s, out) : number(s, out);
}

static bool factor(struct scan *s, struct value *out)
{
    struct value index;
    if (take(s, "-")) {
        value_set(&index, -1);
        if (++s->depth > DEEPEST)
            return fail(s, "it is nested too deeply");
        bool good = factor(s, out) && combine(s, '*', out, &index);
        s->depth--;
        return good;
    }
    if (!primary(s, out))
        return false;
    while (take(s, "[")) {
        if (!comparison(s, &index) || !take(s, "]"))
            return fail(s, "a ] is missing");
        if (index.count != 1 || !(index.item[0] >= 0 && index.item[0] < out->count))
            return fail(s, "the list has no such element");
        value_set(out, out->item[(unsigned)index.item[0]]);
    }
    return true;
}

static bool product(struct scan *s, struct value *out)
{
    struct value right;
    if (!factor(s, out))
        return false;
    for (;;) {
        char operation = (char)(take(s, "*") ? '*' : take(s, "/") ? '/' : take(s, "%") ? '%' : 0);
        if (!operation)
            return true;
        if (!factor(s, &right) || !combine(s, operation, out, &right))
            return false;
    }
}

static bool sum(struct scan *s, struct value *out)
{
    struct value right;
    if (!product(s, out))
        return false;
    for (;;) {
        char operation = (char)(take(s, "+") ? '+' : take(s, "-") ? '-' : 0);
        if (!operation)
            return true;
        if (!product(s, &right) || !combine(s, operation, out, &right))
            return false;
    }
}

static char relation(struct scan *s)
{
    static const struct {
        const char *token;
        char operation;
    } relations[] = {{"==", '='}, {"!=", '!'}, {"<=", 'l'}, {">=", 'g'}, {"<", '<'}, {">", '>'}};
    for (unsigned i = 0; i < sizeof relations / sizeof relations[0]; i++)
        if (take(s, relations[i].token))
            return relations[i].operation;
    return 0;
}

static bool comparison(struct scan *s, struct value *out)
{
    struct value right;
    if (++s->depth > DEEPEST)
        return fail(s, "it is nested too deeply");
    if (!sum(s, out))
        return false;
    char operation = relation(s);
    s->depth--;
    return !operation || (sum(s, &right) && combine(s, operation, out, &right));
}

bool expression_evaluate(const char *text, size_t length, const struct names *names, struct value *out,
                         struct status *status)
{
    struct scan s = {.at = text, .end = text + length, .names = names};
    if (!comparison(&s, out) || (skip_space(&s), s.at != s.end && !fail(&s, "something follows that does not belong")))
        return status_fail(status, STATUS_FORMAT, "'%.*s': %s", (int)length, text, s.reason);
    return true;
}
