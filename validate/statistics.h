/* The distance of predictions from measurements, over many rows: errors, ranks, and the cost of a wrong choice. */
#ifndef SUBCORE_VALIDATE_STATISTICS_H
#define SUBCORE_VALIDATE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the value below which `share` (0 to 1) of the ascending numbers lie, between neighbours in proportion; NaN:
 * there are none. */
double statistics_quantile(const double *ascending, size_t count, double share);

struct statistics {
    size_t rows;
    double mean;        /* of the absolute errors */
    double bias;        /* mean signed error */
    double median, p90; /* of the absolute errors */
    double worst;       /* the error, signed, that is absolutely largest */
    double within;      /* rows that are off by at most STATISTICS_WITHIN, of 1 */
};
enum { STATISTICS_WITHIN = 12 }; /* percent */

/* Of signed errors, those that are NaN left out. False: no memory. All but `rows` is NaN without rows. */
bool statistics_errors(const double *error, size_t count, struct statistics *out);

/* Rank correlations of pairs. Values that are equal share their mean rank. NaN in *out where there are less than two
 * pairs, or all values of a side are equal. */
struct ranking {
    double spearman; /* Pearson's correlation of the ranks */
    double kendall;  /* tau-b: agreeing pairs less contradicting ones, over the pairs that are no ties */
    /* Measured value of the predictions' choice (the least; among equals the mean) over the least measured
     * one, in percent above it. NaN: no pairs. */
    double regret;
};

/* For positive numbers that should be small. */
void statistics_ranking(const double *predicted, const double *measured, size_t count, struct ranking *out);

#endif
