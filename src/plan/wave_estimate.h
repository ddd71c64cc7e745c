/* The cycles in the gaps of a sampled launch, with an interval.
 *
 * A window's rate is its cycles per unit of work. Work is CTAs, warp instructions, sectors that the L2 has served, or
 * sectors that device memory has moved. The unit is the one in which the windows differ least. CTAs and sectors are
 * candidates only if CTAs have equally many instructions, and memory sectors only if memory is busy for half of the
 * time. A gap's memory sectors are the sectors that its CTAs read and make dirty, less those that it leaves dirty.
 *
 * For other units, if device memory is the limit, a window in which the L2 has become dirtier has left work to later
 * ones, and the other way round. So a rate is corrected by the change of dirty sectors, times their cycles, a slope by
 * least squares over the windows that is not below 0. The change over a gap is known, because its CTAs' accesses update
 * the L2. The estimate subtracts it again.
 *
 * The rate of a gap is the mean of its neighbouring windows. The interval has these parts; s is the standard deviation
 * of a window, from the differences between neighbours:
 *
 *   a window stands for w windows in the gaps beside it                         w w s s
 *   each of the n windows that a gap would have has a deviation of its own      n s s
 *   somewhere in a gap of n windows between windows that differ by d, the
 *   time may have changed at once                                               n n d d / 12
 *   the slope has an error e, and the gaps have x dirty sectors less than
 *   as many windows would have                                                  x x e e
 *   the caches behind a gap are not quite as in a launch that is timed          WAVE_BIAS of all gaps' cycles
 *
 * The first four are variances and meet Student's quantile. The last is a bound that was measured (docs/sampling.md).
 */
#ifndef SUBCORE_PLAN_WAVE_ESTIMATE_H
#define SUBCORE_PLAN_WAVE_ESTIMATE_H

#include "plan/wave_sample.h"

#define WAVE_BIAS 0.025

struct wave_estimate {
    double cycles;     /* of the CTAs without time */
    double half_width; /* of the 95 % interval; infinite where there are less than three windows */
};

/* Projects the cycles of all gaps. There must be a gap. */
struct wave_estimate wave_estimate(const struct wave_sample *s);
/* Returns the number of windows before the last one with which the half width would be the requested one, by present
 * knowledge. They come in the next `left` CTAs, each with `segment` timed CTAs. */
uint32_t wave_windows_more(const struct wave_sample *s, uint64_t left, uint64_t segment);

#endif
