/* Windows of a grid: the CTAs of the ranges N, N-M and N- of a list are timed, in each launch. CTAs before, between and
 * after the ranges are executed. Their accesses do not reach the caches, so that a window begins with the lines that
 * the previous window has left. No option sets it: a sampling policy judges the value of a window's first cycles. */
#include <stdlib.h>
#include <string.h>

#include "plan/policy.h"
#include "plan/text.h"

struct windows {
    struct window {
        uint64_t first, last; /* CTAs, both included */
    } * window;               /* ascending, apart */
    size_t count;
};

static void release(void *state) { free(((struct windows *)state)->window); }

static bool add(struct windows *w, const char **at)
{
    struct window *next = &w->window[w->count];
    if (!plan_read_range(at, &next->first, &next->last))
        return false;
    return w->count++ == 0 || (next[-1].last < UINT64_MAX && next->first > next[-1].last + 1);
}

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    struct windows *w = state;
    w->window = calloc(strlen(text) + 1, sizeof *w->window);
    if (!w->window)
        return status_fail(status, STATUS_MEMORY, "%s: out of memory", option);
    for (const char *at = text;; at++) {
        if (!add(w, &at)) {
            release(w);
            return status_fail(status, STATUS_USAGE,
                               "%s: '%.100s' is not an ascending list of CTAs, such as 64-127,512-575", option, text);
        }
        if (*at == '\0')
            return true;
    }
}

static enum plan_action ctas(void *state, const struct plan_grid *grid, uint64_t first, uint64_t *end)
{
    const struct windows *w = state;
    (void)grid;
    for (size_t i = 0; i < w->count; i++) {
        const struct window *own = &w->window[i];
        if (first > own->last)
            continue;
        bool inside = first >= own->first;
        uint64_t until = !inside ? own->first : own->last < UINT64_MAX ? own->last + 1 : UINT64_MAX;
        *end = until < *end ? until : *end;
        return inside ? PLAN_TIME : PLAN_EXECUTE;
    }
    return PLAN_EXECUTE;
}

const struct plan_policy plan_window = {.name = "window",
                                        .stop = STOP_CTAS,
                                        .state_bytes = sizeof(struct windows),
                                        .parse = parse,
                                        .free = release,
                                        .ctas = ctas};
