#include "gpu/trace_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/memory/mbarrier.h"
#include "isa/matrix.h"
#include "isa/sync.h"
#include "sm/sm.h"

enum { RANK_SHIFT = 24, OFFSET = (1 << RANK_SHIFT) - 1, RESERVED = 2048 /* bytes of the system, and for alignment */ };

enum object_access_kind {
    OBJECT_NONE,
    OBJECT_WAIT,
    OBJECT_COPIES, /* ARRIVES: arrives when copies have landed */
    OBJECT_REMOTE  /* takes effect at other CTAs, if it does anything to objects */
};

/* An access in flight. */
struct object_access {
    uint64_t born; /* of its CTA */
    uint32_t cta;  /* slot */
    uint32_t slot; /* of the warp */
    uint32_t lanes;
    uint32_t parity, ended; /* a wait: the phase of each lane, and lanes that have seen its end */
    uint32_t address[ISA_LANES];
    uint64_t operand[ISA_LANES]; /* arrivals */
    uint8_t kind;                /* enum object_access_kind */
};

/* A transfer in flight that completes bytes at objects. */
struct object_command {
    uint64_t born;
    uint32_t cta, barrier, bytes;
    uint16_t targets, signals;
    bool own_done;
};

/* A commit of tcgen05 in flight. */
struct object_commit {
    uint64_t born;
    uint32_t cta, offset;
    uint16_t targets;
};

/* The object that a warp waited for last. */
struct object_wait {
    uint32_t lanes, parity;
    uint32_t offset[ISA_LANES];
};

