#include "deferred_run.h"

#include <stdlib.h>
#include <string.h>

#include "exec/cta.h"
#include "exec/exec.h"
#include "exec/executors.h"

enum { CORES = 3, CTAS = 2, SLICES = 4, TOKENS = 64, QUEUE = 4096, WARPS = 32, SECTOR = 32 };

struct part {
    uint32_t token, lanes;
    unsigned core;
};
struct slice {
    struct part part[QUEUE];
    uint32_t first, count;
};

/* A warp does not go on while it needs a result, nor past a fence while something of its SM is on its way. */
struct warp_state {
    bool gone, at_barrier, needs_result;
    uint8_t barrier;
    uint32_t in_flight;
};

struct place {
    struct exec_cta *cta;
    struct warp_state warp[WARPS];
    uint32_t live, arrived[EXEC_BARRIERS + 1], expected[EXEC_BARRIERS + 1];
};

struct token {
    bool used, result;
    uint32_t left, place, warp;
};

struct sm {
    struct exec_core core;
    struct place place[CTAS];
    struct token token[TOKENS];
};

struct machine {
    const struct exec_launch *launch;
    struct arena arena; /* accesses in flight */
    struct sm sm[CORES];
    struct slice slice[SLICES];
    uint64_t random, next, done;
    struct exec_totals totals;
    struct issued out;
};

static uint32_t draw(struct machine *m, uint32_t limit)
{
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->random >> 33) % limit;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void send(struct machine *m, unsigned core, uint32_t token, uint32_t lanes)
{
    for (unsigned s = 0; s < SLICES; s++) {
        uint32_t here = 0;
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            if (lanes >> lane & 1 && m->out.address[lane] / SECTOR % SLICES == s)
                here |= 1u << lane;
        if (!here)
            continue;
        struct slice *slice = &m->slice[s];
        slice->part[(slice->first + slice->count++) % QUEUE] = (struct part){token, here, core};
        m->sm[core].token[token].left++;
    }
}

/* Messages overtake each other. */
static void serve(struct machine *m)
{
    struct slice *slice = &m->slice[draw(m, SLICES)];
    for (uint32_t n = draw(m, 4); n > 0 && slice->count > 0; n--) {
        struct part *chosen = &slice->part[(slice->first + draw(m, slice->count)) % QUEUE];
        struct part part = *chosen;
        *chosen = slice->part[slice->first];
        slice->first = (slice->first + 1) % QUEUE;
        slice->count--;
        exec_apply(&m->sm[part.core].core, part.token, part.lanes);
        m->sm[part.core].token[part.token].left--;
    }
}

static void complete(struct machine *m, struct sm *sm)
{
    for (uint32_t n = 0, t = draw(m, TOKENS); n < TOKENS; n++, t = (t + 1) % TOKENS) {
        struct token *token = &sm->token[t];
        if (!token->used || token->left || draw(m, 3) == 0)
            continue;
        struct warp_state *warp = &sm->place[token->place].warp[token->warp];
        exec_complete(&sm->core, t);
        token->used = false;
        warp->in_flight--;
        if (token->result)
            warp->needs_result = false;
    }
}

/* ---- warps ----------------------------------------------------------------------------------------------------- */

static void try_barrier(struct machine *m, struct place *p, unsigned b)
{
    uint32_t needed = p->expected[b] ? p->expected[b] : p->live, pc;
    if (!p->arrived[b] || p->arrived[b] < needed)
        return;
    p->arrived[b] = 0;
    for (uint32_t w = 0; w < m->launch->warps_per_cta; w++)
        if (p->warp[w].at_barrier && p->warp[w].barrier == b) {
            p->warp[w].at_barrier = false;
            exec_release_barrier(&p->cta->warps[w], &pc);
        }
}

static void after_step(struct machine *m, unsigned core, uint32_t place, uint32_t w, uint32_t token, bool result)
{
    struct place *p = &m->sm[core].place[place];
    struct warp_state *warp = &p->warp[w];
    if (m->out.deferred) {
        m->sm[core].token[token] = (struct token){true, result, 0, place, w};
        if (m->out.space != ISA_SPACE_SHARED) /* of barrier objects; nobody but the core has a part in them */
            send(m, core, token, m->out.active);
        warp->in_flight++;
        warp->needs_result |= result;
    }
    if (m->out.flow == ISSUED_AT_BARRIER) {
        warp->at_barrier = true;
        warp->barrier = m->out.barrier;
    }
    if (m->out.flow == ISSUED_AT_BARRIER || m->out.barrier_arrive) {
        p->arrived[m->out.barrier]++;
        p->expected[m->out.barrier] = m->out.barrier_warps;
        try_barrier(m, p, m->out.barrier);
    }
    if (m->out.flow == ISSUED_EXITED) {
        warp->gone = true;
        p->live--;
        for (unsigned b = 0; b <= EXEC_BARRIERS; b++)
            try_barrier(m, p, b);
    }
}

