#include "cli/compare/bound.h"

#include "cli/compare/variants.h"
#include "cli/document.h"
#include "cli/session.h"
#include "report/format.h"

/* Each run has the load of those before it, except for the last two, which have one order each. */
#define COLD "launch.upload=false", "launch.preload=false", "l2.keep=false", "icache.keep=false", "tlb.keep=false"
#define LOADED COLD, "run.co_load=1"

enum { MOST_SETS = 7, RUNS = 5 };

struct case_of_bound {
    const char *name, *label;
    const char *set[MOST_SETS + 1];
};

static const char covered[] =
    "This is the worst of these model runs, and no proof. It covers empty caches and TLBs, of code and constants too;\n"
    "co-runners that read single lines all over device memory at its full bandwidth and keep up to half of the\n"
    "L2's misses busy, from the first cycle on; and two more CTA orders.\n"
    "It does not cover other inputs and other paths of the code; co-runners on the same SMs, or with stores or\n"
    "atomics; time slices, host copies, clocks below the configured one; CTA orders that were not tried; and errors\n"
    "of the model: unmeasured values (--range), mechanisms (docs/model-status.md).\n";

static const struct case_of_bound *case_at(size_t i)
{
    static const struct case_of_bound cases[RUNS] = {
        {"as it is", "as it is", {NULL}},
        {"with cold caches", "caches cold, of code and constants too", {COLD}},
        {"beside co-runners", "beside co-runners as well", {LOADED}},
        {"in reverse order", "CTAs in reverse order as well", {LOADED, "launch.cta_order=reversed"}},
        {"in scattered order", "CTAs in a scattered order as well", {LOADED, "launch.cta_order=scattered"}},
    };
    return &cases[i];
}

bool bound_wanted(const struct command *command, const struct cli_options *options)
{
    return (command->options & CLI_BIT(BOUND)) && options->bound;
}

static bool make_runs(struct variants *runs, const struct cli_list *set, struct status *status)
{
    if (!variants_begin(runs, RUNS, status))
        return false;
    for (size_t i = 0; i < RUNS; i++) {
        const struct case_of_bound *c = case_at(i);
        struct variant *run = variants_add(runs, c->name, set, MOST_SETS, status);
        if (!run)
            return false;
        for (size_t s = 0; c->set[s]; s++)
            run->set[run->sets++] = c->set[s];
    }
    return true;
}

static size_t worst_of(const struct variants *runs)
{
    size_t worst = 0;
    for (size_t i = 1; i < RUNS; i++)
        worst = runs->item[i].cycles > runs->item[worst].cycles ? i : worst;
    return worst;
}

static double times(const struct variants *runs, size_t i)
{
    return runs->item[0].cycles > 0 ? runs->item[i].cycles / runs->item[0].cycles : 0;
}

static void print(const struct variants *runs, const char *gpu, FILE *out)
{
    size_t worst = worst_of(runs);
    fprintf(out, "%s%s%s: %s cycles at most in these runs, %.2f times those of the run as it is\n\n", runs->kernel,
            runs->kernel[0] ? " on " : "", gpu, format_count((uint64_t)runs->item[worst].cycles).text,
            times(runs, worst));
    fprintf(out, "  %-42s %14s %8s\n", "run", "cycles", "times");
    for (size_t i = 0; i < RUNS; i++)
        fprintf(out, "  %-42s %14s %8.2f%s\n", case_at(i)->label, format_count((uint64_t)runs->item[i].cycles).text,
                times(runs, i), i == worst ? "  <-" : "");
    fprintf(out, "\n%s", covered);
}

static void write(const struct variants *runs, const char *gpu, struct json *json)
{
    json_object(json, "bound");
    json_string(json, "gpu", gpu);
    json_string(json, "kernel", runs->kernel[0] ? runs->kernel : NULL);
    json_number(json, "cycles", runs->item[0].cycles, 17);
    json_number(json, "worst", runs->item[worst_of(runs)].cycles, 17);
    json_array(json, "runs");
    for (size_t i = 0; i < RUNS; i++) {
        json_object(json, NULL);
        json_string(json, "name", case_at(i)->label);
        json_array(json, "set");
        for (size_t s = 0; case_at(i)->set[s]; s++)
            json_string(json, NULL, case_at(i)->set[s]);
        json_end(json);
        json_number(json, "cycles", runs->item[i].cycles, 17);
        json_end(json);
    }
    json_end(json);
    json_string(json, "covers", covered);
    json_end(json);
}

static bool report(const struct variants *runs, const char *gpu, const struct cli_options *options,
                   struct status *status)
{
    struct document document;
    FILE *out = document_text_stream(options->json, options->quiet);
    if (!document_begin(&document, options->json, status))
        return false;
    if (out)
        print(runs, gpu, out);
    if (document.wanted)
        write(runs, gpu, &document.json);
    return document_commit(&document, status);
}

bool bound_run(const struct command *command, const struct cli_options *options, struct status *status)
{
    struct variants runs = {0};
    struct config config;
    const char *gpu = variants_gpu(command, options);
    if (options->range)
        return status_fail(status, STATUS_USAGE, "--bound and --range: not both");
    if (!variants_check(options, "bound", status) || !session_config(&config, gpu, &options->set, status))
        return false;
    bool ok = make_runs(&runs, &options->set, status) && variants_run(&runs, 0, 1, command, options, status) &&
              variants_run(&runs, 1, RUNS - 1, command, options, status) && report(&runs, gpu, options, status);
    variants_end(&runs);
    return ok;
}
