#include "mem/lrc.h"

#include <string.h>

#include "base/hash.h"

enum { FIRST_ROOM = 256 };

bool lrc_create(struct lrc *lrc, uint32_t lines, struct arena *arena)
{
    *lrc = (struct lrc){.lines = lines, .arena = arena};
    if (lines && !(lrc->line = arena_take_sparse(arena, lines * sizeof *lrc->line)))
        return false;
    lrc_reset(lrc);
    return true;
}

void lrc_reset(struct lrc *lrc)
{
    if (lrc->used)
        memset(lrc->line, 0, lrc->lines * sizeof *lrc->line);
    lrc->used = false;
    lrc->waiters = 0;
    lrc->free = LRC_NONE;
}

static struct lrc_line *place_of(const struct lrc *lrc, uint64_t line, uint8_t group)
{
    return &lrc->line[(hash_mix(line ^ group) >> 32) * lrc->lines >> 32];
}

static uint32_t take_waiter(struct lrc *lrc)
{
    uint32_t i = lrc->free;
    if (i != LRC_NONE) {
        lrc->free = lrc->waiter[i].next;
        return i;
    }
    if (lrc->waiters == lrc->room) {
        uint32_t room = lrc->room ? 2 * lrc->room : FIRST_ROOM;
        struct lrc_waiter *all = arena_more(lrc->arena, lrc->waiter, lrc->room * sizeof *all, room * sizeof *all);
        if (!all)
            return LRC_NONE;
        lrc->waiter = all;
        lrc->room = room;
    }
    return lrc->waiters++;
}

static bool wait_for(struct lrc *lrc, struct lrc_line *line, const struct request *request)
{
    uint32_t i = take_waiter(lrc);
    if (i == LRC_NONE)
        return false;
    lrc->waiter[i] = (struct lrc_waiter){LRC_NONE, request->sm, request->token, request->client, request->sectors};
    if (line->first == LRC_NONE)
        line->first = i;
    else
        lrc->waiter[line->last].next = i;
    line->last = i;
    return true;
}

bool lrc_join(struct lrc *lrc, const struct request *request, uint8_t group)
{
    struct lrc_line *line = place_of(lrc, request->line, group);
    lrc->used = true;
    if (!line->sectors)
        *line = (struct lrc_line){request->line,  LRC_NONE,        LRC_NONE,         request->sm,
                                  request->token, request->client, request->sectors, group};
    else if (line->line == request->line && line->group == group && !(request->sectors & ~line->sectors) &&
             line->sm != request->sm)
        return wait_for(lrc, line, request);
    return false;
}

uint32_t lrc_answer(struct lrc *lrc, const struct reply *reply, uint8_t group)
{
    struct lrc_line *line = place_of(lrc, reply->line, group);
    if (line->line != reply->line || line->group != group || !line->sectors || line->sm != reply->sm ||
        line->token != reply->token || line->client != reply->client || line->sectors != reply->sectors)
        return LRC_NONE;
    line->sectors = 0;
    return line->first;
}

uint32_t lrc_release(struct lrc *lrc, uint32_t waiter)
{
    uint32_t next = lrc->waiter[waiter].next;
    lrc->waiter[waiter].next = lrc->free;
    lrc->free = waiter;
    return next;
}
