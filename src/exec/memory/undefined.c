#include "exec/memory/undefined.h"

#include <string.h>
#include <sys/mman.h>

bool memory_watch(struct memory *m)
{
    if (m->undefined)
        return true;
    void *p = mmap(NULL, m->limit / 8 + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    m->undefined = p == MAP_FAILED ? NULL : p;
    return m->undefined;
}

static bool inside(const struct memory *m, uint64_t address, uint64_t bytes)
{
    uint64_t offset = address - m->base;
    return m->undefined && bytes > 0 && offset < m->limit && bytes <= m->limit - offset;
}

static void set(uint8_t *bits, uint64_t first, uint64_t end, bool on)
{
    for (; first < end && first % 8; first++)
        bits[first / 8] = (uint8_t)(on ? bits[first / 8] | 1u << first % 8 : bits[first / 8] & ~(1u << first % 8));
    uint64_t whole = (end - first) / 8;
    if (whole > 0 && first < end)
        memset(bits + first / 8, on ? 0xff : 0, whole);
    for (first += first < end ? 8 * whole : 0; first < end; first++)
        bits[first / 8] = (uint8_t)(on ? bits[first / 8] | 1u << first % 8 : bits[first / 8] & ~(1u << first % 8));
}

void memory_undefine(struct memory *m, uint64_t address, uint64_t bytes)
{
    if (inside(m, address, bytes))
        set(m->undefined, address - m->base, address - m->base + bytes, true);
}

void memory_define(struct memory *m, uint64_t address, uint64_t bytes)
{
    if (inside(m, address, bytes))
        set(m->undefined, address - m->base, address - m->base + bytes, false);
}

bool memory_undefined(const struct memory *m, uint64_t address, uint64_t bytes)
{
    if (!inside(m, address, bytes))
        return false;
    uint64_t first = address - m->base, end = first + bytes;
    for (; first < end; first++) {
        if (first % 8 == 0 && end - first >= 8 && m->undefined[first / 8] == 0)
            first += 7;
        else if (m->undefined[first / 8] >> first % 8 & 1)
            return true;
    }
    return false;
}

bool memory_mapped(const struct memory *m, uint64_t address, unsigned bytes)
{
    const uint64_t page = UINT64_C(2) << 20;
    uint64_t offset = address - m->base, first = offset / page * page / MEMORY_GRANULE;
    uint64_t count = page / MEMORY_GRANULE, all = m->limit / MEMORY_GRANULE;
    if (offset >= m->ready || bytes > m->ready - offset)
        return false;
    return memchr(m->used + first, 1, all - first < count ? all - first : count) != NULL;
}
