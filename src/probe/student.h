/* Student's quantile of a two-sided 95 % interval. */
#ifndef SUBCORE_PROBE_STUDENT_H
#define SUBCORE_PROBE_STUDENT_H

/* Returns the quantile for so many degrees of freedom, 2 at least, by the expansion of Cornish and Fisher. */
static inline double student_quantile(double freedom)
{
    const double z = 1.96;
    double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, f = freedom;
    return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

#endif
