/* Messages between the engines of SMs. */
#include "base/bits.h"
#include "sm/cta.h"
#include "sm/engine/tma_parts.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/warp.h"

const struct cluster_place *tma_cluster_of(const struct tma *t, const struct tma_command *c)
{
    return &t->to.cta[t->to.warp[c->slot].cta].cluster.place;
}

void tma_tell(struct tma *t, unsigned place, unsigned rank, uint32_t bytes, bool last, uint64_t now)
{
    const struct tma_command *c = &t->command[place];
    port_send_peer(t->to.port, TMA_CLIENT,
                   (struct request){.arrival = now,
                                    .line = c->peers >> rank & 1 && c->transfer.kind == TRANSFER_LOAD && !c->own_done
                                                ? c->transfer.bytes
                                                : 0,
                                    .lanes = rank,
                                    .token = (uint16_t)place,
                                    .kind = REQUEST_STORE,
                                    .effect = last,
                                    .bytes = (uint8_t)bytes,
                                    .to = tma_cluster_of(t, c)->member[rank].sm});
}

bool tma_send_copy(struct tma *t, unsigned place, uint64_t now)
{
    struct tma_command *c = &t->command[place];
    uint32_t left = c->transfer.bytes - c->offset, bytes = left < PORT_LINE ? left : PORT_LINE;
    c->offset += bytes;
    t->send_free = now + t->to.config->interval;
    tma_tell(t, place, lowest_bit32(c->peers), bytes, c->offset == c->transfer.bytes, now);
    return c->offset == c->transfer.bytes;
}

/* Data of another SM's command are there: they have passed the ingress and the write port, and the last of them let the
 * copy take effect. */
static void take_data(struct tma *t, const struct request *message, uint64_t now)
{
    const struct sm_source *source = t->to.source;
    if (message->line)
        inbox_port_take(&t->to.port->in, now, (uint32_t)message->line, t->to.noc->reply_bytes);
    tma_write(t, message->line + message->bytes, now);
    if (!message->effect)
        return;
    if (source->serve)
        source->serve(source->self, message);
    mbarrier_unit_look(t->to.objects, now);
    port_send_peer(
        t->to.port, TMA_CLIENT,
        (struct request){.arrival = now, .token = message->token, .kind = REQUEST_ANSWER, .to = message->sm});
}

void tma_message(void *self, const struct request *message, uint64_t now)
{
    struct tma *t = self;
    if (message->kind != REQUEST_ANSWER) {
        take_data(t, message, now);
        return;
    }
    struct tma_command *c = &t->command[message->token];
    if (--c->answers == 0 && c->own_done)
        t->finishing |= tma_bit(message->token);
}
