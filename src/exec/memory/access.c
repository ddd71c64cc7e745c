#include "exec/memory/access.h"

#include <inttypes.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/proxy_see.h"
#include "exec/memory/store_log.h"
#include "exec/memory/undefined.h"
#include "exec/memory/window.h"
#include "exec/observers.h"

/* ---- addresses ------------------------------------------------------------------------------------------------- */

static uint64_t uniform_base(const struct exec_warp *warp, const struct isa_inst *isa, bool wide)
{
    if (!isa->has_ureg_base || isa->ureg_base == ISA_URZ)
        return 0;
    uint64_t base = warp->ureg[isa->ureg_base];
    return wide ? base | (uint64_t)warp->ureg[isa->ureg_base + 1] << 32 : base;
}

void access_global_addresses(const struct exec_warp *warp, const struct isa_inst *isa, struct issued *out)
{
    uint64_t *address = out->address;
    if (isa->has_descriptor && isa->ureg_descriptor != ISA_URZ)
        out->cache_policy = warp->ureg[isa->ureg_descriptor] | (uint64_t)warp->ureg[isa->ureg_descriptor + 1] << 32;
    else
        out->cache_policy = 0;
    bool pair = isa->a.words == 2;
    uint64_t base = (uint64_t)(int64_t)isa->offset + uniform_base(warp, isa, true);
    unsigned index = isa->a.kind == ISA_REG ? isa->a.index : ISA_RZ;
    const uint32_t *low = exec_row(warp, index), *high = exec_row_word(warp, index, pair);
    if (!pair) {
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            address[lane] = base + low[lane];
        return;
    }
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        address[lane] = base + ((uint64_t)high[lane] << 32 | low[lane]);
}

void access_window_addresses(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t address[EXEC_LANES])
{
    static const uint8_t shifts[4] = {0, 2, 3, 4};
    unsigned shift = shifts[isa->mod[ISA_MOD_STRIDE] & 3];
    uint32_t base = (uint32_t)isa->offset + (uint32_t)uniform_base(warp, isa, false);
    const uint32_t *row = exec_row(warp, isa->a.kind == ISA_REG ? isa->a.index : ISA_RZ);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        address[lane] = base + (row[lane] << shift);
}

void access_shared_addresses(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t address[EXEC_LANES])
{
    uint32_t own = (uint32_t)warp->cta->cluster.rank << EXEC_RANK_SHIFT;
    access_window_addresses(warp, isa, address);
    for (unsigned lane = 0; own && lane < EXEC_LANES; lane++)
        address[lane] -= own;
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

static void fault_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                         unsigned bytes, const char *what, uint64_t address)
{
    if (address % bytes) {
        exec_fault_at(core, warp, inst, lane, address, EXEC_FAULT_MISALIGNED,
                      "misaligned address 0x%" PRIx64 " of a %u-byte %s", address, bytes, what);
        return;
    }
    char place[200];
    memory_place(core->memory, address, place, sizeof place);
    exec_fault_at(core, warp, inst, lane, address, EXEC_FAULT_ADDRESS,
                  "illegal address 0x%" PRIx64 " of a %u-byte %s: %s", address, bytes, what, place);
}

/* An access that hardware would let pass, and that is reported. */
static bool passes_outside(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst,
                           unsigned lane, uint64_t address, unsigned bytes)
{
    const struct exec_outside *outside = warp->cta->launch->outside;
    if (!outside || address % bytes || !memory_mapped(core->memory, address, bytes))
        return false;
    outside->seen(outside->self, warp, inst->isa.pc, lane, address, bytes);
    return true;
}

/* All granules from one address to another, in at most a few, are allocated. Other memory that the device sees
 * (memory_reach) is not looked for. */
static bool span_allocated(const struct memory *m, uint64_t first, uint64_t last)
{
    enum { MOST = 16 };
    uint64_t from = first - m->base, to = last - m->base, end = to / MEMORY_GRANULE;
    if (from > to || to >= m->limit || to - from >= MOST * MEMORY_GRANULE)
        return false;
    for (uint64_t g = from / MEMORY_GRANULE; g < end; g++)
        if (!m->used[g] || m->valid[g] != MEMORY_GRANULE - 1)
            return false;
    return m->used[end] && to % MEMORY_GRANULE <= m->valid[end];
}

/* All lanes are aligned and near each other, in allocated memory: the usual case. */
static bool warp_allocated(const struct memory *m, const uint64_t address[EXEC_LANES], unsigned bytes)
{
    const uint64_t near = UINT64_C(1) << 16;
    uint64_t bits = 0, far = 0;
    uint32_t low = UINT32_MAX, high = 0;
    if (issued_in_a_row(address, bytes))
        return address[0] % bytes == 0 && span_allocated(m, address[0], address[EXEC_LANES - 1] + bytes - 1);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        uint64_t distance = address[lane] - address[0] + near;
        uint32_t place = (uint32_t)distance;
        bits |= address[lane];
        far |= distance / (2 * near);
        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    uint64_t origin = address[0] - near;
    return !far && bits % bytes == 0 && span_allocated(m, origin + low, origin + high + bytes - 1);
}

