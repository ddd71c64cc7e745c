#include "check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

void order_begin(struct order *o, uint32_t warps_per_cta)
{
    *o = (struct order){.now = 1, .warps_per_cta = warps_per_cta};
}

void order_end(struct order *o)
{
    for (uint32_t i = 0; i < o->room; i++) {
        clock_drop(o->location[i].all);
        clock_drop(o->location[i].near);
    }
    free(o->location);
    *o = (struct order){0};
}

void order_warp_begin(struct order_warp *w, uint64_t cta, uint32_t index, uint32_t warps_per_cta)
{
    *w = (struct order_warp){.number = (uint32_t)(cta * warps_per_cta + index), .index = index, .cta = cta};
}

void order_warp_end(struct order_warp *w)
{
    for (unsigned lane = 0; lane < ORDER_LANES; lane++) {
        clock_drop(w->seen[lane]);
        clock_drop(w->pending[lane]);
    }
    free(w->lane);
    *w = (struct order_warp){0};
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

bool order_knows(const struct order *o, const struct order_warp *w, unsigned lane, uint32_t other_warp,
                 unsigned other_lane, uint32_t stamp)
{
    uint32_t within = other_warp - (w->number - w->index); /* its index, if it is of the same CTA */
    if (other_warp == w->number) {
        if (other_lane == lane || stamp <= w->full || (w->lane && stamp <= w->lane[lane][other_lane]))
            return true;
    } else if (within < o->warps_per_cta && stamp <= w->other[within]) {
        return true;
    }
    return clock_knows(w->seen[lane], other_warp, other_lane, other_warp / o->warps_per_cta, stamp);
}

/* ---- within a warp ----------------------------------------------------------------------------------------------- */

/* All that these lanes have seen, for each of them. */
static void share_seen(struct order_warp *w, uint32_t lanes)
{
    struct clock *joined = NULL;
    for (uint32_t left = lanes; left; left &= left - 1)
        clock_join(&joined, w->seen[lowest_bit32(left)]);
    for (uint32_t left = joined ? lanes : 0; left; left &= left - 1)
        clock_join(&w->seen[lowest_bit32(left)], joined);
    clock_drop(joined);
}

static bool make_matrix(struct order *o, struct order_warp *w)
{
    if (!w->lane)
        w->lane = calloc(ORDER_LANES, sizeof *w->lane);
    o->failed |= !w->lane;
    return w->lane;
}

void order_meet(struct order *o, struct order_warp *w, uint32_t lanes, uint32_t live)
{
    uint32_t now = o->now++, row[ORDER_LANES] = {0};
    share_seen(w, lanes);
    if ((live & ~lanes) == 0) {
        w->full = now;
        return;
    }
    if (!make_matrix(o, w))
        return;
    for (uint32_t left = lanes; left; left &= left - 1)
        for (unsigned j = 0; j < ORDER_LANES; j++)
            row[j] = later(row[j], w->lane[lowest_bit32(left)][j]);
    for (uint32_t left = lanes; left; left &= left - 1)
        row[lowest_bit32(left)] = now;
    for (uint32_t left = lanes; left; left &= left - 1)
        memcpy(w->lane[lowest_bit32(left)], row, sizeof row);
}

void order_learn(struct order_warp *w, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        clock_join(&w->seen[lane], w->pending[lane]);
        clock_drop(w->pending[lane]);
        w->pending[lane] = NULL;
    }
}

void order_fence(struct order *o, struct order_warp *w, uint32_t lanes, enum order_scope scope)
{
    uint32_t now = o->now++;
    order_learn(w, lanes);
    for (uint32_t left = lanes; left; left &= left - 1)
        for (unsigned s = ORDER_CTA; s <= (unsigned)scope; s++)
            w->fence[s][lowest_bit32(left)] = now;
}

/* ---- locations --------------------------------------------------------------------------------------------------- */

static struct order_location *find(const struct order *o, uint64_t key)
{
    uint32_t at = o->room ? (uint32_t)hash_mix(key) & (o->room - 1) : 0;
    while (o->room && o->location[at].key && o->location[at].key != key)
        at = (at + 1) & (o->room - 1);
    return o->room ? &o->location[at] : NULL;
}

static bool grow(struct order *o)
{
    struct order old = *o;
    uint32_t room = old.room ? 2 * old.room : 64;
    struct order_location *location = calloc(room, sizeof *location);
    if (!location) {
        o->failed = true;
        return false;
    }
    o->location = location;
    o->room = room;
    for (uint32_t i = 0; i < old.room; i++)
        if (old.location[i].key)
            *find(o, old.location[i].key) = old.location[i];
    free(old.location);
    return true;
}

static struct order_location *location_at(struct order *o, uint64_t key)
{
    struct order_location *at = find(o, key);
    if (at && at->key)
        return at;
    if (2 * (o->locations + 1) > o->room && !grow(o))
        return NULL;
    at = find(o, key);
    at->key = key;
    o->locations++;
    return at;
}

static const struct order_location *known(const struct order *o, uint64_t key)
{
    const struct order_location *at = find(o, key);
    return at && at->key ? at : NULL;
}

bool order_is_location(const struct order *o, uint64_t location) { return known(o, location) != NULL; }

/* ---- releases ---------------------------------------------------------------------------------------------------- */

