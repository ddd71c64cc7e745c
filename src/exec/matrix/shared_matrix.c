#include "exec/matrix/shared_matrix.h"

#include <string.h>

#include "exec/launch.h"
#include "exec/memory/proxy_see.h"

enum { CHUNK = 16, ATOM = 8 /* rows of the core matrices */, BROKEN_SPAN = 128 };

static struct shared_matrix matrix_of(struct exec_cta *cta, uint32_t low, uint32_t high)
{
    return (struct shared_matrix){.cta = cta,
                                  .start = (low & 0x3fff) * CHUNK,
                                  .leading = (low >> 16 & 0x3fff) * CHUNK,
                                  .stride = (high & 0x3fff) * CHUNK,
                                  .base = high >> 17 & 7,
                                  .limit = cta->launch->shared_bytes,
                                  .shared = cta->shared,
                                  .outside = UINT32_MAX};
}

struct shared_matrix shared_matrix_90(struct exec_cta *cta, uint32_t low, uint32_t high)
{
    static const uint8_t swizzles[] = {SWIZZLE_NONE, SWIZZLE_128, SWIZZLE_64, SWIZZLE_32};
    static const uint8_t spans[] = {0, 128, 64, 32};
    struct shared_matrix m = matrix_of(cta, low, high);
    m.swizzle = (enum swizzle)swizzles[high >> 30];
    m.span = spans[high >> 30];
    return m;
}

bool shared_matrix_100(struct exec_cta *cta, uint32_t low, uint32_t high, struct shared_matrix *m)
{
    static const uint8_t swizzles[] = {SWIZZLE_NONE, SWIZZLE_128_ATOM_32, SWIZZLE_128, SWIZZLE_COUNT,
                                       SWIZZLE_64,   SWIZZLE_COUNT,       SWIZZLE_32,  SWIZZLE_COUNT};
    static const uint8_t spans[] = {0, 128, 128, 0, 64, 0, 32, 0};
    enum { ABSOLUTE_LEADING = 1 << 20 };
    *m = matrix_of(cta, low, high);
    m->swizzle = (enum swizzle)swizzles[high >> 29];
    m->span = spans[high >> 29];
    m->broken = high & ABSOLUTE_LEADING;
    return m->swizzle != SWIZZLE_COUNT && (!m->broken || (m->swizzle == SWIZZLE_128 && m->base == 0));
}

/* The 16 bytes at an address before the swizzle. */
static void read_chunk(struct shared_matrix *m, uint32_t place, uint8_t *to)
{
    uint32_t address = swizzle_address(m->swizzle, place, m->base);
    if (address + CHUNK > m->limit) {
        m->outside = address < m->outside ? address : m->outside;
        memset(to, 0, CHUNK);
        return;
    }
    memcpy(to, m->shared + address, CHUNK);
    if (m->core)
        proxy_see_bytes(m->core, m->cta, m->number, address, CHUNK, false);
}

void shared_matrix_rows(struct shared_matrix *m, unsigned first, unsigned count, unsigned bytes, uint8_t *to,
                        size_t row_pitch)
{
    uint32_t pitch = m->span ? m->span : CHUNK, next = m->span ? CHUNK : m->leading;
    for (unsigned i = 0; i < count; i++) {
        uint32_t offset = (first + i) % ATOM * pitch + (first + i) / ATOM * m->stride;
        for (unsigned c = 0; c < bytes / CHUNK; c++) {
            uint32_t at = m->start % BROKEN_SPAN + c * CHUNK;
            bool second = m->broken && at >= BROKEN_SPAN;
            uint32_t place = second ? m->leading + at - BROKEN_SPAN : m->start + c * next;
            read_chunk(m, place + offset, to + i * row_pitch + c * CHUNK);
        }
    }
}

void shared_matrix_columns(struct shared_matrix *m, unsigned first, unsigned count, unsigned depth,
                           unsigned element_bytes, uint8_t *to, size_t row_pitch)
{
    unsigned wide = m->span ? m->span / CHUNK : 1; /* chunks side by side in a row of the swizzle */
    unsigned tall = m->swizzle == SWIZZLE_128_ATOM_32 ? ATOM / 2 : ATOM, neighbours = CHUNK / element_bytes;
    uint32_t next = m->span ? m->leading : m->stride, pitch = m->span ? m->span : CHUNK;
    uint32_t below = m->span ? m->stride : m->leading;
    for (unsigned n = 0; n < count; n += neighbours) {
        unsigned chunk = (first + n) / neighbours;
        uint32_t offset = chunk % wide * CHUNK + chunk / wide * next;
        for (unsigned k = 0; k < depth; k++) {
            uint8_t row[CHUNK];
            read_chunk(m, m->start + offset + k % tall * pitch + k / tall * below, row);
            for (unsigned t = 0; t < neighbours && n + t < count; t++)
                memcpy(to + (n + t) * row_pitch + k * element_bytes, row + element_bytes * t, element_bytes);
        }
    }
}