bool access_check_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         unsigned bytes, const char *what, uint64_t address[EXEC_LANES])
{
    const struct memory *m = core->memory;
    uint64_t start = 0, room = 0; /* addresses that are good because they lie in the granule looked up last */
    if (lanes == UINT32_MAX && warp_allocated(m, address, bytes))
        return true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t a = address[lane];
        if (a - start < room && a % bytes == 0)
            continue;
        if (a % bytes || !memory_reach(m, &a, bytes)) {
            if (passes_outside(core, warp, inst, lane, a, bytes))
                continue;
            fault_global(core, warp, inst, lane, bytes, what, a);
            return false;
        }
        address[lane] = a;
        start = a / MEMORY_GRANULE * MEMORY_GRANULE;
        room = (uint64_t)m->valid[(a - m->base) / MEMORY_GRANULE] + 2 - bytes;
    }
    return true;
}

static void fault_window(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         unsigned bytes, const char *what, const uint32_t address[EXEC_LANES], uint32_t size,
                         enum exec_fault_kind below)
{
    unsigned lane = lowest_bit32(lanes);
    for (uint32_t left = lanes; left; left &= left - 1) {
        lane = lowest_bit32(left);
        if (address[lane] % bytes || (uint64_t)address[lane] + bytes > size)
            break;
    }
    if (address[lane] % bytes)
        exec_fault_at(core, warp, inst, lane, address[lane], EXEC_FAULT_MISALIGNED,
                      "misaligned address 0x%" PRIx32 " of a %u-byte %s", address[lane], bytes, what);
    else
        exec_fault_at(core, warp, inst, lane, address[lane], address[lane] >> 31 ? below : EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32 " of a %u-byte %s: there are %" PRIu32 " bytes", address[lane],
                      bytes, what, size);
}

bool access_check_window(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         unsigned bytes, const char *what, const uint32_t address[EXEC_LANES], uint32_t size,
                         enum exec_fault_kind below)
{
    uint32_t bits = 0, top = 0;
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            bits |= address[lane];
            top = address[lane] > top ? address[lane] : top;
        }
    } else {
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t a = address[lowest_bit32(left)];
            bits |= a;
            top = a > top ? a : top;
        }
    }
    if (bits % bytes == 0 && (uint64_t)top + bytes <= size)
        return true;
    fault_window(core, warp, inst, lanes, bytes, what, address, size, below);
    return false;
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

void access_read_global(const struct exec_core *core, uint32_t lanes, unsigned bytes,
                        const uint64_t address[EXEC_LANES], uint64_t data[EXEC_LANES][EXEC_DATA])
{
    bool log = !store_log_empty(core), held = false;
    uint64_t sector = 0; /* whose presence in the log `held` tells */
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        memcpy(data[lane], memory_at(core->memory, address[lane]), bytes);
        if (log && address[lane] / LOG_SECTOR != sector) {
            sector = address[lane] / LOG_SECTOR;
            held = store_log_holds(core, address[lane]);
        }
        if (held)
            store_log_overlay(core, address[lane], bytes, data[lane]);
    }
}

/* `words` is known where these are inlined, so that the copies are single moves. */
#define WIDTH static inline __attribute__((always_inline))

WIDTH void load_lane(uint32_t (*row)[EXEC_LANES], unsigned lane, unsigned words, const uint8_t *from)
{
    uint32_t value[EXEC_DATA];
    memcpy(value, from, 4 * words);
    for (unsigned w = 0; w < words; w++)
        row[w][lane] = value[w];
}

enum { QUAD = 4 };

/* Lanes side by side: rows of `words` become columns, in the host's vectors where it has them. */
#ifdef __SSE2__
WIDTH void load_quad(uint32_t (*row)[EXEC_LANES], unsigned lane, unsigned words, const uint8_t *base, uint64_t origin,
                     const uint64_t *address)
{
    __m128i v[QUAD];
    if (words == 4) {
        for (unsigned i = 0; i < QUAD; i++)
            v[i] = _mm_loadu_si128((const __m128i *)(base + (address[i] - origin)));
        __m128i a = _mm_unpacklo_epi32(v[0], v[1]), b = _mm_unpacklo_epi32(v[2], v[3]);
        __m128i c = _mm_unpackhi_epi32(v[0], v[1]), d = _mm_unpackhi_epi32(v[2], v[3]);
        _mm_store_si128((__m128i *)&row[0][lane], _mm_unpacklo_epi64(a, b));
        _mm_store_si128((__m128i *)&row[1][lane], _mm_unpackhi_epi64(a, b));
        _mm_store_si128((__m128i *)&row[2][lane], _mm_unpacklo_epi64(c, d));
        _mm_store_si128((__m128i *)&row[3][lane], _mm_unpackhi_epi64(c, d));
    } else if (words == 2) {
        for (unsigned i = 0; i < QUAD; i++)
            v[i] = _mm_loadl_epi64((const __m128i *)(base + (address[i] - origin)));
        __m128i a = _mm_unpacklo_epi32(v[0], v[1]), b = _mm_unpacklo_epi32(v[2], v[3]);
        _mm_store_si128((__m128i *)&row[0][lane], _mm_unpacklo_epi64(a, b));
        _mm_store_si128((__m128i *)&row[1][lane], _mm_unpackhi_epi64(a, b));
    } else {
        for (unsigned i = 0; i < QUAD; i++)
            load_lane(row, lane + i, words, base + (address[i] - origin));
    }
}
#else
WIDTH void load_quad(uint32_t (*row)[EXEC_LANES], unsigned lane, unsigned words, const uint8_t *base, uint64_t origin,
                     const uint64_t *address)
{
    for (unsigned i = 0; i < QUAD; i++)
        load_lane(row, lane + i, words, base + (address[i] - origin));
}
#endif

