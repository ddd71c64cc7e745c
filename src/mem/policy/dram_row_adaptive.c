#include "mem/dram_policy.h"

enum { LEAN_CLOSE = 2, LEAN_MOST = 3 };

/* Counts to three in either direction, as a branch predictor does: 0 keeps rows open, 3 closes them. */
static void event(void *state, enum dram_row_event what)
{
    uint8_t *lean = state;
    if (what == DRAM_ROW_REOPENED && *lean > 0)
        --*lean;
    if (what == DRAM_ROW_CONFLICT && *lean < LEAN_MOST)
        ++*lean;
}

static uint64_t close_at(const void *state, uint64_t now)
{
    const uint8_t *lean = state;
    return *lean >= LEAN_CLOSE ? now : DRAM_ROW_STAYS;
}

/* Each bank learns whether its last rows were closed too late, for another row, or too early, to be opened again. */
const struct dram_row_policy dram_row_adaptive = {
    .name = "adaptive",
    .summary = "each bank closes or keeps rows as would have been right for its last ones",
    .state_bytes = sizeof(uint8_t),
    .close_at = close_at,
    .event = event,
};
