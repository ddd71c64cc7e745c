/* The known word that a mistyped one is closest to. */
#ifndef SUBCORE_BASE_SUGGEST_H
#define SUBCORE_BASE_SUGGEST_H

struct suggest {
    const char *given, *best;
    unsigned distance;
};

struct suggest suggest_begin(const char *given);
void suggest_try(struct suggest *suggest, const char *known);
const char *suggest_best(const struct suggest *suggest); /* NULL when nothing is close */

#endif