WIDTH void load_words(uint32_t (*row)[EXEC_LANES], uint32_t lanes, unsigned words, const uint8_t *base, uint64_t origin,
                      const uint64_t address[EXEC_LANES])
{
    if (lanes == UINT32_MAX) {
        for (unsigned lane = 0; lane < EXEC_LANES; lane += QUAD)
            load_quad(row, lane, words, base, origin, address + lane);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1)
        load_lane(row, lowest_bit32(left), words, base + (address[lowest_bit32(left)] - origin));
}

void access_load_rows(struct exec_warp *warp, const struct isa_inst *isa, uint32_t lanes, unsigned bytes,
                      const uint8_t *base, uint64_t origin, const uint64_t address[EXEC_LANES])
{
    if (isa->d.index == ISA_RZ)
        return;
    uint32_t(*row)[EXEC_LANES] = &warp->reg[isa->d.index];
    if (bytes == 4) {
        load_words(row, lanes, 1, base, origin, address);
    } else if (bytes == 16) {
        load_words(row, lanes, 4, base, origin, address);
    } else if (bytes == 8) {
        load_words(row, lanes, 2, base, origin, address);
    } else {
        uint64_t data[EXEC_LANES][EXEC_DATA];
        for (uint32_t left = lanes; left; left &= left - 1)
            memcpy(data[lowest_bit32(left)], base + (address[lowest_bit32(left)] - origin), bytes);
        lane_data_write(warp, isa->d.index, lanes, bytes, access_signed(isa), data);
    }
}

WIDTH void store_lane(const uint32_t *const row[4], unsigned lane, unsigned words, size_t bytes, uint8_t *to)
{
    uint32_t value[EXEC_DATA];
    for (unsigned w = 0; w < words; w++)
        value[w] = row[w][lane];
    memcpy(to, value, bytes);
}

WIDTH void store_words(const uint32_t *const row[4], uint32_t lanes, unsigned words, size_t bytes, uint8_t *base,
                       uint64_t origin, const uint64_t address[EXEC_LANES])
{
    if (lanes == UINT32_MAX) {
        for (unsigned n = 0; n < EXEC_LANES; n++) {
            unsigned lane = lane_order_store(n);
            store_lane(row, lane, words, bytes, base + (address[lane] - origin));
        }
        return;
    }
    for (uint32_t left = lanes; left;) {
        unsigned lane = lane_order_next_store(&left);
        store_lane(row, lane, words, bytes, base + (address[lane] - origin));
    }
}

void access_store_rows(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t lanes, unsigned bytes,
                       uint8_t *base, uint64_t origin, const uint64_t address[EXEC_LANES])
{
    const uint32_t *row[4];
    for (unsigned w = 0; w < 4; w++)
        row[w] = exec_row_word(warp, isa->b.index, 4 * w < bytes ? w : 0);
    if (bytes == 4) {
        store_words(row, lanes, 1, 4, base, origin, address);
    } else if (bytes == 16) {
        store_words(row, lanes, 4, 16, base, origin, address);
    } else if (bytes == 8) {
        store_words(row, lanes, 2, 8, base, origin, address);
    } else {
        store_words(row, lanes, 1, bytes, base, origin, address);
    }
}

bool access_begin_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         unsigned bytes, const char *what, struct issued *out)
{
    uint32_t address[EXEC_LANES];
    access_shared_addresses(warp, &inst->isa, address);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        out->address[lane] = address[lane];
    out->space = ISA_SPACE_SHARED;
    out->bytes = (uint8_t)bytes;
    bool good = access_check_window(core, warp, inst, lanes, bytes, what, address, warp->cta->launch->shared_bytes,
                                    EXEC_FAULT_ADDRESS);
    if (good && warp->cta->shadow)
        proxy_see(core, warp, inst, lanes, bytes, out->address,
                  isa_op_info((enum isa_op)inst->isa.op)->memory == ISA_MEM_STORE);
    return good;
}
