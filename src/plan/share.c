#include "plan/share.h"

/* Of the wave in which a number of the order lies. */
struct wave {
    uint64_t first; /* its first CTA */
    uint64_t ctas;
    uint64_t own; /* of the timed SM */
};

static struct wave wave_of(const struct share *s, uint64_t index)
{
    uint64_t whole = (uint64_t)s->sms * s->slots, first = index / whole * whole;
    uint64_t ctas = s->ctas - first < whole ? s->ctas - first : whole;
    return (struct wave){first, ctas, ctas > s->timed ? (ctas - s->timed - 1) / s->sms + 1 : 0};
}

struct share share_of(uint64_t ctas, uint32_t sms, uint32_t slots)
{
    struct share s = {.ctas = ctas, .sms = ctas < sms ? (uint32_t)ctas : sms, .slots = slots};
    uint32_t more = (uint32_t)(ctas % s.sms);
    s.timed = (more ? more : s.sms) / 2;
    return s;
}

uint64_t share_number(const struct share *s, uint64_t index)
{
    const struct wave w = wave_of(s, index);
    uint64_t at = index - w.first, others = s->sms - 1;
    if (at < w.own)
        return w.first + s->timed + at * s->sms;
    at -= w.own;
    if (at >= w.own * others) /* SMs before the timed one have a CTA more in this wave */
        return w.first + w.own * s->sms + at - w.own * others;
    uint64_t column = at % others;
    return w.first + at / others * s->sms + column + (column >= s->timed);
}

bool share_part(const struct share *s, uint64_t first, uint64_t *end)
{
    const struct wave w = wave_of(s, first);
    bool timed = first - w.first < w.own;
    *end = w.first + (timed ? w.own : w.ctas);
    return timed;
}
