#include "validate/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate/statistics.h"

const char comparison_cycles[] = "gpc__cycles_elapsed.max";

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void free_row(struct comparison_row *row)
{
    free(row->quantity);
    free(row->unit);
    free(row->source);
    free(row->open);
}

bool comparison_add(struct comparison *c, enum comparison_kind kind, const char *quantity, const char *unit,
                    double predicted, const struct reference *reference)
{
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 256;
        struct comparison_row *rows = realloc(c->row, room * sizeof *rows);
        if (!rows)
            return false;
        c->row = rows;
        c->room = room;
    }
    struct comparison_row row = {
        .kind = kind,
        .quantity = strdup(quantity),
        .unit = strdup(unit),
        .source = strdup(reference ? reference->source : ""),
        .open = strdup(reference ? reference->open : ""),
        .predicted = predicted,
        .low = reference ? reference->low : NAN,
        .high = reference ? reference->high : NAN,
        .error = !reference         ? NAN
                 : isnan(predicted) ? -100
                                    : reference_deviation(reference, predicted),
        .verdict = reference_judge(reference, predicted),
    };
    if (!row.quantity || !row.unit || !row.source || !row.open) {
        free_row(&row);
        return false;
    }
    c->row[c->count++] = row;
    return true;
}

void comparison_free(struct comparison *c)
{
    for (size_t i = 0; i < c->count; i++)
        free_row(&c->row[i]);
    free(c->row);
    *c = (struct comparison){0};
}

static double magnitude(const struct comparison_row *row) { return isnan(row->error) ? -1 : fabs(row->error); }

void comparison_sort(struct comparison *c)
{
    /* Insertion by halves keeps the order of equals. */
    for (size_t i = 1; i < c->count; i++) {
        struct comparison_row row = c->row[i];
        size_t low = 0, high = i;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (magnitude(&c->row[middle]) >= magnitude(&row))
                low = middle + 1;
            else
                high = middle;
        }
        memmove(&c->row[low + 1], &c->row[low], (i - low) * sizeof row);
        c->row[low] = row;
    }
}

const char *comparison_metric(const char *quantity)
{
    if (strncmp(quantity, "kernel.", 7) != 0)
        return NULL;
    const char *at = quantity + 7;
    for (unsigned part = 0; at && part < 3; part++) {
        at = strchr(at, '.');
        at = at ? at + 1 : NULL;
    }
    return at;
}

/* ---- accuracy ---------------------------------------------------------------------------------------------------- */

static bool is_metric(const struct comparison_row *row, const char *metric)
{
    const char *own = comparison_metric(row->quantity);
    return own && strcmp(own, metric) == 0;
}

static bool counts(const struct comparison_row *row, enum comparison_kind kind, const char *metric)
{
    return row->kind == kind && !isnan(row->error) && (kind != COMPARISON_KERNEL || is_metric(row, metric));
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct moments {
    double n, x, y, xx, yy, xy;
};

static double correlation(const struct moments *m)
{
    double xx = m->n * m->xx - m->x * m->x, yy = m->n * m->yy - m->y * m->y;
    return xx > 0 && yy > 0 ? (m->n * m->xy - m->x * m->y) / sqrt(xx * yy) : (double)NAN;
}

bool comparison_accuracy(const struct comparison *c, enum comparison_kind kind, const char *metric,
                         struct accuracy *out)
{
    *out = (struct accuracy){.correlation = NAN};
    double *error = malloc((c->count + 1) * sizeof *error);
    if (!error)
        return false;
    struct moments m = {0};
    for (size_t i = 0; i < c->count; i++) {
        const struct comparison_row *row = &c->row[i];
        if (!counts(row, kind, metric))
            continue;
        double absolute = fabs(row->error), x = (row->low + row->high) / 2, y = row->predicted;
        if (!out->worst || absolute > fabs(out->worst->error))
            out->worst = row;
        out->within5 += absolute <= 5;
        out->mape += absolute;
        out->bias += row->error;
        m = (struct moments){m.n + 1, m.x + x, m.y + y, m.xx + x * x, m.yy + y * y, m.xy + x * y};
        error[out->rows++] = absolute;
    }
    if (out->rows) {
        qsort(error, out->rows, sizeof *error, by_size);
        out->mape /= out->rows;
        out->bias /= out->rows;
        out->median = statistics_quantile(error, out->rows, 0.5);
        out->p90 = statistics_quantile(error, out->rows, 0.9);
        out->correlation = correlation(&m);
    }
    free(error);
    return true;
}

double comparison_points(const struct comparison *c, const char *metric, unsigned *rows)
{
    double sum = 0;
    *rows = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct comparison_row *row = &c->row[i];
        if (!counts(row, COMPARISON_KERNEL, metric))
            continue;
        sum += row->predicted < row->low    ? row->low - row->predicted
               : row->predicted > row->high ? row->predicted - row->high
                                            : 0;
        ++*rows;
    }
    return *rows ? sum / *rows : (double)NAN;
}

/* ---- stalls ------------------------------------------------------------------------------------------------------ */

/* A share of the warp-cycles without an issue, by its reason. */
static bool is_stall(const struct comparison_row *row)
{
    static const char family[] = "smsp__average_warps_issue_stalled_";
    const char *metric = comparison_metric(row->quantity);
    return !isnan(row->error) && metric && strncmp(metric, family, sizeof family - 1) == 0 &&
           strncmp(metric + sizeof family - 1, "selected_", 9) != 0;
}

static bool same_launch(const struct comparison_row *a, const struct comparison_row *b)
{
    size_t length = (size_t)(comparison_metric(a->quantity) - a->quantity);
    return strncmp(a->quantity, b->quantity, length) == 0;
}

double comparison_stalls(const struct comparison *c, unsigned *launches)
{
    double sum = 0;
    *launches = 0;
    for (size_t first = 0; first < c->count; first++) {
        if (!is_stall(&c->row[first]))
            continue;
        bool seen = false;
        for (size_t i = 0; i < first && !seen; i++)
            seen = is_stall(&c->row[i]) && same_launch(&c->row[i], &c->row[first]);
        double predicted = 0, measured = 0, apart = 0;
        for (size_t i = first; i < c->count && !seen; i++)
            if (is_stall(&c->row[i]) && same_launch(&c->row[i], &c->row[first])) {
                predicted += c->row[i].predicted;
                measured += c->row[i].low;
            }
        if (seen || predicted <= 0 || measured <= 0)
            continue;
        for (size_t i = first; i < c->count; i++)
            if (is_stall(&c->row[i]) && same_launch(&c->row[i], &c->row[first]))
                apart += fabs(c->row[i].predicted / predicted - c->row[i].low / measured);
        sum += 50 * apart;
        ++*launches;
    }
    return *launches ? sum / *launches : (double)NAN;
}
