#include "experiment/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 6 };
/* Rounding of decimal fractions in the arithmetic. */
static const double rounding = 1e-6;

void verdict_print(const struct value *value, char text[EXPERIMENT_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < value->count && used < EXPERIMENT_TEXT; i++)
        used += (size_t)snprintf(text + used, EXPERIMENT_TEXT - used, "%s%.*g", i ? "/" : "", DIGITS, value->item[i]);
}

/* Returns false if the text is not a list of numbers. */
static bool read_list(const char *text, struct value *out)
{
    out->count = 0;
    while (out->count < VALUE_ITEMS) {
        char *end;
        out->item[out->count] = strtod(text, &end);
        if (end == text)
            return false;
        out->count++;
        if (*end == '\0')
            return true;
        if (*end != '/')
            return false;
        text = end + 1;
    }
    return false;
}

bool verdict_agrees(const char *expected, const char *simulated, const char *tolerance)
{
    struct value a, b;
    if (!read_list(expected, &a) || !read_list(simulated, &b))
        return strcmp(expected, simulated) == 0;
    char *unit;
    double allowed = strtod(tolerance, &unit);
    bool relative = strchr(unit, '%') != NULL;
    if (a.count != b.count)
        return false;
    for (unsigned i = 0; i < a.count; i++)
        if (!(fabs(a.item[i] - b.item[i]) <= (relative ? allowed / 100 * fabs(a.item[i]) : allowed) + rounding))
            return false; /* also NaN, as of a measure that divides by 0 */
    return true;
}