/* The lane's knowledge of its CTA, as entries: the CTA as a whole where its warps are alike. */
static uint32_t list_cta(const struct order *o, const struct order_warp *w, struct clock_entry *out)
{
    uint32_t least = UINT32_MAX, n = 0;
    for (uint32_t x = 0; x < o->warps_per_cta; x++) {
        uint32_t stamp = x == w->index ? w->full : w->other[x];
        least = stamp < least ? stamp : least;
    }
    if (least)
        out[n++] = (struct clock_entry){clock_key(CLOCK_CTA, w->cta), least};
    for (uint32_t x = 0; x < o->warps_per_cta; x++) {
        uint32_t stamp = x == w->index ? w->full : w->other[x];
        if (stamp > least)
            out[n++] = (struct clock_entry){clock_key(CLOCK_WARP, w->number - w->index + x), stamp};
    }
    return n;
}

/* All that the lane knows, with its own accesses up to `own`. */
static struct clock *snapshot(const struct order *o, const struct order_warp *w, unsigned lane, uint32_t own)
{
    struct clock_entry entry[ORDER_WARPS + ORDER_LANES + 2];
    uint32_t n = list_cta(o, w, entry);
    for (unsigned j = 0; w->lane && j < ORDER_LANES; j++)
        if (j != lane && w->lane[lane][j] > w->full)
            entry[n++] = (struct clock_entry){clock_key(CLOCK_THREAD, (uint64_t)w->number << 5 | j), w->lane[lane][j]};
    entry[n++] = (struct clock_entry){clock_key(CLOCK_THREAD, (uint64_t)w->number << 5 | lane), own};
    struct clock *c = clock_make(entry, n);
    clock_join(&c, w->seen[lane]);
    return c;
}

static void put(struct clock **to, struct clock *clock, bool replaces)
{
    if (replaces) {
        clock_drop(*to);
        *to = NULL;
    }
    clock_join(to, clock);
}

void order_release(struct order *o, struct order_warp *w, unsigned lane, uint64_t location, enum order_scope scope,
                   bool replaces)
{
    bool gpu = scope == ORDER_GPU && w->fence[ORDER_GPU][lane], cta = w->fence[ORDER_CTA][lane] != 0;
    if (!gpu && !cta && !(replaces && known(o, location)))
        return;
    struct order_location *at = location_at(o, location);
    if (!at)
        return;
    struct clock *all = gpu ? snapshot(o, w, lane, w->fence[ORDER_GPU][lane]) : NULL;
    struct clock *near = cta ? snapshot(o, w, lane, w->fence[ORDER_CTA][lane]) : NULL;
    put(&at->all, all, replaces);
    put(&at->near, near, replaces || at->cta != w->cta);
    at->cta = w->cta;
    clock_drop(all);
    clock_drop(near);
}

void order_arrive_at(struct order *o, struct order_warp *w, unsigned lane, uint64_t location)
{
    struct order_location *at = location_at(o, location);
    struct clock *all = at ? snapshot(o, w, lane, o->now++) : NULL;
    if (at)
        put(&at->all, all, false);
    clock_drop(all);
}

void order_acquire(struct order *o, struct order_warp *w, unsigned lane, uint64_t location, bool at_once)
{
    const struct order_location *at = known(o, location);
    struct clock **to = at_once ? &w->seen[lane] : &w->pending[lane];
    if (!at)
        return;
    clock_join(to, at->all);
    if (at->cta == w->cta)
        clock_join(to, at->near);
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

uint32_t order_arrive(struct order *o) { return o->now++; }

void order_barrier(struct order *o, struct order_warp *warps, uint32_t arrived, uint32_t waited,
                   const uint32_t stamp[ORDER_WARPS])
{
    uint32_t joined[ORDER_WARPS] = {0};
    struct clock *seen = NULL;
    for (uint32_t left = arrived; left; left &= left - 1) {
        const struct order_warp *w = &warps[lowest_bit32(left)];
        for (uint32_t x = 0; x < o->warps_per_cta; x++)
            joined[x] = later(joined[x], x == w->index ? stamp[x] : w->other[x]);
        for (unsigned lane = 0; lane < ORDER_LANES; lane++)
            clock_join(&seen, w->seen[lane]);
    }
    for (uint32_t left = waited; left; left &= left - 1) {
        struct order_warp *w = &warps[lowest_bit32(left)];
        for (uint32_t x = 0; x < o->warps_per_cta; x++)
            w->other[x] = later(w->other[x], joined[x]);
        order_take(w, seen, stamp[w->index]);
    }
    clock_drop(seen);
}

void order_give(struct order *o, const struct order_warp *w, uint32_t stamp, struct clock **to)
{
    struct clock_entry entry[ORDER_WARPS + 1];
    uint32_t n = list_cta(o, w, entry);
    entry[n++] = (struct clock_entry){clock_key(CLOCK_WARP, w->number), stamp};
    struct clock *own = clock_make(entry, n);
    clock_join(to, own);
    clock_drop(own);
    for (unsigned lane = 0; lane < ORDER_LANES; lane++)
        clock_join(to, w->seen[lane]);
}

void order_take(struct order_warp *w, struct clock *clock, uint32_t stamp)
{
    w->full = later(w->full, stamp);
    for (unsigned lane = 0; clock && lane < ORDER_LANES; lane++)
        clock_join(&w->seen[lane], clock);
}
