/* L1.5 of the SM: instructions and constants that the caches before it miss, in front of the L2.
 *
 * One array for both: Jia et al., "Dissecting the NVIDIA Turing T4 GPU via microbenchmarking", 2019; so in the artifact
 * of the MICRO 2025 paper. A line that it misses is asked of the L2 as a load, on the code way of the SM's port. A line
 * holds two lines of the constant caches, so that a constant that comes from the L2 brings its neighbour. */
#ifndef SUBCORE_SM_L15_H
#define SUBCORE_SM_L15_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "port/message.h"
#include "probe/counters.h"
#include "sm/code_table.h"
#include "sm/front/tags.h"
#include "sm/port/port.h"

struct l15 {
    struct l15_ports {
        struct port *port;
        const struct code_table *code;
        struct sm_counters *n;
    } to;
    const struct config_l15 *config;
    struct tags tags;
};

/* Addresses: instructions by pc, constants from L15_CONSTANTS on, 64 KiB a bank, L15_BANKS banks for each window of
 * code. */
#define L15_CONSTANTS (UINT64_C(1) << 40)
enum { L15_BANKS = 8, L15_WINDOW_SHIFT = 19 };

/* Returns the bank of a window's code among those of all windows. */
static inline uint8_t l15_bank(uint8_t window, uint8_t bank) { return (uint8_t)(window * L15_BANKS + bank); }

bool l15_init(struct l15 *c, const struct config_l15 *config, struct arena *arena);
/* Before a kernel; `keep`: the code of the last one stays, constants go. */
void l15_begin(struct l15 *c, bool keep);

/* Puts the window's code and the first bytes of its constant bank 0, which has the parameters, there: a launch reads
 * them ahead of the CTAs (launch.preload). Other banks come when they are asked for. Code beyond the capacity stays in
 * the L2. */
void l15_preload(struct l15 *c, uint32_t window, uint32_t parameters);

/* Returns true if the line of this byte needs no request to the L2. */
bool l15_has(const struct l15 *c, uint64_t address);
/* A request at cycle `now`: the cycle from which the L1.5 has the line of this byte, or TAGS_COMING. */
uint64_t l15_request(struct l15 *c, uint64_t address, uint64_t now);
/* The same for a line that no instruction waits for yet. */
uint64_t l15_prefetch(struct l15 *c, uint64_t address, uint64_t now);
/* A line that was asked of the L2 comes in cycle `now`. Returns whether it is of this window; *address: where. Launches
 * of one kernel have their own windows, and the same addresses in the L2. */
bool l15_fill(struct l15 *c, uint32_t window, const struct reply *reply, uint64_t now, uint64_t *address);

void l15_archive(struct archive *a, struct l15 *c);

#endif
