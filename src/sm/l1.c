#include "sm/l1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "port/message.h"

bool l1_init(struct l1 *l1, const struct config_l1 *config, uint32_t max_bytes)
{
    *l1 = (struct l1){.config = config, .room = max_bytes / PORT_LINE};
    l1->lines = calloc(l1->room ? l1->room : 1, sizeof *l1->lines);
    l1->mshr = calloc(MSHR_TABLE, sizeof *l1->mshr);
    l1->waiter = calloc(MSHR_WAITERS, sizeof *l1->waiter);
    if (!l1->lines || !l1->mshr || !l1->waiter) {
        l1_free(l1);
        return false;
    }
    l1_begin(l1, max_bytes);
    return true;
}

void l1_free(struct l1 *l1)
{
    free(l1->lines);
    free(l1->mshr);
    free(l1->waiter);
    l1->lines = NULL;
    l1->mshr = NULL;
    l1->waiter = NULL;
}

void l1_begin(struct l1 *l1, uint32_t bytes)
{
    uint32_t lines = bytes / PORT_LINE < l1->room ? bytes / PORT_LINE : l1->room;
    l1->ways = lines < l1->config->ways ? lines : l1->config->ways;
    l1->sets = l1->ways ? lines / l1->ways : 0;
    l1_invalidate(l1);
    if (l1->mshr_count) /* a kernel that was stopped has left some */
        memset(l1->mshr, 0, MSHR_TABLE * sizeof *l1->mshr);
    l1->waiter_free = MSHR_NIL;
    l1->waiter_fresh = l1->waiter_count = l1->mshr_count = 0;
}

static struct l1_line *set_of(struct l1 *l1, uint64_t line)
{
    return l1->lines + (line / PORT_LINE % l1->sets) * l1->ways;
}

static struct l1_line *find(struct l1 *l1, uint64_t line)
{
    if (!l1->sets)
        return NULL;
    struct l1_line *set = set_of(l1, line);
    for (uint32_t w = 0; w < l1->ways; w++) {
        if (set[w].line == line && set[w].valid && set[w].used > l1->emptied)
            return &set[w];
    }
    return NULL;
}

void l1_invalidate(struct l1 *l1) { l1->emptied = l1->uses; }

uint8_t l1_lookup(struct l1 *l1, uint64_t line)
{
    struct l1_line *found = find(l1, line);
    if (!found)
        return 0;
    found->used = ++l1->uses;
    return found->valid;
}

static void insert(struct l1 *l1, uint64_t line, uint8_t sectors)
{
    if (!l1->sets)
        return;
    struct l1_line *way = find(l1, line);
    if (!way) {
        struct l1_line *set = set_of(l1, line);
        way = set;
        for (uint32_t w = 0; w < l1->ways && way->valid; w++) {
            if (!set[w].valid || set[w].used < way->used)
                way = &set[w];
        }
        *way = (struct l1_line){.line = line};
    }
    way->valid |= sectors;
    way->used = ++l1->uses;
}

static struct mshr *mshr_slot(const struct l1 *l1, uint64_t line)
{
    uint32_t i = (uint32_t)(hash_mix(line) % MSHR_TABLE);
    while (l1->mshr[i].used && l1->mshr[i].line != line)
        i = (i + 1) % MSHR_TABLE;
    return &l1->mshr[i];
}

/* Deletion that keeps every probe sequence unbroken: later entries of the run move up. */
static void mshr_remove(struct l1 *l1, struct mshr *entry)
{
    uint32_t hole = (uint32_t)(entry - l1->mshr);
    l1->mshr[hole].used = false;
    l1->mshr_count--;
    for (uint32_t i = (hole + 1) % MSHR_TABLE; l1->mshr[i].used; i = (i + 1) % MSHR_TABLE) {
        uint32_t home = (uint32_t)(hash_mix(l1->mshr[i].line) % MSHR_TABLE);
        if ((i - home) % MSHR_TABLE >= (i - hole) % MSHR_TABLE) {
            l1->mshr[hole] = l1->mshr[i];
            l1->mshr[i].used = false;
            hole = i;
        }
    }
}

bool l1_can_miss(const struct l1 *l1, const struct line_access line[], uint32_t lines)
{
    if (l1->mshr_count + lines > l1->config->mshr_lines || l1->waiter_count + lines > MSHR_WAITERS)
        return false;
    if (l1->waiter_count < l1->config->mshr_merges)
        return true;
    for (uint32_t i = 0; i < lines; i++) {
        const struct mshr *m = mshr_slot(l1, line[i].line);
        if (m->used && m->waiters >= l1->config->mshr_merges)
            return false;
    }
    return true;
}

static uint16_t take_waiter(struct l1 *l1)
{
    if (l1->waiter_free == MSHR_NIL) {
        assert(l1->waiter_fresh < MSHR_WAITERS);
        return (uint16_t)l1->waiter_fresh++;
    }
    uint16_t i = l1->waiter_free;
    l1->waiter_free = l1->waiter[i].next;
    return i;
}

uint8_t l1_miss(struct l1 *l1, uint64_t line, uint8_t sectors, uint16_t token)
{
    struct mshr *m = mshr_slot(l1, line);
    if (!m->used) {
        *m = (struct mshr){.line = line, .used = true, .first = MSHR_NIL};
        l1->mshr_count++;
    }
    uint16_t i = take_waiter(l1);
    l1->waiter_count++;
    m->waiters++;
    l1->waiter[i] = (struct mshr_waiter){token, MSHR_NIL, sectors};
    uint16_t *end = &m->first;
    while (*end != MSHR_NIL)
        end = &l1->waiter[*end].next;
    *end = i;
    uint8_t fresh = sectors & (uint8_t)~m->pending;
    m->pending |= sectors;
    return fresh;
}

void l1_fill(struct l1 *l1, uint64_t line, uint8_t sectors, void (*done)(void *context, uint16_t token), void *context)
{
    insert(l1, line, sectors);
    struct mshr *m = mshr_slot(l1, line);
    assert(m->used);
    m->pending &= (uint8_t)~sectors;
    uint16_t *link = &m->first;
    while (*link != MSHR_NIL) {
        uint16_t i = *link;
        struct mshr_waiter *waiter = &l1->waiter[i];
        waiter->sectors &= (uint8_t)~sectors;
        if (waiter->sectors) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        done(context, waiter->token);
        waiter->next = l1->waiter_free;
        l1->waiter_free = i;
        l1->waiter_count--;
        m->waiters--;
    }
    if (m->first == MSHR_NIL && !m->pending)
        mshr_remove(l1, m);
}
