/* A DRAM channel as the L2 sees it: accesses to lines go in, reads come out when their data have come.
 *
 *   push(line, sectors) --> [read queue | write queue] --> pseudo-channels: banks, data bus --> latency --> done
 *
 * The pseudo-channels share the two queues. A read of a sector that waits in the write queue is answered from there,
 * and a write to a line that waits there joins it. A read that waits is not held against a later write of its line.
 *
 * The channel advances by itself to the time of each call, so that the results depend only on the accesses and the
 * times at which they were pushed, not on how often it is run. Times are SM cycles and never decrease from call to
 * call. Writes are posted: the channel has taken them when push returns, and says nothing when they are done. */
#ifndef SUBCORE_MEM_DRAM_CHANNEL_H
#define SUBCORE_MEM_DRAM_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"
#include "mem/dram_map.h"
#include "mem/dram_pseudo.h"
#include "probe/counters.h"

enum { DRAM_PSEUDO = 2, DRAM_FILTER = 64 };

struct dram_done {
    uint64_t when; /* SM cycle at which the last sector's data have arrived */
    uint64_t age;  /* push order, among those of the same cycle */
    uint32_t id;
    uint8_t sectors;
    bool queued; /* answered out of the write queue: holds its place in the read queue until it is handed out */
};

/* A command that a pseudo-channel was given, for observers. */
struct dram_watch {
    void *self;
    void (*command)(void *self, uint32_t pseudo, const struct dram_command *command);
};

struct dram_channel {
    struct dram_map map;
    struct dram_pseudo pseudo[DRAM_PSEUDO];
    struct dram_entry *pool;
    uint16_t free;      /* first free entry of the pool; linked by `newer` */
    uint32_t latency;   /* SM cycles of controller and PHY, besides the array and the bus */
    uint32_t limit[2];  /* entries for reads, for writes */
    uint32_t queued[2]; /* of these, taken */
    uint64_t age;
    uint64_t now;                 /* all commands before this cycle have been issued */
    uint64_t ck;                  /* first command clock that is not before it */
    uint16_t filter[DRAM_FILTER]; /* writes that wait, by hash of the line */
    struct dram_done *done;       /* ring, sorted by time */
    uint32_t done_mask, done_head, done_count;
    uint64_t bytes[2], full;
    struct dram_watch watch;
};

/* One of config->dram.channels. Returns false if the host is out of memory. */
bool dram_channel_create(struct dram_channel *channel, const struct config *config, struct arena *arena);

/* Lets a GPU's channels refresh one after another: this one is number `index` among `count`. Nothing has come in. */
void dram_channel_stagger(struct dram_channel *channel, uint32_t index, uint32_t count);

/* All rows closed, queues empty, counters zero, time zero. */
void dram_channel_reset(struct dram_channel *channel);

/* Whether another access can be pushed. Once it cannot, dram_channel_next() includes the time at which it can. */
static inline bool dram_channel_room(const struct dram_channel *channel, bool write)
{
    if (channel->queued[write] >= channel->limit[write])
        return false;
    return write || channel->done_count + channel->queued[DRAM_READ] <= channel->done_mask;
}

/* `line`: number of the line within the channel; `sectors`: bits of PORT_SECTORS, at least one; `id` comes back with
 * the data of a read. Only when there is room. */
void dram_channel_push(struct dram_channel *channel, uint64_t now, uint64_t line, uint8_t sectors, bool write,
                       uint32_t id);

/* The next cycle at which dram_channel_run() may have something to tell: data that have come, or room where there was
 * none. UINT64_MAX: nothing without another push. */
uint64_t dram_channel_next(struct dram_channel *channel);

/* Advances to `now` and hands out at most `room` reads whose data have come by then, in order of their times; one a
 * push, with all its sectors. Returns how many. Those for which there was no room come with the next call. */
uint32_t dram_channel_run(struct dram_channel *channel, uint64_t now, struct dram_done done[], uint32_t room);

/* Adds the channel's counts. */
void dram_channel_count(const struct dram_channel *channel, struct mem_counters *n);

/* Shows every command from now on. */
void dram_channel_watch(struct dram_channel *channel, struct dram_watch watch);

#endif
