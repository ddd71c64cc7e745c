#include "driver/state/blocks.h"

#include <stdlib.h>

bool block_begin(struct blocks *blocks, uint64_t id, enum block_choice choice, const _Atomic uint64_t *submitted)
{
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return false;
    *block = (struct block){.id = id, .choice = choice, .end = UINT64_MAX, .last = &block->launches};
    pthread_mutex_lock(&blocks->lock);
    block->first = atomic_load(submitted);
    block->next = blocks->latest;
    blocks->latest = block;
    pthread_mutex_unlock(&blocks->lock);
    return true;
}

/* Returns the link to it, or to the NULL at the end. */
static struct block **find(struct blocks *blocks, uint64_t id)
{
    struct block **link = &blocks->latest;
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

bool block_close(struct blocks *blocks, uint64_t id, const _Atomic uint64_t *submitted)
{
    pthread_mutex_lock(&blocks->lock);
    struct block *block = *find(blocks, id);
    bool goes_on = block && block->end == UINT64_MAX;
    if (goes_on)
        block->end = atomic_load(submitted);
    pthread_mutex_unlock(&blocks->lock);
    return goes_on;
}

struct block *block_take(struct blocks *blocks, uint64_t id)
{
    pthread_mutex_lock(&blocks->lock);
    struct block **link = find(blocks, id), *block = *link;
    if (block)
        *link = block->next;
    pthread_mutex_unlock(&blocks->lock);
    return block;
}

void block_free(struct block *block)
{
    while (block && block->launches) {
        struct block_launch *launch = block->launches;
        block->launches = launch->next;
        free(launch);
    }
    free(block);
}

static bool holds(const struct block *block, uint64_t order) { return order >= block->first && order < block->end; }

enum block_choice blocks_choice(struct blocks *blocks, uint64_t order)
{
    pthread_mutex_lock(&blocks->lock);
    const struct block *block = blocks->latest;
    while (block && (!holds(block, order) || block->choice == BLOCK_AS_ASKED))
        block = block->next;
    enum block_choice choice = block ? block->choice : BLOCK_AS_ASKED;
    pthread_mutex_unlock(&blocks->lock);
    return choice;
}

bool blocks_hold(struct blocks *blocks, uint64_t order)
{
    pthread_mutex_lock(&blocks->lock);
    const struct block *block = blocks->latest;
    while (block && !holds(block, order))
        block = block->next;
    pthread_mutex_unlock(&blocks->lock);
    return block != NULL;
}

static void add(struct block *block, const struct launch_record *record)
{
    struct block_launch *launch = malloc(sizeof *launch);
    block->lost |= !launch;
    if (!launch)
        return;
    *launch = (struct block_launch){.record = *record};
    *block->last = launch;
    block->last = &launch->next;
}

void blocks_add(struct blocks *blocks, const struct launch_record *record)
{
    pthread_mutex_lock(&blocks->lock);
    for (struct block *block = blocks->latest; block; block = block->next)
        if (holds(block, record->order))
            add(block, record);
    pthread_mutex_unlock(&blocks->lock);
}
