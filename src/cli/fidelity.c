#include "cli/fidelity.h"

#include <string.h>

#include "plan/plan.h"

static bool is(const struct cli_options *o, const char *kind) { return o->fidelity && strcmp(o->fidelity, kind) == 0; }

bool fidelity_functional(const struct cli_options *options) { return options->functional || is(options, "functional"); }

const char *fidelity_sample(const struct cli_options *options)
{
    const char *percent = options->error ? options->error : "3";
    return is(options, "sampled") ? percent : NULL;
}

/* A sampled run chooses the launches that are timed, and needs each of them whole. */
static bool check_sampled(const struct cli_options *o, struct status *status)
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
                  {o->source, "source"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return status_fail(status, STATUS_USAGE, "--fidelity sampled does not go with --%s", others[i].name);
    struct plan plan = {0};
    bool ok = plan_add(&plan, "sample-launches", "--error", fidelity_sample(o), status);
    plan_free(&plan);
    return ok;
}

bool fidelity_check(const struct cli_options *options, struct status *status)
{
    if (options->error && !is(options, "sampled"))
        return status_fail(status, STATUS_USAGE, "--error is the error of --fidelity sampled");
    if (is(options, "sampled"))
        return check_sampled(options, status);
    if (is(options, "detailed") && options->functional)
        return status_fail(status, STATUS_USAGE, "--fidelity detailed does not go with --functional");
    return !options->fidelity || is(options, "detailed") || is(options, "functional") ||
           status_fail(status, STATUS_USAGE, "--fidelity '%.100s': detailed, sampled or functional is expected",
                       options->fidelity);
}
