#include "mem/dram_policy.h"

#define ENTRY(constant, word, summary, policy) [CONFIG_##constant] = &policy,

const struct dram_pick_policy *dram_pick_policy(enum config_dram_pick pick)
{
    static const struct dram_pick_policy *const all[] = {POLICIES_DRAM_PICK(ENTRY)};
    return all[pick];
}

const struct dram_row_policy *dram_row_policy(enum config_dram_row row)
{
    static const struct dram_row_policy *const all[] = {POLICIES_DRAM_ROW(ENTRY)};
    return all[row];
}
