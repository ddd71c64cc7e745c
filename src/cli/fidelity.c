#include "cli/fidelity.h"

#include <string.h>

#include "plan/plan.h"

static bool is(const struct cli_options *o, const char *kind) { return o->fidelity && strcmp(o->fidelity, kind) == 0; }

bool fidelity_is_hybrid(const struct cli_options *options) { return is(options, "hybrid"); }

const char *fidelity_sample(const struct cli_options *options)
{
    const char *percent = options->error ? options->error : "3";
    return is(options, "sampled") ? percent : NULL;
}

/* A sampled or a hybrid run chooses the timed parts, and their times are no times of the whole. */
static bool check_part(const struct cli_options *o, struct status *status)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{o->functional, "functional"},
                  {o->detailed.count > 0, "detailed"},
                  {o->record != NULL, "record"},
                  {o->check != NULL, "check"},
                  {o->check_hazards, "check-hazards"},
                  {o->until_cycles > 0, "until-cycles"},
                  {o->until_insts > 0, "until-insts"},
                  {o->until_stable_ipc != NULL, "until-stable-ipc"},
                  {o->ctas > 0, "ctas"},
                  {o->kernels != NULL, "kernels"},
                  {o->fast_forward != NULL, "fast-forward"},
                  {o->schedule_out != NULL, "schedule-out"},
                  {o->save != NULL, "save"},
                  {o->resume != NULL, "resume"},
                  {o->source, "source"},
                  {o->sample > 0, "sample"},
                  {o->kanata != NULL, "kanata"},
                  {o->warps != NULL, "warps"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return status_fail(status, STATUS_USAGE, "--fidelity %s does not go with --%s", o->fidelity,
                               others[i].name);
    if (is(o, "hybrid"))
        return true;
    struct plan plan = {0};
    bool ok = plan_add(&plan, "sample-launches", "--error", fidelity_sample(o), status);
    plan_free(&plan);
    return ok;
}

/* Why a command does not have a fidelity (NULL: it has). */
static const char *missing(const char *command, const char *fidelity)
{
    static const struct {
        const char *command, *fidelity, *reason;
    } rows[] = {{"replay", "functional", "a trace has no values to execute"},
                {"study", "functional", "a study compares cycles"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].command, command) == 0 && strcmp(rows[i].fidelity, fidelity) == 0)
            return rows[i].reason;
    return NULL;
}

bool fidelity_is_known(const char *word)
{
    static const char *const words[] = {"detailed", "sampled", "hybrid", "functional"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

bool fidelity_settle(const char *command, struct cli_options *options, struct status *status)
{
    if (options->error && !is(options, "sampled"))
        return status_fail(status, STATUS_USAGE, "--error is the error of --fidelity sampled");
    if (!options->fidelity)
        return true;
    if (!fidelity_is_known(options->fidelity))
        return status_fail(status, STATUS_USAGE,
                           "--fidelity '%.100s': detailed, sampled, hybrid or functional is expected",
                           options->fidelity);
    const char *reason = missing(command, options->fidelity);
    if (reason)
        return status_fail(status, STATUS_UNSUPPORTED, "%s does not have --fidelity %s: %s", command, options->fidelity,
                           reason);
    if (is(options, "sampled") || is(options, "hybrid"))
        return check_part(options, status);
    if (is(options, "detailed") && options->functional)
        return status_fail(status, STATUS_USAGE, "--fidelity detailed does not go with --functional");
    options->functional |= is(options, "functional");
    return true;
}
