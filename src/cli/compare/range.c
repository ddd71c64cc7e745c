#include "cli/compare/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/document.h"

bool range_wanted(const struct command *command, const struct cli_options *options)
{
    return (command->options & CLI_BIT(RANGE)) && options->range;
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

static void add_end(struct variant *run, const struct config_end *end)
{
    for (unsigned i = 0; i < end->sets; i++)
        run->set[run->sets++] = end->set[i];
}

/* The run as it is, and one with each end. Room for two more stays. */
static bool make_runs(struct range *r, const struct cli_list *set, struct status *status)
{
    char name[160];
    r->places = calloc(r->key_count * CONFIG_ENDS + 1, sizeof *r->places);
    if (!r->places)
        return status_fail(status, STATUS_MEMORY, "no memory for the ends of %zu values", r->key_count);
    if (!variants_begin(&r->runs, r->key_count * CONFIG_ENDS + 3, status) ||
        !variants_add(&r->runs, "with the values as they are", set, 0, status))
        return false;
    for (size_t k = 0; k < r->key_count; k++)
        for (unsigned e = 0; e < r->keys[k].range.count; e++) {
            const struct config_end *end = &r->keys[k].range.end[e];
            snprintf(name, sizeof name, "with %s", end->set[0]);
            struct variant *run = variants_add(&r->runs, name, set, CONFIG_END_SETS, status);
            if (!run)
                return false;
            add_end(run, end);
            r->places[r->ends++] = (struct range_place){k, e};
        }
    return true;
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
    r->cycles = r->least = r->most = r->runs.item[0].cycles;
    for (size_t i = 0; i < r->ends; i++) {
        double cycles = r->runs.item[1 + i].cycles;
        struct range_key *key = &r->keys[r->places[i].key];
        key->cycles[r->places[i].end] = cycles;
        key->effect = fmax(key->effect, fabs(cycles - r->cycles));
        r->least = fmin(r->least, cycles);
        r->most = fmax(r->most, cycles);
    }
}

static bool same_key(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return strcspn(b, "=") == length && strncmp(a, b, length) == 0;
}

/* Whether the run sets a key that the end sets: keys that depend on each other keep the first one's value. */
static bool taken(const struct variant *run, size_t from, const struct config_end *end)
{
    for (unsigned i = 0; i < end->sets; i++)
        for (size_t s = from; s < run->sets; s++)
            if (same_key(run->set[s], end->set[i]))
                return true;
    return false;
}

/* The end that takes the fewest cycles, or the most (NULL: none takes other cycles that way). */
static const struct config_end *end_towards(const struct range *r, const struct range_key *key, bool most)
{
    const struct config_end *best = NULL;
    double reached = r->cycles;
    for (unsigned e = 0; e < key->range.count; e++)
        if (most ? key->cycles[e] > reached : key->cycles[e] < reached) {
            best = &key->range.end[e];
            reached = key->cycles[e];
        }
    return best;
}

static bool add_together(struct range *r, struct range_key *const *sorted, bool most, const struct cli_list *set,
                         struct status *status)
{
    struct variant *run =
        variants_add(&r->runs, most ? "with all values at their slow ends" : "with all values at their fast ends", set,
                     r->key_count * CONFIG_END_SETS, status);
    for (size_t k = 0; run && k < r->key_count; k++) {
        const struct config_end *end = end_towards(r, sorted[k], most);
        if (end && !taken(run, set->count, end))
            add_end(run, end);
    }
    return run;
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
    size_t from = r->runs.count;
    bool ok = add_together(r, sorted, false, &options->set, status) &&
              add_together(r, sorted, true, &options->set, status) &&
              variants_run(&r->runs, from, 2, command, options, status);
    free(sorted);
    if (ok) {
        r->all_least = r->runs.item[from].cycles;
        r->all_most = r->runs.item[from + 1].cycles;
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
    qsort(r->keys, r->key_count, sizeof *r->keys, keys_by_effect); /* `places` is not used again */
    FILE *out = document_text_stream(options->json, options->quiet);
    if (out)
        range_text(r, out);
    if (document.wanted)
        range_json(r, &document.json);
    return document_commit(&document, status);
}

static void range_free(struct range *r)
{
    variants_end(&r->runs);
    free(r->places);
    free(r->keys);
    config_subject_close(&r->gpu);
}

bool range_run(const struct command *command, const struct cli_options *options, struct status *status)
{
    struct range range = {0};
    if (!variants_check(options, "range", status) ||
        !config_subject_open(&range.gpu, variants_gpu(command, options), &options->set, status))
        return false;
    bool ok = find_keys(&range, status) && make_runs(&range, &options->set, status) &&
              variants_run(&range.runs, 0, 1, command, options, status) &&
              variants_run(&range.runs, 1, range.ends, command, options, status);
    if (ok)
        take_results(&range);
    ok = ok && run_together(&range, command, options, status) && report(&range, options, status);
    range_free(&range);
    return ok;
}
