#include "validate/statistics.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double statistics_quantile(const double *sorted, size_t count, double share)
{
    if (count == 0)
        return NAN;
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    double next = below + 1 < count ? sorted[below + 1] : sorted[below];
    return sorted[below] + (at - (double)below) * (next - sorted[below]);
}

bool statistics_errors(const double *error, size_t count, struct statistics *out)
{
    double *absolute = malloc((count + 1) * sizeof *absolute), sum = 0, within = 0;
    *out = (struct statistics){.mean = NAN, .bias = NAN, .median = NAN, .p90 = NAN, .worst = NAN, .within = NAN};
    if (!absolute)
        return false;
    double bias = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(error[i]))
            continue;
        absolute[out->rows++] = fabs(error[i]);
        sum += fabs(error[i]);
        bias += error[i];
        within += fabs(error[i]) <= STATISTICS_WITHIN;
        if (!(fabs(error[i]) <= fabs(out->worst)))
            out->worst = error[i];
    }
    if (out->rows) {
        double rows = (double)out->rows;
        qsort(absolute, out->rows, sizeof *absolute, ascending);
        out->mean = sum / rows;
        out->bias = bias / rows;
        out->median = statistics_quantile(absolute, out->rows, 0.5);
        out->p90 = statistics_quantile(absolute, out->rows, 0.9);
        out->within = within / rows;
    }
    free(absolute);
    return true;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

/* From 1; numbers that are equal have the mean of their places. */
static double rank_of(const double *value, size_t count, size_t index)
{
    size_t less = 0, equal = 0;
    for (size_t i = 0; i < count; i++) {
        less += value[i] < value[index];
        equal += value[i] == value[index];
    }
    return (double)less + (double)(equal + 1) / 2;
}

/* The mean of ranks is known: (count + 1) / 2. */
static double spearman(const double *x, const double *y, size_t count)
{
    double middle = (double)(count + 1) / 2, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        double a = rank_of(x, count, i) - middle, b = rank_of(y, count, i) - middle;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

static int sign(double value) { return (value > 0) - (value < 0); }

static double kendall(const double *x, const double *y, size_t count)
{
    double agreement = 0, in_x = 0, in_y = 0; /* pairs that are apart in x, in y */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            int a = sign(x[i] - x[j]), b = sign(y[i] - y[j]);
            agreement += a * b;
            in_x += a != 0;
            in_y += b != 0;
        }
    return in_x > 0 && in_y > 0 ? agreement / sqrt(in_x * in_y) : (double)NAN;
}

static double regret(const double *predicted, const double *measured, size_t count)
{
    double chosen = HUGE_VAL, best = HUGE_VAL, sum = 0, choices = 0;
    for (size_t i = 0; i < count; i++) {
        best = measured[i] < best ? measured[i] : best;
        if (predicted[i] < chosen) {
            chosen = predicted[i];
            sum = choices = 0;
        }
        if (predicted[i] == chosen) {
            sum += measured[i];
            choices++;
        }
    }
    return choices > 0 ? 100 * (sum / choices / best - 1) : (double)NAN;
}

void statistics_ranking(const double *predicted, const double *measured, size_t count, struct ranking *out)
{
    *out = (struct ranking){spearman(predicted, measured, count), kendall(predicted, measured, count),
                            regret(predicted, measured, count)};
}
