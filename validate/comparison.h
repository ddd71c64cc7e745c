/* Predictions of the simulator beside measurements on hardware, and how wrong it is.
 *
 * The error of a row is signed and in percent of the measured range's nearer end, so that it is 0 within a range.
 * Where 0 was measured and something else predicted, and where the simulator gave no number, it is 100 %. */
#ifndef SUBCORE_VALIDATE_COMPARISON_H
#define SUBCORE_VALIDATE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "validate/reference.h"

enum comparison_kind {
    COMPARISON_MEASUREMENT, /* of validate/micro: constants are fitted on it */
    COMPARISON_EXPERIMENT,  /* of experiments/: the same */
    COMPARISON_KERNEL,      /* of validate/kernels: nothing is fitted on these */
    COMPARISON_KINDS
};

struct comparison_row {
    enum comparison_kind kind;
    char *quantity, *unit, *source, *open; /* owned; source, open: empty where nothing was measured */
    double predicted, low, high;           /* low, high: NaN where nothing was measured */
    double error;                          /* percent; NaN where nothing was measured */
    enum reference_verdict verdict;
};

struct comparison {
    struct comparison_row *row;
    size_t count, room;
};

/* `reference` is copied (NULL: nothing was measured). False: no memory. */
bool comparison_add(struct comparison *c, enum comparison_kind kind, const char *quantity, const char *unit,
                    double predicted, const struct reference *reference);
void comparison_free(struct comparison *c);

/* The largest absolute error first, rows without one last; otherwise the order in which they came. */
void comparison_sort(struct comparison *c);

/* "gpc__cycles_elapsed.max" of "kernel.needle.full.0.gpc__cycles_elapsed.max" (NULL: not the quantity of a kernel). */
const char *comparison_metric(const char *quantity);

/* ---- over many rows ---------------------------------------------------------------------------------------------- */

/* The metric of kernels whose error counts. */
extern const char comparison_cycles[];

struct accuracy {
    unsigned rows;      /* with an error */
    unsigned within5;   /* of these, by at most 5 % off */
    double mape;        /* mean absolute error, percent */
    double bias;        /* mean signed error, percent */
    double median, p90; /* of the absolute error, percent */
    double correlation; /* of predicted and measured (the middle of a range), Pearson's; NaN below two rows */
    const struct comparison_row *worst; /* NULL without rows */
};

/* For rows of one kind, or kernel rows with `metric`. False: no memory. */
bool comparison_accuracy(const struct comparison *c, enum comparison_kind kind, const char *metric,
                         struct accuracy *out);

/* Mean absolute difference of a metric that is itself in percent, in points (NaN: there are no rows). */
double comparison_points(const struct comparison *c, const char *metric, unsigned *rows);

/* The share of a launch's stalled warp-cycles that stands under another reason than on hardware, in percent, averaged
 * over launches: half the sum of the shares' absolute differences. NaN: there are none. */
double comparison_stalls(const struct comparison *c, unsigned *launches);

#endif
