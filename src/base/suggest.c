#include "base/suggest.h"

#include <stddef.h>
#include <string.h>

#include "base/order.h"

enum { LONGEST = 63 };

/* Letters to insert, delete or replace (Levenshtein), over one row of the table. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t length = strlen(b);
    unsigned row[LONGEST + 1];
    if (length > LONGEST)
        return LONGEST;
    for (unsigned j = 0; j <= length; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= length; j++) {
            unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smaller(replaced, 1 + smaller(row[j], row[j - 1]));
        }
    }
    return row[length];
}

struct suggest suggest_begin(const char *given)
{
    return (struct suggest){.given = given, .distance = (unsigned)smaller(3, (unsigned)strlen(given) / 2)};
}

/* A word that begins with the given one is as good as one wrong letter. */
void suggest_try(struct suggest *suggest, const char *known)
{
    size_t length = strlen(suggest->given);
    unsigned distance = edit_distance(suggest->given, known);
    if (length >= 2 && strncmp(known, suggest->given, length) == 0)
        distance = 1;
    if (distance <= suggest->distance && (!suggest->best || distance < suggest->distance)) {
        suggest->distance = distance;
        suggest->best = known;
    }
}

const char *suggest_best(const struct suggest *suggest) { return suggest->best; }
