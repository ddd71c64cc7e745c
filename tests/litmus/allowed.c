#include "allowed.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS = LITMUS_THREADS * LITMUS_OPS + LITMUS_LOCATIONS };

struct event {
    uint8_t kind, order, scope, location, value;
    uint8_t thread, read; /* read: which of the thread's */
    bool initial;
};

typedef uint32_t relation[EVENTS]; /* [a] bit b: a before b */

struct model {
    const unsigned *cta;
    struct event event[EVENTS];
    unsigned count;
    unsigned read[EVENTS], reads;
    unsigned fence[EVENTS], fences; /* fence.sc */
    unsigned rank[EVENTS];          /* of fence.sc events and of writes, in the order that is being tried */
    unsigned write[LITMUS_LOCATIONS][EVENTS], writes[LITMUS_LOCATIONS];
    unsigned from[EVENTS]; /* of a read: the write that it reads */
    relation program, observation, base, cause;
    struct outcomes *out;
};

static bool in(const relation r, unsigned a, unsigned b) { return r[a] >> b & 1; }
static void put(relation r, unsigned a, unsigned b) { r[a] |= UINT32_C(1) << b; }

static void close_over(relation r, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned a = 0; a < n; a++)
            if (in(r, a, k))
                r[a] |= r[k];
}

static bool cyclic(const relation r, unsigned n)
{
    relation closed;
    assert(n <= EVENTS);
    memcpy(closed, r, sizeof closed);
    close_over(closed, n);
    for (unsigned a = 0; a < n; a++)
        if (in(closed, a, a))
            return true;
    return false;
}

static bool is_fence(const struct event *e) { return e->kind == OP_FENCE; }
static bool writes(const struct event *e) { return e->kind == OP_STORE || e->kind == OP_EXCHANGE; }
static bool reads(const struct event *e) { return e->kind == OP_LOAD || e->kind == OP_EXCHANGE; }
static bool strong(const struct event *e) { return !e->initial && e->order != WEAK; }

static bool includes(const struct model *m, const struct event *e, const struct event *other)
{
    return e->scope != CTA || m->cta[e->thread] == m->cta[other->thread];
}

/* "Morally strong operations". All are of one proxy here, and overlap wholly or not at all. */
static bool morally_strong(const struct model *m, unsigned a, unsigned b)
{
    const struct event *x = &m->event[a], *y = &m->event[b];
    if (!is_fence(x) && !is_fence(y) && x->location != y->location)
        return false;
    if (x->initial || y->initial)
        return false;
    if (x->thread == y->thread)
        return true;
    return strong(x) && strong(y) && includes(m, x, y) && includes(m, y, x);
}

/* ---- causality --------------------------------------------------------------------------------------------------- */

/* "Release patterns": from `first` on, by the strong write w. */
static bool releases(const struct model *m, unsigned first, unsigned w)
{
    const struct event *e = &m->event[first], *x = &m->event[w];
    if (!writes(x) || !strong(x))
        return false;
    if (first == w)
        return e->order == REL;
    if (!in(m->program, first, w))
        return false;
    return is_fence(e) || (writes(e) && e->order == REL && e->location == x->location);
}

/* "Acquire patterns": by the strong read r, up to `last`. */
static bool acquires(const struct model *m, unsigned r, unsigned last)
{
    const struct event *e = &m->event[last], *x = &m->event[r];
    if (!reads(x) || !strong(x))
        return false;
    if (last == r)
        return e->order == ACQ;
    if (!in(m->program, r, last))
        return false;
    return is_fence(e) || (reads(e) && e->order == ACQ && e->location == x->location);
}

static void synchronize(struct model *m, unsigned w, unsigned r)
{
    for (unsigned first = 0; first < m->count; first++)
        for (unsigned last = 0; releases(m, first, w) && last < m->count; last++)
            if (acquires(m, r, last) && m->event[first].thread != m->event[last].thread &&
                morally_strong(m, first, last))
                put(m->base, first, last);
}

static void find_observation(struct model *m)
{
    memset(m->observation, 0, sizeof m->observation);
    for (unsigned i = 0; i < m->reads; i++) {
        unsigned r = m->read[i];
        if (morally_strong(m, m->from[r], r))
            put(m->observation, m->from[r], r);
    }
    close_over(m->observation, m->count); /* through read-modify-writes, which alone read and write */
}

