#include "mem/gpc.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/order.h"

enum { FIRST_ROOM = 64 };

void gpc_model_init(struct gpc_model *model, const struct noc *noc, const struct address_map *map,
                    const struct config *config)
{
    const struct config_noc *c = &config->noc;
    *model = (struct gpc_model){.noc = noc,
                                .map = map,
                                .tpc_request = bus_period(NOC_UNIT, c->tpc_request_bytes),
                                .tpc_reply = bus_period(NOC_UNIT, c->tpc_reply_bytes),
                                .gpc_request = bus_period(NOC_UNIT, c->gpc_request_bytes),
                                .gpc_reply = bus_period(NOC_UNIT, c->gpc_reply_bytes),
                                .gcc_interval = (uint64_t)llround(config->l15.gpc_interval * (1 << BUS_FRACTION)),
                                .gcc_latency = larger(config->l15.gpc_latency, config->noc.latency),
                                .lrc_lines = config->noc.join_loads ? config->noc.join_lines : 0,
                                .lrc_tpcs = config->noc.join_tpcs};
}

bool gpc_create(struct gpc *gpc, const struct gpc_model *model, const struct config_tlb *tlb, uint32_t number,
                struct arena *arena)
{
    memset(gpc, 0, sizeof *gpc);
    gpc->number = number;
    gpc->arena = arena;
    gpc->tpcs = model->noc->topology.gpc_tpcs[number];
    gpc->groups = model->map->groups;
    gpc->to = arena_take(arena, gpc->groups * sizeof *gpc->to);
    if (gpc->to == NULL || !tlb_create(&gpc->tlb, tlb, arena) || !lrc_create(&gpc->lrc, model->lrc_lines, arena) ||
        !time_queue_create(&gpc->inlet, arena))
        return false;
    gpc_reset(gpc);
    return true;
}

void gpc_forget_sent(struct gpc *gpc)
{
    gpc->sent_count = 0;
    for (uint32_t g = 0; g < gpc->groups; g++)
        gpc->to[g].first = GPC_NONE;
}

