#include "sm/memory/remote_path.h"

#include <assert.h>

#include "base/bits.h"
#include "sm/cta.h"
#include "sm/warp.h"

enum { SEGMENT = 32, SEGMENTS = 4, RANK_SHIFT = 24, OFFSET = (1 << RANK_SHIFT) - 1 };

/* ---- at the SM that asks ----------------------------------------------------------------------------------------- */

/* The lanes of a message, and the aligned segments that they touch. */
struct part {
    uint32_t lanes;
    unsigned segments;
};

/* The next lanes, in their order, that go to one rank and to as many segments as a message has. */
static struct part next_part(const struct issued *is, uint32_t left)
{
    uint64_t first = is->address[lowest_bit32(left)], segment[SEGMENTS];
    struct part out = {0, 0};
    for (; left; left &= left - 1) {
        uint64_t address = is->address[lowest_bit32(left)];
        unsigned i = 0;
        while (i < out.segments && segment[i] != address / SEGMENT)
            i++;
        if (address >> RANK_SHIFT != first >> RANK_SHIFT || i == SEGMENTS)
            continue;
        segment[i] = address / SEGMENT;
        out.segments += i == out.segments;
        out.lanes |= left & -left;
    }
    return out;
}

unsigned remote_path_split(const struct config_shared *config, const struct code *code, const struct issued *is,
                           struct line_access out[32])
{
    uint32_t offset[32];
    unsigned count = 0;
    for (unsigned i = 0; i < 32; i++)
        offset[i] = (uint32_t)is->address[i] & OFFSET;
    for (uint32_t left = is->active; left;) {
        struct part part = next_part(is, left);
        struct bank_passes bank =
            shared_model(config->model)->passes(offset, part.lanes, is->bytes, shared_memory_use(code, is->bytes));
        out[count++] = (struct line_access){.line = is->address[lowest_bit32(left)] >> RANK_SHIFT,
                                            .lanes = part.lanes,
                                            .bytes = (uint8_t)(part.segments * SEGMENT),
                                            .operations = bank.passes};
        left &= ~part.lanes;
    }
    return count;
}

static enum request_kind kind_of(const struct access *a)
{
    if (a->code->memory == ISA_MEM_LOAD)
        return REQUEST_LOAD;
    return a->returns ? REQUEST_ATOMIC : a->code->memory == ISA_MEM_STORE ? REQUEST_STORE : REQUEST_REDUCTION;
}

static void send(const struct remote_path *p, uint16_t token, const struct line_access *part, uint64_t ready)
{
    const struct access *a = &p->table->access[token];
    const struct cluster_place *place = &p->cta[p->warp[a->slot].cta].cluster.place;
    enum request_kind kind = kind_of(a);
    /* A rank beyond the cluster turns round here; execution reports the fault. */
    bool known = place->size > 1 && part->line < place->size;
    port_send_peer(p->port, PORT_REMOTE,
                   (struct request){.arrival = ready,
                                    .lanes = part->lanes,
                                    .token = token,
                                    .kind = (uint8_t)kind,
                                    .bytes = kind == REQUEST_LOAD ? 0 : part->bytes,
                                    .partial = part->bytes,
                                    .operations = part->operations,
                                    .to = known ? place->member[part->line].sm : p->port->to.sm});
}

void remote_path_access(const struct remote_path *p, uint16_t token, uint64_t now)
{
    struct access *a = &p->table->access[token];
    p->n->remote_requests++;
    a->left = a->lines;
    for (unsigned i = 0; i < a->lines; i++)
        send(p, token, &a->line[i], now);
    if (!a->left) {
        delivery_complete(p->delivery, token, now);
    } else if (!a->returns) {
        a->posted = true;
        p->warp[a->slot].posted++;
        p->warp[a->slot].remote++;
        fence_try(p->fences, a->slot, now);
    }
}

static void answered(const struct remote_path *p, uint16_t token, uint64_t now)
{
    struct access *a = &p->table->access[token];
    assert(a->left);
    if (--a->left)
        return;
    if (a->returns)
        delivery_send(p->delivery, token, RETURN_SHARED, now, a->bytes, 1);
    else
        delivery_complete(p->delivery, token, now);
}

/* ---- at the SM that has the memory ------------------------------------------------------------------------------- */

static void serve(const struct remote_path *p, const struct request *request, uint64_t now)
{
    const struct config_shared *c = p->config;
    uint32_t hold = request->operations * c->group_interval;
    uint64_t start = shared_memory_take(p->shared, now, hold);
    bool data = request->kind == REQUEST_LOAD || request->kind == REQUEST_ATOMIC;
    if (p->source->serve)
        p->source->serve(p->source->self, request);
    mbarrier_unit_look(p->objects, now); /* an arrival, or data that complete bytes */
    p->n->remote_served++;
    p->n->shared_wavefronts += request->operations;
    port_send_peer(p->port, PORT_REMOTE,
                   (struct request){.arrival = start + hold + c->remote_latency,
                                    .token = request->token,
                                    .kind = REQUEST_ANSWER,
                                    .bytes = data ? (uint8_t)request->partial : 0,
                                    .to = request->sm});
}

void remote_path_take(void *self, const struct request *message, uint64_t now)
{
    const struct remote_path *p = self;
    if (message->kind == REQUEST_ANSWER)
        answered(p, message->token, now);
    else
        serve(p, message, now);
}
