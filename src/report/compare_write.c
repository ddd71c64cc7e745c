/* Comparisons as text and JSON. */
#include <math.h>
#include <stdlib.h>

#include "report/compare.h"
#include "report/format.h"

enum { KERNELS = 12, CAUSES = 10, DIGITS = 10 };

static const char *const labels[] = {
#define X(field, path, label) label,
    COMPARE_COUNTS(X)
#undef X
};
static const char *const names[] = {
#define X(field, path, label) #field,
    COMPARE_COUNTS(X)
#undef X
};

struct cause {
    enum cycle_event event;
    double before, after;
};

static double event_sum(const struct compare_sums *sums)
{
    double sum = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        sum += sums->event[i];
    return sum;
}

static int by_size(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    double left = fabs(x->after - x->before), right = fabs(y->after - y->before);
    return left != right ? (left < right ? 1 : -1) : (int)x->event - (int)y->event;
}

/* The largest changes first; those that changed. */
static unsigned find_causes(const struct compare *c, struct cause cause[static CYCLE_EVENT_COUNT])
{
    unsigned count = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        if (c->all_before.event[i] != c->all_after.event[i])
            cause[count++] = (struct cause){(enum cycle_event)i, c->all_before.event[i], c->all_after.event[i]};
    qsort(cause, count, sizeof *cause, by_size);
    return count;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static struct format signed_percent(double percent)
{
    struct format f;
    snprintf(f.text, sizeof f.text, "%+.2f %%", percent);
    return f;
}

static void print_row(const char *name, double before, double after, const char *change, FILE *out)
{
    fprintf(out, "  %-36.36s %16s %16s %12s\n", name, format_count((uint64_t)before).text,
            format_count((uint64_t)after).text, change);
}

static void print_kernels(const struct compare *c, FILE *out)
{
    for (size_t i = 0; i < c->count && i < KERNELS; i++) {
        const struct compare_kernel *k = &c->kernel[i];
        const char *only = k->before.launches == 0 ? "new" : "gone";
        bool both = k->before.launches > 0 && k->after.launches > 0;
        print_row(k->name, k->before.cycles, k->after.cycles,
                  both ? signed_percent(compare_percent(&k->before, &k->after)).text : only, out);
    }
    if (c->count > KERNELS)
        fprintf(out, "  ... and %zu others\n", c->count - KERNELS);
    if (c->count > 1)
        print_row("all that both have", c->all_before.cycles, c->all_after.cycles,
                  signed_percent(compare_percent(&c->all_before, &c->all_after)).text, out);
}

/* Clocks of GPUs differ. */
static void print_time(const struct compare *c, FILE *out)
{
    double before = c->all_before.nanoseconds, after = c->all_after.nanoseconds;
    fprintf(out, "  %-36s %16s %16s %12s\n", "time", format_time(before * 1e-9).text, format_time(after * 1e-9).text,
            signed_percent(before > 0 ? 100 * (after / before - 1) : 0).text);
}

static void print_causes(const struct compare *c, FILE *out)
{
    struct cause cause[CYCLE_EVENT_COUNT];
    unsigned count = find_causes(c, cause);
    double all = event_sum(&c->all_before), after = event_sum(&c->all_after);
    if (count == 0)
        return;
    fprintf(out, "\nScheduler cycles by cause: changes, %% of all before\n");
    for (unsigned i = 0; i < count && i < CAUSES; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s: %s", cycle_class_label(cycle_event_class(cause[i].event)),
                 cycle_event_name(cause[i].event));
        print_row(name, cause[i].before, cause[i].after,
                  signed_percent(all > 0 ? 100 * (cause[i].after - cause[i].before) / all : 0).text, out);
    }
    print_row("all scheduler cycles", all, after, signed_percent(all > 0 ? 100 * (after / all - 1) : 0).text, out);
}

static void print_counts(const struct compare *c, FILE *out)
{
    fprintf(out, "\nCounters\n");
    for (unsigned i = 0; i < COMPARE_COUNT_COUNT; i++) {
        double before = c->all_before.count[i], after = c->all_after.count[i];
        const char *none = before == after ? "same" : "-";
        if (before > 0 || after > 0)
            print_row(labels[i], before, after,
                      before > 0 && before != after ? signed_percent(100 * (after / before - 1)).text : none, out);
    }
}

void compare_text(const struct compare *c, FILE *out)
{
    fprintf(out, "%s (%s) against %s (%s)%s\n\n", c->after, c->gpu_after, c->before, c->gpu_before,
            c->same_configuration ? "" : "; their configurations differ");
    fprintf(out, "  %-36s %16s %16s %12s\n", "cycles", "before", "after", "change");
    print_kernels(c, out);
    print_time(c, out);
    print_causes(c, out);
    print_counts(c, out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_cycles(const struct compare_sums *before, const struct compare_sums *after, struct json *json)
{
    json_uint(json, "launches_before", before->launches);
    json_uint(json, "launches_after", after->launches);
    json_number(json, "cycles_before", before->cycles, DIGITS);
    json_number(json, "cycles_after", after->cycles, DIGITS);
    json_number(json, "percent", compare_percent(before, after), DIGITS);
    json_number(json, "ns_before", before->nanoseconds, DIGITS);
    json_number(json, "ns_after", after->nanoseconds, DIGITS);
}

static void write_causes(const struct compare *c, struct json *json)
{
    struct cause cause[CYCLE_EVENT_COUNT];
    unsigned count = find_causes(c, cause);
    double all = event_sum(&c->all_before);
    json_array(json, "causes");
    for (unsigned i = 0; i < count; i++) {
        json_object(json, NULL);
        json_string(json, "class", cycle_class_name(cycle_event_class(cause[i].event)));
        json_string(json, "event", cycle_event_name(cause[i].event));
        json_number(json, "before", cause[i].before, DIGITS);
        json_number(json, "after", cause[i].after, DIGITS);
        json_number(json, "percent", all > 0 ? 100 * (cause[i].after - cause[i].before) / all : 0, DIGITS);
        json_end(json);
    }
    json_end(json);
}

void compare_json(const struct compare *c, struct json *json, const char *key)
{
    json_object(json, key);
    json_string(json, "before", c->before);
    json_string(json, "after", c->after);
    json_bool(json, "same_configuration", c->same_configuration);
    json_uint(json, "missing", c->missing);
    write_cycles(&c->all_before, &c->all_after, json);
    json_array(json, "compared");
    for (size_t i = 0; i < c->count; i++) {
        json_object(json, NULL);
        json_string(json, "kernel", c->kernel[i].name);
        write_cycles(&c->kernel[i].before, &c->kernel[i].after, json);
        json_end(json);
    }
    json_end(json);
    write_causes(c, json);
    json_array(json, "counts");
    for (unsigned i = 0; i < COMPARE_COUNT_COUNT; i++) {
        json_object(json, NULL);
        json_string(json, "name", names[i]);
        json_number(json, "before", c->all_before.count[i], DIGITS);
        json_number(json, "after", c->all_after.count[i], DIGITS);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}
