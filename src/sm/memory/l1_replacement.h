/* The choice of the L1 line that makes room. Each policy is a file src/sm/memory/policy/l1_replacement_NAME.c. The tags
 * ask it among lines that a load wants to be kept alike, so that no policy can break an eviction priority.
 *
 * A policy may keep notes in l1_line.note, l1_ways.marks and l1_tags.state, which are saved with the run. */
#ifndef SUBCORE_SM_L1_REPLACEMENT_H
#define SUBCORE_SM_L1_REPLACEMENT_H

#include "sm/memory/l1_tags.h"

#define L1_NO_WAY UINT32_MAX

struct l1_replacement_policy {
    const char *name, *summary;
    /* Takes note of a use: a load or store of the line, or that the line has just taken its place. NULL: l1_line.used,
     * which the tags count, is enough. */
    void (*use)(struct l1_tags *t, uint32_t set, uint32_t way);
    /* Returns a way whose line is kept so, or L1_NO_WAY if the set has none. Asked when every way holds a line. While
     * t->ranked is false, all lines are kept alike. May evict more lines of that kind (l1_tags_evict), L1_VICTIMS with
     * the one that it returns. */
    uint32_t (*choose)(struct l1_tags *t, uint32_t set, enum l1_keep keep);
};

const struct l1_replacement_policy *l1_replacement_policy(enum config_l1_replacement policy);

#define L1_DECLARE_REPLACEMENT(constant, word, summary, policy) extern const struct l1_replacement_policy policy;
POLICIES_L1_REPLACEMENT(L1_DECLARE_REPLACEMENT)

#endif
