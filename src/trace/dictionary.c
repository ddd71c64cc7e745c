#include "trace/dictionary.h"

#include <stdlib.h>

/* ---- places ------------------------------------------------------------------------------------------------------ */

static bool grow(void **array, uint32_t *room, uint32_t needed, size_t size)
{
    if (needed <= *room)
        return true;
    uint32_t more = *room ? *room : 64;
    while (more < needed)
        more *= 2;
    void *data = realloc(*array, more * size);
    if (!data)
        return false;
    memset((uint8_t *)data + *room * size, 0, (more - *room) * size);
    *array = data;
    *room = more;
    return true;
}

bool trace_places_add(struct trace_places *p, uint32_t key)
{
    void *keys = p->key, *slots = p->slot;
    if (key >= TRACE_KEYS_MOST || trace_place(p, key))
        return false;
    bool ok = grow(&keys, &p->key_room, p->count + 1, sizeof *p->key) &&
              grow(&slots, &p->slot_room, key + 1, sizeof *p->slot);
    p->key = keys;
    p->slot = slots;
    if (!ok)
        return false;
    p->slot[key] = (uint8_t)(p->count % p->slots + 1);
    p->key[p->count++] = key;
    return true;
}

static void put_keys(const struct trace_places *p, uint32_t from, struct trace_bytes *out)
{
    trace_put_number(out, from);
    trace_put_number(out, p->count - from);
    for (uint32_t i = from; i < p->count; i++)
        trace_put_number(out, p->key[i]);
}

static bool take_keys(struct trace_places *p, struct trace_view *v)
{
    if (trace_take_number(v) != p->count)
        return false;
    uint64_t count = trace_take_below(v, trace_left(v));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = trace_take_below(v, TRACE_KEYS_MOST);
        if (v->failed || !trace_places_add(p, (uint32_t)key))
            return false;
    }
    return !v->failed;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static struct trace_pattern pattern_of(const int32_t offset[ISA_LANES])
{
    struct trace_pattern p = {.lowest = offset[0], .highest = offset[0]};
    memcpy(p.offset, offset, sizeof p.offset);
    for (unsigned lane = 1; lane < ISA_LANES; lane++) {
        p.lowest = offset[lane] < p.lowest ? offset[lane] : p.lowest;
        p.highest = offset[lane] > p.highest ? offset[lane] : p.highest;
    }
    return p;
}

bool trace_dictionary_add_pattern(struct trace_dictionary *d, const int32_t offset[ISA_LANES])
{
    void *patterns = d->pattern;
    bool ok =
        d->patterns < TRACE_PATTERNS_MOST && grow(&patterns, &d->pattern_room, d->patterns + 1, sizeof *d->pattern);
    d->pattern = patterns;
    if (!ok)
        return false;
    d->pattern[d->patterns++] = pattern_of(offset);
    return true;
}

static bool add_stride(struct trace_dictionary *d, int32_t stride)
{
    int32_t offset[ISA_LANES];
    for (int32_t lane = 0; lane < ISA_LANES; lane++)
        offset[lane] = lane * stride;
    return trace_dictionary_add_pattern(d, offset);
}

bool trace_dictionary_init(struct trace_dictionary *d)
{
    static const int8_t strides[] = {4, 0, 8, 16, 2, 1};
    *d = (struct trace_dictionary){.flow.slots = TRACE_FLOW_SLOTS, .access.slots = TRACE_ACCESS_SLOTS, .policies = 1};
    for (unsigned i = 0; i < sizeof strides; i++)
        if (!add_stride(d, strides[i])) {
            trace_dictionary_free(d);
            return false;
        }
    return true;
}

void trace_dictionary_free(struct trace_dictionary *d)
{
    free(d->flow.key);
    free(d->flow.slot);
    free(d->access.key);
    free(d->access.slot);
    free(d->pattern);
    *d = (struct trace_dictionary){0};
}

static void put_pattern(const struct trace_pattern *p, struct trace_bytes *out)
{
    int64_t before = 0;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        trace_put_signed(out, p->offset[lane] - before);
        before = p->offset[lane];
    }
}

static bool take_pattern(struct trace_dictionary *d, struct trace_view *v)
{
    int32_t offset[ISA_LANES];
    uint64_t sum = 0;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        sum += (uint64_t)trace_take_signed(v);
        offset[lane] = (int32_t)sum;
    }
    return !v->failed && trace_dictionary_add_pattern(d, offset);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct trace_written trace_dictionary_state(const struct trace_dictionary *d)
{
    return (struct trace_written){d->flow.count, d->access.count, d->patterns, d->policies};
}

void trace_dictionary_put(const struct trace_dictionary *d, const struct trace_written *from, struct trace_bytes *out)
{
    put_keys(&d->flow, from->flow, out);
    put_keys(&d->access, from->access, out);
    trace_put_number(out, from->patterns);
    trace_put_number(out, d->patterns - from->patterns);
    for (uint32_t i = from->patterns; i < d->patterns; i++)
        put_pattern(&d->pattern[i], out);
    trace_put_number(out, from->policies);
    trace_put_number(out, d->policies - from->policies);
    for (uint32_t i = from->policies; i < d->policies; i++)
        trace_put_fixed(out, d->policy[i], 8);
}

bool trace_dictionary_take(struct trace_dictionary *d, struct trace_view *v)
{
    if (!take_keys(&d->flow, v) || !take_keys(&d->access, v) || trace_take_number(v) != d->patterns)
        return false;
    for (uint64_t more = trace_take_below(v, TRACE_PATTERNS_MOST); more; more--)
        if (!take_pattern(d, v))
            return false;
    if (trace_take_number(v) != d->policies)
        return false;
    for (uint64_t more = trace_take_below(v, TRACE_POLICIES_MOST - d->policies); more; more--)
        d->policy[d->policies++] = trace_take_fixed(v, 8);
    return !v->failed && !trace_left(v);
}
