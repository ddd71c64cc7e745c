#include "exec/launch/service_text.h"

#include <stdlib.h>
#include <string.h>

#include "exec/cta.h"
#include "exec/launch.h"
#include "exec/memory/store_log.h"
#include "exec/memory/window.h"

/* Local memory is interleaved by words, as in local.c. */
static const uint8_t *local_byte(const struct exec_core *core, const struct exec_warp *warp, unsigned lane,
                                 uint64_t offset)
{
    const struct exec_launch *launch = warp->cta->launch;
    uint32_t size = exec_local_bytes(launch);
    if (offset >= size)
        return NULL;
    uint64_t slot = (uint64_t)core->sm_id * (launch->local_slots / launch->sm_count) + warp->slot;
    uint64_t base = launch->local_base + slot * size * EXEC_LANES;
    return memory_at(core->memory, base + offset / 4 * 4 * EXEC_LANES + lane * 4 + offset % 4);
}

static bool read_byte(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t address,
                      uint8_t *to)
{
    const uint8_t *from = NULL;
    if (address - EXEC_LOCAL_WINDOW < EXEC_WINDOW_BYTES) {
        from = local_byte(core, warp, lane, address - EXEC_LOCAL_WINDOW);
    } else if (address - EXEC_SHARED_WINDOW < EXEC_SHARED_BYTES) {
        uint64_t offset = address - EXEC_SHARED_WINDOW - ((uint64_t)warp->cta->cluster.rank << EXEC_RANK_SHIFT);
        from = offset < warp->cta->launch->shared_bytes ? warp->cta->shared + offset : NULL;
    } else if (memory_reach(core->memory, &address, 1)) {
        *to = *memory_at(core->memory, address);
        if (!store_log_empty(core))
            store_log_overlay(core, address, 1, to);
        return true;
    }
    if (from)
        *to = *from;
    return from != NULL;
}

bool service_read(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t address, void *to,
                  size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!read_byte(core, warp, lane, address + i, (uint8_t *)to + i))
            return false;
    return true;
}

void service_append(struct service_text *text, const char *piece, size_t bytes)
{
    if (bytes > SERVICE_TEXT - text->used)
        bytes = SERVICE_TEXT - text->used;
    if (text->used + bytes + 1 > text->room) {
        size_t room = 2 * text->room + bytes + 128;
        char *grown = realloc(text->text, room);
        if (!grown)
            return;
        text->text = grown;
        text->room = room;
    }
    memcpy(text->text + text->used, piece, bytes);
    text->used += bytes;
    text->text[text->used] = '\0';
}

bool service_append_string(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t address,
                           struct service_text *text)
{
    for (; text->used < SERVICE_TEXT; address++) {
        char c;
        if (!service_read(core, warp, lane, address, &c, 1))
            return false;
        if (!c)
            return true;
        service_append(text, &c, 1);
    }
    return true;
}
