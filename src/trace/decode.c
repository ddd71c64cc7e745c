#include "trace/decode.h"

#include "base/bits.h"
#include "trace/transfer.h"

bool trace_decoder_init(struct trace_decoder *d, const struct trace_dictionary *dictionary, uint32_t code_count)
{
    *d = (struct trace_decoder){.dictionary = dictionary, .code_count = code_count};
    return trace_predictor_init(&d->state, dictionary->flow.count, dictionary->access.count);
}

void trace_decoder_free(struct trace_decoder *d) { trace_predictor_free(&d->state); }

void trace_decoder_start(struct trace_decoder *d, uint32_t pc, uint32_t path)
{
    trace_predictor_start(&d->state, d->state.flows, d->state.accesses, pc, path);
    trace_decoder_feed(d, NULL, 0);
}

/* Behind the last one that comes otherwise all are as expected. */
static void next_run(struct trace_decoder *d) { d->run = trace_left(&d->in) ? trace_take_number(&d->in) : UINT64_MAX; }

void trace_decoder_feed(struct trace_decoder *d, const uint8_t *data, size_t size)
{
    d->in = trace_view_of(data, size);
    next_run(d);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static void spread(uint64_t address[ISA_LANES], uint64_t base, const int32_t offset[ISA_LANES])
{
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        address[lane] = base + (uint64_t)(int64_t)offset[lane];
}

void trace_decoder_unfold(struct issued *out, struct trace_folded *folded)
{
    spread(out->address, folded->base, folded->offset);
    folded->offset = NULL;
}

/* Offsets of the lanes from the first of them. */
static void take_differences(struct trace_view *in, uint64_t offset[ISA_LANES], uint32_t lanes)
{
    unsigned scale = trace_take_byte(in) & 63;
    uint64_t sum = 0;
    offset[lowest_bit32(lanes)] = 0;
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
        sum += (uint64_t)trace_take_signed(in) << scale;
        offset[lowest_bit32(left)] = sum;
    }
}

static bool take_addresses(struct trace_decoder *d, struct trace_access_slot *s, unsigned flags, uint32_t lanes,
                           uint64_t *near, uint64_t address[ISA_LANES], struct trace_folded *folded)
{
    bool listed = false;
    if (flags & TRACE_PATTERN) {
        uint64_t number = trace_take_below(&d->in, d->dictionary->patterns);
        listed = !number;
        s->pattern = (uint16_t)(listed ? TRACE_NO_PATTERN : number - 1);
    }
    if (listed)
        take_differences(&d->in, address, lanes);
    else if (s->pattern >= d->dictionary->patterns)
        return false;
    uint64_t base = s->base + (uint64_t)(int64_t)s->delta;
    if (flags & TRACE_BASE)
        base = (flags & TRACE_NEAR ? *near : base) + (uint64_t)trace_take_signed(&d->in);
    *near = base;
    trace_learn_base(s, base);
    if (!listed && folded)
        *folded = (struct trace_folded){d->dictionary->pattern[s->pattern].offset, base, s->pattern};
    else if (!listed)
        spread(address, base, d->dictionary->pattern[s->pattern].offset);
    for (unsigned lane = 0; listed && lane < ISA_LANES; lane++)
        address[lane] += base;
    return !d->in.failed;
}

/* ---- predicted and other instructions ---------------------------------------------------------------------------- */

static bool take_transfer(struct trace_decoder *d, struct issued *out)
{
    if (!trace_predictor_transfers(&d->state))
        return false;
    struct transfer *before = &d->state.transfer[d->state.pc % TRACE_TRANSFERS];
    bool good = trace_transfer_take(&d->in, before);
    out->transfer = *before;
    d->transfer = true;
    return good;
}

static bool take_rest(struct trace_decoder *d, struct trace_access_slot *s, struct issued *out)
{
    unsigned rest = trace_take_byte(&d->in);
    if (rest & TRACE_SLEEP)
        out->sleep = (uint16_t)trace_take_below(&d->in, UINT16_MAX);
    if (rest & TRACE_ZERO_FILL)
        out->zero_fill = (uint32_t)trace_take_fixed(&d->in, 4);
    if (rest & TRACE_POLICY) {
        uint64_t number = trace_take_below(&d->in, TRACE_POLICIES_MOST);
        if (number == TRACE_POLICIES_MOST)
            out->cache_policy = trace_take_fixed(&d->in, 8);
        else if (s && number < d->dictionary->policies)
            out->cache_policy = d->dictionary->policy[s->policy = (uint8_t)number];
        else
            return false;
    }
    if (rest & TRACE_TRANSFER && !take_transfer(d, out))
        return false;
    if (rest & TRACE_VALUES)
        out->values = (uint8_t)trace_take_byte(&d->in);
    return !d->in.failed && rest < 2 * TRACE_VALUES && out->values <= ISA_LANES;
}

static const char *take_second(struct trace_decoder *d, unsigned flags, uint32_t pc, struct issued *out)
{
    uint64_t address[ISA_LANES] = {0};
    unsigned second = flags & TRACE_SECOND ? trace_take_byte(&d->in) : 0;
    if (!trace_place(&d->dictionary->access, pc * 2 + 1))
        return "second addresses without a place";
    struct trace_access_slot *s = trace_access_claim(&d->state, d->dictionary, pc * 2 + 1);
    d->second = true;
    if (!take_addresses(d, s, second, out->active, &d->state.near[1], address, NULL))
        return "second addresses are damaged";
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        out->shared[lane] = (uint32_t)(out->operand[lane] = address[lane]);
    return NULL;
}

