#include "accelsim/cluster.h"

#include <string.h>

#include "accelsim/mark.h"

uint32_t cluster_rank(const uint32_t grid[3], const uint32_t cluster[3], uint64_t cta)
{
    if (!cluster[0])
        return 0;
    uint64_t x = cta % grid[0] % cluster[0], y = cta / grid[0] % grid[1] % cluster[1];
    uint64_t z = cta / grid[0] / grid[1] % cluster[2];
    return (uint32_t)((z * cluster[1] + y) * cluster[0] + x);
}

bool cluster_mark(struct cluster_marks *marks, const char *text, const char *end, uint32_t *rank)
{
    static const uint32_t any[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, few[3] = {16, 16, 16};
    uint64_t number;
    uint32_t at[3];
    if (mark_is(text, end, "cluster rank")) {
        bool good = mark_number(text, end, &number) && number < TRACE_CLUSTER_CTAS;
        *rank = good ? (uint32_t)number : 0;
        return good;
    }
    if (mark_is(text, end, "cluster id"))
        return mark_indices(text, end, any, at);
    if (!mark_is(text, end, "cluster cta") || !mark_indices(text, end, few, at))
        return false;
    for (unsigned d = 0; d < 3; d++)
        marks->most[d] = at[d] > marks->most[d] ? at[d] : marks->most[d];
    return true;
}

bool cluster_end(const struct cluster_marks *marks, struct trace_launch *l, uint32_t targets, const char *path,
                 struct status *status)
{
    const uint32_t *most = marks->most;
    uint32_t size[3] = {most[0] + 1, most[1] + 1, most[2] + 1};
    bool several = size[0] * size[1] * size[2] > 1;
    bool fits = size[0] * size[1] * size[2] <= TRACE_CLUSTER_CTAS;
    for (unsigned d = 0; d < 3; d++)
        fits &= l->grid[d] % size[d] == 0;
    if (several && l->cluster[0] && memcmp(size, l->cluster, sizeof size) != 0)
        fits = false;
    if (several && !fits)
        return status_fail(status, STATUS_FORMAT,
                           "%.300s: the places of its blocks, up to %u,%u,%u, are not those of clusters of its grid",
                           path, most[0], most[1], most[2]);
    if (several)
        memcpy(l->cluster, size, sizeof size);
    return !(targets >> trace_launch_group(l)) ||
           status_fail(status, STATUS_FORMAT, "%.300s: a copy is for a CTA that its cluster does not have", path);
}
