#include "sm/memory/texture_unit.h"

#include "base/bits.h"
#include "base/order.h"
#include "sm/memory/address_unit.h"

void texture_unit_begin(struct texture_unit *u) { *u = (struct texture_unit){.to = u->to}; }

/* ---- times and sectors ------------------------------------------------------------------------------------------ */

enum { LINES = 32, LINE = 128, SECTOR = 32 };

/* The sectors beside the first that filters touch. Of more lines than an access can have the rest is left out. */
static void add_second_sectors(struct access *a, const struct issued *is)
{
    for (uint32_t left = is->active & ~is->zero_fill; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left), i = 0;
        int64_t distance = issued_texture_distance(is->operand[lane]);
        uint64_t address = is->address[lane] + (uint64_t)distance, line = address / LINE * LINE;
        if (!distance)
            continue;
        while (i < a->lines && a->line[i].line != line)
            i++;
        if (i == LINES)
            continue;
        if (i == a->lines)
            a->line[a->lines++] = (struct line_access){.line = line};
        a->line[i].lanes |= UINT32_C(1) << lane;
        a->line[i].sectors |= (uint8_t)(1u << address % LINE / SECTOR);
    }
}

static unsigned quads_of(uint32_t lanes)
{
    unsigned quads = 0;
    for (; lanes; lanes >>= 4)
        quads += (lanes & 15) != 0;
    return quads;
}

/* Cycles of a quad that samples, in units of tex.quad_interval. */
static double quad_passes(const struct config_tex *c, unsigned bytes, uint64_t operand)
{
    enum { WORD = 4, WIDE = 8, FOOTPRINT = 4 };
    uint32_t texels = issued_texture_texels(operand);
    if (texels <= 1)
        return bytes > WIDE ? (double)bytes / WIDE : 1;
    double width = bytes > WORD ? (double)bytes / WORD : 1;
    double more = issued_texture_volume(operand) && bytes > WORD ? c->wide_volume : 1;
    return width * more * div_up32(texels, FOOTPRINT);
}

/* A time as access.data_at has it: ticks of the unit above, the latency beyond the L1's below. */
static uint64_t packed(double interval, double latency)
{
    uint64_t ticks = (uint64_t)(interval * TEXTURE_TICKS + 0.5);
    return ticks << 32 | (uint32_t)(latency > 0 ? latency + 0.5 : 0);
}

static uint64_t ticks_of(const struct access *a) { return a->data_at >> 32; }

/* Returns the cycles of a hit from issue to issue if the unit added none: to the unit, through the L1, over the return
 * path. */
static uint32_t way_of(const struct config *config)
{
    enum { RETURN = 2 };
    return config->lsu.to_shared_part_vector + config->l1.latency + config->l1.vector_extra + RETURN;
}

void texture_unit_note(const struct config *config, struct access *a, const struct issued *is)
{
    const struct config_tex *c = &config->tex;
    enum isa_op op = (enum isa_op)a->code->op;
    a->halved = false;
    if (!issued_is_texture(op)) {
        bool query = is->space == ISA_SPACE_NONE; /* TXQ reads no texel */
        a->data_at =
            packed(c->surface_interval, (double)(query ? c->fetch_latency : c->surface_latency) - way_of(config));
        return;
    }
    uint64_t operand = is->active ? is->operand[lowest_bit32(is->active)] : 0;
    bool fetch = issued_is_fetch(op);
    unsigned quads = quads_of(is->active);
    double quad =
        fetch ? c->fetch_interval * (is->bytes > 8 ? 2 : 1) : c->quad_interval * quad_passes(c, is->bytes, operand);
    double latency = fetch ? c->fetch_latency : c->sample_latency;
    if (issued_texture_fractions(operand))
        latency += c->fraction_latency + (issued_texture_texels(operand) > 1 ? c->fraction_filter : 0);
    latency += quads > 1 ? c->spread * quad * (quads - 1) : 0;
    add_second_sectors(a, is);
    a->data_at = packed(quad * quads, latency - way_of(config));
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

void texture_unit_issue(struct texture_unit *u, uint16_t token, uint64_t now)
{
    const struct access *a = &u->to.table->access[token];
    u->waiting++;
    *memory_ring_push(&u->queue[a->subcore], now + u->to.config->lsu.to_shared_part_vector) = token;
}

static uint16_t head_of(const struct texture_unit *u, unsigned subcore)
{
    return u->queue[subcore].item[u->queue[subcore].head % memory_ring_capacity];
}

/* Cycle from which the head can be taken as far as time alone decides. */
static uint64_t head_free(const struct texture_unit *u, unsigned subcore)
{
    uint64_t unit = (u->free + TEXTURE_TICKS - 1) / TEXTURE_TICKS;
    return latest(latest(unit, memory_ring_next(&u->queue[subcore])), global_path_free(u->to.global, false));
}

static bool has_room(const struct texture_unit *u, unsigned subcore)
{
    return global_path_room(u->to.global, &u->to.table->access[head_of(u, subcore)]);
}

static void take(struct texture_unit *u, unsigned subcore, uint64_t now)
{
    uint16_t token = head_of(u, subcore);
    const struct access *a = &u->to.table->access[token];
    gate_wake(&u->to.gates->subcore[subcore]);
    memory_ring_pop(&u->queue[subcore]);
    u->waiting--;
    pending_table_enter(u->to.table, token);
    u->turn = subcore + 1;
    u->free = latest(u->free, now * TEXTURE_TICKS) + ticks_of(a);
    retire_sources_read(u->to.retire, a->slot, a->code, now + 1);
    global_path_access(u->to.global, token, now);
}

bool texture_unit_serve(struct texture_unit *u, uint64_t now)
{
    if (u->free > now * TEXTURE_TICKS || u->to.table->entries >= u->to.config->lsu.pending)
        return false;
    for (unsigned i = 0; i < SM_SUBCORES; i++) {
        unsigned subcore = (u->turn + i) % SM_SUBCORES;
        if (memory_ring_empty(&u->queue[subcore]) || head_free(u, subcore) > now || !has_room(u, subcore))
            continue;
        take(u, subcore, now);
        return true;
    }
    return false;
}

uint64_t texture_unit_next(const struct texture_unit *u, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (!u->waiting || u->to.table->entries >= u->to.config->lsu.pending)
        return next;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++)
        if (!memory_ring_empty(&u->queue[subcore]) && has_room(u, subcore))
            next = earliest(next, head_free(u, subcore));
    return next > now ? next : now + 1;
}
