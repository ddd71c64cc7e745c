/* A comparison as text, CSV and picture. */
#ifndef SUBCORE_VALIDATE_ACCURACY_H
#define SUBCORE_VALIDATE_ACCURACY_H

#include <stdio.h>

#include "validate/comparison.h"

/* Rows that were measured, in their order: those that are off, then how many are not. */
void accuracy_rows(const struct comparison *c, FILE *out);
/* A line for each kind of rows, then the kernel metrics that are only compared. False: no memory. */
bool accuracy_summary(const struct comparison *c, FILE *out);

/* All rows: gpu,kind,quantity,unit,predicted,low,high,error_percent,verdict,source,open. */
void accuracy_csv_heading(FILE *out);
void accuracy_csv(const struct comparison *c, const char *gpu, FILE *out);

/* Left: absolute errors, sorted. Right: predicted against measured, both logarithmic. Of kernels only the cycles.
 * False: no memory. */
bool accuracy_svg(const struct comparison *c, const char *gpu, FILE *out);

/* "measurement" */
const char *comparison_kind_name(enum comparison_kind kind);

/* The metrics of a kernel that are compared in points of a percentage. NULL ends. */
extern const char *const accuracy_points[];

#endif
