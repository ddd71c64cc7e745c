#include "mem/save.h"

static void bus_archive(struct archive *a, struct bus *bus) { archive_array(a, &bus->taken, bus->words); }

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void tags_archive(struct archive *a, struct l2_tags *t)
{
    size_t lines = (size_t)t->sets * t->ways;
    archive_keep(a, &t->policy);
    archive_array(a, &t->tag, lines);
    archive_array(a, &t->line, lines);
    archive_array(a, &t->set, (size_t)t->sets * t->stride);
}

static void slice_archive(struct archive *a, struct l2_slice *s)
{
    archive_begin(a, "l2 slice", s, sizeof *s);
    tags_archive(a, &s->tags);
    archive_array(a, &s->mshrs.mshr, s->mshrs.count);
    for (unsigned c = 0; c < L2_CHANNELS; c++)
        bus_archive(a, &s->link.wire[c]);
    bus_archive(a, &s->port.egress);
    archive_end(a);
}

/* ---- DRAM -------------------------------------------------------------------------------------------------------- */

static void channel_archive(struct archive *a, struct dram_channel *c)
{
    archive_begin(a, "dram channel", c, sizeof *c);
    for (unsigned p = 0; p < DRAM_PSEUDO; p++) {
        struct dram_pseudo *pc = &c->pseudo[p];
        uint32_t banks = pc->rules.bank ? pc->rules.banks : 0;
        const struct dram_pick_policy *pick = pc->choice.ranks.policy;
        archive_keep(a, &pc->pool);
        archive_keep(a, &pc->choice);
        archive_keep(a, &pc->row);
        archive_array(a, &pc->rules.bank, banks);
        archive_array(a, &pc->pick_state, pick ? pick->state_bytes : 0);
        archive_array(a, &pc->row_state, pc->row ? banks * pc->row->state_bytes : 0);
    }
    archive_array(a, &c->pool, 0u + c->limit[DRAM_READ] + c->limit[DRAM_WRITE]);
    archive_array(a, &c->done, c->done_mask + 1u);
    archive_keep(a, &c->watch);
    archive_end(a);
}

/* ---- a group ----------------------------------------------------------------------------------------------------- */

static void context_archive(struct archive *a, struct group *g)
{
    struct l2_context *c = &g->context;
    archive_keep(a, &c->model);
    archive_keep(a, &c->effects);
    archive_keep(a, &c->pool);
    archive_keep(a, &c->slice);
    archive_keep(a, &c->n);
    archive_room(a, g->pool.arena, &c->reply, &g->reply_capacity, &c->replies);
}

void group_archive(struct archive *a, struct group *g)
{
    archive_begin(a, "group", g, sizeof *g);
    archive_keep(a, &g->pool.arena);
    archive_room(a, g->pool.arena, &g->pool.entry, &g->pool.capacity, &g->pool.capacity);
    archive_keep(a, &g->slice);
    archive_keep(a, &g->channel);
    archive_array(a, &g->channel_wake, g->channels);
    context_archive(a, g);
    archive_end(a);
    for (uint32_t i = 0; i < g->slices; i++)
        slice_archive(a, &g->slice[i]);
    for (uint32_t i = 0; i < g->channels; i++)
        channel_archive(a, &g->channel[i]);
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

static void gpc_archive(struct archive *a, struct gpc *g)
{
    archive_begin(a, "gpc", g, sizeof *g);
    archive_keep(a, &g->arena);
    archive_keep(a, &g->inlet.arena);
    for (unsigned t = 0; t < GPC_TPCS; t++) {
        for (unsigned s = 0; s < TPC_SMS; s++) {
            struct sm_requests *q = &g->tpc[t].sm[s];
            archive_room(a, g->arena, &q->request, &q->room, &q->room);
        }
    }
    archive_array(a, &g->tlb.entry, (size_t)g->tlb.sets * g->tlb.ways);
    archive_room(a, g->arena, &g->inlet.entry, &g->inlet.capacity, &g->inlet.capacity);
    archive_room(a, g->arena, &g->reply, &g->reply_room, &g->reply_room);
    archive_room(a, g->arena, &g->peer, &g->peer_room, &g->peer_room);
    archive_room(a, g->arena, &g->sent, &g->sent_room, &g->sent_count);
    archive_room(a, g->arena, &g->target, &g->sent_room, &g->sent_count);
    archive_array(a, &g->to, g->groups);
    archive_keep(a, &g->lrc.arena);
    archive_array(a, &g->lrc.line, g->lrc.lines);
    archive_room(a, g->arena, &g->lrc.waiter, &g->lrc.room, &g->lrc.waiters);
    archive_end(a);
}

void network_archive(struct archive *a, struct network *network)
{
    for (uint32_t i = 0; i < network->gpcs; i++)
        gpc_archive(a, &network->gpc[i]);
}
