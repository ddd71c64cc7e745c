#include "gpu/repeats.h"

#include <stdlib.h>

const struct repeat *repeats_find(const struct repeats *r, const struct trace_identity *identity)
{
    size_t index = keys_find(&r->keys, identity->word[0]);
    const struct repeat *known = index < KEYS_NONE ? r->item[index] : NULL;
    return known && known->identity.word[1] == identity->word[1] ? known : NULL;
}

void repeats_add(struct repeats *r, const struct repeat *launch)
{
    if (r->keys.count == REPEATS_MOST || keys_find(&r->keys, launch->identity.word[0]) != KEYS_NONE)
        return;
    void *items = keys_items(r->item, &r->room, r->keys.count + 1, sizeof *r->item);
    struct repeat *own = items ? malloc(sizeof *own) : NULL;
    r->item = items ? items : r->item;
    size_t index = own ? keys_add(&r->keys, launch->identity.word[0]) : KEYS_NONE;
    if (index == KEYS_NONE) {
        free(own);
        return;
    }
    *own = *launch;
    r->item[index] = own;
}

void repeats_free(struct repeats *r)
{
    for (size_t i = 0; i < r->keys.count; i++)
        free(r->item[i]);
    free(r->item);
    keys_free(&r->keys);
    *r = (struct repeats){0};
}
