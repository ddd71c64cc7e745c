#include "trace/check.h"

#include "base/bits.h"
#include "trace/launch.h"

enum trace_reach trace_reach_of(const struct isa_inst *inst)
{
    static const uint8_t by_space[] = {
        [ISA_SPACE_NONE] = TRACE_REACH_GLOBAL, /* of textures */
        [ISA_SPACE_GLOBAL] = TRACE_REACH_GLOBAL,   [ISA_SPACE_SHARED] = TRACE_REACH_SHARED,
        [ISA_SPACE_LOCAL] = TRACE_REACH_LOCAL,     [ISA_SPACE_CONSTANT] = TRACE_REACH_CONSTANT,
        [ISA_SPACE_GENERIC] = TRACE_REACH_GENERIC,
    };
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    if (info->way == ISA_WAY_ENGINE)
        return TRACE_REACH_ENGINE;
    if (issued_has_operand((enum isa_op)inst->op))
        return info->space == ISA_SPACE_GENERIC ? TRACE_REACH_ASYNC : TRACE_REACH_OBJECT;
    switch (info->memory) {
    case ISA_MEM_LOAD:
    case ISA_MEM_STORE:
    case ISA_MEM_ATOMIC:
    case ISA_MEM_REDUCTION: return (enum trace_reach)by_space[info->space];
    case ISA_MEM_ASYNC_COPY: return TRACE_REACH_COPY;
    case ISA_MEM_NONE:
    case ISA_MEM_SHUFFLE: break;
    }
    return TRACE_REACH_NOTHING;
}

static bool reaches(enum trace_reach reach, unsigned space)
{
    switch (reach) {
    case TRACE_REACH_GLOBAL:
    case TRACE_REACH_COPY: return space == ISA_SPACE_GLOBAL;
    case TRACE_REACH_SHARED: return space == ISA_SPACE_SHARED;
    case TRACE_REACH_LOCAL: return space == ISA_SPACE_LOCAL;
    case TRACE_REACH_CONSTANT: return space == ISA_SPACE_CONSTANT;
    case TRACE_REACH_ASYNC:
    case TRACE_REACH_OBJECT: return space == ISA_SPACE_SHARED || space == ISA_SPACE_CLUSTER;
    case TRACE_REACH_GENERIC:
        return space == ISA_SPACE_GLOBAL || space == ISA_SPACE_SHARED || space == ISA_SPACE_LOCAL ||
               space == ISA_SPACE_CLUSTER;
    case TRACE_REACH_ENGINE:
    case TRACE_REACH_NOTHING: break;
    }
    return true;
}

static uint64_t highest(const uint64_t address[32], uint32_t lanes)
{
    uint64_t most = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t a = address[lowest_bit32(left)];
        most = a > most ? a : most;
    }
    return most;
}

/* Returns whether an address of all lanes may be above `last`. No address is above the bits of all. */
static bool may_exceed(const uint64_t address[32], uint64_t last)
{
    uint64_t bits = 0;
    for (unsigned lane = 0; lane < 32; lane += 4)
        bits |= address[lane] | address[lane + 1] | address[lane + 2] | address[lane + 3];
    return bits > last;
}

static bool exceeds_window(const uint32_t offset[32], uint32_t lanes)
{
    uint32_t all = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        all |= offset[lowest_bit32(left)];
    return all >> TRACE_WINDOW_BITS;
}

enum { CLUSTER_BITS = 4 };

static const char *access_wrong(const struct issued *is, enum trace_reach reach, bool second, bool low)
{
    bool global = is->space == ISA_SPACE_GLOBAL, object = is->space == ISA_SPACE_SHARED && !is->bytes;
    if (!reaches(reach, is->space))
        return "an access to a space that its instruction cannot reach";
    if (!object && (!is->bytes || is->bytes > TRACE_BYTES_MOST || (is->bytes & (is->bytes - 1))))
        return "an access of a size that no instruction has";
    uint32_t lanes = is->active & ~is->zero_fill;
    uint64_t last = global ? TRACE_ADDRESS_LAST : (UINT64_C(1) << TRACE_WINDOW_BITS) - 1;
    low = low || (lanes == UINT32_MAX && !may_exceed(is->address, last));
    uint64_t most = low ? 0 : highest(is->address, lanes);
    if (is->space == ISA_SPACE_CLUSTER)
        return most >> (TRACE_WINDOW_BITS + CLUSTER_BITS) ? "an address of a CTA beyond the 16th of a cluster" : NULL;
    if (global ? most > TRACE_ADDRESS_LAST : most >> TRACE_WINDOW_BITS)
        return global ? "an access over the end of the address space" : "an offset beyond 16 MiB";
    if (reach == TRACE_REACH_COPY && !second)
        return "a copy to shared memory without the places there";
    if (reach == TRACE_REACH_COPY && exceeds_window(is->shared, is->active))
        return "an offset beyond 16 MiB";
    return NULL;
}

const char *trace_reach_wrong(const struct issued *is, enum trace_reach reach, bool second, bool low)
{
    if (reach == TRACE_REACH_ENGINE)
        return NULL;
    if (is->space != ISA_SPACE_NONE)
        return access_wrong(is, reach, second, low);
    bool needs_addresses = reach == TRACE_REACH_CONSTANT || reach == TRACE_REACH_COPY;
    return needs_addresses ? "a load of constants, or a copy, without addresses" : NULL;
}