static bool in_flight(const struct sm *sm)
{
    for (unsigned t = 0; t < TOKENS; t++)
        if (sm->token[t].used)
            return true;
    return false;
}

static void step(struct machine *m, unsigned core, uint32_t place, uint32_t w)
{
    struct sm *sm = &m->sm[core];
    struct exec_warp *warp = &sm->place[place].cta->warps[w];
    const struct isa_inst *isa = &m->launch->kernel->code[exec_pc(warp) / 16].isa;
    struct warp_state *state = &sm->place[place].warp[w];
    if (state->needs_result || (isa->op == ISA_OP_MEMBAR && in_flight(sm)))
        return;
    uint32_t token = draw(m, TOKENS);
    if (sm->token[token].used)
        return;
    exec_step(&sm->core, warp, token, &m->out);
    m->totals.warp_instructions++;
    after_step(m, core, place, w, token, isa->d.kind == ISA_REG || isa->op == ISA_OP_SYNCS_PHASECHK);
}

static bool start(struct machine *m, struct place *p, uint32_t slot, struct status *status)
{
    if (!p->cta)
        p->cta = exec_cta_create(m->launch, status);
    if (!p->cta)
        return false;
    exec_cta_start(p->cta, m->next++, slot);
    memset(p->warp, 0, sizeof p->warp);
    memset(p->arrived, 0, sizeof p->arrived);
    p->live = m->launch->warps_per_cta;
    return true;
}

/* Results for threads that are gone may still be on their way. Their place is used again only afterwards. */
static bool quiet(const struct machine *m, const struct place *p)
{
    for (uint32_t w = 0; w < m->launch->warps_per_cta; w++)
        if (p->warp[w].in_flight)
            return false;
    return true;
}

static bool turn(struct machine *m, unsigned core, struct status *status)
{
    struct sm *sm = &m->sm[core];
    uint32_t n = draw(m, CTAS), warps = m->launch->warps_per_cta;
    struct place *p = &sm->place[n];
    if (p->cta && p->live) {
        uint32_t w = draw(m, warps);
        for (uint32_t steps = draw(m, 24); steps > 0 && !p->warp[w].gone && !p->warp[w].at_barrier; steps--)
            step(m, core, n, w);
        m->done += p->live == 0;
        *status = sm->core.fault;
        return !status->code;
    }
    if (m->next < m->launch->cta_count && (!p->cta || quiet(m, p)))
        return start(m, p, n * warps, status);
    return true;
}

static bool busy(const struct machine *m)
{
    for (unsigned s = 0; s < SLICES; s++)
        if (m->slice[s].count)
            return true;
    return false;
}

bool deferred_run(const struct exec_launch *launch, uint64_t seed, struct exec_totals *totals, struct status *status)
{
    struct machine *m = calloc(1, sizeof *m);
    if (!m)
        return status_fail(status, STATUS_MEMORY, "no memory for the test's machine");
    m->launch = launch;
    m->random = seed;
    bool ok = true;
    for (unsigned i = 0; i < CORES; i++)
        ok = ok && exec_core_init(&m->sm[i].core, launch->module->memory, &m->arena, i, status);
    while (ok && m->done < launch->cta_count) {
        unsigned core = draw(m, CORES);
        ok = turn(m, core, status);
        serve(m);
        if (draw(m, 4) == 0)
            complete(m, &m->sm[core]);
        if (draw(m, 4) == 0)
            exec_serve(&m->sm[core].core);
    }
    while (ok && busy(m))
        serve(m);
    for (unsigned i = 0; i < CORES; i++) {
        for (unsigned n = 0; n < 64; n++)
            complete(m, &m->sm[i]);
        for (unsigned n = 0; n < CTAS; n++)
            exec_cta_destroy(m->sm[i].place[n].cta);
        m->totals.thread_instructions += m->sm[i].core.thread_instructions;
        struct exec_core *core = &m->sm[i].core;
        exec_write_output(&core, 1, launch->output);
        exec_core_free(&m->sm[i].core);
    }
    m->totals.ctas = m->done;
    arena_free(&m->arena);
    *totals = m->totals;
    free(m);
    return ok;
}