struct trace_objects {
    const struct trace_launch *launch;
    uint32_t warps, ctas, words; /* warps of a CTA; objects that have room in its memory */
    uint64_t *object;            /* [ctas][words]; owned */
    struct {
        struct cluster_place place;
        uint64_t born; /* CTAs that have begun in this slot */
    } cta[SM_CTAS];
    struct object_access access[LSU_TOKENS];
    struct object_command command[TMA_COMMANDS];
    struct object_commit commit[ENGINE_COMMITS];
    struct object_wait wait[SM_WARPS];
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

static bool touches(enum isa_op op)
{
    return issued_has_operand(op) || isa_sync_of(op) == ISA_SYNC_COPIES || isa_op_info(op)->way == ISA_WAY_ENGINE;
}

bool trace_objects_needed(const struct trace_launch *l)
{
    bool some = trace_launch_group(l) > 1;
    for (uint32_t i = 0; i < l->code_count && !some; i++)
        some = touches((enum isa_op)l->code[i].isa.op);
    return some;
}

struct trace_objects *trace_objects_create(const struct trace_launch *l, uint32_t ctas, struct status *status)
{
    struct trace_objects *o = calloc(1, sizeof *o);
    if (o) {
        o->launch = l;
        o->warps = trace_launch_warps(l);
        o->ctas = ctas;
        o->words = (l->static_shared + l->dynamic_shared + RESERVED) / MBARRIER_BYTES;
        o->object = calloc((size_t)ctas * o->words, sizeof *o->object);
    }
    if (o && o->object)
        return o;
    trace_objects_destroy(o);
    status_fail(status, STATUS_MEMORY, "out of memory for the barrier objects of an SM");
    return NULL;
}

void trace_objects_destroy(struct trace_objects *o)
{
    if (o)
        free(o->object);
    free(o);
}

void trace_objects_start(struct trace_objects *o, uint32_t cta, const struct cluster_place *place)
{
    memset(o->object + (size_t)cta * o->words, 0, o->words * sizeof *o->object);
    memset(&o->wait[cta * o->warps], 0, o->warps * sizeof *o->wait);
    o->cta[cta].place = *place;
    o->cta[cta].born++;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* NULL: the CTA has no memory there. */
static uint64_t *object_at(const struct trace_objects *o, uint32_t cta, uint32_t offset)
{
    return offset / MBARRIER_BYTES < o->words ? &o->object[(size_t)cta * o->words + offset / MBARRIER_BYTES] : NULL;
}

/* Operations that an object does not take are left out: the run that was recorded would have ended there. */
static void arrive(struct trace_objects *o, uint32_t cta, uint32_t offset, uint64_t operand)
{
    uint64_t *object = object_at(o, cta, offset);
    struct issued_arrival by = issued_unpack_arrival(operand);
    if (object)
        mbarrier_operate(object,
                         (struct mbarrier_arrival){.count = by.count, .dropped = by.dropped, .bytes = by.bytes});
}

static uint64_t completion_of(uint32_t bytes)
{
    return issued_pack_arrival((struct issued_arrival){.bytes = -(int32_t)bytes});
}

/* Of the lanes that wait, those whose phase has ended. A place without an object is nothing to wait for. */
static uint32_t ended_of(const struct trace_objects *o, uint32_t cta, uint32_t lanes, uint32_t parity,
                         const uint32_t offset[ISA_LANES])
{
    uint32_t ended = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        const uint64_t *object = object_at(o, cta, offset[lane]);
        bool over = !object || !*object || mbarrier_phase(*object) != (parity >> lane & 1);
        ended |= (uint32_t)over << lane;
    }
    return ended;
}

static void note_wait(struct trace_objects *o, const struct object_access *a)
{
    struct object_wait *w = &o->wait[a->slot];
    w->lanes = a->lanes & ~a->ended;
    w->parity = a->parity;
    memcpy(w->offset, a->address, sizeof w->offset);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* An access in flight with the lanes' addresses. */
static struct object_access *keep(struct trace_objects *o, uint32_t slot, uint32_t token, enum object_access_kind kind,
                                  const struct issued *out)
{
    struct object_access *a = &o->access[token];
    a->cta = slot / o->warps;
    a->born = o->cta[a->cta].born;
    a->slot = slot;
    a->lanes = out->active & ~out->zero_fill;
    a->parity = a->ended = 0;
    a->kind = (uint8_t)kind;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        a->address[lane] = (uint32_t)out->address[lane];
        a->operand[lane] = 0;
    }
    return a;
}

/* Lanes whose phase had not ended, in a warp that could not be held, are not waited for: it continues and asks again.
 */
static void wait(struct trace_objects *o, uint32_t slot, uint32_t token, struct issued *out)
{
    struct object_access *a = keep(o, slot, token, OBJECT_WAIT, out);
    uint32_t asked = a->lanes;
    for (uint32_t left = asked; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        a->parity |= (uint32_t)(out->operand[lane] & ISSUED_PARITY) << lane;
        a->lanes &= ~((uint32_t) !(out->operand[lane] & ISSUED_WAITS) << lane);
    }
    a->ended = ended_of(o, a->cta, a->lanes, a->parity, a->address);
    note_wait(o, a);
    out->deferred = a->ended != a->lanes;
    if (!out->deferred)
        a->kind = OBJECT_NONE;
}

/* ARRIVES: one arrival, or one of the transactions that were announced for copies. */
static void copies(struct trace_objects *o, uint32_t slot, uint32_t token, const struct isa_inst *isa,
                   struct issued *out)
{
    struct object_access *a = keep(o, slot, token, OBJECT_COPIES, out);
    unsigned kind = isa->mod[ISA_MOD_FUNCTION];
    struct issued_arrival by = {.count = kind == ISA_ARRIVES_ARVCNT, .bytes = kind == ISA_ARRIVES_TRANSCNT ? -1 : 0};
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        a->operand[lane] = o->launch->architecture >= 90 ? issued_pack_arrival(by) : 0;
    out->deferred = true;
}

static void exchange(struct trace_objects *o, uint32_t cta, uint64_t with, const struct issued *out)
{
    uint64_t *object = object_at(o, cta, (uint32_t)out->address[lowest_bit32(out->active)]);
    if (object)
        *object = with;
}

/* An operation whose lanes have an arrival each, at once or at other CTAs. */
static void arrivals(struct trace_objects *o, uint32_t slot, uint32_t token, bool async, struct issued *out)
{
    bool remote = out->space == ISA_SPACE_CLUSTER;
    struct object_access *a = remote ? keep(o, slot, token, OBJECT_REMOTE, out) : NULL;
    for (uint32_t left = out->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint32_t address = (uint32_t)(async ? out->operand[lane] : out->address[lane]);
        uint64_t operand = async ? completion_of(out->bytes) : out->operand[lane];
        if (a) {
            a->address[lane] = address;
            a->operand[lane] = operand;
        } else {
            arrive(o, slot / o->warps, address & OFFSET, operand);
        }
    }
    out->deferred = remote;
}

static void command(struct trace_objects *o, uint32_t cta, uint32_t place, struct issued *out)
{
    const struct transfer *t = &out->transfer;
    bool arrives = t->kind == TRANSFER_LOAD || t->kind == TRANSFER_SHARED;
    if (place >= TMA_COMMANDS || !out->active)
        return;
    o->command[place] = (struct object_command){.born = o->cta[cta].born,
                                                .cta = cta,
                                                .barrier = t->barrier,
                                                .bytes = t->bytes,
                                                .targets = arrives ? t->targets : 0,
                                                .signals = arrives ? t->signals : 0};
    out->deferred = arrives || t->kind == TRANSFER_STORE || t->kind == TRANSFER_REDUCTION;
}

static void commit(struct trace_objects *o, uint32_t cta, uint32_t place, const struct issued *out)
{
    uint64_t operand = out->operand[lowest_bit32(out->active)];
    if (place < ENGINE_COMMITS)
        o->commit[place] = (struct object_commit){.born = o->cta[cta].born,
                                                  .cta = cta,
                                                  .offset = (uint32_t)operand & OFFSET,
                                                  .targets = (uint16_t)(operand >> 32)};
}

void trace_objects_step(struct trace_objects *o, uint32_t slot, uint32_t token, struct issued *out)
{
    const struct isa_inst *isa = &o->launch->code[out->pc / 16].isa;
    uint32_t cta = slot / o->warps;
    bool some = out->active && out->space != ISA_SPACE_NONE;
    if (isa_op_info((enum isa_op)isa->op)->way == ISA_WAY_ENGINE) {
        command(o, cta, token - LSU_TOKENS, out);
        return;
    }
    bool sleeps = isa_op_info((enum isa_op)isa->op)->flags & ISA_SLEEP;
    if (sleeps && isa->mod[ISA_MOD_BARRIER_WAKES]) {
        out->wakes = !trace_objects_awake(o, slot);
        out->sleep = out->wakes ? out->sleep : 0;
    }
    if (!some)
        return;
    if (isa_engine_of(isa).kind == ISA_ENGINE_COMMIT)
        commit(o, cta, token - ENGINE_TOKENS, out);
    switch (isa_sync_of((enum isa_op)isa->op)) {
    case ISA_SYNC_WRITE: exchange(o, cta, out->operand[lowest_bit32(out->active)], out); break;
    case ISA_SYNC_FORGET:
        if (isa->a.kind != ISA_NONE && isa->mod[ISA_MOD_FUNCTION] == 0)
            exchange(o, cta, 0, out);
        break;
    case ISA_SYNC_WAIT: wait(o, slot, token, out); break;
    case ISA_SYNC_ARRIVE: arrivals(o, slot, token, false, out); break;
    case ISA_SYNC_STORE: arrivals(o, slot, token, true, out); break;
    case ISA_SYNC_COPIES: copies(o, slot, token, isa, out); break;
    default:
        if (out->space == ISA_SPACE_CLUSTER) {
            keep(o, slot, token, OBJECT_REMOTE, out)->lanes = 0;
            out->deferred = true;
        }
    }
}

/* ---- later effects -------------------------------------------------------------------------------------------- */

static bool lives(const struct trace_objects *o, uint32_t cta, uint64_t born) { return o->cta[cta].born == born; }

/* Of data for this rank the other CTA of the pair counts the bytes. */
static bool counts_elsewhere(const struct object_command *c, unsigned rank) { return c->signals >> (rank ^ 1) & 1; }

static void complete_command(struct trace_objects *o, struct object_command *c)
{
    const struct cluster_place *place = &o->cta[c->cta].place;
    unsigned own = place->size > 1 ? place->rank : 0;
    bool own_data = !c->own_done && c->targets >> own & 1 && !counts_elsewhere(c, own);
    unsigned times = own_data + (c->signals >> own & 1);
    for (; times && lives(o, c->cta, c->born); times--)
        arrive(o, c->cta, c->barrier, completion_of(c->bytes));
    c->own_done = true;
}

/* The arrival in the own CTA, if there is one. */
static void complete_commit(struct trace_objects *o, const struct object_commit *c)
{
    const struct cluster_place *place = &o->cta[c->cta].place;
    unsigned own = place->size > 1 ? place->rank : 0;
    if (c->targets >> own & 1 && lives(o, c->cta, c->born))
        arrive(o, c->cta, c->offset, issued_pack_arrival((struct issued_arrival){.count = 1}));
}

bool trace_objects_complete(struct trace_objects *o, uint32_t token)
{
    if (token >= ENGINE_TOKENS) {
        complete_commit(o, &o->commit[token - ENGINE_TOKENS]);
        return true;
    }
    if (token >= LSU_TOKENS) {
        complete_command(o, &o->command[token - LSU_TOKENS]);
        return true;
    }
    struct object_access *a = &o->access[token];
    enum object_access_kind kind = (enum object_access_kind)a->kind;
    a->kind = OBJECT_NONE;
    if (kind == OBJECT_NONE || !lives(o, a->cta, a->born))
        return kind != OBJECT_NONE;
    if (kind == OBJECT_WAIT) {
        a->ended |= ended_of(o, a->cta, a->lanes & ~a->ended, a->parity, a->address);
        note_wait(o, a);
    }
    for (uint32_t left = kind == OBJECT_COPIES ? a->lanes : 0; left; left &= left - 1)
        arrive(o, a->cta, a->address[lowest_bit32(left)], a->operand[lowest_bit32(left)]);
    return true;
}

bool trace_objects_ready(struct trace_objects *o, uint32_t token)
{
    struct object_access *a = &o->access[token];
    if (a->kind != OBJECT_WAIT || !lives(o, a->cta, a->born))
        return true;
    a->ended |= ended_of(o, a->cta, a->lanes & ~a->ended, a->parity, a->address);
    return a->ended == a->lanes;
}

bool trace_objects_awake(const struct trace_objects *o, uint32_t slot)
{
    const struct object_wait *w = &o->wait[slot];
    return !w->lanes || ended_of(o, slot / o->warps, w->lanes, w->parity, w->offset);
}

/* Returns the CTA slot of this SM with the rank, in the cluster, of a CTA on another SM, SM_CTAS if there is none. */
static uint32_t peer_in(const struct trace_objects *o, const struct trace_objects *from, uint32_t cta, unsigned rank)
{
    const struct cluster_place *place = &from->cta[cta].place;
    uint32_t slot = place->size > 1 && rank < place->size ? place->member[rank].slot : SM_CTAS;
    return slot < o->ctas && o->cta[slot].place.size > 1 && o->cta[slot].place.number == place->number ? slot : SM_CTAS;
}

void trace_objects_serve(struct trace_objects *o, const struct trace_objects *from, const struct request *message)
{
    if (message->client == ENGINE_CLIENT) {
        const struct object_commit *c = &from->commit[message->token];
        uint32_t slot = peer_in(o, from, c->cta, message->lanes);
        if (slot < SM_CTAS)
            arrive(o, slot, c->offset, issued_pack_arrival((struct issued_arrival){.count = 1}));
        return;
    }
    if (message->client >= PORT_ENGINE) {
        const struct object_command *c = &from->command[message->token];
        uint32_t slot = peer_in(o, from, c->cta, message->lanes);
        bool data = c->targets >> message->lanes & 1;
        if (o == from)
            o->command[message->token].own_done = true;
        if (slot < SM_CTAS && !(data && counts_elsewhere(c, message->lanes)))
            arrive(o, slot, c->barrier, completion_of(c->bytes));
        return;
    }
    const struct object_access *a = &from->access[message->token];
    for (uint32_t left = message->lanes & a->lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint32_t slot = peer_in(o, from, a->cta, a->address[lane] >> RANK_SHIFT);
        if (slot < SM_CTAS)
            arrive(o, slot, a->address[lane] & OFFSET, a->operand[lane]);
    }
}

void trace_objects_archive(struct archive *a, struct trace_objects *o)
{
    archive_plain(a, o->object, (size_t)o->ctas * o->words * sizeof *o->object);
    archive_plain(a, o->cta, sizeof o->cta);
    archive_plain(a, o->access, sizeof o->access);
    archive_plain(a, o->command, sizeof o->command);
    archive_plain(a, o->commit, sizeof o->commit);
    archive_plain(a, o->wait, sizeof o->wait);
}
