/* Arithmetic of experiment files: numbers, and lists of numbers such as one for each warp.
 *
 *   + - * / %  == != < <= > >=  ( )  list[index]  min(list) max(list) sort(list) f32(list)
 *
 * An operator takes lists element by element. A single number goes with each element. f32 reads the bits of a float. */
#ifndef SUBCORE_EXPERIMENT_EXPRESSION_H
#define SUBCORE_EXPERIMENT_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { VALUE_ITEMS = 256 };

struct value {
    unsigned count;
    double item[VALUE_ITEMS];
};

struct names {
    bool (*find)(const void *self, const char *name, size_t length, struct value *out);
    const void *self;
};

/* A list of one. */
void value_set(struct value *value, double number);

/* The status names the expression. */
bool expression_evaluate(const char *text, size_t length, const struct names *names, struct value *out,
                         struct status *status);

#endif
