#include "mem/reuse_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mem/dram_timing.h"

/* Cycles in which a share counts that has not been used; half or twice as much changes hardly anything. */
enum { CREDIT = 2000 };

/* ---- the L2 ------------------------------------------------------------------------------------------------------ */

/* A request in flight through the L2. */
struct visit {
    const struct request *request;
    uint32_t slice, home, own; /* home: the line's partition; own: the SM's */
    uint32_t set, copies;      /* in the home, and of its copy */
    bool timed;
    uint8_t lack;  /* sectors that memory has to bring */
    bool crossed;  /* the answer comes over the link */
    bool underway; /* another SM has asked for a sector just before */
};

static struct reuse_line *use(struct reuse_sets *cache, uint32_t set, const struct request *r, bool copy)
{
    return reuse_sets_access_in(cache, set, r->line / PORT_LINE, copy);
}

/* As mem/l2_serve.c widens its requests to memory. */
static uint8_t widen(const struct reuse_memory *m, const struct request *request, uint8_t sectors)
{
    uint32_t fetch = request->fetch ? request->fetch : m->model.fetch;
    if (fetch >= PORT_SECTORS)
        return (1 << PORT_SECTORS) - 1;
    return (uint8_t)(fetch == 2 ? sectors | (sectors & 5) << 1 | (sectors & 10) >> 1 : sectors);
}

/* The note of a line says that it was fetched in the first wave, by another SM. */
static void follow_first_wave(const struct reuse_memory *m, struct visit *v, struct reuse_line *e, uint8_t hit)
{
    if (!m->first_wave)
        return;
    if (!v->timed) {
        e->note |= e->valid == 0;
        return;
    }
    v->underway |= e->note && hit;
    e->note = 0;
}

/* Brings sectors into the home. Returns those that were there. */
static uint8_t fetch(struct reuse_memory *m, struct visit *v, struct reuse_line *e, uint8_t want)
{
    uint8_t hit = want & e->valid, lack = (uint8_t)(want & ~hit);
    follow_first_wave(m, v, e, hit);
    if (lack)
        v->lack = (uint8_t)(widen(m, v->request, lack) & ~e->valid);
    e->valid |= v->lack;
    m->n.memory_reads += popcount4(v->lack);
    return hit;
}

/* Returns whether the request may leave a copy in its own partition. */
static bool copies(const struct reuse_memory *m, const struct request *r, uint32_t home, uint32_t own)
{
    return own != home && m->model.copies && r->kind == REQUEST_LOAD && !r->effect;
}

static void load(struct reuse_memory *m, struct visit *v)
{
    const struct request *r = v->request;
    uint8_t want = r->sectors;
    m->n.l2_loads += popcount4(want);
    if (copies(m, r, v->home, v->own)) {
        struct reuse_line *copy = use(&m->l2[v->own], v->copies, r, true);
        uint8_t here = want & copy->valid;
        follow_first_wave(m, v, copy, here);
        copy->valid |= want;
        m->n.l2_load_hits += popcount4(here);
        want &= (uint8_t)~here;
    }
    if (!want)
        return;
    v->crossed = v->own != v->home;
    m->n.l2_load_hits += popcount4(fetch(m, v, use(&m->l2[v->home], v->set, r, false), want));
}

static void change(struct reuse_memory *m, struct visit *v)
{
    const struct request *r = v->request;
    struct reuse_line *e = use(&m->l2[v->home], v->set, r, false);
    v->crossed = v->own != v->home;
    m->n.l2_sectors += popcount4(r->sectors);
    if (r->kind == REQUEST_STORE) {
        m->n.l2_hits += popcount4(r->sectors & (e->valid | e->dirty));
        e->valid |= r->sectors & (uint8_t)~r->partial;
    } else {
        m->atomics[v->slice] += r->operations ? r->operations : popcount4(r->sectors);
        m->n.l2_hits += popcount4(fetch(m, v, e, r->sectors));
    }
    m->n.dirtied += popcount4(r->sectors & (uint8_t)~e->dirty);
    e->dirty |= r->sectors;
    if (m->model.copies && m->model.map.partitions > 1)
        reuse_sets_drop(&m->l2[1 - v->home], r->line / PORT_LINE, true, r->sectors);
}

/* Finds the places of a request in the L2, and brings them into the host's caches. */
static void place(const struct reuse_memory *m, struct reuse_waiting *w)
{
    uint64_t number = w->request.line / PORT_LINE;
    w->slice = address_map_place(&m->model.map, w->request.line).slice;
    uint32_t home = m->home[w->slice], own = m->partition[w->sm];
    w->set = reuse_sets_fetch(&m->l2[home], number, false);
    w->copies = copies(m, &w->request, home, own) ? reuse_sets_fetch(&m->l2[own], number, true) : 0;
}

