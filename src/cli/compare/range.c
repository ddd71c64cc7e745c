#include "cli/compare/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/document.h"

bool range_wanted(const struct command *command, const struct cli_options *options)
{
    return (command->options & CLI_BIT(RANGE)) && options->range;
}

/* Members that belong to one run only. */
static bool check(const struct cli_options *o, struct status *status)
{
    const char *option = o->gpu && strchr(o->gpu, ',') ? "gpu A,B"
                         : o->functional               ? "functional"
                         : o->check                    ? "check"
                         : o->csv                      ? "csv"
                         : o->source                   ? "source"
                         : o->html                     ? "html"
                         : o->baseline                 ? "baseline"
                         : o->sample                   ? "sample"
                         : o->record                   ? "record"
                         : o->report                   ? "report"
                         : o->save                     ? "save"
                         : o->resume                   ? "resume"
                         : o->perfetto                 ? "perfetto"
                         : o->kanata                   ? "kanata"
                         : o->check_hazards            ? "check-hazards"
                         : o->list                     ? "list"
                         : o->out.count > 0            ? "out"
                                                       : NULL;
    return !option ||
           status_fail(status, STATUS_USAGE, "--range runs the command many times: it does not go with --%s", option);
}

/* ---- keys and points --------------------------------------------------------------------------------------------- */

static bool find_keys(struct range *r, struct status *status)
{
    struct config_value v;
    r->values = config_value_count();
    r->keys = calloc(r->values, sizeof *r->keys);
    if (!r->keys)
        return status_fail(status, STATUS_MEMORY, "no memory for the ranges of %zu values", r->values);
    for (size_t i = 0; config_value_at(&r->gpu.config, &r->gpu.origin, i, &v); i++) {
        if (!v.assumed)
            continue;
        struct range_key *key = &r->keys[r->key_count++];
        key->value = v;
        if (!config_range_find(&r->gpu.config, v.section, v.key, &key->range))
            key->range.why = "";
    }
    return true;
}

/* Room for the user's own assignments and `more`. */
static bool add_point(struct range *r, enum range_kind kind, const struct cli_list *set, size_t more,
                      struct status *status)
{
    struct range_point *point = &r->points[r->count];
    *point = (struct range_point){.kind = kind, .sets = set->count};
    point->set = calloc(set->count + more + 1, sizeof *point->set);
    if (!point->set)
        return status_fail(status, STATUS_MEMORY, "no memory for a point");
    for (size_t i = 0; i < set->count; i++)
        point->set[i] = set->items[i];
    r->count++;
    return true;
}

static void add_end(struct range_point *point, const struct config_end *end)
{
    for (unsigned i = 0; i < end->sets; i++)
        point->set[point->sets++] = end->set[i];
}

