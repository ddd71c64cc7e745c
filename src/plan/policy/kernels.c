/* --kernels: N, N-M, N- and lists of these with commas. The launches of these numbers are timed. */
#include <stdlib.h>
#include <string.h>

#include "plan/policy.h"
#include "plan/text.h"

struct kernels {
    struct range {
        uint64_t first, last; /* numbers of launches, from 0, both included */
    } * ranges;
    size_t count;
};

static void release(void *state) { free(((struct kernels *)state)->ranges); }

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    struct kernels *k = state;
    k->ranges = calloc(strlen(text) + 1, sizeof *k->ranges);
    if (!k->ranges)
        return status_fail(status, STATUS_MEMORY, "no memory for the list of launches to time");
    for (const char *at = text;; at++) {
        struct range *range = &k->ranges[k->count++];
        if (!plan_read_range(&at, &range->first, &range->last)) {
            release(k);
            return status_fail(status, STATUS_USAGE,
                               "%s: '%.100s' is not a list of launches, such as 3, 3-7, 3- or 0,3-7", option, text);
        }
        if (*at == '\0')
            return true;
    }
}

static enum plan_action launch(void *state, const struct plan_launch *launch, uint64_t number)
{
    const struct kernels *k = state;
    (void)launch;
    for (size_t i = 0; i < k->count; i++)
        if (number >= k->ranges[i].first && number <= k->ranges[i].last)
            return PLAN_TIME;
    return PLAN_EXECUTE;
}

const struct plan_policy plan_kernels = {
    .name = "kernels", .state_bytes = sizeof(struct kernels), .parse = parse, .free = release, .launch = launch};
