/* Tables of measurements as text and CSV. */
#ifndef SUBCORE_MEASURE_TABLE_H
#define SUBCORE_MEASURE_TABLE_H

#include <stdio.h>

#include "measure.h"
#include "validate/reference.h"

struct table_count {
    unsigned ok, missed, open, closed;
};

/* The table, then the numbers beside their references. `count` is added to. */
void table_text(const struct measure_run *run, const struct references *references, struct table_count *count,
                FILE *out);
/* One line a cell: gpu, measure, row or x, column, value. */
void table_csv_heading(FILE *out);
void table_csv(const struct measure_run *run, FILE *out);
/* Adds up the verdicts of a run. */
void table_count(const struct measure_run *run, const struct references *references, struct table_count *count);

#endif
