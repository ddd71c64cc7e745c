#include "plan/share.h"

#include "base/hash.h"

/* Returns by how much the row of a CTA is rotated. */
static uint32_t rotation(const struct share *s, uint64_t cta)
{
    return cta < (uint64_t)s->sms * s->slots ? 0 : (uint32_t)(hash_mix(cta / s->sms) % s->sms);
}

uint32_t share_sm(const struct share *s, uint64_t cta)
{
    return (uint32_t)((cta + s->sms - rotation(s, cta)) % s->sms);
}

/* The wave in which a number of the order lies. */
struct wave {
    uint64_t first; /* its first CTA */
    uint64_t ctas;
    uint64_t own; /* of the timed SM */
    bool rest;    /* behind whole waves, and not whole */
};

/* Returns the number of remaining CTAs that a fast SM takes. */
static uint64_t taken(const struct share *s, uint64_t left)
{
    uint64_t twice = (2 * left + s->sms - 1) / s->sms, most = s->slots < left ? s->slots : left;
    return twice < most ? twice : most;
}

static struct wave wave_of(const struct share *s, uint64_t index)
{
    uint64_t whole = (uint64_t)s->sms * s->slots, first = index / whole * whole, left = s->ctas - first;
    if (first > 0 && left < whole)
        return (struct wave){first, left, taken(s, left), true};
    uint64_t ctas = left < whole ? left : whole;
    return (struct wave){first, ctas, (ctas - s->timed - 1) / s->sms + 1, false};
}

struct share share_of(uint64_t ctas, uint32_t sms, uint32_t slots)
{
    struct share s = {.ctas = ctas, .sms = ctas < sms ? (uint32_t)ctas : sms, .slots = slots};
    uint32_t more = (uint32_t)(ctas % s.sms);
    s.timed = (more ? more : s.sms) / 2;
    return s;
}

/* Returns the timed SM's CTA in the row that begins there. */
static uint64_t own_of(const struct share *s, const struct wave *w, uint64_t row)
{
    return w->rest ? row : row + (s->timed + rotation(s, row)) % s->sms;
}

uint64_t share_number(const struct share *s, uint64_t index)
{
    const struct wave w = wave_of(s, index);
    uint64_t at = index - w.first, step = w.rest ? w.ctas / w.own : s->sms;
    if (at < w.own)
        return own_of(s, &w, w.first + at * step);
    at -= w.own;
    if (at >= w.own * (step - 1)) /* behind the last step */
        return w.first + w.own * step + at - w.own * (step - 1);
    uint64_t row = w.first + at / (step - 1) * step, cta = row + at % (step - 1);
    return cta + (cta >= own_of(s, &w, row));
}

bool share_part(const struct share *s, uint64_t first, uint64_t *end)
{
    const struct wave w = wave_of(s, first);
    bool timed = first - w.first < w.own;
    *end = w.first + (timed ? w.own : w.ctas);
    return timed;
}

double share_excess(const struct share *s, uint64_t index)
{
    const struct wave w = wave_of(s, index);
    return (double)w.own * s->sms / (double)w.ctas;
}

double share_imbalance(uint64_t own, uint64_t most, uint64_t slots)
{
    return own > 0 && slots > 0 ? 1 + ((double)most - (double)own) / (double)slots : 1;
}
