#include "trace/encode.h"

#include "base/bits.h"
#include "base/hash.h"
#include "trace/transfer.h"

/* Opens the record of an instruction that comes otherwise. */
static void flag(struct trace_encoder *e, unsigned flags)
{
    if (!e->otherwise) {
        e->otherwise = true;
        trace_put_number(&e->out, e->run);
        e->run = 0;
        e->flags = e->out.size;
        trace_put_byte(&e->out, 0);
    }
    if (!e->out.failed)
        e->out.data[e->flags] = (uint8_t)(e->out.data[e->flags] | flags);
}

static bool have_place(struct trace_encoder *e, struct trace_places *places, uint32_t key)
{
    if (trace_place(places, key) || trace_places_add(places, key))
        return true;
    e->coder->failed = true;
    return false;
}

/* ---- lanes and outcome ------------------------------------------------------------------------------------------- */

static void code_active(struct trace_encoder *e, uint32_t pc, uint32_t path, uint32_t active)
{
    struct trace_dictionary *d = &e->coder->dictionary;
    if (active == trace_expected_active(trace_flow_slot(&e->state, d, pc), path) || !have_place(e, &d->flow, pc))
        return;
    struct trace_flow_slot *s = trace_flow_claim(&e->state, d, pc);
    s->all = active == path;
    s->active = active;
    flag(e, TRACE_ACTIVE);
    trace_put_fixed(&e->out, active, 4);
}

static void put_outcome(struct trace_encoder *e, const struct trace_outcome *o)
{
    bool barrier = o->flow == ISSUED_AT_BARRIER || o->arrive;
    int64_t target = (int64_t)o->next - (e->state.pc + 1);
    trace_put_byte(&e->out, o->flow | (target ? TRACE_TARGET : 0u) | (o->keep ? 0u : TRACE_LANES_TO) |
                                (barrier ? TRACE_BARRIER : 0u) | (o->arrive ? TRACE_ARRIVE : 0u));
    if (target)
        trace_put_signed(&e->out, target);
    if (!o->keep)
        trace_put_fixed(&e->out, o->path, 4);
    if (barrier) {
        trace_put_number(&e->out, o->barrier);
        trace_put_number(&e->out, o->barrier_warps);
    }
}

static void code_outcome(struct trace_encoder *e, uint32_t next, uint32_t path)
{
    struct trace_dictionary *d = &e->coder->dictionary;
    struct trace_outcome o = e->outcome, plain = trace_plain_outcome(e->state.pc);
    o.next = next;
    o.keep = path == e->state.path;
    o.path = o.keep ? 0 : path;
    const struct trace_flow_slot *known = trace_flow_slot(&e->state, d, e->state.pc);
    if (trace_same_outcome(&o, known ? &known->last : &plain) || !have_place(e, &d->flow, e->state.pc))
        return;
    struct trace_flow_slot *s = trace_flow_claim(&e->state, d, e->state.pc);
    flag(e, TRACE_OUTCOME);
    if (trace_same_outcome(&o, &s->other))
        trace_put_byte(&e->out, TRACE_OTHER);
    else
        put_outcome(e, &o);
    trace_learn_outcome(s, &o);
}

void trace_encoder_settle(struct trace_encoder *e, uint32_t next, uint32_t path)
{
    if (!e->pending)
        return;
    bool goes_on = next == e->state.pc + 1 && path == e->state.path && trace_falls_through(&e->outcome);
    if (!goes_on || trace_place(&e->coder->dictionary.flow, e->state.pc))
        code_outcome(e, next, path);
    e->run += !e->otherwise;
    e->otherwise = e->pending = false;
    e->instructions++;
    e->state.pc = next;
    e->state.path = path;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Of neighbours that access: how many. `any`: bits that are set in one of them or more. */
static unsigned differences(const uint64_t address[ISA_LANES], uint32_t lanes, int64_t out[ISA_LANES], uint64_t *any)
{
    unsigned count = 0;
    *any = 0;
    if (lanes == UINT32_MAX) {
        for (; count < ISA_LANES - 1; count++) {
            out[count] = (int64_t)(address[count + 1] - address[count]);
            *any |= (uint64_t)out[count];
        }
        return count;
    }
    uint64_t before = address[lowest_bit32(lanes)];
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        uint64_t here = address[lowest_bit32(left)];
        out[count] = (int64_t)(here - before);
        *any |= (uint64_t)out[count++];
        before = here;
    }
    return count;
}

