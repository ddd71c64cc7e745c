#include "sm/memory/l1.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/host_line.h"
#include "port/message.h"

bool l1_init(struct l1 *l1, const struct config_l1 *config, uint32_t max_bytes, struct arena *arena)
{
    *l1 = (struct l1){.config = config};
    l1->mshr_table = power_of_two_from32(2 * config->mshr_lines);
    l1->mshr = arena_take(arena, l1->mshr_table * sizeof *l1->mshr);
    l1->waiter = arena_take_sparse(arena, MSHR_WAITERS * sizeof *l1->waiter);
    if (!l1_tags_init(&l1->tags, config, max_bytes / PORT_LINE, arena) || !l1->mshr || !l1->waiter)
        return false;
    l1_begin(l1, max_bytes);
    return true;
}

void l1_begin(struct l1 *l1, uint32_t bytes)
{
    l1_tags_begin(&l1->tags, bytes / PORT_LINE);
    if (l1->mshr_count) /* a kernel that was stopped has left some */
        memset(l1->mshr, 0, l1->mshr_table * sizeof *l1->mshr);
    l1->waiter_free = MSHR_NIL;
    l1->waiter_fresh = l1->waiter_count = l1->mshr_count = l1->mshr_full = 0;
}

void l1_invalidate(struct l1 *l1) { l1_tags_invalidate(&l1->tags); }

/* Neighbouring lines have neighbouring places: a warp's accesses touch few lines of the host's cache. */
static uint32_t mshr_home(const struct l1 *l1, uint64_t line)
{
    enum { NEAR = HOST_LINE / sizeof(struct mshr) };
    uint64_t number = line / PORT_LINE;
    return (uint32_t)((hash_mix(number / NEAR) * NEAR + number % NEAR) & (l1->mshr_table - 1));
}

static struct mshr *mshr_slot(const struct l1 *l1, uint64_t line)
{
    uint32_t i = mshr_home(l1, line);
    while (l1->mshr[i].used && l1->mshr[i].line != line)
        i = (i + 1) & (l1->mshr_table - 1);
    return &l1->mshr[i];
}

enum { L1_ALL = (1 << PORT_SECTORS) - 1 };

/* Sectors of which stores have left all words that a load wants. */
static uint8_t stored(const struct l1_line *line, const struct line_access *access)
{
    uint8_t sectors = 0;
    for (unsigned s = 0; s < PORT_SECTORS; s++) {
        uint32_t want = access->words & l1_words_of((uint8_t)(1u << s));
        if (want && !(want & ~line->words))
            sectors |= (uint8_t)(1u << s);
    }
    return sectors;
}

uint8_t l1_load(struct l1 *l1, const struct line_access *access, enum l1_keep keep)
{
    struct l1_line *found = l1_tags_find(&l1->tags, access->line);
    if (!found)
        return 0;
    uint8_t sectors = access->sectors, present = found->valid & sectors;
    if (found->words)
        present |= stored(found, access) & sectors;
    if (keep == L1_KEEP_LAST_USE) { /* local memory is not even written back (PTX ISA, ld.lu) */
        l1_tags_give_up(&l1->tags, found, sectors);
        found->dirty &= (uint8_t)~sectors;
    } else if (keep < L1_KEEP_UNCHANGED) {
        l1_tags_use(&l1->tags, found);
    }
    return present;
}

/* The words that a store writes whole. */
static uint32_t whole_words(const struct line_access *access)
{
    bool whole = access->bytes == 4 * popcount32(access->words);
    return whole ? access->words : access->words & l1_words_of(access->sectors & (uint8_t)~access->partial);
}

/* Sectors of which these are all words. */
static uint8_t whole_sectors(uint32_t words)
{
    uint8_t sectors = 0;
    for (unsigned s = 0; s < PORT_SECTORS; s++)
        sectors |= (uint8_t)((~words & l1_words_of((uint8_t)(1u << s)) ? 0u : 1u) << s);
    return sectors;
}

/* A sector of which stores have left every word is valid. */
static void leave(struct l1_line *line, uint32_t words)
{
    line->words |= words;
    line->valid |= whole_sectors(line->words);
    line->words &= ~l1_words_of(line->valid);
}

/* A store leaves nothing but stored words in the sectors that it writes in part, unless all sectors of the line are
 * valid with it, or loads of its own sectors are under way. Other sectors that are under way will not fill the line.
 * Source: load and store hits of an H200 (docs/memory.md). */
static void overwrite(struct l1 *l1, struct l1_line *line, uint8_t sectors, uint32_t words)
{
    struct mshr *m = mshr_slot(l1, line->line);
    uint8_t whole = whole_sectors(words), under_way = m->used ? m->pending : 0;
    if ((line->valid | whole) == L1_ALL || (under_way & sectors))
        return;
    l1_tags_give_up(&l1->tags, line, line->valid & sectors & (uint8_t)~whole);
    if (under_way)
        m->keep = L1_KEEP_NOT;
}