static struct visit visit_l2(struct reuse_memory *m, const struct reuse_waiting *w, bool timed)
{
    struct visit v = {.request = &w->request,
                      .slice = w->slice,
                      .home = m->home[w->slice],
                      .own = m->partition[w->sm],
                      .set = w->set,
                      .copies = w->copies,
                      .timed = timed};
    if (w->request.kind == REQUEST_LOAD)
        load(m, &v);
    else
        change(m, &v);
    return v;
}

/* ---- bandwidth --------------------------------------------------------------------------------------------------- */

/* The shares of the servers that a request takes on its way. */
struct load_of {
    double in, out, link;
};

static struct load_of loads(const struct reuse_memory *m, const struct visit *v)
{
    const struct request *r = v->request;
    const struct noc *noc = &m->model.noc;
    unsigned sectors = popcount4(r->sectors);
    uint32_t answer = noc_units(noc, noc_reply_data(r->kind, r->sectors));
    double served = sectors * m->share.l2_sector;
    bool reads = r->kind == REQUEST_LOAD;
    return (struct load_of){.in = fmax(noc_request_units(noc, r) * m->share.in_unit, reads ? 0 : served),
                            .out = fmax(answer * m->share.out_unit, reads ? served : 0),
                            .link = v->crossed ? answer * m->share.link_unit : 0};
}

/* A server takes a request that is there at `when`. Returns the cycle in which it begins. It has been free for others
 * while the SM did not use its share, and what they took then they do not take now: up to `credit` cycles count. */
static double take(double *free, double when, double time, double credit)
{
    *free = fmax(*free, when - credit) + time;
    return fmax(when, *free - time);
}

/* ---- the paper's formulas ---------------------------------------------------------------------------------------- */

static bool as_in_paper(const struct reuse_memory *m) { return m->config->run.hybrid_formulas == CONFIG_HYBRID_PAPER; }

static void count_of_paper(struct reuse_memory *m, const struct request *r, unsigned sectors, bool there)
{
    unsigned brought = there ? 0 : FIRST_USE_L2_LINE / PORT_SECTOR, hits = there ? sectors : 0;
    bool load = r->kind == REQUEST_LOAD, store = r->kind == REQUEST_STORE;
    *(load ? &m->n.l2_loads : &m->n.l2_sectors) += sectors;
    *(load ? &m->n.l2_load_hits : &m->n.l2_hits) += hits;
    *(store ? &m->n.memory_writes : &m->n.memory_reads) += brought;
}

static const struct reuse_class *paper_l2(struct reuse_memory *m, const struct request *r)
{
    struct reuse_class *class = &m->of_class[r->kind == REQUEST_LOAD    ? REUSE_LOADS
                                             : r->kind == REQUEST_STORE ? REUSE_STORES
                                                                        : REUSE_ATOMICS];
    enum { EACH = FIRST_USE_L2_LINE / PORT_SECTOR };
    for (unsigned i = 0; i < PORT_SECTORS; i += EACH) {
        unsigned sectors = popcount4(r->sectors & ((1u << EACH) - 1) << i);
        if (!sectors)
            continue;
        bool there = first_use_touch(&m->used, 0, (r->line + i * PORT_SECTOR) / FIRST_USE_L2_LINE);
        class->lines++;
        class->hits += there;
        count_of_paper(m, r, sectors, there);
    }
    return class;
}

static void paper_see(struct reuse_memory *m, uint32_t sm, const struct request *r)
{
    bool load = r->kind == REQUEST_LOAD;
    for (unsigned i = 0; i < PORT_SECTORS && (load || r->kind == REQUEST_STORE); i++) {
        if (!(r->sectors >> i & 1))
            continue;
        bool there = first_use_touch(&m->used, sm + 1, r->line / FIRST_USE_L1_LINE + i);
        m->n.l1_loads += load;
        m->n.l1_hits += load && there;
    }
    paper_l2(m, r);
}

/* Returns the cycles from the arrival to the answer, without the way back. */
static double paper_latency(struct reuse_memory *m, const struct request *r)
{
    const struct reuse_class *class = paper_l2(m, r);
    double misses = class->lines ? 1 - (double)class->hits / (double)class->lines : 0;
    bool atomic = r->kind == REQUEST_REDUCTION || r->kind == REQUEST_ATOMIC;
    return m->model.latency + misses * m->memory_latency + (atomic ? m->model.atomic_latency : 0);
}

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

/* The oldest one that waits. */
static void see_l2(struct reuse_memory *m)
{
    const struct reuse_waiting *w = &m->before_l2.item[m->before_l2.first++ % REUSE_WAITING];
    m->before_l2.count--;
    const struct visit v = visit_l2(m, w, false);
    const struct load_of load = loads(m, &v);
    m->l2_cycles += load.in > load.out ? load.in : load.out;
}

