/* The part of a grid that stands for a launch of many waves. A wave has as many CTAs as the simulated SMs hold at once.
 *
 * A grid of at most PUBLISHED_WHOLE waves is run whole. Of a longer one the first 1 + `waves` waves are run and, from
 * the beginning again, the first 1 + 2 * `waves`. Both runs have the CTAs behind the last whole wave of the launch as
 * well:
 *
 *   launch, 8 waves and a half, of which 3 and 5 are run:   |  |  |  |  |  |  |  |  | |
 *   first run:                                              |  |  |  | |
 *   second run:                                             |  |  |  |  |  | |
 *
 * so that they end as the launch ends. On a GPU whose SMs hold a CTA each, 15.1 waves last as long as 16. The extra
 * time of the second run gives the time of a CTA in steady state. The first run is longer than a wave because the CTAs
 * of the first wave begin and end together, while those of later ones have drifted apart, and the SMs empty slowly.
 *
 * Where only some SMs are simulated, they get their share of the grid. */
#ifndef SUBCORE_CLI_PUBLISHED_WINDOW_H
#define SUBCORE_CLI_PUBLISHED_WINDOW_H

#include <stdint.h>

enum { PUBLISHED_WHOLE = 4, PUBLISHED_WAVES = 2 };

struct published_window {
    uint64_t first, second; /* CTAs of the two runs; first 0: there is only the second */
    uint64_t ctas;          /* that the simulated SMs get of the launch, rounded up */
    double share;           /* the same, exactly */
};

/* Chooses the runs for a launch of so many CTAs on `gpu_sms` SMs, of which `sms` are simulated, each with room for
 * `ctas_per_sm`. */
struct published_window published_window(uint64_t ctas, uint32_t sms, uint32_t gpu_sms, uint32_t ctas_per_sm,
                                         uint64_t waves);

#endif
