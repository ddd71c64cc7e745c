#include "asm/distance.h"

#include <string.h>

#include "isa/resources.h"

/* Bounds that hold on every architecture here; code of the CUDA 13 compiler never waits longer where it must wait. */
enum {
    MATH = 6,            /* ALU, FMA, half: 4 to 6 to each other */
    MATH_TO_QUEUE = 8,   /* sources of memory instructions are read later; 5 on sm_86 and sm_89 */
    HALF_ON_FP64 = 10,   /* HFMA2.MMA and IMAD of the FP64 pipe to others */
    DOUBLE = 10,         /* sm_90 and sm_100, where FP64 has a fixed latency */
    TENSOR = 40,         /* up to 36 for HMMA.16816 on sm_90 */
    CLOCK = 15,          /* CS2R */
    TO_UNIFORM = 22,     /* R2UR on sm_100; 15 on sm_90 and sm_120 */
    UNIFORM = 13,        /* uniform datapath to vector operands 12; to itself 2 to 7 */
    PREDICATE_DATA = 6,  /* predicate as an operand of the ALU 5 or 6 */
    PREDICATE_GUARD = 13 /* as a guard, in a branch or in a queue 12 or 13 */
};

static const struct isa_op_info *info_of(const struct isa_inst *inst) { return isa_op_info((enum isa_op)inst->op); }

static bool is_one_of(const struct isa_inst *inst, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(info_of(inst)->name, names[i]) == 0)
            return true;
    return false;
}

static bool starts(const struct isa_inst *inst, const char *prefix)
{
    return strncmp(info_of(inst)->name, prefix, strlen(prefix)) == 0;
}

bool distance_is_variable(const struct isa_inst *inst, unsigned sm)
{
    static const char *const counted[] = {"LDGDEPBAR", "BMOV", "DMMA", "LDCU", "MEMBAR", "BAR", "R2B", "FENCE"};
    static const char *const fixed[] = {"CREDUX", "ELECT"};
    const struct isa_op_info *info = info_of(inst);
    if (is_one_of(inst, counted, sizeof counted / sizeof *counted))
        return true;
    if (is_one_of(inst, fixed, sizeof fixed / sizeof *fixed))
        return false;
    if (strcmp(info->name, "R2UR") == 0)
        return sm < 90;
    if (info->latency == ISA_LATENCY_FP64)
        return sm != 90 && sm != 100;
    if (info->latency == ISA_LATENCY_TENSOR)
        return sm == 75;
    return !isa_latency_fixed(info->latency);
}

enum consumer distance_consumer(const struct isa_inst *inst, unsigned sm)
{
    const struct isa_op_info *info = info_of(inst);
    if (info->pipe == ISA_PIPE_CBU)
        return CONSUMER_GUARD;
    return distance_is_variable(inst, sm) || info->pipe == ISA_PIPE_LSU || info->pipe == ISA_PIPE_ADU ||
                   info->pipe == ISA_PIPE_XU
               ? CONSUMER_QUEUE
               : CONSUMER_MATH;
}

unsigned distance_cycles(const struct isa_inst *inst, unsigned resource, enum consumer consumer)
{
    static const char *const slow[] = {"CS2R", "LEPC", "RPCMOV"};
    const struct isa_op_info *info = info_of(inst);
    if (info->latency == ISA_LATENCY_TENSOR)
        return TENSOR;
    if (resource_is_predicate(resource) && info->latency != ISA_LATENCY_UNIFORM)
        return consumer == CONSUMER_MATH && info->latency != ISA_LATENCY_FP64 ? PREDICATE_DATA : PREDICATE_GUARD;
    if (is_one_of(inst, slow, sizeof slow / sizeof *slow))
        return CLOCK;
    switch (info->latency) {
    case ISA_LATENCY_FP64: return DOUBLE;
    case ISA_LATENCY_UNIFORM:
    case ISA_LATENCY_BRANCH: return UNIFORM;
    case ISA_LATENCY_CROSS_LANE: return TO_UNIFORM;
    default: break;
    }
    if (info->pipe == ISA_PIPE_FP64)
        return HALF_ON_FP64;
    return consumer == CONSUMER_MATH ? MATH : MATH_TO_QUEUE;
}

/* A counter has been incremented two cycles after issue; branches and barriers are given the 5 that compilers give. */
unsigned distance_issue(const struct isa_inst *inst, unsigned sm)
{
    enum { PLAIN = 1, COUNTED = 2, CONTROL = 5 };
    const struct isa_op_info *info = info_of(inst);
    if (info->flags & (ISA_BRANCH | ISA_EXIT | ISA_BARRIER | ISA_MEMBAR | ISA_DEPBAR))
        return CONTROL;
    return distance_is_variable(inst, sm) || info->pipe == ISA_PIPE_CBU ? COUNTED : PLAIN;
}

bool distance_is_unknown(const struct isa_inst *inst)
{
    static const char *const prefixes[] = {"HGMMA", "IGMMA", "BGMMA", "QGMMA", "WARPGROUP", "UTC", "LDT", "STT"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (starts(inst, prefixes[i]))
            return true;
    return false;
}
