/* A table of kernels that others measured on real GPUs: one row is one launch of one kernel variant.
 *
 * The table is CSV (validate/csv.h) with a heading; columns are found by their names, in any order. docs/validation.md,
 * section "Kernels that others measured", lists them. A column whose name holds "__" is a counter under the name that
 * Nsight Compute gives it. Columns of other names are left out; published.ignored lists them. */
#ifndef SUBCORE_VALIDATE_PUBLISHED_H
#define SUBCORE_VALIDATE_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUBLISHED_COLUMNS = 128, PUBLISHED_ARGUMENTS = 64 };

/* The number of a row that its cycles are, in the order of preference. */
enum published_basis {
    PUBLISHED_ACTIVE,  /* sm_cycles_active: mean cycles that an SM was active */
    PUBLISHED_ELAPSED, /* cycles: from the launch to its end */
    PUBLISHED_CLOCKED, /* time_us * clock_mhz */
    PUBLISHED_TIME,    /* time_us without a clock: good for ranks only */
    PUBLISHED_BASES
};

/* A launch. Texts are empty, and numbers NaN or 0, where the table says nothing. */
struct published_row {
    unsigned line; /* of the table */
    const char *set, *gpu, *cubin, *kernel, *parameters, *source;
    const char *arguments;
    const char *argument[PUBLISHED_ARGUMENTS]; /* `arguments`, apart */
    unsigned argument_count;
    uint32_t registers; /* a thread, as the driver reports (0: not said) */
    uint32_t grid[3], block[3];
    uint32_t shared;                                  /* dynamic, bytes a CTA */
    double clock_mhz, time_us, cycles, active_cycles; /* positive, or NaN */
    double *counter; /* owned; one for each of published.counter, NaN where the row has none */
};

struct published {
    struct published_row *row;
    size_t count, room;
    const char *counter[PUBLISHED_COLUMNS], *ignored[PUBLISHED_COLUMNS]; /* names of columns */
    unsigned counters, ignores;
    char *text; /* owned: names and rows point into it */
};

/* Reads a table into an empty one. False: `error` says line, column and reason, and the table is empty. */
bool published_read(struct published *table, const char *text, size_t size, char *error, size_t error_size);
void published_free(struct published *table);

enum published_basis published_basis(const struct published_row *row);
/* "sm_cycles_active" */
const char *published_basis_name(enum published_basis basis);
/* Returns the measured cycles of the launch. NaN where there is a time without a clock only. */
double published_cycles(const struct published_row *row);
/* CTAs of the grid. */
uint64_t published_ctas(const struct published_row *row);

#endif
