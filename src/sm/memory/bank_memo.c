#include "sm/memory/bank_memo.h"

enum { WORD = 4 };

static void distances(uint32_t distance[32], const uint32_t offset[32])
{
    for (unsigned i = 0; i < 32; i++)
        distance[i] = offset[i] - offset[0];
}

/* Few lanes tell most patterns apart. */
static struct bank_pattern *place_of(struct bank_memo *memo, const uint32_t distance[32], uint32_t lanes,
                                     unsigned bytes)
{
    enum { SPREAD = 28 };
    uint32_t key = (distance[1] ^ distance[5] << 7 ^ distance[16] << 14 ^ distance[31] << 3 ^ bytes << 20) + lanes;
    return &memo->pattern[(key * UINT32_C(0x9e3779b1) >> SPREAD) % BANK_PATTERNS];
}

static bool same(const uint32_t a[32], const uint32_t b[32])
{
    uint32_t differ = 0;
    for (unsigned i = 0; i < 32; i++)
        differ |= a[i] ^ b[i];
    return !differ;
}

struct bank_passes bank_memo_passes(struct bank_memo *memo, const struct shared_model *model, const uint32_t offset[32],
                                    uint32_t lanes, unsigned bytes, enum bank_use use)
{
    struct bank_pattern now = {
        .lanes = lanes, .bytes = (uint8_t)bytes, .use = (uint8_t)use, .within = (uint8_t)(offset[0] % WORD)};
    distances(now.distance, offset);
    struct bank_pattern *known = place_of(memo, now.distance, lanes, bytes);
    if (known->lanes == lanes && known->bytes == now.bytes && known->use == now.use && known->within == now.within &&
        same(known->distance, now.distance))
        return known->passes;
    now.passes = model->passes(offset, lanes, bytes, use);
    *known = now;
    return now.passes;
}