static bool make_points(struct range *r, const struct cli_list *set, struct status *status)
{
    r->points = calloc(1 + r->key_count * CONFIG_ENDS + 2, sizeof *r->points);
    if (!r->points)
        return status_fail(status, STATUS_MEMORY, "no memory for the points of %zu keys", r->key_count);
    bool ok = add_point(r, RANGE_BASE, set, 0, status);
    for (size_t k = 0; k < r->key_count; k++)
        for (unsigned e = 0; ok && e < r->keys[k].range.count; e++) {
            ok = add_point(r, RANGE_END, set, CONFIG_END_SETS, status);
            if (!ok)
                break;
            struct range_point *point = &r->points[r->count - 1];
            point->key = k;
            point->end = e;
            add_end(point, &r->keys[k].range.end[e]);
        }
    return ok;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static int by_effect(const void *a, const void *b)
{
    const struct range_key *const *x = a, *const *y = b;
    if ((*x)->effect != (*y)->effect)
        return (*x)->effect < (*y)->effect ? 1 : -1;
    return (*x)->value.section != (*y)->value.section ? strcmp((*x)->value.section, (*y)->value.section)
                                                      : strcmp((*x)->value.key, (*y)->value.key);
}

static void take_results(struct range *r)
{
    r->cycles = r->least = r->most = r->points[0].cycles;
    for (size_t i = 1; i < r->count; i++) {
        const struct range_point *point = &r->points[i];
        struct range_key *key = &r->keys[point->key];
        key->cycles[point->end] = point->cycles;
        key->effect = fmax(key->effect, fabs(point->cycles - r->cycles));
        r->least = fmin(r->least, point->cycles);
        r->most = fmax(r->most, point->cycles);
    }
}

static bool same_key(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return strcspn(b, "=") == length && strncmp(a, b, length) == 0;
}

/* Whether the point sets a key that the end sets: keys that depend on each other keep the first one's value. */
static bool taken(const struct range_point *point, size_t from, const struct config_end *end)
{
    for (unsigned i = 0; i < end->sets; i++)
        for (size_t s = from; s < point->sets; s++)
            if (same_key(point->set[s], end->set[i]))
                return true;
    return false;
}

/* The end that takes the fewest cycles, or the most; NULL: none takes other cycles that way. */
static const struct config_end *end_towards(const struct range *r, const struct range_key *key, enum range_kind kind)
{
    const struct config_end *best = NULL;
    double reached = r->cycles;
    for (unsigned e = 0; e < key->range.count; e++)
        if (kind == RANGE_LEAST ? key->cycles[e] < reached : key->cycles[e] > reached) {
            best = &key->range.end[e];
            reached = key->cycles[e];
        }
    return best;
}

static bool add_together(struct range *r, struct range_key *const *sorted, enum range_kind kind,
                         const struct cli_list *set, struct status *status)
{
    if (!add_point(r, kind, set, r->key_count * CONFIG_END_SETS, status))
        return false;
    struct range_point *point = &r->points[r->count - 1];
    size_t own = point->sets;
    for (size_t k = 0; k < r->key_count; k++) {
        const struct config_end *end = end_towards(r, sorted[k], kind);
        if (end && !taken(point, own, end)) {
            add_end(point, end);
        }
    }
    return true;
}

/* All keys at once, each at the end that took fewer cycles alone, and at the one that took more. */
static bool run_together(struct range *r, const struct command *command, const struct cli_options *options,
                         struct status *status)
{
    struct range_key **sorted = calloc(r->key_count + 1, sizeof *sorted);
    if (!sorted)
        return status_fail(status, STATUS_MEMORY, "no memory for the order of %zu keys", r->key_count);
    for (size_t k = 0; k < r->key_count; k++)
        sorted[k] = &r->keys[k];
    qsort(sorted, r->key_count, sizeof(struct range_key *), by_effect);
    size_t from = r->count;
    bool ok = add_together(r, sorted, RANGE_LEAST, &options->set, status) &&
              add_together(r, sorted, RANGE_MOST, &options->set, status) &&
              range_run_points(r, from, 2, command, options, status);
    free(sorted);
    if (ok) {
        r->all_least = r->points[from].cycles;
        r->all_most = r->points[from + 1].cycles;
    }
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int keys_by_effect(const void *a, const void *b)
{
    const struct range_key *x = a, *y = b;
    return by_effect(&x, &y);
}

static bool report(struct range *r, const struct cli_options *options, struct status *status)
{
    struct document document;
    if (!document_begin(&document, options->json, status))
        return false;
    qsort(r->keys, r->key_count, sizeof *r->keys, keys_by_effect); /* the points' numbers of keys are not used again */
    FILE *out = document_text_stream(options->json, options->quiet);
    if (out)
        range_text(r, out);
    if (document.wanted)
        range_json(r, &document.json);
    return document_commit(&document, status);
}

static void range_free(struct range *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->points[i].set);
    free(r->points);
    free(r->keys);
    file_temporary_remove(r->folder);
    config_subject_close(&r->gpu);
}

bool range_run(const struct command *command, const struct cli_options *options, struct status *status)
{
    struct range range = {0};
    if (!check(options, status) ||
        !config_subject_open(&range.gpu, options->gpu ? options->gpu : "rtx-a6000", &options->set, status))
        return false;
    bool ok = file_temporary_make(range.folder, "range", status) && find_keys(&range, status) &&
              make_points(&range, &options->set, status) && range_run_points(&range, 0, 1, command, options, status) &&
              range_run_points(&range, 1, range.count - 1, command, options, status);
    if (ok)
        take_results(&range);
    ok = ok && run_together(&range, command, options, status) && report(&range, options, status);
    range_free(&range);
    return ok;
}
