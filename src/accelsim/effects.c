/* The effects of a traced instruction: its registers, its memory access, its part in barriers. */
#include "accelsim/book.h"
#include "isa/contract.h"
#include "isa/sync.h"

static uint8_t bytes_of(const struct isa_inst *isa, const struct isa_op_info *info)
{
    static const uint8_t by_size[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    if (info->flags & ISA_FRAGMENTS)
        return 16;
    if (info->flags & ISA_256)
        return 32;
    if (info->memory == ISA_MEM_ATOMIC || info->memory == ISA_MEM_REDUCTION) {
        unsigned words = isa->b.kind == ISA_REG ? isa->b.words : isa->d.kind == ISA_REG ? isa->d.words : 1;
        return (uint8_t)(4 * (words ? words : 1));
    }
    return by_size[isa->mod[ISA_MOD_SIZE] & 7];
}

/* Number and threads: exact from the code. Otherwise the last immediate may be either. Barrier 1 then stands for any
 * that names its threads. */
static void set_barrier(struct book_entry *e, int64_t immediate)
{
    enum { NUMBERS = 16, THREADS = 1024 };
    const struct isa_inst *isa = &e->isa;
    uint64_t number = 0, threads = 0;
    if (e->exact) {
        number = isa->a.kind == ISA_IMM ? isa->a.value : isa->a.kind == ISA_NONE ? isa->barrier : 0;
        threads = isa->b.kind == ISA_IMM ? isa->b.value : 0;
    } else if (immediate >= NUMBERS) {
        number = 1;
        threads = (uint64_t)immediate;
    } else if (immediate > 0) {
        number = (uint64_t)immediate;
    }
    e->barrier = (uint8_t)(number < NUMBERS ? number : 0u);
    e->barrier_warps = (uint16_t)(threads % ISA_LANES == 0 && threads <= THREADS ? threads / ISA_LANES : 0u);
}

/* Highest register + 1, in the line and in the instruction, which has pairs and quads where the line has their first
 * register. */
static uint16_t highest(const struct isa_inst *isa, const struct sketch *sketch)
{
    unsigned end = 0;
    struct isa_regs regs;
    isa_registers(isa, &regs);
    for (unsigned i = 0; i < sketch->registers; i++)
        if (sketch->reg[i] != ISA_RZ && sketch->reg[i] >= end)
            end = sketch->reg[i] + 1u;
    for (unsigned i = 0; i < regs.reads; i++)
        if (regs.read[i].first + regs.read[i].words > end)
            end = regs.read[i].first + regs.read[i].words;
    for (unsigned i = 0; i < regs.writes; i++)
        if (regs.write[i].first + regs.write[i].words > end)
            end = regs.write[i].first + regs.write[i].words;
    return (uint16_t)(end < ISA_RZ ? end : ISA_RZ);
}

static void set_barriers(struct book_entry *e, const struct sketch *sketch)
{
    enum { CLUSTER = 16 };
    const struct isa_inst *isa = &e->isa;
    enum isa_meeting meeting = isa_meeting_of((enum isa_op)isa->op);
    bool cluster_arrives = meeting == ISA_MEETING_CLUSTER_ARRIVE, cluster_waits = meeting == ISA_MEETING_CLUSTER_WAIT;
    bool barrier = meeting == ISA_MEETING_CTA;
    e->arrives = cluster_arrives || (barrier && isa->mod[ISA_MOD_MODE] == ISA_BAR_ARV);
    e->waits = cluster_waits || (barrier && !e->arrives);
    if (barrier)
        set_barrier(e, sketch->immediate);
    else if (cluster_arrives || cluster_waits)
        e->barrier = CLUSTER;
}

/* An access as it is, before its line has said more of it. A barrier object has no size. */
static void set_access(struct book_entry *e)
{
    const struct isa_inst *isa = &e->isa;
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    enum isa_sync sync = isa_sync_of((enum isa_op)isa->op);
    bool object = sync >= ISA_SYNC_WRITE && sync <= ISA_SYNC_COPIES;
    if (info->space == ISA_SPACE_CONSTANT && isa->b.kind == ISA_CONST) {
        e->space = ISA_SPACE_CONSTANT;
        e->constant = (uint32_t)isa->b.bank << 16 | (isa->b.value & 0xffff);
        e->bytes = bytes_of(isa, info);
    } else if (e->has_address && object) {
        e->space = ISA_SPACE_SHARED;
    } else if (e->has_address && info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE) {
        e->space = (uint8_t)(info->space == ISA_SPACE_NONE ? ISA_SPACE_GLOBAL : info->space);
        e->bytes = bytes_of(isa, info);
    }
    e->is_object = e->has_address && (object || sync == ISA_SYNC_STORE);
    e->is_engine = info->way == ISA_WAY_ENGINE;
    bool moves = info->memory == ISA_MEM_STORE || info->memory == ISA_MEM_ATOMIC || info->memory == ISA_MEM_REDUCTION ||
                 info->memory == ISA_MEM_ASYNC_COPY;
    e->effects = e->is_engine || e->waits || e->arrives || e->exits || (moves && sync != ISA_SYNC_WAIT);
}

void book_effects(struct book_entry *e, const struct sketch *sketch)
{
    const struct isa_inst *isa = &e->isa;
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    e->registers = highest(isa, sketch);
    e->exits = info->flags & ISA_EXIT;
    e->is_copy = info->memory == ISA_MEM_ASYNC_COPY;
    set_barriers(e, sketch);
    const struct isa_operand *time = isa->b.kind == ISA_IMM ? &isa->b : &isa->a;
    if (info->flags & ISA_SLEEP && time->kind == ISA_IMM)
        e->sleep = (uint16_t)(time->value < UINT16_MAX ? time->value : UINT16_MAX);
    set_access(e);
    e->plain = !e->space && !e->has_address && !e->effects && !e->sleep && !e->is_copy && !e->is_object;
}

uint32_t book_registers(const struct book *book)
{
    uint32_t end = 1;
    for (uint32_t i = 0; i < book->native_room; i++)
        if (book->by_native[i] && book->by_native[i]->registers > end)
            end = book->by_native[i]->registers;
    return end;
}
