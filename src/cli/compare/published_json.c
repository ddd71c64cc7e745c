#include "cli/compare/published_json.h"

#include <math.h>
#include <stdlib.h>

enum { DIGITS = 8 };

static void text_or_null(struct json *json, const char *key, const char *text)
{
    json_string(json, key, *text ? text : NULL);
}

static void write_names(struct json *json, const char *key, const char *const *name, unsigned count)
{
    json_array(json, key);
    for (unsigned i = 0; i < count; i++)
        json_string(json, NULL, name[i]);
    json_end(json);
}

static void write_statistics(struct json *json, const struct statistics *s)
{
    json_uint(json, "rows", s->rows);
    json_number(json, "mean", s->mean, DIGITS);
    json_number(json, "bias", s->bias, DIGITS);
    json_number(json, "median", s->median, DIGITS);
    json_number(json, "p90", s->p90, DIGITS);
    json_number(json, "worst", s->worst, DIGITS);
    json_number(json, "within_12", s->within, DIGITS);
}

static bool write_group(const struct published_results *results, const struct published_group *g, struct json *json)
{
    json_object(json, NULL);
    json_string(json, "set", g->set);
    json_string(json, "gpu", g->gpu);
    json_uint(json, "compared", g->rows[PUBLISHED_COMPARED]);
    json_uint(json, "other_code", g->rows[PUBLISHED_OTHER_CODE]);
    json_uint(json, "failed", g->rows[PUBLISHED_FAILED]);
    json_object(json, "bases");
    for (enum published_basis basis = 0; basis < PUBLISHED_BASES; basis++)
        json_uint(json, published_basis_name(basis), g->basis[basis]);
    json_end(json);
    json_object(json, "cycles");
    write_statistics(json, &g->cycles);
    json_end(json);
    json_uint(json, "ranked", g->ranked);
    json_number(json, "spearman", g->ranking.spearman, DIGITS);
    json_number(json, "kendall", g->ranking.kendall, DIGITS);
    json_number(json, "regret_percent", g->ranking.regret, DIGITS);
    json_object(json, "counters");
    for (unsigned i = 0; i < results->table->counters; i++) {
        struct statistics s;
        if (!published_group_counter(results, g, i, &s))
            return false;
        if (s.rows == 0)
            continue;
        json_object(json, results->table->counter[i]);
        json_string(json, "error_unit", published_counter_points(results, i) ? "points" : "%");
        write_statistics(json, &s);
        json_end(json);
    }
    json_end(json);
    json_end(json);
    return true;
}

static void write_counters(const struct published_results *results, const struct published_result *r, struct json *json)
{
    json_object(json, "counters");
    for (unsigned i = 0; i < results->table->counters; i++) {
        double error = published_counter_error(results, r, i);
        if (isnan(error))
            continue;
        json_object(json, results->table->counter[i]);
        json_string(json, "unit", results->unit[i]);
        json_number(json, "measured", r->row->counter[i], DIGITS);
        json_number(json, "predicted", r->counter[i], DIGITS);
        json_number(json, "error", error, DIGITS);
        json_string(json, "error_unit", published_counter_points(results, i) ? "points" : "%");
        json_end(json);
    }
    json_end(json);
}

static void write_row(const struct published_results *results, const struct published_result *r, struct json *json)
{
    const struct published_row *row = r->row;
    json_object(json, NULL);
    json_uint(json, "line", row->line);
    json_string(json, "set", row->set);
    json_string(json, "gpu", row->gpu);
    json_string(json, "cubin", row->cubin);
    json_string(json, "kernel", row->kernel);
    text_or_null(json, "parameters", row->parameters);
    text_or_null(json, "source", row->source);
    json_string(json, "state", published_state_name(r->state));
    text_or_null(json, "why", r->why);
    json_string(json, "basis", published_basis_name(published_basis(row)));
    json_uint(json, "registers_measured", row->registers);
    json_uint(json, "registers", r->registers);
    json_uint(json, "sms", r->sms);
    json_uint(json, "gpu_sms", r->gpu_sms);
    json_uint(json, "ctas_per_sm", r->ctas_per_sm);
    json_uint(json, "ctas", published_ctas(row));
    json_uint(json, "ctas_timed", r->ctas);
    json_bool(json, "whole", r->whole);
    json_number(json, "cycles_per_cta", r->cycles_per_cta, DIGITS);
    json_number(json, "measured", published_cycles(row), DIGITS);
    json_number(json, "predicted", r->predicted, DIGITS);
    json_number(json, "error_percent", r->error, DIGITS);
    write_counters(results, r, json);
    json_object(json, "host");
    json_number(json, "seconds", r->seconds, DIGITS);
    json_end(json);
    json_end(json);
}

bool published_json(const struct published_results *results, struct json *json)
{
    const struct published *table = results->table;
    const char *none[PUBLISHED_COLUMNS];
    unsigned nones = 0;
    size_t count;
    struct published_group *group = published_groups(results, &count);
    bool ok = group != NULL;
    for (unsigned i = 0; i < table->counters; i++)
        if (!results->unit[i])
            none[nones++] = table->counter[i];
    json_uint(json, "part", results->part);
    json_uint(json, "waves", results->waves);
    write_names(json, "ignored_columns", table->ignored, table->ignores);
    write_names(json, "unknown_counters", none, nones);
    json_array(json, "groups");
    for (size_t i = 0; ok && i < count; i++)
        ok = write_group(results, &group[i], json);
    json_end(json);
    json_array(json, "rows");
    for (size_t i = 0; i < results->count; i++)
        write_row(results, results->row[i], json);
    json_end(json);
    free(group);
    return ok;
}