void gpc_reset(struct gpc *gpc)
{
    for (uint32_t t = 0; t < GPC_TPCS; t++) {
        struct tpc *tpc = &gpc->tpc[t];
        tpc->turn = 0;
        tpc->request_free = tpc->reply_free = 0;
        for (uint32_t s = 0; s < TPC_SMS; s++)
            tpc->sm[s].count = 0;
        gpc->ready[t] = UINT64_MAX;
    }
    gpc_forget_sent(gpc);
    gpc->waiting = gpc->turn = 0;
    gpc->request_free = gpc->reply_free = 0;
    tlb_reset(&gpc->tlb);
    gcc_reset(&gpc->gcc);
    lrc_reset(&gpc->lrc);
    time_queue_reset(&gpc->inlet);
    gpc->n = (struct mem_counters){0};
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static inline struct request *at(const struct sm_requests *q, uint32_t i)
{
    return &q->request[(q->head + i) & (q->room - 1)];
}

static bool widen(struct sm_requests *q, struct arena *arena)
{
    uint32_t room = q->room ? 2 * q->room : FIRST_ROOM;
    struct request *request = arena_take(arena, room * sizeof *request);
    if (request == NULL)
        return false;
    for (uint32_t i = 0; i < q->count; i++)
        request[i] = *at(q, i);
    *q = (struct sm_requests){.request = request, .count = q->count, .room = room};
    return true;
}

/* Behind all that are not later. They nearly always come in order: only a translation makes one late. */
static void insert(struct sm_requests *q, const struct request *request)
{
    uint32_t i = q->count++;
    for (; i > 0 && at(q, i - 1)->arrival > request->arrival; i--)
        *at(q, i) = *at(q, i - 1);
    *at(q, i) = *request;
}

/* Fixed point; UINT64_MAX without requests. */
static inline uint64_t first_time(const struct sm_requests *q)
{
    return q->count ? at(q, 0)->arrival << BUS_FRACTION : UINT64_MAX;
}

static inline uint64_t tpc_ready(const struct tpc *tpc)
{
    uint64_t a = first_time(&tpc->sm[0]), b = first_time(&tpc->sm[1]);
    return latest(earliest(a, b), tpc->request_free);
}

bool gpc_send(struct gpc *gpc, const struct gpc_model *model, const struct request *request, uint32_t count)
{
    const struct topology *topology = &model->noc->topology;
    uint32_t t = topology->tpc[request->sm];
    struct tpc *tpc = &gpc->tpc[t];
    struct sm_requests *q = &tpc->sm[topology->place[request->sm]];
    while (q->room - q->count < count)
        if (!widen(q, gpc->arena))
            return false;
    for (uint32_t i = 0; i < count; i++)
        insert(q, &request[i]);
    gpc->waiting += count;
    gpc->ready[t] = tpc_ready(tpc);
    return true;
}

/* Returns true if the request has to be put back until its translation is there. */
static bool translate(struct gpc *gpc, struct request *request)
{
    request->translate = false;
    uint64_t known = tlb_translate(&gpc->tlb, request->line, request->arrival);
    bool late = known > request->arrival;
    request->arrival = known;
    return late;
}

/* Of an SM, within its GPC. */
static uint32_t number_of(const struct gpc_model *model, uint32_t sm)
{
    const struct topology *topology = &model->noc->topology;
    return 0u + topology->tpc[sm] * TPC_SMS + topology->place[sm];
}

/* Of SMs whose loads join. */
static uint8_t group_of(const struct gpc_model *model, uint32_t sm)
{
    return (uint8_t)(model->noc->topology.tpc[sm] / model->lrc_tpcs);
}

/* Puts a reply into the inlet. Returns its number, or TIME_QUEUE_NONE if out of memory. */
static uint32_t put_in(struct gpc *gpc, const struct reply *reply)
{
    uint32_t i = time_queue_add(&gpc->inlet, reply->arrival);
    if (i == TIME_QUEUE_NONE)
        return i;
    if (i >= gpc->reply_room) {
        struct reply *all =
            arena_more(gpc->arena, gpc->reply, gpc->reply_room * sizeof *all, gpc->inlet.capacity * sizeof *all);
        if (all == NULL)
            return TIME_QUEUE_NONE;
        gpc->reply = all;
        gpc->reply_room = gpc->inlet.capacity;
    }
    gpc->reply[i] = *reply;
    return i;
}

/* A message to another SM of the GPC comes back by the inlet, after the latency of the network. */
static bool turn_round(struct gpc *gpc, const struct gpc_model *model, const struct request *request, uint64_t leaves)
{
    const struct topology *topology = &model->noc->topology;
    assert(topology->gpc[request->to] == gpc->number);
    struct reply reply = {.arrival = leaves + topology->peer_latency, .sm = request->to, .client = GPC_PEER};
    uint32_t i = put_in(gpc, &reply);
    if (i == TIME_QUEUE_NONE)
        return false;
    if (i >= gpc->peer_room) {
        struct request *all =
            arena_more(gpc->arena, gpc->peer, gpc->peer_room * sizeof *all, gpc->reply_room * sizeof *all);
        if (all == NULL)
            return false;
        gpc->peer = all;
        gpc->peer_room = gpc->reply_room;
    }
    gpc->peer[i] = *request;
    gpc->waiting--;
    gpc->turn = (topology->tpc[request->sm] + 1u) % gpc->tpcs;
    return true;
}

/* A line of code or parameters that the launch has read into the GPC's cache. */
static bool answer_code(struct gpc *gpc, const struct gpc_model *model, const struct request *request, uint64_t now)
{
    uint64_t begin = gcc_serve(&gpc->gcc, model->gcc_interval, now, request->ahead);
    struct reply reply = {.arrival = (begin >> BUS_FRACTION) + model->gcc_latency,
                          .line = request->line,
                          .sm = request->sm,
                          .token = request->token,
                          .client = request->client,
                          .sectors = request->sectors,
                          .kind = request->kind};
    gpc->waiting--;
    gpc->turn = (model->noc->topology.tpc[request->sm] + 1u) % gpc->tpcs;
    return put_in(gpc, &reply) != TIME_QUEUE_NONE;
}

/* The first request of the TPC leaves at `now` (fixed point). */
static bool grant(struct gpc *gpc, const struct gpc_model *model, struct tpc *tpc, uint64_t now)
{
    uint32_t s = first_time(&tpc->sm[tpc->turn]) <= now ? tpc->turn : 1 - tpc->turn;
    struct sm_requests *q = &tpc->sm[s];
    struct request request = *at(q, 0);
    q->head++;
    q->count--;
    if (request.translate && translate(gpc, &request)) {
        insert(q, &request);
        return true;
    }
    uint32_t units = noc_request_units(model->noc, &request);
    tpc->turn = 1 - s;
    tpc->request_free = now + units * model->tpc_request;
    if (request.destination == DESTINATION_SM)
        return turn_round(gpc, model, &request, now >> BUS_FRACTION);
    if (request.destination == DESTINATION_GPC)
        return answer_code(gpc, model, &request, now);
    if (gcc_takes(request.client) && gcc_join(&gpc->gcc, &request, number_of(model, request.sm))) {
        gpc->n.gcc_joined++;
        gpc->waiting--;
        return true;
    }
    if (lrc_takes(&gpc->lrc, &request) && lrc_join(&gpc->lrc, &request, group_of(model, request.sm))) {
        gpc->n.lrc_joined += popcount4(request.sectors);
        gpc->waiting--;
        return true;
    }
    gpc->request_free = now + units * model->gpc_request;
    uint64_t leaves = now >> BUS_FRACTION;
    gpc->n.noc_request_wait += leaves - request.arrival;
    const struct topology *topology = &model->noc->topology;
    struct address_place place = address_map_place(model->map, request.line);
    uint32_t slice = address_map_entry(model->map, place.slice, topology_gpc_partition(topology, gpc->number));
    struct address_home home = address_map_home(model->map, place.slice);
    request.arrival = leaves + topology_latency(topology, request.sm, slice);
    struct gpc_list *list = &gpc->to[home.group];
    if (list->first == GPC_NONE)
        list->first = gpc->sent_count;
    else
        gpc->target[list->last].next = gpc->sent_count;
    list->last = gpc->sent_count;
    gpc->target[gpc->sent_count] = (struct gpc_target){.local = place.local,
                                                       .group = home.group,
                                                       .home = home.index,
                                                       .entry = address_map_home(model->map, slice).index,
                                                       .next = GPC_NONE};
    gpc->sent[gpc->sent_count++] = request;
    gpc->waiting--;
    return true;
}

/* The TPC whose turn it is among those that can send when the first can, or when the outlet is free. */
static inline uint32_t choose(const struct gpc *gpc, uint64_t *when)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t t = 0; t < gpc->tpcs; t++)
        first = earliest(first, gpc->ready[t]);
    *when = latest(first, gpc->request_free);
    uint32_t t = gpc->turn;
    if (first == UINT64_MAX)
        return t;
    while (gpc->ready[t] > *when)
        t = t + 1 == gpc->tpcs ? 0 : t + 1;
    return t;
}

