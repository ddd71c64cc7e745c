#include "exec/tensor/tensor_memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "exec/fault.h"
#include "exec/launch.h"
#include "exec/memory/mbarrier.h"

/* ---- allocation -------------------------------------------------------------------------------------------------- */

void tensor_memory_begin(struct tensor_memory *memory)
{
    if (!memory)
        return;
    memory->units = memory->allocated_at = 0;
    memset(memory->stores, 0, sizeof memory->stores);
}

uint32_t tensor_memory_find(uint32_t taken, uint32_t count)
{
    assert(count >= 1 && count <= TENSOR_UNITS && (count & (count - 1)) == 0);
    for (uint32_t first = 0; first < TENSOR_UNITS; first += count) {
        uint32_t units = ((UINT32_C(1) << count) - 1) << first;
        if (!(taken & units))
            return units;
    }
    return 0;
}

void tensor_memory_allocate(struct tensor_memory *memory, uint32_t units, uint32_t fill)
{
    assert(!(memory->units & units) && !(units & ~(uint32_t)TENSOR_ALL_UNITS));
    memory->units |= units;
    for (uint32_t left = units; left; left &= left - 1) {
        uint32_t(*column)[TENSOR_LANES] = &memory->cell[lowest_bit32(left) * TENSOR_UNIT];
        for (uint32_t c = 0; c < TENSOR_UNIT; c++)
            for (uint32_t lane = 0; lane < TENSOR_LANES; lane++)
                column[c][lane] = fill;
    }
}

void tensor_memory_release(struct tensor_memory *memory, uint32_t units) { memory->units &= ~units; }

/* ---- columns of a CTA ------------------------------------------------------------------------------------------- */

uint32_t tensor_memory_taken(const struct exec_cta *cta)
{
    return cta->tensor->units | (cta->sm_units ? *cta->sm_units : 0);
}

void tensor_memory_give(struct exec_cta *cta, uint32_t units, uint32_t fill)
{
    tensor_memory_allocate(cta->tensor, units, fill);
    if (cta->sm_units)
        *cta->sm_units |= units;
}

void tensor_memory_take(struct exec_cta *cta, uint32_t units)
{
    tensor_memory_release(cta->tensor, units);
    if (cta->sm_units)
        *cta->sm_units &= ~units;
}

void tensor_memory_leave(struct exec_cta *cta)
{
    if (!cta->tensor)
        return;
    tensor_memory_take(cta, cta->tensor->units);
    tensor_memory_begin(cta->tensor);
}

/* Bytes that the system reserves in shared memory (symbol __nv_reservedSMEM_tcgen05_partition). Compiled code reads:
 * the barrier object by which the CTAs of a pair hand each other the place of an allocation, and the phase of it that
 * ends next. The other words begin as zeros: units that the CTA has, the first unit of each allocation, and whether it
 * has given back its right to allocate. The values follow from the code: the even CTA's first wait is over at once, the
 * odd one's lasts until the even one has sent the place. */
void tensor_memory_reserve(struct exec_cta *cta)
{
    enum { OBJECT = 0x48, PARITY = 0x50, RESERVED = 0x60 };
    if (!cta->tensor || cta->launch->shared_bytes < RESERVED)
        return;
    mbarrier_write(cta, OBJECT, mbarrier_object(1));
    cta->shared[PARITY] = cta->cluster.rank % 2 == 0;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

bool tensor_memory_holds(const struct tensor_memory *memory, struct tensor_area area)
{
    if (!area.lanes || !area.columns)
        return true;
    if (area.lane >= TENSOR_LANES || area.lanes > TENSOR_LANES - area.lane || area.column >= TENSOR_COLUMNS ||
        area.columns > TENSOR_COLUMNS - area.column)
        return false;
    uint32_t first = area.column / TENSOR_UNIT, last = (area.column + area.columns - 1) / TENSOR_UNIT;
    uint32_t units = ((UINT32_C(2) << last) - 1) & ~((UINT32_C(1) << first) - 1);
    return memory && !(units & ~memory->units);
}

/* Adds as much as fits. */
static size_t add(char *text, size_t used, const char *before, uint32_t first, uint32_t last)
{
    int n = snprintf(text + used, TENSOR_TEXT - used, "%s%" PRIu32 "-%" PRIu32, before, first, last);
    used += n > 0 ? (size_t)n : 0;
    return used < TENSOR_TEXT ? used : TENSOR_TEXT - 1;
}

void tensor_memory_describe(const struct tensor_memory *memory, struct tensor_area area, char text[static TENSOR_TEXT])
{
    static const char owns[] = " of tensor memory: the CTA has allocated ";
    uint32_t units = memory ? memory->units : 0;
    size_t used = add(text, 0, "lanes ", area.lane, area.lane + area.lanes - 1);
    used = add(text, used, ", columns ", area.column, area.column + area.columns - 1);
    snprintf(text + used, TENSOR_TEXT - used, "%s%s", owns, units ? "" : "none");
    used = strlen(text);
    const char *before = "columns ";
    while (units) {
        uint32_t first = lowest_bit32(units), end = first;
        while (units >> end & 1)
            units &= ~(UINT32_C(1) << end++);
        used = add(text, used, before, first * TENSOR_UNIT, end * TENSOR_UNIT - 1);
        before = ", ";
    }
}

bool tensor_memory_check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                         const struct exec_cta *cta, struct tensor_area area, const char *what)
{
    if (tensor_memory_holds(cta->tensor, area))
        return true;
    char text[TENSOR_TEXT];
    tensor_memory_describe(cta->tensor, area, text);
    uint32_t address = area.lane << 16 | (area.column & 0xffff);
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS, "%s at 0x%08" PRIx32 "%s is in %s", what,
                  address, cta == warp->cta ? "" : " of the other CTA of the pair", text);
    return false;
}
