/* The launches of a workload on a real GPU: each is noted, and, unless it is to run once, repeated and timed.
 *
 * Memory that a launch changes is put back before it is repeated, so workloads need not know. Before each repetition
 * the L2 is filled with something else, as the simulator and Nsight Compute begin a launch with empty caches. */
#ifndef SUBCORE_VALIDATE_HW_LAUNCHES_H
#define SUBCORE_VALIDATE_HW_LAUNCHES_H

#include "card.h"

enum { LAUNCHES_MOST = 64, LAUNCHES_REPEATS = 100 };

struct launch_note {
    char kernel[CARD_NAME];
    struct example_dim grid, block;
    unsigned repeats;           /* that were timed */
    double median, least, most; /* ns between the events around it */
};

struct launches {
    struct card *card;
    void *module;
    unsigned repeat; /* 0: each launch runs once, and nothing else does */
    bool warm;       /* the L2 is left as it is */
    struct measure_device filler;
    struct launch_note note[LAUNCHES_MOST];
    unsigned count;
};

/* False: card->error. */
bool launches_begin(struct launches *launches, struct card *card, const char *folder, const char *module);
struct example_device launches_device(struct launches *launches);

#endif
