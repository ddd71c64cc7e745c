#include "sm/memory/cache_policy.h"

#include "base/hash.h"

static uint8_t fetch_of(const struct isa_inst *inst, const struct isa_op_info *info)
{
    static const uint8_t sectors[4] = {
        [ISA_PREFETCH_LTC64B] = 2, [ISA_PREFETCH_LTC128B] = 4, [ISA_PREFETCH_LTC256B] = 8};
    bool loads = (info->memory == ISA_MEM_LOAD || info->memory == ISA_MEM_ASYNC_COPY) && info->space != ISA_SPACE_LOCAL;
    return loads ? sectors[inst->mod[ISA_MOD_PREFETCH] & 3] : 0;
}

struct cache_hint cache_hint_of(const struct isa_inst *inst)
{
    static const struct cache_hint hints[8] = {
        [ISA_CACHE_EF] = {L1_KEEP_FIRST, POLICY_EVICT_FIRST, 0},
        [ISA_CACHE_EN] = {L1_KEEP_NORMAL, POLICY_NORMAL, 0},
        [ISA_CACHE_EL] = {L1_KEEP_LAST, POLICY_EVICT_LAST, 0},
        [ISA_CACHE_LU] = {L1_KEEP_LAST_USE, POLICY_EVICT_FIRST, 0},
        [ISA_CACHE_EU] = {L1_KEEP_UNCHANGED, POLICY_NORMAL, 0},
        [ISA_CACHE_NA] = {L1_KEEP_NOT, POLICY_NORMAL, 0},
    };
    static const enum request_policy in_l2[4] = {[ISA_EVICT_L2_EFL2] = POLICY_EVICT_FIRST,
                                                 [ISA_EVICT_L2_ENL2] = POLICY_NORMAL,
                                                 [ISA_EVICT_L2_ELL2] = POLICY_EVICT_LAST,
                                                 [ISA_EVICT_L2_RML2] = POLICY_NORMAL};
    const struct isa_op_info *info = isa_op_info(inst->op);
    if (!(info->flags & ISA_KEEP))
        return hints[ISA_CACHE_EN];
    struct cache_hint hint = hints[inst->mod[ISA_MOD_CACHE] & 7];
    hint.fetch = fetch_of(inst, info);
    if (info->flags & ISA_256)
        hint.policy = in_l2[inst->mod[ISA_MOD_EVICT_L2] & 3];
    return hint;
}

static bool in_range(uint32_t policy, uint64_t line)
{
    enum { BLOCKS = 128, SMALLEST = 12 };
    uint64_t block = line >> ((policy >> 20 & 15) + SMALLEST);
    return (block - (policy >> 12 & 127)) % BLOCKS < (policy >> 5 & 127);
}

enum request_policy cache_policy_of(uint64_t policy, uint64_t line, enum request_policy otherwise)
{
    enum { VALID = 1 << 28, RANGE = 1 << 27, FIRST_ELSE = 1 << 24 };
    static const enum request_policy primary[4] = {POLICY_NORMAL, POLICY_EVICT_FIRST, POLICY_EVICT_LAST, POLICY_NORMAL};
    uint32_t high = (uint32_t)(policy >> 32);
    if (!(high & VALID))
        return otherwise;
    bool first = high & RANGE ? in_range(high, line) : hash_mix(line) % 16 <= (high >> 20 & 15);
    return first ? primary[high >> 25 & 3] : high & FIRST_ELSE ? POLICY_EVICT_FIRST : POLICY_NORMAL;
}
