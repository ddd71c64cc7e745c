/* The simulated results for the rows of a table (validate/published.h), and their distance from the measured ones. */
#ifndef SUBCORE_VALIDATE_PUBLISHED_RESULTS_H
#define SUBCORE_VALIDATE_PUBLISHED_RESULTS_H

#include <stdio.h>

#include "validate/published.h"
#include "validate/statistics.h"

enum published_state {
    PUBLISHED_COMPARED,
    PUBLISHED_OTHER_CODE, /* the measured code is not the code of the cubin: set apart */
    PUBLISHED_FAILED,     /* nothing came of it */
    PUBLISHED_STATES
};

struct published_result {
    const struct published_row *row;
    enum published_state state;
    char why[192];         /* empty of rows that are compared */
    uint32_t registers;    /* of the cubin's kernel (0: there is none) */
    uint32_t sms, gpu_sms; /* simulated, and of the GPU */
    uint32_t ctas_per_sm;  /* that an SM holds at once */
    uint64_t ctas;         /* timed, of the longer run */
    bool whole;            /* the whole grid, or the part's share of it, was run */
    double cycles_per_cta; /* SM cycles in steady state; NaN of whole grids */
    double predicted;      /* cycles of the launch, as published_cycles has them (NaN: none) */
    double error;          /* percent (NaN: none) */
    double *counter;       /* owned; predicted, one for each of published.counter, NaN: none */
    double seconds;        /* host time */
};

struct published_results {
    const struct published *table;
    const char *unit[PUBLISHED_COLUMNS]; /* of each counter (NULL: the simulator has no number for it) */
    const struct published_result **row; /* owned, as the memory that it points to */
    size_t count;
    uint32_t part; /* SMs that were simulated of each GPU (0: all) */
    uint32_t waves;
};

/* "other code" */
const char *published_state_name(enum published_state state);

/* Adds a copy, and takes over its counters. False: no memory, and the counters still belong to the caller. */
bool published_results_add(struct published_results *results, const struct published_result *result);
void published_results_free(struct published_results *results);
/* Rows that are compared first, those with the largest absolute error first; then the order of the table. */
void published_results_sort(struct published_results *results);

/* Returns the signed error of a counter: in points where it is itself in percent, else in percent of the measured value
 * (100 where that is 0 and the prediction is not); NaN where one of them is not known, or the row is not compared. */
double published_counter_error(const struct published_results *results, const struct published_result *result,
                               unsigned counter);
/* Returns whether errors of the counter are points. */
bool published_counter_points(const struct published_results *results, unsigned counter);

/* ---- rows of one set and GPU ------------------------------------------------------------------------------------- */

struct published_group {
    const char *set, *gpu;
    size_t rows[PUBLISHED_STATES];
    size_t basis[PUBLISHED_BASES]; /* of the rows that are compared */
    struct statistics cycles;
    struct ranking ranking; /* by cycles; where all rows have times without a clock only, by these */
    size_t ranked;
};

/* Returns the groups, in the order of the table, for the caller to free (NULL: no memory). */
struct published_group *published_groups(const struct published_results *results, size_t *count);
/* Errors of a counter over the rows of a group. False: no memory. */
bool published_group_counter(const struct published_results *results, const struct published_group *group,
                             unsigned counter, struct statistics *out);

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* The comparisons, each row with its errors, the rows that were set apart, and the groups. False: no memory. */
bool published_text(const struct published_results *results, FILE *out);
/* A line for the cycles and each counter of a row: docs/validation.md lists the columns. */
void published_csv(const struct published_results *results, FILE *out);
/* Left: absolute errors of cycles, sorted. Right: predicted against measured, both logarithmic. False: no memory. */
bool published_svg(const struct published_results *results, FILE *out);

#endif
