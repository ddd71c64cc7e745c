#include "accelsim/objects.h"

#include "base/bits.h"
#include "isa/copy.h"
#include "isa/sync.h"
#include "trace/transfer.h"

enum { OFFSET = (1 << OBJECTS_RANK_SHIFT) - 1, ARRIVALS_MOST = (1 << ISSUED_ARRIVAL_BITS) - 1, OBJECT_BYTES = 8 };

static unsigned rank_of(uint64_t address) { return (unsigned)(address >> OBJECTS_RANK_SHIFT); }

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Tracers before 2026 have the low half of a new object alone: minus the expected arrivals, from bit 1 on. A new object
 * has the same number from bit 43 on, for those that are pending, where bit 63 is the phase. */
static uint64_t new_object(uint64_t value)
{
    enum { PENDING_SHIFT = 43 };
    uint64_t expected = value >> 1 & ARRIVALS_MOST;
    return value >> 32 || !expected ? value : expected << 1 | expected << PENDING_SHIFT;
}

static uint64_t arrival(const struct isa_inst *isa, uint32_t value)
{
    const int32_t most = 1 << (ISSUED_BYTES_BITS - 1);
    int32_t bytes = value < (uint32_t)most ? (int32_t)value : most - 1;
    struct issued_arrival by = {0};
    switch (isa->mod[ISA_MOD_FUNCTION]) {
    case ISA_SYNCS_ARRIVE_A1TR: by = (struct issued_arrival){.count = 1, .bytes = bytes}; break;
    case ISA_SYNCS_ARRIVE_A1T0: by.count = 1; break;
    case ISA_SYNCS_ARRIVE_ART0: by.count = value & ARRIVALS_MOST; break;
    case ISA_SYNCS_ARRIVE_A0TR: by.bytes = bytes; break;
    case ISA_SYNCS_ARRIVE_A0TX: by.bytes = value > (uint32_t)most ? -most : -(int32_t)value; break;
    case ISA_SYNCS_ARRIVE_A0T1: by.bytes = 1; break;
    default: break;
    }
    by.dropped = isa->mod[ISA_MOD_FLAG] ? by.count : 0;
    return issued_pack_arrival(by);
}

/* One lane's values: the address, and the operands behind it. */
static uint64_t operand(const struct isa_inst *isa, uint64_t address, uint64_t value)
{
    switch (isa_sync_of((enum isa_op)isa->op)) {
    case ISA_SYNC_WRITE: return new_object(value);
    case ISA_SYNC_ARRIVE: return arrival(isa, (uint32_t)value);
    case ISA_SYNC_WAIT: return (uint32_t)value >> 31 ? (uint64_t)ISSUED_PARITY : 0;
    case ISA_SYNC_STORE: return address >> 32 & ((UINT64_C(1) << (OBJECTS_RANK_SHIFT + 4)) - 1);
    default: return 0;
    }
}

/* Lanes whose wait had an end, or may be held until it has. */
static bool set_waits(struct issued *is, const struct line6 *line, const struct place_of_warp *place)
{
    bool told = place->added && line->added.some && line->added.has_waits;
    uint32_t waits = told ? line->added.waits : UINT32_MAX;
    for (uint32_t left = is->active & waits; left; left &= left - 1)
        is->operand[lowest_bit32(left)] |= ISSUED_WAITS;
    return !told;
}

/* All lanes are at home, or the access goes to the cluster with ranks in all addresses. */
static void set_place(struct issued *is, const struct book_entry *e, const uint64_t address[ISA_LANES],
                      const struct place_of_warp *place)
{
    bool away = false;
    for (uint32_t left = is->active; left; left &= left - 1)
        away |= rank_of(address[lowest_bit32(left)] & (UINT64_C(16) * (OFFSET + 1) - 1)) != place->rank;
    bool sync = e->bytes == 0;
    away &= isa_sync_of((enum isa_op)e->isa.op) == ISA_SYNC_ARRIVE || !sync;
    is->space = away ? ISA_SPACE_CLUSTER : ISA_SPACE_SHARED;
    is->bytes = away && sync ? OBJECT_BYTES : e->bytes;
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        is->address[lane] = address[lane] & (away ? UINT64_C(16) * (OFFSET + 1) - 1 : OFFSET);
}

