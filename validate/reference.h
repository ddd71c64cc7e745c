/* Numbers measured on real GPUs: the files of validate/data. A row has
 *
 *   gpu        as `subcore gpus` lists it
 *   quantity   "chase.l1", a value's name in a measurement (validate/micro)
 *   low, high  the range; sources that disagree give one, else both are the same
 *   unit       empty: a count
 *   tolerance  in percent of the nearer end (empty: the number is compared, not judged)
 *   source     who measured it, where and when
 *   open       why it is known not to fit; empty where it should
 *
 * with a heading of these names before them. */
#ifndef SUBCORE_VALIDATE_REFERENCE_H
#define SUBCORE_VALIDATE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct reference {
    const char *gpu, *quantity, *unit, *source, *open; /* open: empty when it should fit */
    double low, high, tolerance;                       /* tolerance: percent of the nearer end (NaN: none) */
};

struct references {
    struct reference *row;
    size_t count, room;
    char **text; /* owned: the rows point into it */
    size_t texts;
};

/* Adds the rows of one file. False: `error` names the line. The rows from before stay. */
bool references_read(struct references *r, const char *text, size_t size, char *error, size_t error_size);
void references_free(struct references *r);

/* NULL when there is none. */
const struct reference *references_find(const struct references *r, const char *gpu, const char *quantity);

enum reference_verdict {
    REFERENCE_NONE, /* nothing to compare with, or no tolerance */
    REFERENCE_OK,
    REFERENCE_MISS,
    REFERENCE_OPEN,  /* a miss that the row explains */
    REFERENCE_CLOSED /* open, but it fits: the row is out of date */
};

/* How far outside the range, in percent of the nearer end; 0 inside, 100 where that end is 0. */
double reference_deviation(const struct reference *reference, double value);
enum reference_verdict reference_judge(const struct reference *reference, double value);
const char *reference_verdict_name(enum reference_verdict verdict);

#endif
