#include "mem/dram_timing.h"

#include <math.h>

#include "port/message.h"

struct span {
    double ns;
    uint32_t ck;
};

struct standard {
    uint32_t pseudo, groups;
    bool row_bus;
#define X(name) struct span name;
    DRAM_TIMINGS(X)
#undef X
};

enum { NO_GROUPS = DRAM_BANKS };

/* HBM2 and HBM2e in pseudo-channel mode. JESD235 leaves the row timings to vendors. tRAS, tRP, tCCD, tRREFD, tREFI,
 * tRFC and the read-to-write gap as JESD235D prints them (8 Gb a channel); the rest as public DRAM simulators have it
 * for 8 Gb parts at 2 Gbit/s (Ramulator 2, DRAMsim3). tFAW is that of the 1 KiB pages of a pseudo-channel; simulators
 * in legacy mode with 2 KiB pages use 30 ns. tRFCpb is assumed, as HBM3. That HBM2e has the same times is assumed. */
#define HBM2_TIMES                                                                                                     \
    .pseudo = 2, .groups = 4, .row_bus = true, .RL = {14, 7}, .WL = {4, 4}, .tRCDRD = {14, 3}, .tRCDWR = {12, 3},      \
    .tRP = {15, 3}, .tRAS = {33, 3}, .tWR = {16, 3}, .tRTP = {5, 3}, .tCCD_S = {0, 2}, .tCCD_L = {2.8, 4},             \
    .tRRD_S = {4, 2}, .tRRD_L = {6, 2}, .tFAW = {16, 8}, .tWTR_S = {6, 3}, .tWTR_L = {8, 4}, .tRTW_gap = {4, 2},       \
    .tRFCab = {350, 1}, .tRFCpb = {200, 1}, .tRREFD = {8, 3}, .tREFI = {3900, 1}

/* HBM3. tCCD, tREFI, tRFC, tRREFD and the read-to-write gap as JESD238 prints them (16 Gb dies, eight high); the rest
 * as Ramulator 2 assumes for 6.4 Gbit/s. That HBM3e, whose tables are not public, has the same times is assumed. */
#define HBM3_TIMES                                                                                                     \
    .pseudo = 2, .groups = 4, .row_bus = true, .RL = {12.5, 7}, .WL = {6.25, 4}, .tRCDRD = {19.3, 3},                  \
    .tRCDWR = {9.3, 3}, .tRP = {16.2, 3}, .tRAS = {28.1, 3}, .tWR = {20.6, 3}, .tRTP = {5.6, 3}, .tCCD_S = {0, 2},     \
    .tCCD_L = {2.5, 4}, .tRRD_S = {2.5, 2}, .tRRD_L = {3.1, 2}, .tFAW = {15, 8}, .tWTR_S = {4.3, 3},                   \
    .tWTR_L = {6.2, 4}, .tRTW_gap = {2.8, 2}, .tRFCab = {350, 1}, .tRFCpb = {200, 1}, .tRREFD = {8, 3},                \
    .tREFI = {3900, 1}

/* GDDR6. JESD250 does not print times. tRAS, tRC, tRRD, tFAW, tREFI, tRFC and tRREFD of 8 Gb vendor parts as public
 * controllers and Ramulator 2 quote them; RL, tRCDWR, tWR, tRTP, WL, tWTR of the 14 Gbit/s presets of Ramulator 2;
 * tCCD_L of the 16 Gbit/s parts. That GDDR6X, whose tables are not public, has the same times is assumed. */
#define GDDR6_TIMES                                                                                                    \
    .pseudo = 1, .groups = 4, .row_bus = false, .RL = {13.7, 9}, .WL = {0, 6}, .tRCDRD = {15, 3}, .tRCDWR = {9.1, 3},  \
    .tRP = {15, 3}, .tRAS = {30, 4}, .tWR = {15, 3}, .tRTP = {0, 4}, .tCCD_S = {0, 2}, .tCCD_L = {0, 4},               \
    .tRRD_S = {4, 2}, .tRRD_L = {4, 2}, .tFAW = {16, 8}, .tWTR_S = {5.1, 3}, .tWTR_L = {6.3, 4}, .tRTW_gap = {0, 4},   \
    .tRFCab = {120, 1}, .tRFCpb = {60, 1}, .tRREFD = {16, 2}, .tREFI = {1900, 1}

/* GDDR7. JESD239 has no bank groups, tCCDSB for the same bank (here tCCD_L), tREFI as GDDR6, and leaves the times to
 * vendors: all others are those of GDDR6 scaled as Ramulator 2 assumes them for 28 Gbit/s. tFAW is not part of it. */
#define GDDR7_TIMES                                                                                                    \
    .pseudo = 1, .groups = NO_GROUPS, .row_bus = true, .RL = {13.7, 9}, .WL = {0, 6}, .tRCDRD = {17.1, 3},             \
    .tRCDWR = {10.8, 3}, .tRP = {17.1, 3}, .tRAS = {34.2, 4}, .tWR = {17.1, 3}, .tRTP = {0, 4}, .tCCD_S = {0, 2},      \
    .tCCD_L = {0, 4}, .tRRD_S = {0, 4}, .tRRD_L = {0, 4}, .tFAW = {0, 16}, .tWTR_S = {5.1, 3}, .tWTR_L = {6.2, 4},     \
    .tRTW_gap = {0, 4}, .tRFCab = {180, 1}, .tRFCpb = {60, 1}, .tRREFD = {12, 2}, .tREFI = {1900, 1}

static const struct standard standards[] = {
    [CONFIG_DRAM_HBM2] = {HBM2_TIMES},   [CONFIG_DRAM_HBM2E] = {HBM2_TIMES},  [CONFIG_DRAM_HBM3] = {HBM3_TIMES},
    [CONFIG_DRAM_HBM3E] = {HBM3_TIMES},  [CONFIG_DRAM_GDDR6] = {GDDR6_TIMES}, [CONFIG_DRAM_GDDR6X] = {GDDR6_TIMES},
    [CONFIG_DRAM_GDDR7] = {GDDR7_TIMES},
};

/* Times that fill a whole number of clocks up to rounding of the clock are not made one longer. */
static uint32_t clocks(struct span span, double tCK)
{
    double least = ceil(span.ns / tCK - 1e-6);
    return least > span.ck ? (uint32_t)least : span.ck;
}

void dram_timing_init(struct dram_timing *timing, const struct config *config)
{
    const struct config_dram *c = &config->dram;
    const struct standard *s = &standards[c->kind];
    double bus = c->bandwidth / (c->channels * s->pseudo); /* bytes a nanosecond */
    double tCK = PORT_SECTOR / bus / DRAM_BURST;
    double period = ldexp(tCK * config->gpu.clock * 1e-3, DRAM_CK_FRACTION);
    *timing = (struct dram_timing){
        .pseudo = s->pseudo,
        .groups = s->groups,
        .row_bus = s->row_bus,
        .ck_period = period < 1 ? 1 : (uint64_t)period,
    };
#define X(name) timing->name = clocks(s->name, tCK);
    DRAM_TIMINGS(X)
#undef X
    uint32_t before = timing->WL < timing->RL ? timing->RL - timing->WL : 0;
    timing->tRTW = before + DRAM_BURST + timing->tRTW_gap;
}
