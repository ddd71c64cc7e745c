#include "driver/queue/node_set.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct node_set *set, size_t room)
{
    if (room <= set->room)
        return true;
    room = room < 2 * set->room ? 2 * set->room : room;
    struct CUgraphNode_st **node = realloc(set->node, room * sizeof *node);
    if (node == NULL)
        return false;
    set->node = node;
    CUgraphEdgeData *data = realloc(set->data, room * sizeof *data);
    if (data == NULL)
        return false;
    set->data = data;
    set->room = room;
    return true;
}

bool node_set_add(struct node_set *set, struct CUgraphNode_st *node, const CUgraphEdgeData *data)
{
    if (!grow(set, set->count + 1))
        return false;
    set->node[set->count] = node;
    set->data[set->count] = data != NULL ? *data : (CUgraphEdgeData){0};
    set->count++;
    return true;
}

bool node_set_copy(struct node_set *to, const struct node_set *from)
{
    to->count = 0;
    if (!grow(to, from->count))
        return false;
    if (from->count > 0) {
        memcpy(to->node, from->node, from->count * sizeof *to->node);
        memcpy(to->data, from->data, from->count * sizeof *to->data);
    }
    to->count = from->count;
    return true;
}

bool node_set_join(struct node_set *to, const struct node_set *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (node_set_find(to, from->node[i]) == to->count && !node_set_add(to, from->node[i], &from->data[i]))
            return false;
    return true;
}

size_t node_set_find(const struct node_set *set, const struct CUgraphNode_st *node)
{
    size_t i = 0;
    while (i < set->count && set->node[i] != node)
        i++;
    return i;
}

void node_set_remove(struct node_set *set, size_t index)
{
    set->count--;
    memmove(&set->node[index], &set->node[index + 1], (set->count - index) * sizeof *set->node);
    memmove(&set->data[index], &set->data[index + 1], (set->count - index) * sizeof *set->data);
}

void node_set_clear(struct node_set *set)
{
    free(set->node);
    free(set->data);
    *set = (struct node_set){0};
}
