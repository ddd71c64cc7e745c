#include "isa/stall.h"

#include "isa/contract.h"

enum {
    COLLAPSED_STALL = 2, /* the paper says one or two cycles. A100 reads stale data at every distance that was tried */
    AFTER_YIELD = 2
};

/* Source: MICRO 2025 paper, control bits. Each special case was seen again on A100 by a third party. */
unsigned isa_stall(struct isa_control control, unsigned sleep)
{
    /* Stall 0 with yield, as on ERRBAR and on the branch behind EXIT: a fixed sleep, whatever the opcode. */
    if (control.stall == 0 && control.yield)
        return sleep;
    /* Stall 0 without yield: back to back, as stall 1. */
    if (control.stall == 0)
        return 1;
    /* A stall from 12 on counts only with yield. No compiler emits it without. */
    if (control.stall >= ISA_YIELD_FROM && !control.yield)
        return COLLAPSED_STALL;
    /* Yield keeps the warp from the next cycle. With a stall of 2 and more it adds nothing. */
    if (control.yield && control.stall < AFTER_YIELD)
        return AFTER_YIELD;
    /* Stall n: a warp that issues in cycle t issues again in t + n at the earliest. */
    return control.stall;
}

/* GA102: MICRO 2025 paper, section 4; other chips of graphics cards as GA102: assumed. GA100: measured on an A100;
 * GH100: measured on an H200; later chips of data centres as GH100: assumed. */
unsigned isa_stall_sleep(unsigned sm)
{
    enum { OF_GA102 = 45, OF_GA100 = 54, OF_GH100 = 58 };
    return sm == 80 ? OF_GA100 : sm >= 90 && sm < 120 ? OF_GH100 : OF_GA102;
}
