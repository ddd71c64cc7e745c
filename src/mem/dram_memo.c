#include "mem/dram_memo.h"

#include <string.h>

void dram_memo_reset(struct dram_memo *memo) { *memo = (struct dram_memo){.mode = DRAM_READ}; }

static inline void put(uint64_t *bits, uint32_t b, bool value)
{
    *bits = (*bits & ~(UINT64_C(1) << b)) | (uint64_t)value << b;
}

static inline void note_list(struct dram_memo *memo, const struct dram_ranks *ranks, const struct dram_bank *bank,
                             uint32_t b, enum dram_direction d, uint32_t row_cap)
{
    const struct dram_list *list = &bank->list[d];
    if (list->oldest == DRAM_NONE && !(memo->pending[d] >> b & 1))
        return;
    bool capped = list->hit != list->oldest && bank->passed >= row_cap, hit = list->hit != DRAM_NONE && !capped;
    put(&memo->pending[d], b, list->oldest != DRAM_NONE);
    if (dram_order_put(&memo->columns[d], b, hit ? dram_rank(ranks, list->hit) : DRAM_NO_RANK))
        put(&memo->hits[d], b, hit);
}

void dram_memo_rank(struct dram_memo *memo, const struct dram_ranks *ranks, const struct dram_bank *bank, uint32_t b,
                    uint32_t row_cap)
{
    note_list(memo, ranks, bank, b, DRAM_READ, row_cap);
    note_list(memo, ranks, bank, b, DRAM_WRITE, row_cap);
}

void dram_memo_bank(struct dram_memo *memo, const struct dram_ranks *ranks, const struct dram_bank *bank, uint32_t b,
                    uint32_t row_cap, uint64_t close_at)
{
    dram_memo_rank(memo, ranks, bank, b, row_cap);
    put(&memo->open, b, bank->open);
    memo->close_at[b] = close_at;
    if (memo->idle != 0 || close_at != DRAM_ROW_STAYS)
        put(&memo->idle, b, close_at != DRAM_ROW_STAYS);
}

void dram_memo_turn(struct dram_memo *memo, enum dram_direction mode)
{
    if (mode == memo->mode)
        return;
    memo->known = 0;
    memo->planned = false;
    memo->mode = mode;
}

/* A refresh frees banks that were kept for it. */
void dram_memo_issued(struct dram_memo *memo, enum dram_op op)
{
    switch (op) {
    case DRAM_RD:
    case DRAM_WR: memo->known &= (uint8_t) ~(1u << DRAM_COLUMN); break;
    case DRAM_ACT: memo->known &= (uint8_t) ~(1u << DRAM_ACTIVATION); break;
    case DRAM_PRE: memo->known &= (uint8_t) ~(1u << DRAM_PRECHARGE); break;
    case DRAM_PREAB:
    case DRAM_REFAB:
    case DRAM_REFPB:
    case DRAM_OPS: memo->known = 0; break;
    }
}
