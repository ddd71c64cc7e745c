#include "exec/engine/command_move.h"

#include <string.h>

#include "exec/memory/atomic.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/store_log.h"

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* Reads device memory as a weak load of this core sees it. Data that another SM's command reads for a CTA of this one
 * it reads past that SM's stores in flight, which a fence has to have made visible. */
static void read_memory(const struct exec_core *core, uint64_t address, uint8_t *to, uint32_t bytes)
{
    memcpy(to, memory_at(core->memory, address), bytes);
    if (core->immediate || store_log_empty(core))
        return;
    for (uint32_t done = 0; done < bytes;) {
        uint32_t room = LOG_SECTOR - (uint32_t)(address + done) % LOG_SECTOR;
        uint32_t n = bytes - done < room ? bytes - done : room;
        if (store_log_holds(core, address + done))
            store_log_overlay(core, address + done, n, to + done);
        done += n;
    }
}

/* One element after the other: `to` = function(`to`, `from`). */
void command_combine(const struct exec_command *c, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += c->element) {
        uint64_t data[4] = {0};
        memcpy(data, from + at, c->element);
        atomic_at(to + at, c->element, (enum atomic_function)c->function, (enum atomic_type)c->type, data);
    }
}

static void copy_bytes(const struct exec_command *c, uint8_t *to, const uint8_t *from, uint64_t address, uint32_t bytes)
{
    enum { UNIT = 16 };
    if (!c->kept)
        memcpy(to, from, bytes);
    for (uint32_t i = 0; c->kept && i < bytes; i++)
        if (!(c->kept >> (address + i) % UNIT & 1))
            to[i] = from[i];
}

static void move_chunk(struct exec_core *core, const struct exec_command *c, uint8_t *shared, uint64_t address,
                       uint32_t bytes)
{
    if (c->box.transfer.kind == TRANSFER_LOAD)
        read_memory(core, address, shared, bytes);
    else if (c->reduces)
        command_combine(c, memory_at(core->memory, address), shared, bytes);
    else
        copy_bytes(c, memory_at(core->memory, address), shared, address, bytes);
}

/* Moves bytes that are side by side in device memory, and in shared memory except for the swizzle. */
static void move_run(struct exec_core *core, const struct exec_command *c, struct exec_cta *cta, uint32_t offset,
                     uint64_t address, uint32_t bytes)
{
    enum swizzle mode = (enum swizzle)c->box.swizzle;
    uint32_t chunk = mode == SWIZZLE_NONE ? bytes : mode == SWIZZLE_128_ATOM_32_FLIP ? 8 : 16;
    while (bytes) {
        uint32_t room = mode == SWIZZLE_NONE ? bytes : chunk - offset % chunk, n = bytes < room ? bytes : room;
        move_chunk(core, c, cta->shared + swizzle_address(mode, offset, 0), address, n);
        offset += n;
        address += n;
        bytes -= n;
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Moves the part of a row in device addresses from `low` to before `high`. */
void command_move_row(struct exec_core *core, const struct exec_command *c, struct exec_cta *cta, uint32_t row,
                      uint64_t low, uint64_t high)
{
    const struct box *box = &c->box;
    const struct transfer *t = &box->transfer;
    uint32_t offset = t->shared + row * box->pitch + box->first * box->unit_bytes;
    uint64_t address;
    if (!transfer_row(t, row, &address))
        return;
    bool dense = t->stride[0] == t->element_bytes && box->unit_bytes == t->element_bytes;
    uint32_t pieces = dense ? 1 : t->extent[0], piece = dense ? t->extent[0] * t->element_bytes : t->element_bytes;
    for (uint32_t i = 0; i < pieces; i++) {
        uint64_t at = address + i * t->stride[0], from = at > low ? at : low,
                 to = at + piece < high ? at + piece : high;
        if (from < to)
            move_run(core, c, cta, offset + i * box->unit_bytes + (uint32_t)(from - at), from, (uint32_t)(to - from));
    }
}

/* Fills units of a row from `first` to before `last`. */
static void fill_units(const struct box *box, struct exec_cta *cta, uint32_t row, uint32_t first, uint32_t last)
{
    uint32_t offset = box->transfer.shared + row * box->pitch;
    for (uint32_t at = first * box->unit_bytes; at < last * box->unit_bytes; at += box->fill_bytes)
        memcpy(cta->shared + swizzle_address((enum swizzle)box->swizzle, offset + at, 0), &box->fill, box->fill_bytes);
}

void command_load(struct exec_core *core, const struct exec_command *c, struct exec_cta *cta)
{
    const struct box *box = &c->box;
    uint32_t last = box->first + box->transfer.extent[0];
    uint64_t address;
    for (uint32_t row = 0; row < box->transfer.rows; row++) {
        if (!transfer_row(&box->transfer, row, &address)) {
            fill_units(box, cta, row, 0, box->units);
            continue;
        }
        fill_units(box, cta, row, 0, box->first);
        command_move_row(core, c, cta, row, 0, UINT64_MAX);
        fill_units(box, cta, row, last, box->units);
    }
    if (!transfer_signals_other(&box->transfer, cta->cluster.rank))
        mbarrier_complete(core, cta, box->transfer.barrier, box->transfer.bytes);
}
