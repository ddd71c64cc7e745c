#include "validate/published_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *published_state_name(enum published_state state)
{
    static const char *const name[PUBLISHED_STATES] = {"compared", "other code", "failed"};
    return name[state];
}

bool published_results_add(struct published_results *results, const struct published_result *result)
{
    size_t room = results->count + 1;
    const struct published_result **row = realloc(results->row, room * sizeof(const struct published_result *));
    if (!row)
        return false;
    results->row = row;
    struct published_result *copy = malloc(sizeof *copy);
    if (!copy)
        return false;
    *copy = *result;
    results->row[results->count++] = copy;
    return true;
}

void published_results_free(struct published_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        free(results->row[i]->counter);
        free((void *)results->row[i]);
    }
    free(results->row);
    results->row = NULL;
    results->count = 0;
}

static int by_error(const void *a, const void *b)
{
    const struct published_result *x = *(const struct published_result *const *)a;
    const struct published_result *y = *(const struct published_result *const *)b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    double ex = isnan(x->error) ? -1 : fabs(x->error), ey = isnan(y->error) ? -1 : fabs(y->error);
    if (x->state == PUBLISHED_COMPARED && ex != ey)
        return ex > ey ? -1 : 1;
    return (x->row->line > y->row->line) - (x->row->line < y->row->line);
}

void published_results_sort(struct published_results *results)
{
    if (results->count)
        qsort(results->row, results->count, sizeof(const struct published_result *), by_error);
}

bool published_counter_points(const struct published_results *results, unsigned counter)
{
    return results->unit[counter] && strcmp(results->unit[counter], "%") == 0;
}

double published_counter_error(const struct published_results *results, const struct published_result *result,
                               unsigned counter)
{
    double measured = result->row->counter[counter];
    double predicted = result->counter ? result->counter[counter] : (double)NAN;
    if (result->state != PUBLISHED_COMPARED || isnan(measured) || isnan(predicted))
        return NAN;
    if (published_counter_points(results, counter))
        return predicted - measured;
    if (measured == 0)
        return predicted == 0 ? 0 : 100;
    return 100 * (predicted / measured - 1);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool belongs(const struct published_group *group, const struct published_result *result)
{
    return strcmp(group->set, result->row->set) == 0 && strcmp(group->gpu, result->row->gpu) == 0;
}

static struct published_group *find_group(struct published_group *group, size_t *count,
                                          const struct published_result *result)
{
    for (size_t i = 0; i < *count; i++)
        if (belongs(&group[i], result))
            return &group[i];
    group[*count] = (struct published_group){.set = result->row->set, .gpu = result->row->gpu};
    return &group[(*count)++];
}

/* The kinds of rows in a group that are compared. */
struct series {
    double *error, *predicted, *measured;
    size_t count;
};

static void collect(const struct published_results *results, const struct published_group *group, struct series *s)
{
    bool times = group->basis[PUBLISHED_TIME] == group->rows[PUBLISHED_COMPARED];
    s->count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct published_result *r = results->row[i];
        double measured = times ? r->row->time_us : published_cycles(r->row);
        if (!belongs(group, r) || r->state != PUBLISHED_COMPARED || isnan(measured) || isnan(r->predicted))
            continue;
        s->error[s->count] = r->error;
        s->predicted[s->count] = r->predicted;
        s->measured[s->count++] = measured;
    }
}

static bool count_group(const struct published_results *results, struct published_group *group, struct series *s)
{
    collect(results, group, s);
    statistics_ranking(s->predicted, s->measured, s->count, &group->ranking);
    group->ranked = s->count;
    return statistics_errors(s->error, s->count, &group->cycles);
}

/* By the line of its first row. */
static void list_groups(const struct published_results *results, struct published_group *group, size_t *count)
{
    unsigned next = 0;
    for (size_t n = 0; n < results->count; n++) {
        const struct published_result *first = NULL;
        for (size_t i = 0; i < results->count; i++) {
            const struct published_result *r = results->row[i];
            if (r->row->line > next && (!first || r->row->line < first->row->line))
                first = r;
        }
        if (!first)
            return;
        next = first->row->line;
        struct published_group *own = find_group(group, count, first);
        own->rows[first->state]++;
        if (first->state == PUBLISHED_COMPARED)
            own->basis[published_basis(first->row)]++;
    }
}

struct published_group *published_groups(const struct published_results *results, size_t *count)
{
    size_t room = results->count + 1;
    struct published_group *group = malloc(room * sizeof *group);
    struct series s = {malloc(room * sizeof(double)), malloc(room * sizeof(double)), malloc(room * sizeof(double)), 0};
    bool ok = group && s.error && s.predicted && s.measured;
    *count = 0;
    if (ok)
        list_groups(results, group, count);
    for (size_t i = 0; ok && i < *count; i++)
        ok = count_group(results, &group[i], &s);
    free(s.error);
    free(s.predicted);
    free(s.measured);
    if (ok)
        return group;
    free(group);
    return NULL;
}

bool published_group_counter(const struct published_results *results, const struct published_group *group,
                             unsigned counter, struct statistics *out)
{
    double *error = malloc((results->count + 1) * sizeof *error);
    size_t count = 0;
    if (!error)
        return false;
    for (size_t i = 0; i < results->count; i++)
        if (belongs(group, results->row[i]))
            error[count++] = published_counter_error(results, results->row[i], counter);
    bool ok = statistics_errors(error, count, out);
    free(error);
    return ok;
}
