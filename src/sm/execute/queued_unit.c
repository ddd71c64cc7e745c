#include "sm/execute/queued_unit.h"

#include "sm/warp.h"

static uint8_t bank_of(const struct unit_ports *to, const struct queued_op *op)
{
    return l15_bank(to->warp[op->slot].window, op->code->constant_bank);
}

uint64_t queued_constant_late(const struct unit_ports *to, const struct queued_op *op, struct vl_operand *operand,
                              uint64_t now)
{
    const struct code *code = op->code;
    if (!(code->flags & CODE_CONSTANT))
        return 0;
    if (!operand->asked)
        operand->ready = constant_vl_operand(to->constants, bank_of(to, op), code->constant_offset, now);
    operand->asked = operand->ready == TAGS_COMING;
    if (operand->asked)
        return TAGS_COMING;
    return operand->ready > now ? operand->ready - now : 0;
}

bool queued_constant_arrives(const struct unit_ports *to, struct vl_operand *operand, const struct op_ring *queue,
                             uint64_t line, uint64_t ready)
{
    if (!vl_operand_waits(operand))
        return false;
    const struct queued_op *op = op_ring_head(queue);
    if (constant_vl_line(to->constants, bank_of(to, op), op->code->constant_offset) != line)
        return false;
    operand->ready = ready;
    return true;
}

bool queued_result_write(const struct unit_ports *to, struct op_ring *results, uint64_t now)
{
    if (!op_ring_ready(results, now))
        return false;
    struct queued_op op = *op_ring_front(results);
    unsigned bank = write_bank(op.code);
    if (!write_ports_free(&to->registers->write, bank, now))
        return false;
    write_ports_take(&to->registers->write, bank, now);
    op_ring_pop(results);
    retire_result_written(to->retire, op.slot, op.code, now);
    if (--to->warp[op.slot].queued_ops == 0)
        retire_warp_drained(to->retire, op.slot);
    return true;
}

void op_ring_archive(struct archive *a, const struct unit_ports *to, struct op_ring *ring)
{
    for (unsigned i = 0; i < op_ring_capacity; i++)
        archive_entry(a, &ring->item[i].code, to->code->code, to->code->count + 1u);
}
