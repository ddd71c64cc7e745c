#include "mem/l2_slice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void l2_model_init(struct l2_model *model, const struct config *config)
{
    const struct config_l2 *c = &config->l2;
    *model = (struct l2_model){.sets = c->size / (c->slices * c->ways * PORT_LINE),
                               .ways = c->ways,
                               .latency = c->latency,
                               .sectors_per_cycle = c->sectors_per_cycle,
                               .mshrs = c->mshrs,
                               .atomic_interval = c->atomic_interval};
    assert(model->sets > 0);
    address_map_init(&model->map, c->slices, model->sets, config->dram.channels);
    noc_init(&model->noc, config);
}

bool l2_slice_create(struct l2_slice *slice, const struct l2_model *model, uint32_t index, uint32_t neighbours)
{
    size_t lines = (size_t)model->sets * model->ways;
    *slice = (struct l2_slice){.order = malloc(lines * sizeof *slice->order),
                               .line = malloc(lines * sizeof *slice->line),
                               .mshr = malloc(model->mshrs * sizeof *slice->mshr),
                               .index = index,
                               .neighbours = neighbours};
    bool port = noc_port_create(&slice->port, &model->noc);
    if (!port || slice->order == NULL || slice->line == NULL || slice->mshr == NULL)
        return false;
    l2_slice_reset(slice, model);
    return true;
}

void l2_slice_destroy(struct l2_slice *slice)
{
    free(slice->order);
    free(slice->line);
    free(slice->mshr);
    noc_port_destroy(&slice->port);
}

void l2_slice_reset(struct l2_slice *slice, const struct l2_model *model)
{
    size_t lines = (size_t)model->sets * model->ways;
    for (size_t i = 0; i < lines; i++)
        slice->order[i] = i % model->ways;
    memset(slice->line, 0, lines * sizeof *slice->line);
    memset(slice->mshr, 0, model->mshrs * sizeof *slice->mshr);
    slice->mshr_next = 0;
    slice->served = 0;
    slice->free = 0;
    noc_port_reset(&slice->port);
}

/* A request while it is served. */
struct visit {
    struct l2_slice *slice;
    const struct l2_model *model;
    struct dram *dram;
    struct mem_counters *n;
    struct l2_line *line;
    struct address_row row;
    bool row_known;
    uint64_t local;
    uint64_t done; /* cycle at which the last sector so far has been read or written */
};

static inline void wait_until(struct l2_slice *slice, uint64_t cycle)
{
    if (cycle > slice->free) {
        slice->free = cycle;
        slice->served = 0;
    }
}

/* Cycle in which the slice serves the next sector. */
static inline uint64_t take_sector(struct visit *v)
{
    struct l2_slice *slice = v->slice;
    uint64_t now = slice->free;
    v->n->l2_busy_cycles += slice->served == 0;
    if (++slice->served == v->model->sectors_per_cycle) {
        slice->free++;
        slice->served = 0;
    }
    return now;
}

/* Cycle in which an atomic operation on a sector begins; it has the slice to itself. */
static inline uint64_t take_atomic(struct visit *v)
{
    struct l2_slice *slice = v->slice;
    if (slice->served > 0)
        wait_until(slice, slice->free + 1);
    uint64_t now = slice->free;
    slice->free += v->model->atomic_interval;
    v->n->l2_busy_cycles += v->model->atomic_interval;
    return now;
}

static struct address_row row_of(const struct visit *v, uint64_t local)
{
    return dram_row(v->dram, local * v->slice->neighbours + v->slice->index);
}

/* Brings a sector that is neither here nor on its way. */
static void fetch(struct visit *v, unsigned s)
{
    struct l2_slice *slice = v->slice;
    uint64_t *mshr = &slice->mshr[slice->mshr_next];
    slice->mshr_next = slice->mshr_next + 1 == v->model->mshrs ? 0 : slice->mshr_next + 1;
    wait_until(slice, *mshr);
    if (!v->row_known) {
        v->row = row_of(v, v->local);
        v->row_known = true;
    }
    *mshr = dram_read(v->dram, v->row, slice->free, v->n);
    v->line->ready[s] = *mshr;
    v->line->valid |= (uint8_t)(1u << s);
    v->line->partial &= (uint8_t) ~(1u << s);
}

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void load(struct visit *v, unsigned s)
{
    struct l2_line *line = v->line;
    bool here = line->valid >> s & 1;
    if (!here)
        fetch(v, s);
    uint64_t now = take_sector(v);
    v->n->l2_sectors_read++;
    v->n->l2_sectors_read_hit += here;
    v->done = later(v->done, later(now, line->ready[s]));
}