/* Returns the place behind the last one. */
static struct reuse_waiting *add(struct reuse_queue *q) { return &q->item[(q->first + q->count++) % REUSE_WAITING]; }

static void go_to_l2(struct reuse_memory *m, const struct reuse_waiting *w)
{
    if (m->before_l2.count == REUSE_WAITING)
        see_l2(m);
    struct reuse_waiting *last = add(&m->before_l2);
    *last = *w;
    place(m, last);
}

/* The oldest one that waits. */
static void see_l1(struct reuse_memory *m)
{
    struct reuse_waiting *w = &m->before_l1.item[m->before_l1.first++ % REUSE_WAITING];
    struct request *r = &w->request;
    m->before_l1.count--;
    if (r->kind == REQUEST_LOAD && !w->past_l1 && m->l1_sets) {
        struct reuse_line *e = use(&m->l1[w->sm], w->set, r, false);
        m->n.l1_loads += popcount4(r->sectors);
        m->n.l1_hits += popcount4(r->sectors & e->valid);
        r->sectors &= (uint8_t)~e->valid;
        e->valid |= r->sectors;
    }
    if (r->sectors)
        go_to_l2(m, w);
}

void reuse_memory_see(struct reuse_memory *m, uint32_t sm, const struct request *request, bool past_l1)
{
    if (as_in_paper(m)) {
        paper_see(m, sm, request);
        return;
    }
    if (m->before_l1.count == REUSE_WAITING)
        see_l1(m);
    struct reuse_waiting *w = add(&m->before_l1);
    w->request = *request;
    w->sm = sm;
    w->past_l1 = past_l1;
    if (request->kind == REQUEST_LOAD && !past_l1 && m->l1_sets)
        w->set = reuse_sets_fetch(&m->l1[sm], request->line / PORT_LINE, false);
}

void reuse_memory_settle(struct reuse_memory *m)
{
    while (m->before_l1.count > 0)
        see_l1(m);
    while (m->before_l2.count > 0)
        see_l2(m);
}

uint64_t reuse_memory_serve(struct reuse_memory *m, const struct request *r)
{
    struct reuse_waiting w = {.request = *r, .sm = r->sm};
    reuse_memory_settle(m);
    place(m, &w);
    uint32_t slice = w.slice, back = topology_latency(&m->model.noc.topology, r->sm, slice) + 2 * m->far;
    if (r->client == PORT_CODE)
        return r->arrival + m->model.latency + back;
    if (as_in_paper(m))
        return r->arrival + (uint64_t)paper_latency(m, r) + back;
    const struct visit v = visit_l2(m, &w, true);
    struct load_of load = loads(m, &v);
    double more = 1 / m->excess;
    m->l2_cycles += fmax(load.in, load.out);
    if (m->began < 0)
        m->began = (double)r->arrival;
    double credit = m->first_wave ? 0 : CREDIT, idle = (double)r->arrival - m->began;
    double when = take(&m->in_free, (double)r->arrival, more * load.in, credit);
    if (v.crossed)
        when = take(&m->link_free, when, more * load.link, credit) + 2 * m->model.link_latency;
    if (r->kind == REQUEST_REDUCTION || r->kind == REQUEST_ATOMIC)
        when = take(&m->atomic_free[slice], when,
                    more * m->share.atomic * (r->operations ? r->operations : popcount4(r->sectors)), idle) +
               m->model.atomic_latency;
    if (v.lack)
        when =
            take(&m->memory_free, when, more * popcount4(v.lack) * m->share.memory_sector, credit) + m->memory_latency;
    else if (v.underway)
        when += m->memory_latency;
    when = take(&m->out_free, when, more * load.out, credit);
    return (uint64_t)when + m->model.latency + back;
}

