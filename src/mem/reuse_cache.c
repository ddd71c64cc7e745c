#include "mem/reuse_cache.h"

#include <math.h>

#include "base/bits.h"
#include "base/hash.h"

/* ---- probabilities ----------------------------------------------------------------------------------------------- */

static uint32_t lines_of(const struct reuse_odds *o) { return o->sets * o->ways; }

/* Returns the distance from which on nearly nothing is left: with 16 ways one line in a thousand is. */
static uint32_t depth_of(const struct reuse_odds *o) { return (o->ways < 16 ? 4 : 2) * lines_of(o); }

/* Returns the probability that fewer than `ways` of `distance` lines fall into one of the sets. */
static double few_fall(double distance, uint32_t sets, uint32_t ways)
{
    double p = 1.0 / sets, sum = 0;
    for (uint32_t a = 0; a < ways && a <= distance; a++)
        sum += exp(lgamma(distance + 1) - lgamma(a + 1.0) - lgamma(distance - a + 1) + a * log(p) +
                   (distance - a) * log1p(-p));
    return fmin(sum, 1);
}

void reuse_odds_init(struct reuse_odds *o, uint32_t sets, uint32_t ways)
{
    *o = (struct reuse_odds){.sets = sets, .ways = ways};
    o->step = (double)depth_of(o) / REUSE_POINTS;
    double last = 1;
    for (uint32_t i = 0; sets > 1 && i < REUSE_POINTS; i++)
        o->stays[i] = last = fmin(last, few_fall(floor(i * o->step), sets, ways));
}

double reuse_odds_stays(const struct reuse_odds *o, uint64_t distance)
{
    if (o->sets == 1)
        return distance < o->ways;
    double at = (double)distance / o->step;
    if (at >= REUSE_POINTS)
        return 0;
    uint32_t i = (uint32_t)at;
    return o->stays[i] + (at - i) * (o->stays[i + 1] - o->stays[i]);
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

static bool stays(struct reuse_cache *c, uint64_t line, uint64_t distance)
{
    double odds = reuse_odds_stays(c->odds, distance);
    if (odds >= 1 || odds <= 0)
        return odds >= 1;
    return (double)(hash_mix(line + hash_mix(++c->draws)) >> 11) * 0x1p-53 < odds;
}

static void clean(struct reuse_cache *c, struct reuse_entry *e)
{
    c->written += popcount4(e->dirty);
    e->dirty = 0;
}

struct reuse_entry *reuse_cache_access(struct reuse_cache *c, uint64_t line)
{
    uint64_t distance;
    uint32_t lines = lines_of(c->odds);
    struct reuse_entry *e = reuse_stack_touch(&c->stack, line, &distance);
    if (distance != REUSE_COLD && distance > 0 && !stays(c, line, distance)) {
        clean(c, e);
        e->valid = 0;
        e->note = 0;
    }
    if (distance >= lines) { /* a line has become as deep as the cache has lines */
        struct reuse_entry *last = reuse_stack_at(&c->stack, lines);
        if (last && last->dirty)
            clean(c, last);
    }
    return e;
}

void reuse_cache_drop(struct reuse_cache *c, uint64_t line, uint8_t sectors)
{
    struct reuse_entry *e = reuse_stack_find(&c->stack, line);
    if (e)
        e->valid &= (uint8_t)~sectors;
}

bool reuse_cache_create(struct reuse_cache *c, const struct reuse_odds *odds)
{
    *c = (struct reuse_cache){.odds = odds};
    return reuse_stack_create(&c->stack, depth_of(odds) + 1);
}

void reuse_cache_free(struct reuse_cache *c) { reuse_stack_free(&c->stack); }

void reuse_cache_clear(struct reuse_cache *c)
{
    reuse_stack_clear(&c->stack);
    c->draws = c->written = 0;
}
