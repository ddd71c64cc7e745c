#include "join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct join_launch *join_add(struct join *join)
{
    if (join->count == join->room) {
        size_t room = join->room ? 2 * join->room : 64;
        struct join_launch *launch = realloc(join->launch, room * sizeof *launch);
        if (!launch)
            return NULL;
        join->launch = launch;
        join->room = room;
    }
    struct join_launch *launch = &join->launch[join->count++];
    *launch = (struct join_launch){.other = JOIN_NONE};
    return launch;
}

void join_free(struct join *join)
{
    free(join->launch);
    *join = (struct join){0};
}

bool join_dim(const char *text, struct example_dim *dim)
{
    int end = 0;
    if (sscanf(text, "%ux%ux%u%n", &dim->x, &dim->y, &dim->z, &end) != 3 &&
        sscanf(text, " ( %u , %u , %u )%n", &dim->x, &dim->y, &dim->z, &end) != 3)
        return false;
    return end > 0 && text[end] == '\0';
}

static bool dims_alike(const struct example_dim *a, const struct example_dim *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static bool alike(const struct join_launch *a, const struct join_launch *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && dims_alike(&a->grid, &b->grid) && dims_alike(&a->block, &b->block);
}

/* The end of the launches from `from` on that are alike. */
static size_t end_of_run(const struct join *manifest, size_t from)
{
    size_t end = from + 1;
    while (end < manifest->count && alike(&manifest->launch[from], &manifest->launch[end]))
        end++;
    return end;
}

static void part(struct join *manifest, struct join *profile, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        struct join_launch *launch = &manifest->launch[i];
        if (launch->other != JOIN_NONE)
            profile->launch[launch->other].other = JOIN_NONE;
        launch->other = JOIN_NONE;
    }
}

void join_match(struct join *manifest, struct join *profile)
{
    size_t next = 0;
    for (size_t i = 0; i < profile->count; i++) {
        size_t found = next;
        while (found < manifest->count && !alike(&manifest->launch[found], &profile->launch[i]))
            found++;
        if (found == manifest->count)
            continue; /* of someone else */
        manifest->launch[found].other = (int)i;
        profile->launch[i].other = (int)found;
        next = found + 1;
    }
    for (size_t from = 0, end; from < manifest->count; from = end) {
        end = end_of_run(manifest, from);
        bool all = true;
        for (size_t i = from; i < end; i++)
            all &= manifest->launch[i].other != JOIN_NONE;
        if (!all)
            part(manifest, profile, from, end);
    }
}