/* False when the causality order would contradict itself or the order of the fences. */
static bool find_causality(struct model *m)
{
    memcpy(m->base, m->program, sizeof m->base);
    for (unsigned w = 0; w < m->count; w++)
        for (unsigned r = 0; r < m->count; r++)
            if (in(m->observation, w, r))
                synchronize(m, w, r);
    for (unsigned i = 0; i < m->fences; i++)
        for (unsigned k = 0; k < m->fences; k++) {
            unsigned a = m->fence[i], b = m->fence[k];
            if (m->rank[a] < m->rank[b] && morally_strong(m, a, b))
                put(m->base, a, b);
        }
    close_over(m->base, m->count);
    memcpy(m->cause, m->base, sizeof m->cause);
    for (unsigned x = 0; x < m->count; x++) {
        if (in(m->base, x, x))
            return false;
        for (unsigned z = 0; z < m->count; z++)
            if (in(m->observation, x, z))
                m->cause[x] |= m->base[z];
        if (m->event[x].initial)
            m->cause[x] |= ((UINT32_C(1) << m->count) - 1) & ~(UINT32_C(1) << x);
    }
    return true;
}

/* ---- the axioms -------------------------------------------------------------------------------------------------- */

/* Coherence order: of two writes those that are morally strong or related in causality, as the ranks say. */
static bool find_coherence(const struct model *m, relation coherence)
{
    memset(coherence, 0, sizeof(relation));
    for (unsigned l = 0; l < LITMUS_LOCATIONS; l++)
        for (unsigned i = 0; i < m->writes[l]; i++)
            for (unsigned k = 0; k < m->writes[l]; k++) {
                unsigned a = m->write[l][i], b = m->write[l][k];
                if (m->rank[a] < m->rank[b]) {
                    if (in(m->cause, b, a))
                        return false;
                    if (in(m->cause, a, b) || morally_strong(m, a, b))
                        put(coherence, a, b);
                }
            }
    close_over(coherence, m->count);
    return true;
}

/* "SC-per-location": program order and the morally strong part of communication order have no cycle. */
static bool sequential_by_location(const struct model *m, const relation communication)
{
    relation both = {0};
    for (unsigned a = 0; a < m->count; a++)
        for (unsigned b = 0; b < m->count; b++) {
            if (is_fence(&m->event[a]) || is_fence(&m->event[b]) || !morally_strong(m, a, b))
                continue;
            if (in(communication, a, b) || in(m->program, a, b))
                put(both, a, b);
        }
    return !cyclic(both, m->count);
}

static bool consistent(const struct model *m)
{
    relation coherence, communication;
    if (!find_coherence(m, coherence))
        return false;
    memcpy(communication, coherence, sizeof communication);
    for (unsigned i = 0; i < m->reads; i++) {
        unsigned r = m->read[i], w = m->from[r];
        put(communication, w, r);
        if (in(m->cause, r, w))
            return false; /* "Causality": reads from an access that it precedes */
        for (unsigned other = 0; other < m->count; other++) {
            if (other == r || !in(coherence, w, other))
                continue;
            if (in(m->cause, other, r))
                return false; /* "Causality": reads past an access that precedes it */
            if (writes(&m->event[r]) && in(coherence, other, r) && morally_strong(m, other, r))
                return false; /* "Atomicity" */
            put(communication, r, other);
        }
    }
    return sequential_by_location(m, communication);
}

/* ---- all executions ---------------------------------------------------------------------------------------------- */

static void note(struct model *m)
{
    uint32_t outcome = 0;
    for (unsigned i = 0; i < m->reads; i++) {
        const struct event *e = &m->event[m->read[i]];
        outcome |= outcome_read(e->thread, e->read, m->event[m->from[m->read[i]]].value);
    }
    for (unsigned l = 0; l < LITMUS_LOCATIONS; l++)
        for (unsigned i = 0; i < m->writes[l]; i++)
            if (m->rank[m->write[l][i]] == m->writes[l] - 1)
                outcome |= outcome_final(l, m->event[m->write[l][i]].value);
    if (!outcomes_hold(m->out, outcome) && m->out->count < OUTCOMES)
        m->out->outcome[m->out->count++] = outcome;
}

static void try_coherence(struct model *m, unsigned location, unsigned placed, uint32_t used)
{
    if (location == LITMUS_LOCATIONS) {
        if (consistent(m))
            note(m);
        return;
    }
    if (placed == m->writes[location]) {
        try_coherence(m, location + 1, 0, 0);
        return;
    }
    for (unsigned i = 0; i < m->writes[location]; i++) {
        if (used >> i & 1 || (placed == 0) != m->event[m->write[location][i]].initial)
            continue;
        m->rank[m->write[location][i]] = placed;
        try_coherence(m, location, placed + 1, used | UINT32_C(1) << i);
    }
}