static bool room_to_send(struct gpc *gpc)
{
    if (gpc->sent_count > 0)
        gpc_forget_sent(gpc);
    if (gpc->waiting <= gpc->sent_room)
        return true;
    uint32_t room = gpc->waiting > 2 * gpc->sent_room ? gpc->waiting : 2 * gpc->sent_room;
    gpc->sent = arena_take(gpc->arena, room * sizeof *gpc->sent);
    gpc->target = arena_take(gpc->arena, room * sizeof *gpc->target);
    gpc->sent_room = gpc->sent != NULL && gpc->target != NULL ? room : 0;
    return gpc->sent_room > 0;
}

bool gpc_depart(struct gpc *gpc, const struct gpc_model *model, uint64_t end)
{
    if (!room_to_send(gpc))
        return false;
    while (gpc->waiting > 0) {
        uint64_t now;
        uint32_t t = choose(gpc, &now);
        if (now >= end << BUS_FRACTION)
            break;
        uint32_t sent = gpc->sent_count;
        if (!grant(gpc, model, &gpc->tpc[t], now))
            return false;
        gpc->ready[t] = tpc_ready(&gpc->tpc[t]);
        if (gpc->sent_count > sent)
            gpc->turn = t + 1 == gpc->tpcs ? 0 : t + 1;
    }
    return true;
}

/* ---- replies ----------------------------------------------------------------------------------------------------- */

bool gpc_return(struct gpc *gpc, const struct reply *reply) { return put_in(gpc, reply) != TIME_QUEUE_NONE; }

