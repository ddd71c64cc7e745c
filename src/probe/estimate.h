/* A number that was not simulated to the end, with its error as far as known. */
#ifndef SUBCORE_PROBE_ESTIMATE_H
#define SUBCORE_PROBE_ESTIMATE_H

#include <math.h>

enum estimate_kind {
    ESTIMATE_EXACT,     /* simulated: the error is 0 */
    ESTIMATE_BOUND,     /* the true value is not below it. The error is ESTIMATE_UNKNOWN */
    ESTIMATE_PROJECTED, /* projected from a part */
    ESTIMATE_KINDS
};

#define ESTIMATE_UNKNOWN ((double)INFINITY)

struct estimate {
    double value;
    double error; /* in the unit of `value`: under the assumption of the method, the true value is no further off */
    enum estimate_kind kind;
    char method[28]; /* "": exact */
};

#endif