static const char *take_access(struct trace_decoder *d, unsigned flags, struct issued *out, struct trace_folded *folded)
{
    uint32_t pc = d->state.pc;
    struct trace_access_slot *s = out->active ? trace_access_slot(&d->state, d->dictionary, pc * 2) : NULL;
    if (flags & TRACE_ACCESS) {
        if (!out->active || !trace_place(&d->dictionary->access, pc * 2))
            return "an access without a place";
        s = trace_access_claim(&d->state, d->dictionary, pc * 2);
        unsigned space = trace_take_byte(&d->in);
        s->two = space & TRACE_TWO;
        s->space = (uint8_t)(space & ~(unsigned)TRACE_TWO);
        s->bytes = (uint8_t)trace_take_byte(&d->in);
        if (s->space > ISA_SPACE_CLUSTER)
            return "an access to a space that there is not";
    }
    if (s && s->space == ISA_SPACE_NONE)
        s = NULL;
    if (s)
        out->cache_policy = d->dictionary->policy[s->policy];
    if (flags & TRACE_REST && !take_rest(d, s, out))
        return "the facts beside an access are damaged";
    if (!s)
        return flags & (TRACE_PATTERN | TRACE_BASE | TRACE_SECOND) ? "addresses without an access" : NULL;
    out->space = s->space;
    out->bytes = s->bytes;
    uint32_t lanes = out->active & ~out->zero_fill;
    bool two = s->two, folds = lanes == UINT32_MAX && !two && s->space == ISA_SPACE_GLOBAL;
    if (lanes && !take_addresses(d, s, flags, lanes, &d->state.near[0], out->address, folds ? folded : NULL))
        return "addresses are damaged";
    return two ? take_second(d, flags, pc, out) : NULL;
}

static bool take_outcome(struct trace_decoder *d, struct trace_outcome *o)
{
    unsigned flags = trace_take_byte(&d->in);
    struct trace_flow_slot *s = trace_flow_claim(&d->state, d->dictionary, d->state.pc);
    *o = trace_plain_outcome(d->state.pc);
    o->flow = flags & 3;
    o->keep = !(flags & TRACE_LANES_TO);
    o->arrive = flags & TRACE_ARRIVE;
    if (flags & TRACE_TARGET)
        o->next = (uint32_t)(o->next + (uint64_t)trace_take_signed(&d->in));
    if (flags & TRACE_LANES_TO)
        o->path = (uint32_t)trace_take_fixed(&d->in, 4);
    if (flags & TRACE_BARRIER) {
        o->barrier = (uint8_t)trace_take_below(&d->in, UINT8_MAX);
        o->barrier_warps = (uint16_t)trace_take_below(&d->in, UINT16_MAX);
    }
    if (flags & TRACE_OTHER)
        *o = s->other;
    trace_learn_outcome(s, o);
    return !d->in.failed;
}

const char *trace_decoder_next(struct trace_decoder *d, struct issued *out, struct trace_folded *folded)
{
    const struct trace_dictionary *dictionary = d->dictionary;
    uint32_t pc = d->state.pc;
    unsigned flags = 0;
    if (pc >= d->code_count)
        return "it leaves the code";
    if (!d->run)
        flags = trace_take_byte(&d->in);
    const struct trace_flow_slot *s = trace_flow_slot(&d->state, dictionary, pc);
    struct trace_outcome outcome = s ? s->last : trace_plain_outcome(pc);
    out->pc = pc * 16;
    out->path = d->state.path;
    out->active = trace_expected_active(s, out->path);
    out->deferred = false;
    d->second = d->transfer = false;
    out->space = ISA_SPACE_NONE;
    out->bytes = 0;
    out->sleep = 0;
    out->values = 0;
    out->zero_fill = 0;
    out->cache_policy = 0;
    if (flags & (TRACE_ACTIVE | TRACE_OUTCOME) && !trace_place(&dictionary->flow, pc))
        return "a branch without a place";
    if (flags & TRACE_ACTIVE) {
        struct trace_flow_slot *own = trace_flow_claim(&d->state, dictionary, pc);
        own->active = out->active = (uint32_t)trace_take_fixed(&d->in, 4);
        own->all = out->active == out->path;
    }
    const char *wrong = take_access(d, flags, out, folded);
    if (wrong)
        return wrong;
    if (flags & TRACE_OUTCOME && !take_outcome(d, &outcome))
        return "a branch is damaged";
    if (outcome.next > d->code_count)
        return "a branch out of the code";
    out->flow = outcome.flow;
    out->barrier = outcome.barrier;
    out->barrier_warps = outcome.barrier_warps;
    out->barrier_arrive = outcome.arrive;
    out->next_pc = outcome.next * 16;
    d->state.pc = outcome.next;
    d->state.path = outcome.keep ? out->path : outcome.path;
    if (d->run-- == 0)
        next_run(d);
    return d->in.failed ? "it is damaged" : NULL;
}
