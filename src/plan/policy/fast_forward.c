/* --fast-forward: a number of launches, or a kernel as plan/selection.h names it. The first launches, up to that number
 * or to the first launch of that kernel, are not timed. */
#include <string.h>

#include "plan/policy.h"
#include "plan/selection.h"
#include "plan/text.h"

struct fast_forward {
    uint64_t skip;          /* launches without time */
    struct selection until; /* no rule, or one */
    bool reached;           /* its kernel's first launch has come */
};

static void release(void *state) { selection_free(&((struct fast_forward *)state)->until); }

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    struct fast_forward *f = state;
    const char *end = text;
    if (plan_read_number(&end, &f->skip) && *end == '\0')
        return true;
    f->skip = 0;
    if (strchr(text, '\n'))
        return status_fail(status, STATUS_USAGE, "%s: a name of a kernel has no line breaks", option);
    if (!selection_parse(&f->until, text, status))
        return false;
    const struct selection_rule *rule = &f->until.rules[0];
    if (rule->first == 0 && rule->last == UINT64_MAX)
        return true;
    release(f);
    return status_fail(status, STATUS_USAGE, "%s: '%.100s' is neither a number of launches nor a kernel", option, text);
}

static void restart(void *state)
{
    struct fast_forward *f = state;
    f->reached = f->until.count == 0;
}

static enum plan_action launch(void *state, const struct plan_launch *launch, uint64_t number)
{
    struct fast_forward *f = state;
    f->reached = f->reached || selection_names(&f->until, launch->kernel, 0);
    return number < f->skip || !f->reached ? PLAN_EXECUTE : PLAN_TIME;
}

const struct plan_policy plan_fast_forward = {.name = "fast-forward",
                                              .state_bytes = sizeof(struct fast_forward),
                                              .parse = parse,
                                              .restart = restart,
                                              .free = release,
                                              .launch = launch};