/* Differences in units of the largest power of two dividing all. */
static void put_differences(struct trace_bytes *out, const uint64_t address[ISA_LANES], uint32_t lanes)
{
    int64_t difference[ISA_LANES];
    uint64_t number[ISA_LANES], any, largest = 0;
    unsigned count = differences(address, lanes, difference, &any), scale = any ? lowest_bit64(any) : 63;
    for (unsigned i = 0; i < count; i++) {
        number[i] = trace_zigzag(difference[i] >> scale);
        largest |= number[i];
    }
    if (!trace_bytes_reserve(out, 1 + ISA_LANES * TRACE_VARINT_MOST))
        return;
    uint8_t *at = out->data + out->size;
    *at++ = (uint8_t)scale;
    if (largest < TRACE_SHORT)
        for (unsigned i = 0; i < count; i++)
            at = trace_short_number_at(at, number[i]);
    else
        for (unsigned i = 0; i < count; i++)
            at = trace_number_at(at, number[i]);
    out->size = (size_t)(at - out->data);
}

/* Those of PATTERN, BASE and NEAR that the lanes' addresses need. */
struct place {
    unsigned flags, pattern;
    uint64_t distance; /* zigzag */
};

/* The slot learns it. */
static struct place find_place(struct trace_encoder *e, struct trace_access_slot *s, const uint64_t address[ISA_LANES],
                               uint32_t lanes, uint64_t *near)
{
    const struct trace_dictionary *d = &e->coder->dictionary;
    unsigned first = lowest_bit32(lanes), pattern = s->pattern;
    struct place place = {0};
    if (pattern == TRACE_NO_PATTERN || !trace_pattern_fits(&d->pattern[pattern], address, lanes,
                                                           trace_pattern_base(&d->pattern[pattern], address, first))) {
        pattern = trace_pattern_choose(e->coder, address, lanes);
        place.flags |= TRACE_PATTERN;
    }
    uint64_t base =
        pattern == TRACE_NO_PATTERN ? address[first] : trace_pattern_base(&d->pattern[pattern], address, first);
    uint64_t expected = s->base + (uint64_t)(int64_t)s->delta;
    if (base != expected) {
        uint64_t far = trace_zigzag((int64_t)(base - expected)), close = trace_zigzag((int64_t)(base - *near));
        place.flags |= TRACE_BASE | (close < far ? TRACE_NEAR : 0u);
        place.distance = close < far ? close : far;
    }
    *near = base;
    place.pattern = pattern;
    s->pattern = (uint16_t)pattern;
    trace_learn_base(s, base);
    return place;
}

