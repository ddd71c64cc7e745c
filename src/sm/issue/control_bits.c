#include "sm/issue/control_bits.h"

#include "isa/stall.h"

uint8_t control_bits_stall(struct isa_control control, const struct config_core *config)
{
    return (uint8_t)isa_stall(control, config->stall_zero_yield);
}
