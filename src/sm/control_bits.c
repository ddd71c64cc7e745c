#include "sm/control_bits.h"

enum {
    LONGEST_PLAIN_STALL = 11,
    COLLAPSED_STALL = 2, /* the paper says one or two cycles; A100 reads stale data at every distance that was tried */
    AFTER_YIELD = 2
};

/* Source: MICRO 2025 paper, control bits; each special case was seen again on A100 by a third party. */
uint8_t control_bits_stall(struct isa_control control, const struct config_core *config)
{
    /* Stall 0 with yield, as on ERRBAR and on the branch behind EXIT: a fixed sleep, whatever the opcode. */
    if (control.stall == 0 && control.yield)
        return (uint8_t)config->stall_zero_yield;
    /* Stall 0 without yield: back to back, as stall 1. */
    if (control.stall == 0)
        return 1;
    /* A stall above 11 counts only with yield. No compiler emits it without. */
    if (control.stall > LONGEST_PLAIN_STALL && !control.yield)
        return COLLAPSED_STALL;
    /* Yield keeps the warp from the next cycle; with a stall of 2 and more it adds nothing. */
    if (control.yield && control.stall < AFTER_YIELD)
        return AFTER_YIELD;
    /* Stall n: a warp that issues in cycle t issues again in t + n at the earliest. */
    return control.stall;
}