/* From the inlet, at `begin` (fixed point), through its TPC to an SM. */
static bool pass_tpc(struct gpc *gpc, const struct gpc_model *model, struct reply reply, uint64_t begin,
                     struct gpc_sink sink)
{
    struct tpc *tpc = &gpc->tpc[model->noc->topology.tpc[reply.sm]];
    uint32_t units = noc_units(model->noc, noc_reply_data(reply.kind, reply.sectors));
    begin = latest(begin, tpc->reply_free);
    tpc->reply_free = begin + units * model->tpc_reply;
    gpc->n.noc_reply_wait += (begin >> BUS_FRACTION) - reply.arrival;
    reply.arrival = begin >> BUS_FRACTION;
    return sink.deliver(sink.self, &reply);
}

/* A line of code or constants, for all SMs that asked for it. */
static bool pass_code(struct gpc *gpc, const struct gpc_model *model, struct reply reply, uint64_t begin,
                      struct gpc_sink sink)
{
    bool ok = true;
    uint64_t sms = gcc_answer(&gpc->gcc, &reply);
    if (!sms)
        return pass_tpc(gpc, model, reply, begin, sink);
    for (; sms; sms &= sms - 1) {
        reply.sm = gpc->gcc.sm[lowest_bit64(sms)];
        ok &= pass_tpc(gpc, model, reply, begin, sink);
    }
    return ok;
}

/* A reply to a load that others may have joined. */
static bool pass_data(struct gpc *gpc, const struct gpc_model *model, struct reply reply, uint64_t begin,
                      struct gpc_sink sink)
{
    bool ok = pass_tpc(gpc, model, reply, begin, sink);
    if (!gpc->lrc.used || reply.kind != REQUEST_LOAD)
        return ok;
    for (uint32_t i = lrc_answer(&gpc->lrc, &reply, group_of(model, reply.sm)); i != LRC_NONE;
         i = lrc_release(&gpc->lrc, i)) {
        const struct lrc_waiter *w = &gpc->lrc.waiter[i];
        reply.sm = w->sm;
        reply.token = w->token;
        reply.client = w->client;
        reply.sectors = w->sectors;
        ok &= pass_tpc(gpc, model, reply, begin, sink);
    }
    return ok;
}

/* A message from another SM, through inlet and TPC with its payload. */
static bool pass_peer(struct gpc *gpc, const struct gpc_model *model, struct request request, uint64_t arrival,
                      struct gpc_sink sink)
{
    struct tpc *tpc = &gpc->tpc[model->noc->topology.tpc[request.to]];
    uint32_t units = noc_request_units(model->noc, &request);
    uint64_t begin = latest(arrival << BUS_FRACTION, gpc->reply_free);
    gpc->reply_free = begin + units * model->gpc_reply;
    begin = latest(begin, tpc->reply_free);
    tpc->reply_free = begin + units * model->tpc_reply;
    request.arrival = begin >> BUS_FRACTION;
    assert(sink.receive != NULL && "a unit that sends to SMs needs gpu/front.c to give its messages to their SM");
    return sink.receive(sink.self, &request);
}

bool gpc_deliver(struct gpc *gpc, const struct gpc_model *model, uint64_t end, struct gpc_sink sink)
{
    bool ok = true;
    for (uint32_t i; (i = time_queue_take(&gpc->inlet, end)) != TIME_QUEUE_NONE;) {
        struct reply reply = gpc->reply[i];
        if (reply.client == GPC_PEER) {
            ok &= pass_peer(gpc, model, gpc->peer[i], reply.arrival, sink);
            continue;
        }
        uint32_t units = noc_units(model->noc, noc_reply_data(reply.kind, reply.sectors));
        uint64_t begin = latest(reply.arrival << BUS_FRACTION, gpc->reply_free);
        gpc->reply_free = begin + units * model->gpc_reply;
        bool code = gcc_takes(reply.client);
        ok &= code ? pass_code(gpc, model, reply, begin, sink) : pass_data(gpc, model, reply, begin, sink);
    }
    return ok;
}

void gpc_counters(const struct gpc *gpc, struct mem_counters *out)
{
    *out = gpc->n;
    out->tlb_l2_lookups = gpc->tlb.lookups;
    out->tlb_l2_misses = gpc->tlb.misses;
}
