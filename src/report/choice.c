#include "report/choice.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char **text, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *number = strtoumax(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* N, N-M or N-, up to the next comma. */
static bool read_range(const char **text, struct launch_range *range)
{
    if (!read_number(text, &range->first))
        return false;
    range->last = range->first;
    if (**text == '-') {
        ++*text;
        range->last = UINT64_MAX;
        if (**text != ',' && **text != '\0' && !read_number(text, &range->last))
            return false;
    }
    return range->first <= range->last && (**text == ',' || **text == '\0');
}

static bool read_ranges(struct launch_choice *choice, const char *text, struct status *status)
{
    choice->ranges = calloc(strlen(text) + 1, sizeof *choice->ranges);
    if (!choice->ranges)
        return status_fail(status, STATUS_MEMORY, "no memory for the list of launches to time");
    for (const char *at = text;; at++) {
        if (!read_range(&at, &choice->ranges[choice->count++]))
            return status_fail(status, STATUS_USAGE,
                               "--kernels: '%.100s' is not a list of launches, such as 3, 3-7, 3- or 0,3-7", text);
        if (*at == '\0')
            return true;
    }
}

static bool read_fast_forward(struct launch_choice *choice, const char *text, struct status *status)
{
    const char *end = text;
    if (read_number(&end, &choice->skip) && *end == '\0')
        return true;
    choice->skip = 0;
    if (strchr(text, '\n'))
        return status_fail(status, STATUS_USAGE, "--fast-forward: a name of a kernel has no line breaks");
    if (!selection_parse(&choice->until, text, status))
        return false;
    const struct selection_rule *rule = &choice->until.rules[0];
    return (rule->first == 0 && rule->last == UINT64_MAX) ||
           status_fail(status, STATUS_USAGE, "--fast-forward: '%.100s' is neither a number of launches nor a kernel",
                       text);
}

bool launch_choice_parse(struct launch_choice *choice, const char *kernels, const char *fast_forward,
                         struct status *status)
{
    *choice = (struct launch_choice){.reached = true};
    bool ok = !kernels || !*kernels || read_ranges(choice, kernels, status);
    ok = ok && (!fast_forward || !*fast_forward || read_fast_forward(choice, fast_forward, status));
    choice->reached = choice->until.count == 0;
    if (!ok)
        launch_choice_free(choice);
    return ok;
}

void launch_choice_free(struct launch_choice *choice)
{
    free(choice->ranges);
    selection_free(&choice->until);
    *choice = (struct launch_choice){.reached = true};
}

bool launch_choice_times(struct launch_choice *choice, const char *kernel)
{
    uint64_t number = choice->launches++;
    choice->reached = choice->reached || selection_names(&choice->until, kernel, 0);
    if (number < choice->skip || !choice->reached)
        return false;
    for (size_t i = 0; i < choice->count; i++)
        if (number >= choice->ranges[i].first && number <= choice->ranges[i].last)
            return true;
    return choice->count == 0;
}
