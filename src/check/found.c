#include "check/found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static const struct {
    const char *name, *text;
    enum check_bit check;
} kinds[] = {
#define X(id, check, name, text) {name, text, CHECK_BIT_##check},
    CHECK_KINDS(X)
#undef X
};

const char *check_kind_name(enum check_kind kind) { return kinds[kind].name; }
const char *check_kind_text(enum check_kind kind) { return kinds[kind].text; }
enum check_bit check_kind_bit(enum check_kind kind) { return kinds[kind].check; }

uint32_t check_parse(const char *text)
{
    static const char *const names[] = {
#define X(id, name, sentence) name,
        CHECKS(X)
#undef X
    };
    uint32_t set = 0;
    if (strcmp(text, "all") == 0)
        return (1u << CHECK_BITS) - 1;
    for (;;) {
        size_t length = strcspn(text, ",");
        unsigned i = 0;
        while (i < CHECK_BITS && (strlen(names[i]) != length || memcmp(names[i], text, length) != 0))
            i++;
        if (i == CHECK_BITS)
            return 0;
        set |= 1u << i;
        if (text[length] == '\0')
            return set;
        text += length + 1;
    }
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static uint32_t bucket_of(enum check_kind kind, enum check_memory memory, uint32_t first, uint32_t second)
{
    uint64_t key = ((uint64_t)first << 32 | second) ^ (uint64_t)kind << 56 ^ (uint64_t)memory << 62;
    return (uint32_t)(hash_mix(key) % (2 * CHECK_MOST));
}

static bool is(const struct check_finding *f, const char *kernel, enum check_kind kind, enum check_memory memory,
               uint32_t first, uint32_t second)
{
    return f->kind == kind && f->memory == memory && f->first.pc == first && f->second.pc == second &&
           strncmp(f->kernel, kernel, CHECK_NAME - 1) == 0;
}

static bool make_room(struct check_found *found)
{
    if (found->count < found->room)
        return true;
    uint32_t room = found->room ? 2 * found->room : 16;
    struct check_finding *item = realloc(found->item, room * sizeof *item);
    if (!item) {
        found->failed = true;
        return false;
    }
    found->item = item;
    found->room = room;
    return true;
}

struct check_finding *check_found_at(struct check_found *found, const char *kernel, enum check_kind kind,
                                     enum check_memory memory, uint32_t first, uint32_t second, bool *is_new)
{
    uint32_t b = bucket_of(kind, memory, first, second);
    for (; found->bucket[b]; b = (b + 1) % (2 * CHECK_MOST)) {
        struct check_finding *f = &found->item[found->bucket[b] - 1];
        if (!is(f, kernel, kind, memory, first, second))
            continue;
        f->count++;
        *is_new = false;
        return f;
    }
    if (found->count == CHECK_MOST || !make_room(found)) {
        found->more++;
        return NULL;
    }
    struct check_finding *f = &found->item[found->count++];
    memset(f, 0, sizeof *f);
    snprintf(f->kernel, sizeof f->kernel, "%s", kernel);
    f->kind = (uint8_t)kind;
    f->memory = (uint8_t)memory;
    f->first.pc = first;
    f->second.pc = second;
    f->count = 1;
    found->bucket[b] = found->count;
    *is_new = true;
    return f;
}

void check_found_merge(struct check_found *found, const struct check_finding *finding)
{
    bool is_new;
    uint32_t first = finding->first.pc, second = finding->second.pc;
    if (!finding->first.present && !finding->second.present) { /* each of these is one by itself */
        first = (uint32_t)finding->address;
        second = (uint32_t)(finding->address >> 32);
    }
    struct check_finding *f = check_found_at(found, finding->kernel, (enum check_kind)finding->kind,
                                             (enum check_memory)finding->memory, first, second, &is_new);
    if (!f)
        return;
    uint64_t count = is_new ? finding->count : f->count - 1 + finding->count;
    if (is_new)
        *f = *finding;
    f->count = count;
    f->told = 0;
    f->first.pc = first;
    f->second.pc = second;
}

uint64_t check_found_count(const struct check_found *found)
{
    uint64_t count = found->more;
    for (uint32_t i = 0; i < found->count; i++)
        count += found->item[i].count;
    return count;
}

void check_found_free(struct check_found *found)
{
    free(found->item);
    *found = (struct check_found){0};
}
