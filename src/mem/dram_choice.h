/* The choice of a pseudo-channel's next command: among the legal commands (dram_rules.h) for which an access waits
 * (dram_memo.h), the policy (dram_policy.h) takes one. Row commands and column commands are chosen apart, since
 * standards with two command buses issue both in one clock.
 *
 * A bank is a candidate for at most one command of each sort. The first candidate of a sort stays the first as long as
 * its own bank does not change: others become no sooner, and a bank that changes is compared with it. */
#ifndef SUBCORE_MEM_DRAM_CHOICE_H
#define SUBCORE_MEM_DRAM_CHOICE_H

#include "mem/dram_memo.h"

/* The inputs of a choice. */
struct dram_choice {
    const struct dram_rules *rules;
    struct dram_ranks ranks;
    struct dram_memo *memo;
};

/* Finds the next command: memo->next and memo->row_ck. */
void dram_choose(const struct dram_choice *choice);

/* Brings the first candidates up to date after a change of a bank. */
void dram_choose_again(const struct dram_choice *choice, uint32_t bank);

#endif
