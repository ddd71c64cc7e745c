/* The choice of the L2 line that makes room. Each policy is a file src/mem/policy/l2_replacement_NAME.c. The tags ask
 * it class by class, so that no policy can break an eviction priority. Vendors do not publish the policy.
 *
 * A policy may keep its notes in l2_line.note and l2_tags.state, which are saved with the run. */
#ifndef SUBCORE_MEM_L2_REPLACEMENT_H
#define SUBCORE_MEM_L2_REPLACEMENT_H

#include "mem/l2_tags.h"

struct l2_replacement_policy {
    const char *name, *summary;
    /* Takes note of a use: an access to the line, or that the line has just taken its place. NULL: the order of last
     * use, which the tags keep, is enough. */
    void (*use)(struct l2_tags *tags, struct l2_line *line);
    /* Takes note that a full set has to give up a line, before any class is asked. NULL: nothing to note. */
    void (*seek)(struct l2_tags *tags, uint32_t set);
    /* Returns the place, in the order of last use, for a line of the class that may go (l2_tags_may_go), or tags->ways
     * if none may. */
    uint32_t (*choose)(const struct l2_tags *tags, uint32_t set, enum l2_class class);
};

const struct l2_replacement_policy *l2_replacement_policy(enum config_l2_replacement policy);

#define L2_DECLARE_REPLACEMENT(constant, word, summary, policy) extern const struct l2_replacement_policy policy;
POLICIES_L2_REPLACEMENT(L2_DECLARE_REPLACEMENT)

#endif
