#include "sm/legacy/l1.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "port/message.h"

enum { MSHRS = 2048 }; /* places of the table: twice the most that a configuration has */

bool legacy_l1_init(struct legacy_l1 *l1, const struct config_legacy *config, uint32_t max_bytes, uint32_t requests,
                    struct arena *arena)
{
    uint32_t lines = max_bytes / PORT_LINE;
    *l1 = (struct legacy_l1){.config = config, .room = lines, .requests = requests};
    l1->lines = arena_take(arena, (lines ? lines : 1) * sizeof *l1->lines);
    l1->mshr = arena_take(arena, MSHRS * sizeof *l1->mshr);
    l1->next = arena_take(arena, requests * sizeof *l1->next);
    return l1->lines && l1->mshr && l1->next;
}

static unsigned set_of(const struct legacy_l1 *l1, uint64_t line)
{
    return (unsigned)(line / PORT_LINE % l1->config->l1_sets);
}

static uint16_t *index_of(struct legacy_l1 *l1, uint64_t line)
{
    return &l1->index[hash_mix(line / PORT_LINE) % LEGACY_L1_INDEX];
}

void legacy_l1_begin(struct legacy_l1 *l1, uint32_t bytes)
{
    uint32_t sets = l1->config->l1_sets;
    l1->ways = bytes / PORT_LINE / sets;
    memset(l1->index, 0xff, sizeof l1->index);
    memset(l1->lines, 0, l1->room * sizeof *l1->lines);
    memset(l1->mshr, 0, MSHRS * sizeof *l1->mshr);
    l1->dirty = l1->mshrs = 0;
    for (uint32_t set = 0; set < sets && l1->ways; set++) {
        for (uint32_t way = 0; way < l1->ways; way++) {
            struct legacy_l1_line *line = &l1->lines[set * l1->ways + way];
            line->line = UINT64_MAX;
            line->older = (uint16_t)(way ? set * l1->ways + way - 1 : LEGACY_L1_NONE);
            line->younger = (uint16_t)(way + 1 < l1->ways ? set * l1->ways + way + 1 : LEGACY_L1_NONE);
        }
        l1->oldest[set] = (uint16_t)(set * l1->ways);
        l1->youngest[set] = (uint16_t)((set + 1) * l1->ways - 1);
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static uint16_t find(struct legacy_l1 *l1, uint64_t line)
{
    uint16_t i = *index_of(l1, line);
    while (i != LEGACY_L1_NONE && l1->lines[i].line != line)
        i = l1->lines[i].chain;
    return i;
}

static void use(struct legacy_l1 *l1, uint16_t i)
{
    struct legacy_l1_line *line = &l1->lines[i];
    unsigned set = i / l1->ways;
    if (line->younger == LEGACY_L1_NONE)
        return;
    l1->lines[line->younger].older = line->older;
    if (line->older == LEGACY_L1_NONE)
        l1->oldest[set] = line->younger;
    else
        l1->lines[line->older].younger = line->younger;
    line->older = l1->youngest[set];
    line->younger = LEGACY_L1_NONE;
    l1->lines[line->older].younger = i;
    l1->youngest[set] = i;
}

static void drop(struct legacy_l1 *l1, uint16_t i)
{
    struct legacy_l1_line *line = &l1->lines[i];
    if (line->line == UINT64_MAX)
        return;
    uint16_t *link = index_of(l1, line->line);
    while (*link != i)
        link = &l1->lines[*link].chain;
    *link = line->chain;
    l1->dirty -= line->written != 0;
    line->line = UINT64_MAX;
    line->valid = line->reserved = line->written = line->readable = 0;
}

/* A line that holds nothing, else the one used least recently of those that may be replaced. */
static uint16_t victim_of(const struct legacy_l1 *l1, uint64_t line)
{
    unsigned set = set_of(l1, line);
    bool spare = l1->dirty * 100 < l1->config->l1_dirty * l1->config->l1_sets * l1->ways;
    uint16_t found = LEGACY_L1_NONE;
    for (uint16_t i = l1->oldest[set]; i != LEGACY_L1_NONE; i = l1->lines[i].younger) {
        const struct legacy_l1_line *l = &l1->lines[i];
        if (l->line == UINT64_MAX)
            return i;
        if (found == LEGACY_L1_NONE && !l->reserved && !(l->written && spare))
            found = i;
        if (found != LEGACY_L1_NONE)
            break; /* lines that hold nothing are the least recently used: they are at the begin */
    }
    return found;
}

/* Returns the place of the line, taken from another if need be (LEGACY_L1_NONE: none can be replaced). */
static uint16_t take(struct legacy_l1 *l1, uint64_t line, bool local)
{
    uint16_t i = find(l1, line);
    if (i == LEGACY_L1_NONE) {
        i = l1->ways ? victim_of(l1, line) : LEGACY_L1_NONE;
        if (i == LEGACY_L1_NONE)
            return i;
        struct legacy_l1_line *l = &l1->lines[i];
        if (l1->config->l1_write_back && l->local)
            l1->victim = (struct legacy_victim){l->line, l->written};
        drop(l1, i);
        l->line = line;
        l->local = local;
        l->chain = *index_of(l1, line);
        *index_of(l1, line) = i;
    }
    use(l1, i);
    return i;
}

/* ---- sectors on their way ---------------------------------------------------------------------------------------- */

static struct legacy_mshr *mshr_of(const struct legacy_l1 *l1, uint64_t sector)
{
    uint32_t i = (uint32_t)(hash_mix(sector / PORT_SECTOR) % MSHRS);
    while (l1->mshr[i].used && l1->mshr[i].sector != sector)
        i = (i + 1) % MSHRS;
    return &l1->mshr[i];
}

static void wait_at(struct legacy_l1 *l1, struct legacy_mshr *m, uint16_t request)
{
    l1->next[request] = LEGACY_L1_NONE;
    if (m->count++ == 0)
        m->first = request;
    else
        l1->next[m->last] = request;
    m->last = request;
}

/* Later entries of the run move up. */
static void remove_mshr(struct legacy_l1 *l1, struct legacy_mshr *m)
{
    uint32_t hole = (uint32_t)(m - l1->mshr);
    l1->mshr[hole].used = false;
    l1->mshrs--;
    for (uint32_t i = (hole + 1) % MSHRS; l1->mshr[i].used; i = (i + 1) % MSHRS) {
        uint32_t home = (uint32_t)(hash_mix(l1->mshr[i].sector / PORT_SECTOR) % MSHRS);
        if ((i - home) % MSHRS >= (i - hole) % MSHRS) {
            l1->mshr[hole] = l1->mshr[i];
            l1->mshr[i].used = false;
            hole = i;
        }
    }
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static uint8_t bit_of(uint64_t sector) { return (uint8_t)(1u << sector / PORT_SECTOR % PORT_SECTORS); }

enum legacy_l1_answer legacy_l1_load(struct legacy_l1 *l1, uint64_t sector, uint16_t request, bool local, bool room)
{
    uint64_t line = sector / PORT_LINE * PORT_LINE;
    uint8_t bit = bit_of(sector);
    uint16_t i = find(l1, line);
    l1->victim.sectors = 0;
    if (i != LEGACY_L1_NONE && ((l1->lines[i].valid | l1->lines[i].readable) & bit)) {
        use(l1, i);
        return LEGACY_L1_HIT;
    }
    struct legacy_mshr *m = mshr_of(l1, sector);
    if (m->used ? m->count >= l1->config->l1_merges : l1->mshrs >= l1->config->l1_mshrs || !room)
        return LEGACY_L1_FULL;
    if (l1->ways && (i = take(l1, line, local)) == LEGACY_L1_NONE)
        return LEGACY_L1_FULL;
    if (l1->ways)
        l1->lines[i].reserved |= bit;
    bool merged = m->used;
    if (!merged) {
        *m = (struct legacy_mshr){.sector = sector, .used = true};
        l1->mshrs++;
    }
    wait_at(l1, m, request);
    return merged ? LEGACY_L1_MERGED : LEGACY_L1_MISS;
}

enum legacy_l1_answer legacy_l1_store(struct legacy_l1 *l1, uint64_t sector, bool whole, bool local)
{
    uint64_t line = sector / PORT_LINE * PORT_LINE;
    uint8_t bit = bit_of(sector);
    l1->victim.sectors = 0;
    if (!l1->ways)
        return LEGACY_L1_MISS;
    uint16_t i = find(l1, line);
    bool hit = i != LEGACY_L1_NONE && ((l1->lines[i].valid | l1->lines[i].written) & bit);
    i = take(l1, line, local);
    if (i == LEGACY_L1_NONE)
        return LEGACY_L1_FULL;
    struct legacy_l1_line *l = &l1->lines[i];
    bool all = whole || ((l->valid | l->readable) & bit);
    l1->dirty += l->written == 0;
    l->written |= bit;
    l->valid &= (uint8_t)~bit;
    l->readable = (uint8_t)(all ? l->readable | bit : l->readable & ~bit);
    return hit ? LEGACY_L1_HIT : LEGACY_L1_MISS;
}

uint16_t legacy_l1_fill(struct legacy_l1 *l1, uint64_t sector)
{
    uint64_t line = sector / PORT_LINE * PORT_LINE;
    uint8_t bit = bit_of(sector);
    uint16_t i = find(l1, line);
    if (i != LEGACY_L1_NONE && (l1->lines[i].reserved & bit)) {
        struct legacy_l1_line *l = &l1->lines[i];
        l->reserved &= (uint8_t)~bit;
        if (l->written & bit)
            l->readable |= bit;
        else
            l->valid |= bit;
    }
    struct legacy_mshr *m = mshr_of(l1, sector);
    assert(m->used);
    uint16_t first = m->first;
    remove_mshr(l1, m);
    return first;
}

void legacy_l1_invalidate(struct legacy_l1 *l1)
{
    for (uint32_t i = 0; i < l1->ways * l1->config->l1_sets; i++) {
        struct legacy_l1_line *l = &l1->lines[i];
        bool only_here = l1->config->l1_write_back && l->local && l->written;
        if (l->line == UINT64_MAX || only_here)
            continue;
        if (!l->reserved) {
            drop(l1, (uint16_t)i);
            continue;
        }
        l1->dirty -= l->written != 0;
        l->valid = l->written = l->readable = 0;
    }
}

void legacy_l1_archive(struct archive *a, struct legacy_l1 *l1)
{
    archive_keep(a, &l1->config);
    archive_array(a, &l1->lines, l1->room);
    archive_array(a, &l1->mshr, MSHRS);
    archive_array(a, &l1->next, l1->requests);
}
