/* Blocks: parts of a program, from a begin to an end, for which the program itself wants the results of launches
 * (subcore.simulate in our Python package). A block holds the launches that any thread of the process submits
 * meanwhile. Blocks may nest, and may overlap. The list has its own lock, since launches end while a thread waits. */
#ifndef SUBCORE_DRIVER_BLOCKS_H
#define SUBCORE_DRIVER_BLOCKS_H

#include <pthread.h>
#include <stdatomic.h>

#include "report/record.h"

/* The launches of a block: */
enum block_choice {
    BLOCK_AS_ASKED, /* are timed as the settings ask */
    BLOCK_TIMED,    /* are timed, though the settings would have them executed only */
    BLOCK_EXECUTED  /* are executed only */
};

struct block_launch {
    struct block_launch *next;
    struct launch_record record;
};

struct block {
    struct block *next; /* that began before it */
    uint64_t id;
    enum block_choice choice;
    uint64_t first, end; /* commands that the process had submitted before its begin, and before its end (UINT64_MAX: it
                          * goes on) */
    struct block_launch *launches, **last; /* in the order of their ends, and the place of the next one */
    bool lost;                             /* one is missing: out of memory */
};

struct blocks {
    pthread_mutex_t lock;
    struct block *latest; /* those too that have ended and wait for launches */
};

/* Begins a block with a number that no other has. `submitted` counts commands. Returns false if out of memory. */
bool block_begin(struct blocks *blocks, uint64_t id, enum block_choice choice, const _Atomic uint64_t *submitted);
/* Ends a block: later commands are outside. Returns whether there was one with this number that went on. */
bool block_close(struct blocks *blocks, uint64_t id, const _Atomic uint64_t *submitted);
/* Takes a block off the list once its launches have ended. Returns it, for block_free (NULL: there is none). */
struct block *block_take(struct blocks *blocks, uint64_t id);
/* Frees a block. NULL is allowed. */
void block_free(struct block *block);

/* Returns the choice for command `order`: that of the block that began last, of those that hold it and make one. */
enum block_choice blocks_choice(struct blocks *blocks, uint64_t order);
/* Returns whether a block holds command `order`. */
bool blocks_hold(struct blocks *blocks, uint64_t order);
/* Adds a launch that has ended to the blocks that hold it. */
void blocks_add(struct blocks *blocks, const struct launch_record *record);

#endif
