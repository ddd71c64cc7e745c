#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct compare_kernel *kernel_of(struct compare *c, const char *name, struct status *status)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->kernel[i].name, name) == 0)
            return &c->kernel[i];
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 16;
        struct compare_kernel *more = realloc(c->kernel, room * sizeof *more);
        if (!more) {
            status_fail(status, STATUS_MEMORY, "no memory for the comparison of %zu kernels", c->count);
            return NULL;
        }
        c->kernel = more;
        c->room = room;
    }
    c->kernel[c->count] = (struct compare_kernel){0};
    snprintf(c->kernel[c->count].name, RESULT_NAME, "%s", name);
    return &c->kernel[c->count++];
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static void add_launch(struct compare_sums *sums, const struct json_value *kernel)
{
    static const char *const paths[] = {
#define X(field, path, label) path,
        COMPARE_COUNTS(X)
#undef X
    };
    char path[96];
    sums->launches++;
    sums->cycles += json_tree_number(json_tree_path(kernel, "cycles/elapsed"));
    sums->nanoseconds += json_tree_number(json_tree_path(kernel, "metrics/gpu__time_duration.sum"));
    for (unsigned i = 0; i < COMPARE_COUNT_COUNT; i++)
        sums->count[i] += json_tree_number(json_tree_path(kernel, paths[i]));
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++) {
        enum cycle_event event = (enum cycle_event)i;
        snprintf(path, sizeof path, "schedulers/%s/events/%s", cycle_class_name(cycle_event_class(event)),
                 cycle_event_name(event));
        sums->event[i] += json_tree_number(json_tree_path(kernel, path));
    }
}

static void add_sums(struct compare_sums *to, const struct compare_sums *from)
{
    to->launches += from->launches;
    to->cycles += from->cycles;
    to->nanoseconds += from->nanoseconds;
    for (unsigned i = 0; i < COMPARE_COUNT_COUNT; i++)
        to->count[i] += from->count[i];
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        to->event[i] += from->event[i];
}

/* Launches in a part of a document: a run, or one of several demos. */
static bool add_part(struct compare *c, const struct json_value *part, bool after, struct status *status)
{
    const struct json_value *kernels = json_tree_member(part, "kernels");
    const struct json_value *launches = json_tree_member(part, "launches");
    const struct json_value *launch = launches ? launches->first : NULL;
    for (const struct json_value *k = kernels ? kernels->first : NULL; k; k = k->next) {
        const struct json_value *detailed = json_tree_member(k, "detailed");
        char name[RESULT_NAME];
        json_tree_string(json_tree_member(launch ? launch : k, launch ? "name" : "kernel"), name, sizeof name);
        launch = launch ? launch->next : NULL;
        if (!detailed || detailed->kind != JSON_TRUE)
            continue;
        struct compare_kernel *kernel = kernel_of(c, name, status);
        if (!kernel)
            return false;
        add_launch(after ? &kernel->after : &kernel->before, k);
    }
    return true;
}

static bool add_run(struct compare *c, const struct page_run *run, bool after, struct status *status)
{
    const struct json_value *demos = json_tree_member(run->document, "demos");
    if (!demos)
        return add_part(c, run->document, after, status);
    for (const struct json_value *demo = demos->first; demo; demo = demo->next)
        if (!add_part(c, demo, after, status))
            return false;
    return true;
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

/* One kernel each, under different names: they stand for each other. */
static void join_only(struct compare *c)
{
    bool apart = c->count == 2 && (c->kernel[0].before.launches == 0) != (c->kernel[1].before.launches == 0) &&
                 (c->kernel[0].after.launches == 0) != (c->kernel[1].after.launches == 0);
    if (!apart)
        return;
    c->kernel[0].after = c->kernel[1].after;
    c->count = 1;
}

static int by_change(const void *a, const void *b)
{
    const struct compare_kernel *x = a, *y = b;
    double left = fabs(x->after.cycles - x->before.cycles), right = fabs(y->after.cycles - y->before.cycles);
    return left != right ? (left < right ? 1 : -1) : strcmp(x->name, y->name);
}

static const struct json_value *first_gpu(const struct page_run *run)
{
    const struct json_value *demos = json_tree_member(run->document, "demos");
    const struct json_value *part = demos ? demos->first : run->document;
    const struct json_value *kernels = part ? json_tree_member(part, "kernels") : NULL;
    return kernels && kernels->first ? json_tree_member(kernels->first, "gpu") : NULL;
}

static void compare_gpus(struct compare *c, const struct page_run *before, const struct page_run *after)
{
    char hash[2][32];
    const struct json_value *gpu[2] = {first_gpu(before), first_gpu(after)};
    json_tree_string(json_tree_member(gpu[0], "name"), c->gpu_before, sizeof c->gpu_before);
    json_tree_string(json_tree_member(gpu[1], "name"), c->gpu_after, sizeof c->gpu_after);
    for (int i = 0; i < 2; i++)
        json_tree_string(json_tree_member(gpu[i], "config_hash"), hash[i], sizeof hash[i]);
    c->same_configuration = strcmp(hash[0], hash[1]) == 0;
}

bool compare_runs(struct compare *c, const struct page_run *before, const struct page_run *after, struct status *status)
{
    *c = (struct compare){.before = before->name, .after = after->name};
    bool ok = add_run(c, before, false, status) && add_run(c, after, true, status);
    if (ok)
        join_only(c);
    for (size_t i = 0; ok && i < c->count; i++) {
        const struct compare_kernel *k = &c->kernel[i];
        c->missing += k->before.launches == 0 || k->after.launches == 0;
        if (k->before.launches == 0 || k->after.launches == 0)
            continue;
        add_sums(&c->all_before, &k->before);
        add_sums(&c->all_after, &k->after);
    }
    if (ok && c->all_before.launches == 0)
        ok = status_fail(status, STATUS_FORMAT, "%.150s and %.150s have no kernel in common that was timed",
                         before->name, after->name);
    if (!ok) {
        compare_free(c);
        return false;
    }
    compare_gpus(c, before, after);
    qsort(c->kernel, c->count, sizeof *c->kernel, by_change);
    return true;
}

void compare_free(struct compare *c)
{
    free(c->kernel);
    *c = (struct compare){0};
}

double compare_percent(const struct compare_sums *before, const struct compare_sums *after)
{
    return before->cycles > 0 ? 100 * (after->cycles / before->cycles - 1) : 0;
}
