#include "check/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void shadow_clear(struct shadow *s)
{
    for (uint32_t i = 0; i < s->room; i++) {
        if (s->page[i])
            free(s->page[i]->cell);
        free(s->page[i]);
    }
    free(s->page);
    free(s->number);
    *s = (struct shadow){0};
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct shadow *s, uint64_t number)
{
    uint32_t at = (uint32_t)hash_mix(number) & (s->room - 1);
    while (s->page[at] && s->number[at] != number)
        at = (at + 1) & (s->room - 1);
    return at;
}

static bool grow(struct shadow *s)
{
    struct shadow old = *s;
    uint32_t room = old.room ? 2 * old.room : 16;
    struct shadow_page **page = calloc(room, sizeof(struct shadow_page *));
    uint64_t *number = calloc(room, sizeof *number);
    if (!page || !number) {
        free(page);
        free(number);
        return false;
    }
    s->page = page;
    s->number = number;
    s->room = room;
    for (uint32_t i = 0; i < old.room; i++) {
        if (!old.page[i])
            continue;
        uint32_t at = slot_of(s, old.number[i]);
        s->page[at] = old.page[i];
        s->number[at] = old.number[i];
    }
    free(old.page);
    free(old.number);
    return true;
}

struct shadow_page *shadow_page(struct shadow *s, uint64_t address)
{
    uint64_t number = address / SHADOW_PAGE;
    if (s->last && s->last_number == number)
        return s->last;
    uint32_t at = s->room ? slot_of(s, number) : 0;
    if (!s->room || !s->page[at]) {
        if (2 * (s->pages + 1) > s->room && !grow(s))
            return NULL;
        at = slot_of(s, number);
        s->page[at] = calloc(1, sizeof **s->page);
        if (!s->page[at])
            return NULL;
        s->number[at] = number;
        s->page[at]->shift = 2;
        s->pages++;
    }
    s->last = s->page[at];
    s->last_number = number;
    return s->last;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Each byte takes the note of its word. */
static bool split(struct shadow_page *p)
{
    struct shadow_cell *bytes = calloc(SHADOW_PAGE, sizeof *bytes);
    if (!bytes)
        return false;
    for (uint32_t i = 0; p->cell && i < SHADOW_PAGE; i++) {
        bytes[i] = p->cell[i / 4];
        if (!(bytes[i].write.pc & SHADOW_COPY))
            bytes[i].write.value = p->cell[i / 4].write.value >> i % 4 * 8 & 0xff;
        bytes[i].strong.value = p->cell[i / 4].strong.value >> i % 4 * 8 & 0xff;
    }
    free(p->cell);
    p->cell = bytes;
    p->shift = 0;
    return true;
}

bool shadow_cells(struct shadow_page *p, unsigned bytes)
{
    if (p->shift == 2 && bytes < 4)
        return split(p);
    if (!p->cell)
        p->cell = calloc(SHADOW_PAGE >> p->shift, sizeof *p->cell);
    return p->cell;
}

void shadow_renew(struct shadow *s, uint64_t address, uint64_t bytes)
{
    for (uint64_t end = address + bytes; address < end;) {
        uint32_t offset = (uint32_t)(address % SHADOW_PAGE);
        uint64_t here = end - address < SHADOW_PAGE - offset ? end - address : SHADOW_PAGE - offset;
        struct shadow_page *p = shadow_page(s, address);
        if (!p)
            return;
        shadow_write(p, offset, (uint32_t)here);
        uint32_t first = (offset + (1u << p->shift) - 1) >> p->shift, last = (offset + (uint32_t)here) >> p->shift;
        if (p->cell && last > first)
            memset(&p->cell[first], 0, (last - first) * sizeof *p->cell);
        address += here;
    }
}

/* ---- written bytes ----------------------------------------------------------------------------------------------- */

/* Bits from `offset` on, of at most 8 bytes that lie in one byte of the map. */
static uint8_t bits(uint32_t offset, uint32_t bytes) { return (uint8_t)(((1u << bytes) - 1) << offset % 8); }

static uint32_t in_byte(uint32_t offset, uint32_t bytes)
{
    uint32_t room = 8 - offset % 8;
    return bytes < room ? bytes : room;
}

void shadow_write(struct shadow_page *p, uint32_t offset, uint32_t bytes)
{
    for (uint32_t n; bytes > 0; offset += n, bytes -= n) {
        n = in_byte(offset, bytes);
        p->written[offset / 8] |= bits(offset, n);
    }
}

bool shadow_written(const struct shadow_page *p, uint32_t offset, uint32_t bytes)
{
    for (uint32_t n; bytes > 0; offset += n, bytes -= n) {
        n = in_byte(offset, bytes);
        if ((p->written[offset / 8] & bits(offset, n)) != bits(offset, n))
            return false;
    }
    return true;
}