bool objects_operate(struct issued *is, const struct book_entry *e, const uint64_t address[ISA_LANES],
                     const struct line6 *line, const struct place_of_warp *place)
{
    const uint64_t *base = line6_source(line, 0), *value = line6_source(line, 1);
    set_place(is, e, address, place);
    is->zero_fill = 0;
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        is->operand[lane] = value ? operand(&e->isa, base[lane], value[lane]) : 0;
    bool waits = isa_sync_of((enum isa_op)e->isa.op) == ISA_SYNC_WAIT;
    return waits && value && set_waits(is, line, place);
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

static bool has(const struct book_entry *e, const char *word) { return strstr(e->described, word) != NULL; }

static enum transfer_kind kind_of(const struct book_entry *e)
{
    bool to_cta = !has(e, ".G.S"), from_cta = !has(e, ".S.G");
    switch (isa_copy_of((enum isa_op)e->isa.op)) {
    case ISA_COPY_LOAD: return TRANSFER_LOAD;
    case ISA_COPY_STORE: return TRANSFER_STORE;
    case ISA_COPY_REDUCE: return TRANSFER_REDUCTION;
    case ISA_COPY_PREFETCH: return TRANSFER_PREFETCH;
    case ISA_COPY_BULK: return to_cta && from_cta ? TRANSFER_SHARED : to_cta ? TRANSFER_LOAD : TRANSFER_STORE;
    case ISA_COPY_BULK_REDUCE: return to_cta && from_cta ? TRANSFER_SHARED : TRANSFER_REDUCTION;
    case ISA_COPY_NONE:
    case ISA_COPY_GROUP:
    case ISA_COPY_MAP: break;
    }
    return TRANSFER_NONE;
}

/* The bytes outside of the tensor are among the bytes of the copy if the places have as many fewer; else they are
 * beside them. Returns the bytes that the tensor has. */
static uint64_t bytes_inside(const struct line6_copy *c)
{
    uint64_t listed = (uint64_t)c->places.count * c->places.width;
    bool within = c->outside && c->outside <= c->bytes && listed == c->bytes - c->outside;
    return within ? c->bytes - c->outside : c->bytes;
}

static void make_transfer(struct transfer *t, const struct book_entry *e, struct line6_copy *c,
                          const struct place_of_warp *place, bool *loose)
{
    unsigned rank = rank_of(c->object);
    uint64_t inside = bytes_inside(c);
    *t = (struct transfer){.kind = (uint8_t)kind_of(e)};
    bool arrives = t->kind == TRANSFER_LOAD || t->kind == TRANSFER_SHARED;
    *loose = !places_fit(&c->places, inside, t);
    t->bytes = (uint32_t)(inside + c->outside);
    t->barrier = arrives ? c->object & OFFSET : 0;
    if (t->kind == TRANSFER_LOAD)
        t->targets = (uint16_t)(c->targets ? c->targets : 1u << place->rank);
    else if (t->kind == TRANSFER_SHARED)
        t->targets = (uint16_t)(1u << rank % 16);
}

const char *objects_transfer(struct issued *is, const struct book_entry *e, struct line6 *line,
                             const struct place_of_warp *place, bool *loose)
{
    enum { GROUP_MOST = 16 };
    bool group = isa_copy_of((enum isa_op)e->isa.op) == ISA_COPY_GROUP;
    *loose = false;
    if (place->added && line->added.some && line->added.has_transfer)
        is->transfer = line->added.transfer;
    else if (line->has_copy)
        make_transfer(&is->transfer, e, &line->copy, place, loose);
    else
        is->transfer = (struct transfer){.kind = group ? TRANSFER_GROUP : TRANSFER_NONE};
    return trace_transfer_wrong(&is->transfer, GROUP_MOST);
}
