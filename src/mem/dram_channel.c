#include "mem/dram_channel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool dram_channel_create(struct dram_channel *channel, const struct config *config)
{
    *channel = (struct dram_channel){.queue = config->dram.queue,
                                     .item = malloc(2 * config->dram.queue * sizeof *channel->item)};
    bool dram = dram_create(&channel->dram, config, 1.0 / config->dram.channels, config->dram.banks);
    return dram && channel->item != NULL;
}

void dram_channel_destroy(struct dram_channel *channel)
{
    dram_destroy(&channel->dram);
    free(channel->item);
}

void dram_channel_reset(struct dram_channel *channel)
{
    dram_reset(&channel->dram);
    memset(&channel->n, 0, sizeof channel->n);
    channel->waiting[false] = channel->waiting[true] = channel->count = 0;
}

bool dram_channel_room(const struct dram_channel *channel, bool write)
{
    return channel->waiting[write] < channel->queue;
}

void dram_channel_push(struct dram_channel *channel, uint64_t now, uint64_t line, uint8_t sectors, bool write,
                       uint32_t id)
{
    assert(dram_channel_room(channel, write) && sectors != 0);
    struct dram_done item = {.when = now, .id = id, .sectors = sectors, .write = write};
    struct address_row row = dram_row(&channel->dram, line);
    for (uint32_t rest = sectors; rest != 0; rest &= rest - 1) {
        uint64_t when = write ? dram_write(&channel->dram, row, now, &channel->n)
                              : dram_read(&channel->dram, row, now, &channel->n);
        item.when = when > item.when ? when : item.when;
    }
    uint32_t place = channel->count++;
    for (; place > 0 && channel->item[place - 1].when > item.when; place--)
        channel->item[place] = channel->item[place - 1];
    channel->item[place] = item;
    channel->waiting[write]++;
}

uint64_t dram_channel_next(const struct dram_channel *channel)
{
    return channel->count > 0 ? channel->item[0].when : UINT64_MAX;
}

uint32_t dram_channel_run(struct dram_channel *channel, uint64_t now, struct dram_done done[], uint32_t room)
{
    uint32_t taken = 0, count = 0;
    for (; taken < channel->count && channel->item[taken].when <= now; taken++) {
        bool write = channel->item[taken].write;
        if (!write && count == room)
            break;
        channel->waiting[write]--;
        if (!write)
            done[count++] = channel->item[taken];
    }
    channel->count -= taken;
    memmove(channel->item, channel->item + taken, channel->count * sizeof *channel->item);
    return count;
}

void dram_channel_count(const struct dram_channel *channel, struct mem_counters *n)
{
    mem_counters_add(n, &channel->n);
    n->dram_busy_cycles += dram_busy(&channel->dram);
}
