#include "sm/global_path.h"

#include <assert.h>

#include "base/bits.h"
#include "sm/address_unit.h"
#include "sm/async_copy.h"
#include "sm/load_order.h"
#include "sm/lsu.h"
#include "sm/sm.h"

uint64_t global_path_free(const struct sm *sm)
{
    uint32_t queue = sm->config->noc.egress_queue;
    uint64_t port = sm->out.port_free > queue ? sm->out.port_free - queue : 0;
    return sm->lsu.global.free > port ? sm->lsu.global.free : port;
}

/* An access that is larger than all the room goes alone. */
bool global_path_room(const struct sm *sm, const struct access *a)
{
    uint32_t under_way = sm->lsu.global.in_network;
    return l1_can_miss(&sm->l1, a->line, a->lines) && (under_way == 0 || under_way + a->lines <= sm->config->l1.mshrs);
}

static void send(struct sm *sm, uint16_t token, const struct line_access *line, uint8_t sectors, enum request_kind kind,
                 bool effect, bool by_line, uint64_t ready)
{
    const struct config_noc *noc = &sm->config->noc;
    struct outbox *out = &sm->out;
    bool data = kind != REQUEST_LOAD;
    uint32_t bytes = noc->header_bytes + (data ? line->bytes : 0u);
    uint64_t depart = ready > out->port_free ? ready : out->port_free;
    out->port_free = depart + (bytes + noc->request_bytes - 1) / noc->request_bytes;
    /* Whose page is being translated waits beside the port: others pass. */
    struct utlb_answer translated = utlb_translate(&sm->utlb, line->line, depart);
    sm->n.tlb_misses += translated.fresh;
    outbox_add(out, &(struct request){.arrival = translated.ready + noc->latency,
                                      .line = line->line,
                                      .lanes = line->lanes,
                                      .partial = line->partial,
                                      .sm = sm->id,
                                      .token = by_line ? LSU_NO_TOKEN : token,
                                      .sectors = sectors,
                                      .kind = (uint8_t)kind,
                                      .effect = effect,
                                      .bytes = data ? line->bytes : 0,
                                      .translate = translated.missed});
    sm->lsu.global.in_network++;
    sm->n.noc_requests++;
    sm->n.noc_bytes_out += bytes;
}

/* Everything that an access waits for has come: `ready` is when its data are at the return path. */
static void done(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.table.access[token];
    if (a->code->memory == ISA_MEM_ASYNC_COPY)
        async_copy_read(sm, token, ready);
    else if (a->code->flags & CODE_IN_ORDER)
        load_order_answer(sm, token, ready);
    else if (a->returns)
        lsu_return(sm, token, RETURN_GLOBAL, ready, sm->config->lsu.return_bytes, 1);
    else
        lsu_complete_at(sm, token, ready);
}

static void load(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.table.access[token];
    /* Strong loads and LDGSTS.BYPASS are answered by the L2 (artifact of the MICRO 2025 paper). */
    bool past_l1 = a->deferred || (a->code->flags & CODE_BYPASS);
    sm->n.l1_requests_load++;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        uint8_t present = past_l1 ? 0 : l1_lookup(&sm->l1, line->line) & line->sectors;
        uint8_t missing = line->sectors & (uint8_t)~present;
        sm->n.l1_sectors_load += popcount32(line->sectors);
        sm->n.l1_sectors_load_hit += popcount32(present);
        if (!missing)
            continue;
        a->left++;
        if (past_l1) {
            send(sm, token, line, missing, REQUEST_LOAD, a->deferred, false, ready);
            continue;
        }
        uint8_t ask = l1_miss(&sm->l1, line->line, missing, token);
        if (ask)
            send(sm, token, line, ask, REQUEST_LOAD, false, true, ready);
    }
    if (!a->left)
        done(sm, token, ready);
}

/* Stores are written through; atomics and reductions are executed by the L2. Each sector is acknowledged. */
static void write(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.table.access[token];
    bool store = a->code->memory == ISA_MEM_STORE;
    enum request_kind kind = store ? REQUEST_STORE : a->returns ? REQUEST_ATOMIC : REQUEST_REDUCTION;
    if (store)
        sm->n.l1_requests_store++;
    else
        sm->n.l1_requests_atomic++;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        unsigned sectors = popcount32(line->sectors);
        if (store) {
            sm->n.l1_sectors_store += sectors;
            sm->n.l1_sectors_store_hit += popcount32(l1_lookup(&sm->l1, line->line) & line->sectors);
        } else {
            sm->n.l1_sectors_atomic += sectors;
        }
        a->left++;
        send(sm, token, line, line->sectors, kind, a->deferred, false, ready);
    }
    if (!a->left) {
        done(sm, token, ready);
    } else if (!a->returns) {
        a->posted = true;
        sm->warp[a->slot].posted++;
        fence_try(sm, a->slot);
    }
}

void global_path_access(struct sm *sm, uint16_t token, uint64_t now)
{
    const struct config_l1 *c = &sm->config->l1;
    struct access *a = &sm->lsu.table.access[token];
    uint32_t tag_cycles = (a->lines + c->tags_per_cycle - 1) / c->tags_per_cycle;
    uint32_t data_cycles = (a->bytes + c->data_bytes - 1) / c->data_bytes;
    sm->lsu.global.free = now + (tag_cycles > data_cycles ? tag_cycles : data_cycles);
    sm->n.l1_wavefronts += a->lines;
    /* Wide data stream over the return path while they are read: only look-ups beyond that delay the result. */
    uint64_t ready = now + c->latency + (access_vector(a) ? c->vector_extra : 0) + (tag_cycles ? tag_cycles - 1 : 0);
    if (a->code->memory == ISA_MEM_LOAD || a->code->memory == ISA_MEM_ASYNC_COPY)
        load(sm, token, ready);
    else
        write(sm, token, ready);
}

static void line_arrived(void *context, uint16_t token)
{
    struct sm *sm = context;
    struct access *a = &sm->lsu.table.access[token];
    assert(a->left);
    if (--a->left == 0)
        done(sm, token, sm->now);
}

bool global_path_replies(struct sm *sm, uint64_t now)
{
    bool moved = false;
    while (inbox_next(&sm->inbox) <= now && sm->inbox.port_free <= now) {
        struct reply reply;
        inbox_take(&sm->inbox, &reply);
        bool data = reply.kind == REQUEST_LOAD || reply.kind == REQUEST_ATOMIC;
        uint32_t bytes = sm->config->noc.header_bytes + (data ? PORT_SECTOR * popcount32(reply.sectors) : 0);
        sm->inbox.port_free = now + (bytes + sm->config->noc.reply_bytes - 1) / sm->config->noc.reply_bytes;
        sm->n.noc_bytes_in += bytes;
        moved = true;
        if (reply.token == LSU_L15_TOKEN) {
            l15_fill(sm, &reply);
            continue;
        }
        sm->lsu.global.in_network--;
        if (reply.token == LSU_NO_TOKEN)
            l1_fill(&sm->l1, reply.line, reply.sectors, line_arrived, sm);
        else
            line_arrived(sm, reply.token);
    }
    return moved;
}