static uint8_t allocate(struct l1 *l1, const struct line_access *access, enum l1_keep keep)
{
    struct l1_line *found = l1_tags_find(&l1->tags, access->line);
    bool hit = found && !mshr_slot(l1, access->line)->used;
    uint32_t words = whole_words(access);
    if (found)
        overwrite(l1, found, access->sectors, words);
    if (words && keep < L1_KEEP_NOT)
        found = l1_tags_take(&l1->tags, access->line, keep, false);
    if (found)
        leave(found, words);
    return hit ? access->sectors : 0;
}

uint8_t l1_store(struct l1 *l1, const struct line_access *access, enum l1_keep keep)
{
    l1->tags.victims = 0;
    if (l1->config->store == CONFIG_L1_STORE_ALLOCATE)
        return allocate(l1, access, keep);
    uint8_t sectors = access->sectors;
    struct l1_line *found = l1_tags_find(&l1->tags, access->line);
    if (!found)
        return 0;
    uint8_t present = found->valid & sectors;
    if (l1->config->store == CONFIG_L1_STORE_INVALIDATE)
        l1_tags_give_up(&l1->tags, found, sectors);
    else
        l1_tags_use(&l1->tags, found);
    return present;
}

void l1_change(struct l1 *l1, uint64_t line)
{
    struct l1_line *found = l1->config->atomics_drop ? l1_tags_find(&l1->tags, line) : NULL;
    if (found)
        l1_tags_give_up(&l1->tags, found, L1_ALL);
}

uint8_t l1_store_local(struct l1 *l1, uint64_t line, uint8_t sectors, uint8_t partial)
{
    struct l1_line *found = l1_tags_find(&l1->tags, line);
    l1->tags.victims = 0;
    uint8_t through = partial & (uint8_t) ~(found ? found->valid : 0u), stay = sectors & (uint8_t)~through;
    if (stay && !found)
        found = l1_tags_take(&l1->tags, line, L1_KEEP_NORMAL, true);
    if (!found)
        return sectors;
    found->valid |= stay;
    found->dirty |= stay;
    if (stay)
        l1_tags_use(&l1->tags, found);
    return through;
}

/* Deletion that keeps every probe sequence unbroken: later entries of the run move up. */
static void mshr_remove(struct l1 *l1, struct mshr *entry)
{
    uint32_t hole = (uint32_t)(entry - l1->mshr), mask = l1->mshr_table - 1;
    l1->mshr[hole].used = false;
    l1->mshr_count--;
    for (uint32_t i = (hole + 1) & mask; l1->mshr[i].used; i = (i + 1) & mask) {
        uint32_t home = mshr_home(l1, l1->mshr[i].line);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
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
    if (!l1->mshr_full)
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

uint8_t l1_miss(struct l1 *l1, uint64_t line, uint8_t sectors, uint16_t token, enum l1_keep keep, bool local)
{
    struct mshr *m = mshr_slot(l1, line);
    if (!m->used) {
        *m = (struct mshr){.line = line, .keep = (uint8_t)keep, .used = true, .local = local, .first = MSHR_NIL};
        l1->mshr_count++;
    }
    if (keep < m->keep)
        m->keep = (uint8_t)keep;
    uint16_t i = take_waiter(l1);
    l1->waiter_count++;
    l1->mshr_full += ++m->waiters == l1->config->mshr_merges;
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
    struct mshr *m = mshr_slot(l1, line);
    assert(m->used);
    l1->tags.victims = 0;
    if (m->keep < L1_KEEP_NOT) {
        struct l1_line *taken = l1_tags_take(&l1->tags, line, (enum l1_keep)m->keep, m->local);
        if (taken) {
            taken->valid |= sectors;
            taken->words &= ~l1_words_of(sectors);
        }
    }
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
        l1->mshr_full -= m->waiters-- == l1->config->mshr_merges;
    }
    if (m->first == MSHR_NIL && !m->pending)
        mshr_remove(l1, m);
}

void l1_archive(struct archive *a, struct l1 *l1)
{
    archive_keep(a, &l1->config);
    archive_keep(a, &l1->tags.config);
    archive_keep(a, &l1->tags.policy);
    archive_array(a, &l1->tags.lines, l1->tags.room);
    archive_array(a, &l1->tags.set, l1_tags_words(l1->config, l1->tags.room));
    archive_array(a, &l1->mshr, l1->mshr_table);
    archive_array(a, &l1->waiter, MSHR_WAITERS);
}