static void store(struct visit *v, unsigned s, bool part)
{
    struct l2_line *line = v->line;
    uint8_t bit = (uint8_t)(1u << s);
    uint64_t now = take_sector(v);
    bool here = (line->valid | line->partial) & bit;
    v->n->l2_sectors_write++;
    v->n->l2_sectors_write_hit += here;
    line->dirty |= bit;
    if (!part) {
        line->valid |= bit;
        line->partial &= (uint8_t)~bit;
        line->ready[s] = now;
    } else if (!here) {
        line->partial |= bit;
        line->ready[s] = now;
    }
    v->done = later(v->done, now);
}

/* Operations that wait for the same sector are done one after the other when it comes. */
static void atomic(struct visit *v, unsigned s)
{
    struct l2_line *line = v->line;
    bool here = line->valid >> s & 1;
    if (!here)
        fetch(v, s);
    uint64_t now = take_atomic(v);
    v->n->l2_sectors_atomic++;
    v->n->l2_sectors_atomic_hit += here;
    uint64_t begin = later(now, line->ready[s]);
    line->ready[s] = begin + v->model->atomic_interval;
    line->dirty |= (uint8_t)(1u << s);
    v->done = later(v->done, begin);
}

/* Empties a way. A line with sectors on their way cannot go before they have come. */
static void evict(struct visit *v, struct l2_line *line, uint64_t local)
{
    for (unsigned s = 0; s < PORT_SECTORS; s++)
        wait_until(v->slice, line->ready[s]);
    if (line->dirty != 0) {
        struct address_row row = row_of(v, local);
        for (uint32_t rest = line->dirty; rest != 0; rest &= rest - 1) {
            v->n->l2_evictions_dirty++;
            wait_until(v->slice, dram_write(v->dram, row, v->slice->free, v->n));
        }
    }
    memset(line, 0, sizeof *line);
}

/* The line, in place of the least recently used one if it was not there; it becomes the most recent of its set. */
static struct l2_line *find(struct visit *v)
{
    uint32_t ways = v->model->ways, place = 0;
    size_t set = (size_t)address_map_set(&v->model->map, v->local) * ways;
    uint64_t *order = &v->slice->order[set];
    while (place < ways && order[place] / L2_WAYS != v->local + 1)
        place++;
    bool here = place < ways;
    if (!here)
        place--;
    uint64_t entry = order[place], way = entry % L2_WAYS;
    struct l2_line *line = &v->slice->line[set + way];
    if (!here && entry >= L2_WAYS)
        evict(v, line, entry / L2_WAYS - 1);
    memmove(order + 1, order, place * sizeof *order);
    order[0] = (v->local + 1) * L2_WAYS + way;
    return line;
}

static void serve_sectors(struct visit *v, const struct request *request)
{
    for (uint32_t rest = request->sectors; rest != 0; rest &= rest - 1) {
        unsigned s = lowest_bit32(rest);
        switch ((enum request_kind)request->kind) {
        case REQUEST_LOAD: load(v, s); break;
        case REQUEST_STORE: store(v, s, request->partial >> s & 1); break;
        case REQUEST_REDUCTION:
        case REQUEST_ATOMIC: atomic(v, s); break;
        }
    }
}

void l2_slice_prefetch(const struct l2_slice *slice, const struct l2_model *model, uint64_t local)
{
    const uint64_t *order = &slice->order[(size_t)address_map_set(&model->map, local) * model->ways];
    __builtin_prefetch(order);
    __builtin_prefetch(order + model->ways - 1);
}

uint64_t l2_slice_serve(struct l2_slice *slice, const struct l2_model *model, struct dram *dram,
                        const struct request *request, uint64_t local, struct mem_counters *n)
{
    assert(request->sectors != 0 && request->sectors < 1 << PORT_SECTORS);
    struct visit v = {.slice = slice, .model = model, .dram = dram, .n = n, .local = local};
    n->l2_requests++;
    wait_until(slice, noc_receive(&model->noc, &slice->port, request->arrival, request->bytes));
    v.line = find(&v);
    serve_sectors(&v, request);
    bool data = request->kind == REQUEST_LOAD || request->kind == REQUEST_ATOMIC;
    uint32_t bytes = data ? popcount32(request->sectors) * PORT_SECTOR : 0;
    return noc_send(&model->noc, &slice->port, v.done + model->latency, bytes);
}
