#include "mem/dram_policy.h"

static uint64_t close_at(const void *state, uint64_t now)
{
    (void)state, (void)now;
    return DRAM_ROW_STAYS;
}

/* An access to another row closes the row. */
const struct dram_row_policy dram_row_open = {
    .name = "open",
    .summary = "the row stays open until an access needs another one",
    .close_at = close_at,
};
