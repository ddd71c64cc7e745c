#include "sm/units.h"

#include "sm/units.def"

bool class_is_queued(enum issue_class class, const struct config_core *core)
{
    switch (class) {
#define X(name, class, type, places, queued, stall, event, text)                                                       \
    case CLASS_##class: return queued;
        QUEUED_UNITS(X)
#undef X
    default: (void)core; return false;
    }
}

static void choose(struct unit_choice *c, enum issue_class class, enum unit first, enum unit second)
{
    c->first[class] = (uint8_t)first;
    c->second[class] = (uint8_t)second;
}

void unit_choice_init(struct unit_choice *choice, const struct config_core *config)
{
    enum unit second = config->fp32_lite ? UNIT_FP32_SECOND : UNIT_FP32;
    bool lite_first = config->fp32_first == CONFIG_FP32_FIRST_LITE;
    bool second_too = config->int_lanes == CONFIG_INT_LANES_SECOND && config->fp32_lite;
    bool all = config->int_lanes == CONFIG_INT_LANES_BOTH && !config->fp32_lite; /* Pascal: one group does everything */
    enum unit integer = second_too ? UNIT_FP32_SECOND : all ? UNIT_FP32 : UNIT_INT;
    bool light = config->int_lanes == CONFIG_INT_LANES_BOTH && config->fp32_lite;
    enum unit half = config->half_on_tensor ? UNIT_TENSOR : config->half_on_fp32 ? UNIT_FP32 : UNIT_HALF;
    *choice = (struct unit_choice){0}; /* units with a queue have no latch here */
    choice->queued = 1u << CLASS_LG | 1u << CLASS_MIO | 1u << CLASS_TEX;
    choice->queued |= 1u << CLASS_ENGINE | 1u << CLASS_TENSOR_ENGINE;
    for (unsigned class = 0; class < CLASS_COUNT; class ++)
        if (class_is_queued((enum issue_class) class, config))
            choice->queued |= 1u << class;
    choose(choice, CLASS_ALU, integer, integer);
    choose(choice, CLASS_ALU_EITHER, light ? UNIT_FP32 : integer, light ? second : integer);
    choose(choice, CLASS_FMA, lite_first ? second : UNIT_FP32, lite_first ? UNIT_FP32 : second);
    choose(choice, CLASS_FMAHEAVY, UNIT_FP32, UNIT_FP32);
    choose(choice, CLASS_FP16, half, half == UNIT_FP32 ? second : half);
    choice->both = half == UNIT_FP32 ? 1u << CLASS_FP16 : 0;
    choose(choice, CLASS_FP64, UNIT_FP64, UNIT_FP64);
    choose(choice, CLASS_TENSOR, UNIT_TENSOR, UNIT_TENSOR);
    choose(choice, CLASS_UNIFORM, UNIT_UNIFORM, UNIT_UNIFORM);
    choose(choice, CLASS_CBU, UNIT_BRANCH, UNIT_BRANCH);
}

void units_block(struct units *u, uint64_t cycle)
{
    for (unsigned unit = UNIT_NONE + 1; unit < UNIT_COUNT; unit++)
        if (u->free[unit] < cycle)
            u->free[unit] = cycle;
    if (u->blocked_until < cycle)
        u->blocked_until = cycle;
}
