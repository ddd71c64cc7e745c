#include "trace/launch.h"

#include <stdlib.h>
#include <string.h>

void trace_launch_free(struct trace_launch *launch)
{
    for (uint32_t i = 0; launch->code && i < launch->code_count; i++)
        free(launch->code[i].described);
    free(launch->code);
    free(launch->name);
    *launch = (struct trace_launch){0};
}

static bool copy_code(struct trace_launch *to, const struct trace_launch *from)
{
    to->code = calloc(from->code_count ? from->code_count : 1, sizeof *to->code);
    for (uint32_t i = 0; to->code && i < from->code_count; i++) {
        to->code[i].isa = from->code[i].isa;
        to->code_count = i + 1;
        if (from->code[i].described && !(to->code[i].described = strdup(from->code[i].described)))
            return false;
    }
    return to->code != NULL;
}

uint64_t trace_launch_cta(const struct trace_launch *l, uint64_t order)
{
    uint64_t group = trace_launch_group(l), cluster = order / group, within = order % group;
    uint64_t index[3];
    if (group == 1)
        return order;
    for (unsigned d = 0; d < 3; d++) {
        uint32_t clusters = l->grid[d] / l->cluster[d];
        index[d] = cluster % clusters * l->cluster[d] + within % l->cluster[d];
        cluster /= clusters;
        within /= l->cluster[d];
    }
    return index[0] + l->grid[0] * (index[1] + l->grid[1] * index[2]);
}

bool trace_launch_copy(struct trace_launch *to, const struct trace_launch *from)
{
    *to = *from;
    to->code = NULL;
    to->code_count = 0;
    to->name = strdup(from->name ? from->name : "");
    if (to->name && copy_code(to, from))
        return true;
    trace_launch_free(to);
    return false;
}
