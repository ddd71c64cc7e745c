/* A line through points that come one after another, by least squares. */
#ifndef SUBCORE_PROBE_FIT_H
#define SUBCORE_PROBE_FIT_H

#include <stdint.h>

struct fit {
    uint64_t points;
    double x, y, xx, xy; /* sums */
};

/* y = offset + slope * x */
struct fit_line {
    double offset, slope;
};

/* Adds a point with x > 0. */
void fit_add(struct fit *fit, double x, double y);
/* Returns the line. It goes through the origin and the mean point while there are fewer than four points, while all
 * have the same x, and where y falls with x. There must be a point. */
struct fit_line fit_line(const struct fit *fit);

static inline double fit_mean(const struct fit *fit) { return fit->y / (double)fit->points; }
static inline double fit_at(struct fit_line line, double x) { return line.offset + line.slope * x; }

#endif
