#include "mem/reuse_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/host_line.h"

/* A key is never 0. */
static uint64_t key_of(uint64_t number, bool copy) { return (number << 1 | copy) + 1; }

enum { LANES = 8 /* keys' bytes in a word */ };

/* A set: its lines, and its part of `mark`. */
struct set {
    struct reuse_line *line;
    uint64_t *head;  /* the way used last */
    uint8_t *byte;   /* of each way's key; 0 behind the last way */
    uint64_t *bytes; /* the same ones */
};

static uint32_t set_of(const struct reuse_sets *c, uint64_t key)
{
    return (uint32_t)((hash_mix(key) >> 32) * c->sets >> 32);
}

static struct set set_at(const struct reuse_sets *c, uint32_t number)
{
    uint64_t *mark = &c->mark[(size_t)number * c->words];
    return (struct set){&c->line[(size_t)number * c->ways], mark, (uint8_t *)(mark + 1), mark + 1};
}

static uint8_t byte_of(uint64_t key) { return (uint8_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 56); }

static bool is_key(const struct reuse_line *line, uint64_t key)
{
    return line->key_low == (uint32_t)key && line->key_high == (uint8_t)(key >> 32);
}

/* Returns the way of the key, or the number of ways. A word with a byte that is equal has a high bit set here. Bits
 * above that one may be set without reason. */
static uint32_t find(const struct reuse_sets *c, const struct set *set, uint64_t key)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7, wanted = ones * byte_of(key);
    for (uint32_t word = 0; word + 1 < c->words; word++) {
        uint64_t x = set->bytes[word] ^ wanted;
        for (uint64_t hit = (x - ones) & ~x & high; hit; hit &= hit - 1) {
            uint32_t way = word * LANES + lowest_bit64(hit) / 8;
            if (way < c->ways && is_key(&set->line[way], key))
                return way;
        }
    }
    return c->ways;
}

/* Makes a way the head: those used since then move by one. */
static void raise(const struct reuse_sets *c, const struct set *set, uint32_t way)
{
    struct reuse_line line = set->line[way];
    uint8_t byte = set->byte[way];
    while (way != *set->head) {
        uint32_t before = way ? way - 1 : c->ways - 1;
        set->line[way] = set->line[before];
        set->byte[way] = set->byte[before];
        way = before;
    }
    set->line[way] = line;
    set->byte[way] = byte;
}

struct reuse_line *reuse_sets_access(struct reuse_sets *c, uint64_t number, bool copy)
{
    return reuse_sets_access_in(c, set_of(c, key_of(number, copy)), number, copy);
}

struct reuse_line *reuse_sets_access_in(struct reuse_sets *c, uint32_t own, uint64_t number, bool copy)
{
    uint64_t key = key_of(number, copy);
    const struct set set = set_at(c, own);
    struct reuse_line *head = &set.line[*set.head];
    if (is_key(head, key))
        return head;
    uint32_t way = find(c, &set, key);
    if (way < c->ways) {
        raise(c, &set, way);
        return head;
    }
    uint32_t tail = *set.head ? (uint32_t)*set.head - 1 : c->ways - 1;
    c->written += popcount4(set.line[tail].dirty);
    set.line[tail] = (struct reuse_line){.key_low = (uint32_t)key, .key_high = (uint8_t)(key >> 32)};
    set.byte[tail] = byte_of(key);
    *set.head = tail;
    return &set.line[tail];
}

uint32_t reuse_sets_fetch(const struct reuse_sets *c, uint64_t number, bool copy)
{
    uint32_t own = set_of(c, key_of(number, copy));
    const struct set set = set_at(c, own);
    __builtin_prefetch(set.head);
    for (uint32_t byte = 0; byte < c->ways * sizeof *set.line; byte += HOST_LINE)
        __builtin_prefetch((const char *)set.line + byte);
    return own;
}

void reuse_sets_drop(struct reuse_sets *c, uint64_t number, bool copy, uint8_t sectors)
{
    uint64_t key = key_of(number, copy);
    const struct set set = set_at(c, set_of(c, key));
    uint32_t way = find(c, &set, key);
    if (way < c->ways)
        set.line[way].valid &= (uint8_t)~sectors;
}

void reuse_sets_free(struct reuse_sets *c)
{
    free(c->line);
    free(c->mark);
    *c = (struct reuse_sets){0};
}

bool reuse_sets_create(struct reuse_sets *c, uint32_t sets, uint32_t ways)
{
    *c = (struct reuse_sets){.sets = sets, .ways = ways, .words = 1 + (ways + LANES - 1) / LANES};
    c->line = calloc((size_t)sets * ways, sizeof *c->line);
    c->mark = calloc((size_t)sets * c->words, sizeof *c->mark);
    if (c->line && c->mark)
        return true;
    reuse_sets_free(c);
    return false;
}

void reuse_sets_clear(struct reuse_sets *c)
{
    memset(c->line, 0, (size_t)c->sets * c->ways * sizeof *c->line);
    memset(c->mark, 0, (size_t)c->sets * c->words * sizeof *c->mark);
    c->written = 0;
}
