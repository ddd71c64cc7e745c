/* A measurement's table as an SVG: the curves of the GPU at hand, the references as lines and bands. */
#ifndef SUBCORE_MEASURE_PLOT_H
#define SUBCORE_MEASURE_PLOT_H

#include <stdio.h>

#include "measure.h"
#include "validate/reference.h"

void plot_svg(const struct measure_run *run, const struct references *references, FILE *out);

#endif
