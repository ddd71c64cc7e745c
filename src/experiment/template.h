/* The code of an experiment with the parameters of a row: text for the assembler.
 *
 *   ${RX}  ${n + 1}         a parameter as it stands in the row. Arithmetic with parameters that are numbers
 *   .repeat N [, i]         .endrepeat: the lines N times; ${i} counts from 0
 *   .if N                   .else .endif
 *   .warm R44               .endwarm: a loop around the measured part, run twice, so that caches are warm
 *   .warm R44, N            the same, run N times, 2 to 32
 *   .enter R40              R40:R41 becomes the address that .save uses; R42 is changed
 *   .save R40, name, R10    stores R10 as the warp's word `name`
 *
 * `arch` is the number of the architecture. */
#ifndef SUBCORE_EXPERIMENT_TEMPLATE_H
#define SUBCORE_EXPERIMENT_TEMPLATE_H

#include "experiment/experiment.h"

/* The kernel of a row, from .kernel to .end. */
bool template_expand(const struct experiment *e, unsigned row, unsigned arch, FILE *out, struct status *status);

/* An expression with the row's parameters. */
bool template_number(const struct experiment *e, unsigned row, unsigned arch, const char *expression, double *out,
                     struct status *status);

#endif