static void put_place(struct trace_bytes *out, const struct place *place, const uint64_t address[ISA_LANES],
                      uint32_t lanes)
{
    if (place->flags & TRACE_PATTERN)
        trace_put_number(out, place->pattern == TRACE_NO_PATTERN ? 0 : place->pattern + 1);
    if (place->flags & TRACE_PATTERN && place->pattern == TRACE_NO_PATTERN)
        put_differences(out, address, lanes);
    if (place->flags & TRACE_BASE)
        trace_put_number(out, place->distance);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static unsigned policy_number(struct trace_dictionary *d, uint64_t policy)
{
    unsigned i = 0;
    while (i < d->policies && d->policy[i] != policy)
        i++;
    if (i == d->policies && i < TRACE_POLICIES_MOST)
        d->policy[d->policies++] = policy;
    return i;
}

static void put_transfer(struct trace_encoder *e, const struct transfer *transfer)
{
    if (trace_predictor_transfers(&e->state))
        trace_transfer_put(&e->out, transfer, &e->state.transfer[e->state.pc % TRACE_TRANSFERS]);
    else
        e->coder->failed = true;
}

/* Sleep, lanes that access nothing, cache policy: all of them rarely other than the last time. Values that match. */
static void code_rest(struct trace_encoder *e, const struct issued *is, struct trace_access_slot *s, bool transfer)
{
    uint32_t zero_fill = s ? is->zero_fill : 0;
    uint64_t policy = s && is->space == ISA_SPACE_GLOBAL ? is->cache_policy : 0;
    unsigned number = policy_number(&e->coder->dictionary, policy);
    bool other_policy = s && (number == TRACE_POLICIES_MOST || s->policy != number);
    unsigned rest = (is->sleep ? TRACE_SLEEP : 0u) | (zero_fill ? TRACE_ZERO_FILL : 0u) |
                    (other_policy ? TRACE_POLICY : 0u) | (transfer ? TRACE_TRANSFER : 0u) |
                    (is->values ? TRACE_VALUES : 0u);
    if (!rest)
        return;
    flag(e, TRACE_REST);
    trace_put_byte(&e->out, rest);
    if (is->sleep)
        trace_put_number(&e->out, is->sleep);
    if (zero_fill)
        trace_put_fixed(&e->out, zero_fill, 4);
    if (other_policy) {
        trace_put_number(&e->out, number);
        if (number == TRACE_POLICIES_MOST)
            trace_put_fixed(&e->out, policy, 8);
        else
            s->policy = (uint8_t)number;
    }
    if (transfer)
        put_transfer(e, &is->transfer);
    if (is->values)
        trace_put_byte(&e->out, is->values);
}

static void code_second(struct trace_encoder *e, uint32_t pc, const struct issued *is, enum trace_extra extra)
{
    struct trace_dictionary *d = &e->coder->dictionary;
    uint64_t address[ISA_LANES];
    if (!have_place(e, &d->access, pc * 2 + 1))
        return;
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        address[lane] = extra == TRACE_EXTRA_OPERAND ? is->operand[lane] : is->shared[lane];
    struct trace_access_slot *s = trace_access_claim(&e->state, d, pc * 2 + 1);
    struct place place = find_place(e, s, address, is->active, &e->state.near[1]);
    if (!place.flags)
        return;
    flag(e, TRACE_SECOND);
    trace_put_byte(&e->out, place.flags);
    put_place(&e->out, &place, address, is->active);
}

static void code_access(struct trace_encoder *e, uint32_t pc, const struct issued *is, enum trace_extra extra)
{
    struct trace_dictionary *d = &e->coder->dictionary;
    bool some = is->active && is->space != ISA_SPACE_NONE;
    struct trace_access_slot *s = is->active ? trace_access_slot(&e->state, d, pc * 2) : NULL;
    uint8_t space = (uint8_t)(some ? is->space : ISA_SPACE_NONE), bytes = (uint8_t)(some ? is->bytes : 0);
    bool two = some && (extra == TRACE_EXTRA_SHARED || extra == TRACE_EXTRA_OPERAND);
    if (is->active && (s ? s->space != space || s->bytes != bytes || s->two != two : some)) {
        if (!have_place(e, &d->access, pc * 2))
            return;
        s = trace_access_claim(&e->state, d, pc * 2);
        s->space = space;
        s->bytes = bytes;
        s->two = two;
        flag(e, TRACE_ACCESS);
        trace_put_byte(&e->out, space | (two ? TRACE_TWO : 0u));
        trace_put_byte(&e->out, bytes);
    }
    code_rest(e, is, some ? s : NULL, is->active && extra == TRACE_EXTRA_TRANSFER);
    uint32_t lanes = is->active & ~is->zero_fill;
    if (!some || !s)
        return;
    if (lanes) {
        struct place place = find_place(e, s, is->address, lanes, &e->state.near[0]);
        if (place.flags)
            flag(e, place.flags);
        put_place(&e->out, &place, is->address, lanes);
    }
    if (two)
        code_second(e, pc, is, extra);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

bool trace_encoder_init(struct trace_encoder *e, struct trace_coder *coder)
{
    *e = (struct trace_encoder){.coder = coder};
    return trace_predictor_init(&e->state, TRACE_FLOW_SLOTS, TRACE_ACCESS_SLOTS);
}

void trace_encoder_free(struct trace_encoder *e)
{
    trace_predictor_free(&e->state);
    trace_bytes_free(&e->out);
}

void trace_encoder_start(struct trace_encoder *e, uint32_t pc, uint32_t path)
{
    const struct trace_dictionary *d = &e->coder->dictionary;
    trace_predictor_start(&e->state, d->flow.count, d->access.count, pc, path);
    trace_encoder_cut(e);
    e->pending = e->otherwise = false;
}

void trace_encoder_add(struct trace_encoder *e, const struct issued *is, enum trace_extra extra)
{
    uint32_t pc = e->state.pc;
    bool barrier = is->flow == ISSUED_AT_BARRIER || is->barrier_arrive;
    e->pending = true;
    e->outcome = (struct trace_outcome){.flow = is->flow,
                                        .arrive = is->barrier_arrive,
                                        .barrier = (uint8_t)(barrier ? is->barrier : 0u),
                                        .barrier_warps = (uint16_t)(barrier ? is->barrier_warps : 0u)};
    if (extra == TRACE_EXTRA_NONE && trace_encoder_is_plain(e, is))
        return;
    code_active(e, pc, is->path, is->active);
    code_access(e, pc, is, extra);
}

void trace_encoder_end(struct trace_encoder *e)
{
    if (e->pending)
        trace_encoder_settle(e, e->state.pc + 1, e->state.path);
}

void trace_encoder_cut(struct trace_encoder *e)
{
    e->out.size = 0;
    e->run = 0;
    e->instructions = 0;
}
