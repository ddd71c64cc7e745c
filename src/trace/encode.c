#include "trace/encode.h"

#include "base/bits.h"
#include "base/hash.h"
#include "trace/transfer.h"

void trace_coder_free(struct trace_coder *coder) { trace_dictionary_free(&coder->dictionary); }

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

/* Whether the lanes' addresses are a base and a pattern. Most that do not fit are seen at the last lane. */
static bool fits(const struct trace_pattern *p, const uint64_t address[ISA_LANES], uint32_t lanes, uint64_t base)
{
    unsigned last = highest_bit64(lanes);
    uint64_t wrong = address[last] - base - (uint64_t)(int64_t)p->offset[last];
    if (wrong)
        return false;
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            wrong |= address[lane] - base - (uint64_t)(int64_t)p->offset[lane];
        return !wrong;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        wrong |= address[lane] - base - (uint64_t)(int64_t)p->offset[lane];
    }
    return !wrong;
}

static uint64_t base_of(const struct trace_pattern *p, const uint64_t address[ISA_LANES], unsigned first)
{
    return address[first] - (uint64_t)(int64_t)p->offset[first];
}

/* The distance of neighbours, where it is the same for all lanes that access, of which there are two and more, and not
 * too far for an offset. */
static bool stride_of(const int32_t offset[ISA_LANES], uint32_t lanes, int32_t *stride)
{
    enum { STRIDE_MOST = 1 << 26 };
    unsigned first = lowest_bit32(lanes), second = lowest_bit32(lanes & (lanes - 1));
    int64_t of_two = (int64_t)offset[second] / (int)(second - first);
    if (of_two < -STRIDE_MOST || of_two > STRIDE_MOST)
        return false;
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (offset[lane] != of_two * (int)(lane - first))
            return false;
    }
    *stride = (int32_t)of_two;
    return true;
}

/* Offsets from the first lane that accesses. With one stride in all of them, from the address that lane 0 would
 * have. False: they do not fit. */
static bool offsets_of(const uint64_t address[ISA_LANES], uint32_t lanes, int32_t offset[ISA_LANES])
{
    uint64_t first = address[lowest_bit32(lanes)], far = 0;
    int32_t stride;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        uint64_t distance = lanes >> lane & 1 ? address[lane] - first : 0;
        far |= distance + UINT64_C(0x80000000);
        offset[lane] = (int32_t)distance;
    }
    if (far > UINT32_MAX)
        return false;
    if (!(lanes & (lanes - 1)) || !stride_of(offset, lanes, &stride))
        return true;
    for (int lane = 0; lane < ISA_LANES; lane++)
        offset[lane] = stride * lane;
    return true;
}

static uint64_t hash_offsets(const int32_t offset[ISA_LANES])
{
    uint64_t h = HASH_SEED;
    for (unsigned i = 0; i < ISA_LANES; i += 2)
        h = (h ^ ((uint32_t)offset[i] | (uint64_t)(uint32_t)offset[i + 1] << 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(h);
}

enum { KNOWN = 2 * TRACE_PATTERNS_MOST };

/* Where the pattern is among the known ones, or is to be. */
static uint32_t known_place(const struct trace_coder *coder, const int32_t offset[ISA_LANES], uint64_t hash)
{
    const struct trace_dictionary *d = &coder->dictionary;
    uint32_t at = (uint32_t)hash % KNOWN;
    while (coder->known[at] && memcmp(d->pattern[coder->known[at] - 1].offset, offset, sizeof d->pattern->offset) != 0)
        at = (at + 1) % KNOWN;
    return at;
}

bool trace_coder_init(struct trace_coder *coder)
{
    memset(coder, 0, sizeof *coder);
    if (!trace_dictionary_init(&coder->dictionary))
        return false;
    for (uint32_t i = 0; i < coder->dictionary.patterns; i++) {
        const int32_t *offset = coder->dictionary.pattern[i].offset;
        coder->known[known_place(coder, offset, hash_offsets(offset))] = i + 1;
    }
    return true;
}

/* The dictionary's number of a pattern, which enters when it is seen for the second time (TRACE_NO_PATTERN: none). */
static unsigned find_pattern(struct trace_coder *coder, const int32_t offset[ISA_LANES])
{
    enum { SEEN = sizeof coder->seen / sizeof *coder->seen };
    uint64_t hash = hash_offsets(offset);
    uint32_t at = known_place(coder, offset, hash), mark = (uint32_t)(hash >> 32) | 1;
    if (coder->known[at])
        return coder->known[at] - 1;
    if (coder->seen[hash % SEEN] != mark) {
        coder->seen[hash % SEEN] = mark;
        return TRACE_NO_PATTERN;
    }
    if (!trace_dictionary_add_pattern(&coder->dictionary, offset))
        return TRACE_NO_PATTERN;
    coder->known[at] = coder->dictionary.patterns;
    return coder->known[at] - 1;
}

/* The place of a pattern of all lanes among the recent ones. */
static uint16_t *recent_place(struct trace_coder *coder, const uint64_t address[ISA_LANES])
{
    enum { RECENT = sizeof coder->recent / sizeof *coder->recent };
    uint64_t second = address[1] - address[0], last = address[ISA_LANES - 1] - address[0];
    return &coder->recent[(second >> 1 ^ last >> 2 ^ last >> 7) % RECENT];
}

/* The pattern of all lanes is the one that fits: their addresses determine it, so that a recent one needs no search. */
static unsigned choose_pattern(struct trace_coder *coder, const uint64_t address[ISA_LANES], uint32_t lanes)
{
    int32_t offset[ISA_LANES];
    uint16_t *recent = lanes == UINT32_MAX ? recent_place(coder, address) : NULL;
    if (recent && *recent) {
        const struct trace_pattern *p = &coder->dictionary.pattern[*recent - 1];
        if (fits(p, address, lanes, base_of(p, address, 0)))
            return *recent - 1u;
    }
    unsigned pattern = offsets_of(address, lanes, offset) ? find_pattern(coder, offset) : TRACE_NO_PATTERN;
    if (recent && pattern != TRACE_NO_PATTERN)
        *recent = (uint16_t)(pattern + 1);
    return pattern;
}

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
    if (pattern == TRACE_NO_PATTERN ||
        !fits(&d->pattern[pattern], address, lanes, base_of(&d->pattern[pattern], address, first))) {
        pattern = choose_pattern(e->coder, address, lanes);
        place.flags |= TRACE_PATTERN;
    }
    uint64_t base = pattern == TRACE_NO_PATTERN ? address[first] : base_of(&d->pattern[pattern], address, first);
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

/* Sleep, lanes that access nothing, cache policy: all of them rarely other than the last time. */
static void code_rest(struct trace_encoder *e, const struct issued *is, struct trace_access_slot *s, bool transfer)
{
    uint32_t zero_fill = s ? is->zero_fill : 0;
    uint64_t policy = s && is->space == ISA_SPACE_GLOBAL ? is->cache_policy : 0;
    unsigned number = policy_number(&e->coder->dictionary, policy);
    bool other_policy = s && (number == TRACE_POLICIES_MOST || s->policy != number);
    unsigned rest = (is->sleep ? TRACE_SLEEP : 0u) | (zero_fill ? TRACE_ZERO_FILL : 0u) |
                    (other_policy ? TRACE_POLICY : 0u) | (transfer ? TRACE_TRANSFER : 0u);
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
