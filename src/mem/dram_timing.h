/* Timing of a DRAM channel: the parameters that the standards name, in command clocks. The numbers are those of the
 * configuration's section [standard], which the files of configs/dram give.
 *
 * All standards here move 32 bytes, a sector, in one burst that takes two command clocks of its data bus: HBM2 BL4 on
 * a 64-bit pseudo-channel at 2 bits a clock and pin, HBM3 BL8 on 32 bits at 4, GDDR6 BL16 on a 16-bit channel at 8,
 * GDDR7 32 bits a pin on an 8-bit channel at 16. So the command clock follows from the bandwidth of a data bus alone.
 * A parameter is given as a time and as a number of clocks, and is the longer of the two, as in the standards. */
#ifndef SUBCORE_MEM_DRAM_TIMING_H
#define SUBCORE_MEM_DRAM_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

enum { DRAM_BURST = CONFIG_DRAM_BURST, DRAM_BANKS = 64 }; /* command clocks of a burst; most banks of a channel */

/* RL, WL: command to first data. tRTW is kept as the gap that it leaves on the data bus beyond the latencies:
 * read to write takes RL + burst - WL + gap. tRC is tRAS + tRP. */
#define DRAM_TIMINGS(X)                                                                                                \
    X(RL)                                                                                                              \
    X(WL)                                                                                                              \
    X(tRCDRD)                                                                                                          \
    X(tRCDWR)                                                                                                          \
    X(tRP)                                                                                                             \
    X(tRAS)                                                                                                            \
    X(tWR)                                                                                                             \
    X(tRTP)                                                                                                            \
    X(tCCD_S)                                                                                                          \
    X(tCCD_L)                                                                                                          \
    X(tRRD_S)                                                                                                          \
    X(tRRD_L)                                                                                                          \
    X(tFAW)                                                                                                            \
    X(tWTR_S)                                                                                                          \
    X(tWTR_L)                                                                                                          \
    X(tRTW_gap)                                                                                                        \
    X(tRFCab)                                                                                                          \
    X(tRFCpb)                                                                                                          \
    X(tRREFD)                                                                                                          \
    X(tREFI)

struct dram_timing {
#define X(name) uint32_t name;
    DRAM_TIMINGS(X)
#undef X
    uint32_t tRTW;      /* read command to write command */
    uint32_t pseudo;    /* pseudo-channels of a channel: data buses with their own banks */
    uint32_t groups;    /* bank groups of a pseudo-channel. Without bank groups each bank is one */
    bool row_bus;       /* activations, precharges and refreshes have their own command bus */
    uint64_t ck_period; /* command clock in SM cycles, DRAM_CK_FRACTION fraction bits */
};

enum { DRAM_CK_FRACTION = 32 };

/* For one of config->dram.channels. */
void dram_timing_init(struct dram_timing *timing, const struct config *config);

/* The SM cycle in which clock `ck` begins or which it precedes: rounded up. */
static inline uint64_t dram_cycle(const struct dram_timing *timing, uint64_t ck)
{
    unsigned __int128 product = (unsigned __int128)ck * timing->ck_period;
    return (uint64_t)((product + (UINT64_C(1) << DRAM_CK_FRACTION) - 1) >> DRAM_CK_FRACTION);
}

/* The first command clock that is not before the SM cycle. */
static inline uint64_t dram_ck(const struct dram_timing *timing, uint64_t cycle)
{
    if (cycle == 0)
        return 0;
    if (cycle >> (64 - DRAM_CK_FRACTION) == 0)
        return ((cycle - 1) << DRAM_CK_FRACTION) / timing->ck_period + 1;
    return (uint64_t)(((unsigned __int128)(cycle - 1) << DRAM_CK_FRACTION) / timing->ck_period) + 1;
}

#endif
