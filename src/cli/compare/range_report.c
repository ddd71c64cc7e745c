#include <math.h>
#include <string.h>

#include "cli/compare/range.h"
#include "report/format.h"

/* Changes below this share of the cycles have no line of their own in the text. */
static const double small = 0.001;

static struct format cycles_text(double cycles) { return format_count((uint64_t)llround(cycles)); }

static double percent(const struct range *r, double cycles)
{
    return r->cycles > 0 ? 100 * (cycles / r->cycles - 1) : 0;
}

/* The same for a text, without a negative zero. */
static double rounded(const struct range *r, double cycles)
{
    double change = percent(r, cycles);
    return fabs(change) < 0.05 ? 0 : change;
}

static void print_bounds(const struct range *r, const char *label, double least, double most, FILE *out)
{
    fprintf(out, "  %-26s %12s to %s cycles  (%+.1f %% to %+.1f %%)\n", label, cycles_text(least).text,
            cycles_text(most).text, rounded(r, least), rounded(r, most));
}

static void print_key(const struct range *r, const struct range_key *key, FILE *out)
{
    char name[80];
    snprintf(name, sizeof name, "%s.%s", key->value.section, key->value.key);
    for (unsigned e = 0; e < key->range.count; e++) {
        fprintf(out, "  %-26s %12s %12s %14s %+9.1f %%", e == 0 ? name : "", e == 0 ? key->value.text : "",
                key->range.end[e].value, cycles_text(key->cycles[e]).text, rounded(r, key->cycles[e]));
        fprintf(out, "%s%s\n", e == 0 ? "   " : "", e == 0 ? key->range.why : "");
    }
}

static size_t runs_of(const struct range *r)
{
    size_t runs = 0;
    for (size_t i = 0; i < r->count; i++)
        runs += r->points[i].kind == RANGE_END;
    return runs;
}

static void print_counts(const struct range *r, FILE *out)
{
    size_t absent = 0, varied = 0, matter = 0, moved = 0;
    for (size_t k = 0; k < r->key_count; k++) {
        absent += !r->keys[k].range.used;
        varied += r->keys[k].range.count > 0;
        moved += r->keys[k].effect > 0;
        matter += r->keys[k].effect >= small * r->cycles && r->keys[k].effect > 0;
    }
    fprintf(
        out,
        "\n%zu of the %zu values of %s are assumed: %zu are of structures that it does not have, %zu have no other\n"
        "plausible value, and %zu were varied in %zu runs. %zu of these change the cycles, %zu by 0.1 %% or more.\n",
        r->key_count, r->values, r->gpu.name, absent, r->key_count - absent - varied, varied, runs_of(r), moved,
        matter);
}

void range_text(const struct range *r, FILE *out)
{
    fprintf(out, "%s%s%s: %s cycles with the values as they are\n\n", r->kernel, r->kernel[0] ? " on " : "",
            r->gpu.name, cycles_text(r->cycles).text);
    print_bounds(r, "one value at an end:", r->least, r->most, out);
    print_bounds(r, "all that count together:", r->all_least, r->all_most, out);
    print_counts(r, out);
    if (r->key_count == 0 || r->keys[0].effect < small * r->cycles || r->keys[0].effect <= 0)
        return;
    fprintf(out, "\n  %-26s %12s %12s %14s %11s   %s\n", "value", "is", "may be", "cycles then", "change", "why");
    for (size_t k = 0; k < r->key_count && r->keys[k].effect >= small * r->cycles; k++)
        print_key(r, &r->keys[k], out);
}

static void write_key(const struct range *r, const struct range_key *key, struct json *json)
{
    json_object(json, NULL);
    json_string(json, "section", key->value.section);
    json_string(json, "key", key->value.key);
    json_string(json, "value", key->value.text);
    json_string(json, "unit", key->value.unit);
    json_string(json, "source", key->value.source);
    json_bool(json, "used", key->range.used);
    json_string(json, "why", key->range.why);
    json_number(json, "effect", key->effect, 17);
    json_array(json, "ends");
    for (unsigned e = 0; e < key->range.count; e++) {
        const struct config_end *end = &key->range.end[e];
        json_object(json, NULL);
        json_string(json, "value", end->value);
        json_array(json, "set");
        for (unsigned s = 0; s < end->sets; s++)
            json_string(json, NULL, end->set[s]);
        json_end(json);
        json_number(json, "cycles", key->cycles[e], 17);
        json_number(json, "percent", percent(r, key->cycles[e]), 6);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void write_bounds(const char *key, double least, double most, struct json *json)
{
    json_object(json, key);
    json_number(json, "least", least, 17);
    json_number(json, "most", most, 17);
    json_end(json);
}

void range_json(const struct range *r, struct json *json)
{
    json_object(json, "range");
    json_string(json, "gpu", r->gpu.name);
    json_string(json, "kernel", r->kernel[0] ? r->kernel : NULL);
    json_number(json, "cycles", r->cycles, 17);
    write_bounds("one", r->least, r->most, json);
    write_bounds("together", r->all_least, r->all_most, json);
    json_uint(json, "values", r->values);
    json_uint(json, "runs", r->count);
    json_array(json, "keys");
    for (size_t k = 0; k < r->key_count; k++)
        write_key(r, &r->keys[k], json);
    json_end(json);
    json_end(json);
}
