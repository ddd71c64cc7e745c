/* The order in which the CTAs of a hybrid launch begin: wave by wave, and in each wave the timed SM's CTAs first.
 *
 *   grid, 3 SMs with 2 slots, SM 1 timed:   0 1 2 3 4 5 | ... | 12 13
 *   order:                                  1 4, 0 2 3 5 | ... | 12 13
 *
 * A wave has as many CTAs as fill all SMs, and a row has one CTA for each SM. In the first wave CTA c belongs to SM c
 * modulo the number of SMs. A later CTA goes to an SM on which another has ended: a hash rotates the rows of later
 * waves. The timed SM is in the middle of those that have the most CTAs, so that not all of its CTAs lie at an edge of
 * the problem.
 *
 * If the last of several waves is not whole, the SMs that finish first take its CTAs: with 84 SMs of 6 slots and 2 CTAs
 * left for each, one SM took 3 to 6. The kernel ends with such an SM. So the timed SM takes twice the mean of that
 * wave, as far as it has slots. */
#ifndef SUBCORE_PLAN_SHARE_H
#define SUBCORE_PLAN_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct share {
    uint64_t ctas;  /* of the grid */
    uint32_t sms;   /* that have CTAs, at least 2 */
    uint32_t slots; /* CTAs that an SM holds at once */
    uint32_t timed; /* the SM, counted among those that have CTAs */
};

/* Shares out a grid of at least 2 CTAs on a GPU of at least 2 SMs. */
struct share share_of(uint64_t ctas, uint32_t sms, uint32_t slots);
/* Returns the SM of a CTA in the grid, 0..sms-1. */
uint32_t share_sm(const struct share *s, uint64_t cta);
/* Returns the number in the grid of the CTA that begins as number `index`. Each number comes once. */
uint64_t share_number(const struct share *s, uint64_t index);
/* Returns true if the CTA that begins as number `first` is the timed SM's. `*end` is the next CTA with another
 * answer. */
bool share_part(const struct share *s, uint64_t first, uint64_t *end);

/* Returns the CTAs of the timed SM in the wave of number `index`, over the mean of all SMs. */
double share_excess(const struct share *s, uint64_t index);

/* Returns by how much the SM with the most warp instructions is behind the timed one, which has issued `own` in `slots`
 * scheduler cycles. Further instructions take time only as far as issue is the limit, because warps wait for memory in
 * parallel. */
double share_imbalance(uint64_t own, uint64_t most, uint64_t slots);

#endif
