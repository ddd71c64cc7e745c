/* Numbers that others have measured on real GPUs: reference.tsv, one a line, with tabs between
 *
 *   GPU  quantity  low  high  unit  tolerance in percent  source  why it is open
 *
 * Sources that disagree give a range. A row whose last field is not empty is known not to fit. '#' begins a comment. */
#ifndef SUBCORE_MEASURE_REFERENCE_H
#define SUBCORE_MEASURE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct reference {
    const char *gpu, *quantity, *unit, *source, *open; /* open: empty when it should fit */
    double low, high, tolerance;                       /* tolerance: percent of the nearer end */
};

struct references {
    struct reference *row;
    size_t count;
    char *text; /* owned: what the rows point into */
};

/* False: `error` names the line. */
bool references_read(struct references *r, const char *text, size_t size, char *error, size_t error_size);
void references_free(struct references *r);

/* NULL when there is none. */
const struct reference *references_find(const struct references *r, const char *gpu, const char *quantity);

enum reference_verdict {
    REFERENCE_NONE, /* nothing to compare with */
    REFERENCE_OK,
    REFERENCE_MISS,
    REFERENCE_OPEN,  /* a miss that the row explains */
    REFERENCE_CLOSED /* open, but it fits: the row is out of date */
};

/* How far outside the range, in percent of the nearer end; 0 inside. */
double reference_deviation(const struct reference *reference, double value);
enum reference_verdict reference_judge(const struct reference *reference, double value);
const char *reference_verdict_name(enum reference_verdict verdict);

#endif