static void try_fences(struct model *m, unsigned placed, uint32_t used)
{
    if (placed == m->fences) {
        if (find_causality(m))
            try_coherence(m, 0, 0, 0);
        return;
    }
    for (unsigned i = 0; i < m->fences; i++) {
        if (used >> i & 1)
            continue;
        m->rank[m->fence[i]] = placed;
        try_fences(m, placed + 1, used | UINT32_C(1) << i);
    }
}

static void try_reads(struct model *m, unsigned i)
{
    if (i == m->reads) {
        find_observation(m);
        try_fences(m, 0, 0);
        return;
    }
    unsigned r = m->read[i], l = m->event[r].location;
    for (unsigned k = 0; k < m->writes[l]; k++) {
        if (m->write[l][k] == r)
            continue;
        m->from[r] = m->write[l][k];
        try_reads(m, i + 1);
    }
}

static void add_event(struct model *m, struct event e)
{
    unsigned n = m->count++;
    m->event[n] = e;
    if (writes(&e))
        m->write[e.location][m->writes[e.location]++] = n;
    if (reads(&e))
        m->read[m->reads++] = n;
    if (is_fence(&e) && e.order == SC)
        m->fence[m->fences++] = n;
    for (unsigned a = 0; a < n; a++)
        if (!m->event[a].initial && m->event[a].thread == e.thread)
            put(m->program, a, n);
}

void litmus_allowed(const struct litmus_test *test, const unsigned cta[LITMUS_THREADS], struct outcomes *out)
{
    struct model m = {.cta = cta, .out = out};
    out->count = 0;
    for (unsigned l = 0; l < LITMUS_LOCATIONS; l++)
        add_event(&m, (struct event){.kind = OP_STORE, .location = (uint8_t)l, .initial = true});
    for (unsigned t = 0; t < test->threads; t++) {
        unsigned read = 0;
        for (unsigned i = 0; i < LITMUS_OPS; i++) {
            unsigned op = LITMUS_AT(test->thread[t], i);
            struct event e = {(uint8_t)LITMUS_KIND(op),
                              (uint8_t)LITMUS_ORDER(op),
                              (uint8_t)LITMUS_SCOPE(op),
                              (uint8_t)LITMUS_LOCATION(op),
                              (uint8_t)LITMUS_VALUE(op),
                              (uint8_t)t,
                              (uint8_t)read,
                              false};
            read += reads(&e);
            if (e.kind != OP_NONE)
                add_event(&m, e);
        }
    }
    try_reads(&m, 0);
}

bool outcomes_hold(const struct outcomes *out, uint32_t outcome)
{
    for (unsigned i = 0; i < out->count; i++)
        if (out->outcome[i] == outcome)
            return true;
    return false;
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

const struct litmus_test litmus_tests[] = {
#define LITMUS(name, threads, a, b, c, d) {#name, threads, {a, b, c, d}},
#include "tests.def"
};
const unsigned litmus_test_count = sizeof litmus_tests / sizeof litmus_tests[0];

void outcome_text(const struct litmus_test *test, uint32_t outcome, char *text, unsigned size)
{
    static const char names[] = "XYZ";
    unsigned used = 0;
    bool written[LITMUS_LOCATIONS] = {false};
    text[0] = 0;
    for (unsigned t = 0; t < test->threads; t++)
        for (unsigned i = 0, read = 0; i < LITMUS_OPS && used < size; i++) {
            unsigned op = LITMUS_AT(test->thread[t], i), kind = LITMUS_KIND(op);
            written[LITMUS_LOCATION(op)] |= kind == OP_STORE || kind == OP_EXCHANGE;
            if (kind == OP_LOAD || kind == OP_EXCHANGE)
                used += (unsigned)snprintf(text + used, size - used, "%u:%c=%u ", t, names[LITMUS_LOCATION(op)],
                                           outcome >> 2 * (t * LITMUS_READS + read++) & 3);
        }
    for (unsigned l = 0; l < LITMUS_LOCATIONS && used < size; l++)
        if (written[l])
            used += (unsigned)snprintf(text + used, size - used, "%c=%u ", names[l], outcome / outcome_final(l, 1) & 3);
}