void reuse_memory_result(struct reuse_memory *m, struct hybrid_result *r)
{
    uint64_t busiest = 0;
    reuse_memory_settle(m);
    for (uint32_t i = 0; i < TOPOLOGY_SLICES; i++)
        busiest = m->atomics[i] > busiest ? m->atomics[i] : busiest;
    r->counts = m->n;
    r->counts.l2_sectors += m->n.l2_loads;
    r->counts.l2_hits += m->n.l2_load_hits;
    r->paper = as_in_paper(m);
    if (r->paper)
        return;
    r->counts.memory_writes = m->l2[0].written + m->l2[1].written;
    r->l2 = m->l2_cycles / m->sms;
    r->memory = (double)(r->counts.memory_reads + r->counts.memory_writes) * m->share.memory_sector / m->sms;
    r->atomics = (double)busiest * m->share.atomic / m->sms;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* With so many SMs at work. */
static struct reuse_shares shares(const struct reuse_memory *m)
{
    const struct config *c = m->config;
    double slices = c->l2.slices, sms = m->sms;
    double gpc_sms = ceil(sms / m->model.noc.topology.gpcs);
    double in = fmin(slices * c->noc.slice_request_bytes / sms, c->noc.gpc_request_bytes / gpc_sms);
    double out = fmin(slices * c->noc.slice_reply_bytes / sms, c->noc.gpc_reply_bytes / gpc_sms);
    double pins = c->dram.bandwidth * 1e3 / c->gpu.clock * MEMORY_EFFICIENCY;
    return (struct reuse_shares){.in_unit = NOC_UNIT / in,
                                 .out_unit = NOC_UNIT / out,
                                 .link_unit = NOC_UNIT * sms / (slices * c->l2.link_reply_bytes),
                                 .l2_sector = sms / (slices * c->l2.sectors_per_cycle),
                                 .memory_sector = PORT_SECTOR * sms / pins,
                                 .atomic = c->l2.atomic_interval * sms};
}

/* Returns the cycles one way that the farthest GPC is behind that of the timed SM, the first. */
static uint32_t far_gpc(const struct topology *t)
{
    uint32_t most = 0, own = t->gpc_way[t->gpc[0]];
    for (uint32_t g = 0; g < t->gpcs; g++)
        most = t->gpc_way[g] > most ? t->gpc_way[g] : most;
    return most - own;
}

static void find_partitions(struct reuse_memory *m)
{
    const struct topology *t = &m->model.noc.topology;
    const struct address_map *map = &m->model.map;
    for (uint32_t sm = 0; sm < m->config->gpu.sms; sm++)
        m->partition[sm] = (uint8_t)topology_gpc_partition(t, t->gpc[sm]);
    for (uint32_t slice = 0; slice < map->slices.by; slice++)
        m->home[slice] = (uint8_t)(slice * map->partitions / map->slices.by);
}

static bool begin_l1(struct reuse_memory *m, uint32_t lines)
{
    uint32_t sets = (lines + m->config->l1.ways - 1) / m->config->l1.ways, ways = sets ? lines / sets : 0;
    if (m->l1_sets != sets || m->l1_ways != ways)
        for (; m->l1_made > 0; m->l1_made--)
            reuse_sets_free(&m->l1[m->l1_made - 1]);
    m->l1_sets = sets;
    m->l1_ways = ways;
    for (uint32_t i = 0; i < m->l1_made; i++)
        reuse_sets_clear(&m->l1[i]);
    for (; sets && m->l1_made < m->sms; m->l1_made++)
        if (!reuse_sets_create(&m->l1[m->l1_made], sets, ways))
            return false;
    return true;
}

bool reuse_memory_begin(struct reuse_memory *m, uint32_t sms, uint32_t l1_bytes)
{
    m->sms = sms;
    m->share = shares(m);
    m->first_wave = true;
    m->excess = 1;
    m->began = -1;
    m->in_free = m->out_free = m->link_free = m->memory_free = m->l2_cycles = 0;
    memset(m->atomic_free, 0, sizeof m->atomic_free);
    memset(m->atomics, 0, sizeof m->atomics);
    m->n = (struct hybrid_counts){0};
    memset(m->of_class, 0, sizeof m->of_class);
    m->before_l1.count = m->before_l2.count = 0;
    first_use_clear(&m->used);
    for (uint32_t p = 0; p < m->model.map.partitions; p++)
        reuse_sets_clear(&m->l2[p]);
    return begin_l1(m, l1_bytes / PORT_LINE);
}

struct reuse_memory *reuse_memory_create(const struct config *config, struct status *status)
{
    struct dram_timing t;
    struct reuse_memory *m = calloc(1, sizeof *m);
    bool ok = m;
    if (m) {
        m->config = config;
        l2_model_init(&m->model, config);
        dram_timing_init(&t, config);
        m->far = far_gpc(&m->model.noc.topology);
        find_partitions(m);
        m->memory_latency = config->dram.latency + (uint32_t)dram_cycle(&t, t.tRCDRD + t.RL + DRAM_BURST);
        uint32_t partitions = m->model.map.partitions;
        for (uint32_t p = 0; ok && p < partitions; p++)
            ok = reuse_sets_create(&m->l2[p], m->model.sets * config->l2.slices / partitions, m->model.ways);
    }
    if (ok)
        return m;
    reuse_memory_free(m);
    status_fail(status, STATUS_MEMORY, "no memory for the reuse distances of an L2 of %u bytes", config->l2.size);
    return NULL;
}

void reuse_memory_free(struct reuse_memory *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->l1_made; i++)
        reuse_sets_free(&m->l1[i]);
    for (uint32_t p = 0; p < 2; p++)
        reuse_sets_free(&m->l2[p]);
    first_use_free(&m->used);
    free(m);
}
