#include "exec/memory/pending.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/store_log.h"

enum { UPPER = 4, ALL_WORDS = 255 }; /* words of the lower 16 bytes; a mask of words */

static bool out_of_memory(struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "no host memory for the accesses in flight of an SM");
}

bool pending_init(struct exec_core *core, struct arena *arena, struct status *status)
{
    core->pending = arena_take_sparse(arena, EXEC_TOKENS * sizeof *core->pending);
    core->log = store_log_create(arena);
    return (core->pending && core->log) || out_of_memory(status);
}

void pending_free(struct exec_core *core)
{
    store_log_free(core->log);
    core->pending = NULL;
    core->log = NULL;
}

static struct exec_pending *enter(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                  uint32_t lanes, unsigned bytes, uint8_t words, const uint64_t address[EXEC_LANES])
{
    assert(!core->immediate && core->token < EXEC_TOKENS);
    struct exec_pending *access = &core->pending[core->token];
    assert(access->lanes == 0);
    access->warp = warp;
    access->generation = warp ? warp->generation : 0;
    access->lanes = lanes;
    access->entries = 0;
    access->kind = (uint8_t)kind;
    access->bytes = (uint8_t)bytes;
    access->words = words;
    if (!store_log_reserve(core->log)) { /* the launch ends. No warp waits for this access */
        access->lanes = 0;
        memset(access->entry, 0, sizeof access->entry);
        out_of_memory(&core->fault);
        return access;
    }
    store_log_add(core->log, access, core->token, address);
    return access;
}

struct exec_pending *pending_begin(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                   uint32_t lanes, unsigned bytes, struct issued *out)
{
    out->deferred = true;
    return enter(core, warp, kind, lanes, bytes, ALL_WORDS, out->address);
}

struct exec_pending *pending_begin_words(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                         uint32_t lanes, uint8_t words, struct issued *out)
{
    out->deferred = true;
    return enter(core, warp, kind, lanes, LOG_SECTOR, words, out->address);
}

void pending_note(struct exec_core *core, enum pending_kind kind, uint32_t lanes, unsigned bytes,
                  const uint64_t address[EXEC_LANES])
{
    assert(!core->memory);
    enter(core, NULL, kind, lanes, bytes, ALL_WORDS, address);
}

/* One loop for each width, so that the copies are single moves. */
#define PUT_LANE(words)                                                                                                \
    {                                                                                                                  \
        uint32_t value[words];                                                                                         \
        for (unsigned w = 0; w < (words); w++)                                                                         \
            value[w] = row[w][lane];                                                                                   \
        memcpy(log->entry[access->entry[lane]].data + access->offset[lane], value, sizeof value);                      \
    }

#define PUT_ROWS(words)                                                                                                \
    if (access->lanes == UINT32_MAX) {                                                                                 \
        for (unsigned n = 0; n < EXEC_LANES; n++) {                                                                    \
            unsigned lane = lane_order_store(n);                                                                       \
            PUT_LANE(words)                                                                                            \
        }                                                                                                              \
    } else {                                                                                                           \
        for (uint32_t left = access->lanes; left;) {                                                                   \
            unsigned lane = lane_order_next_store(&left);                                                              \
            PUT_LANE(words)                                                                                            \
        }                                                                                                              \
    }

/* A sector, or the words of it that the access has. */
static void put_words(struct exec_store_log *log, const struct exec_pending *access, const uint32_t *const row[])
{
    enum { WORDS = LOG_SECTOR / 4 };
    for (uint32_t left = access->lanes; left;) {
        unsigned lane = lane_order_next_store(&left);
        uint8_t *to = log->entry[access->entry[lane]].data;
        for (unsigned w = 0; w < WORDS; w++)
            if (access->words >> w & 1)
                memcpy(to + 4 * w, &row[w][lane], 4);
    }
}

void pending_put(struct exec_core *core, const struct exec_pending *access, const uint32_t *const row[])
{
    struct exec_store_log *log = core->log;
    switch (access->bytes) {
    case 4: PUT_ROWS(1) break;
    case 8: PUT_ROWS(2) break;
    case 16: PUT_ROWS(4) break;
    case 32: put_words(log, access, row); break;
    default:
        for (uint32_t left = access->lanes; left;) {
            unsigned lane = lane_order_next_store(&left);
            memcpy(log->entry[access->entry[lane]].data + access->offset[lane], &row[0][lane], access->bytes);
        }
    }
}

uint64_t (*pending_operands(struct exec_core *core))[EXEC_DATA] { return core->log->operand[core->token]; }

static void load_registers(const struct exec_store_log *log, const struct exec_pending *access)
{
    struct exec_warp *warp = access->warp;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        const uint8_t *data = log->entry[access->entry[lane]].data + access->offset[lane];
        uint32_t value[LOG_SECTOR / 4] = {0};
        memcpy(value, data, access->bytes);
        value[0] = lane_data_extended(value[0], access->bytes, access->sign);
        unsigned next[2] = {access->destination, access->upper};
        for (unsigned word = 0; word < (access->bytes + 3u) / 4; word++) {
            unsigned *at = &next[word / UPPER];
            if (*at != ISA_RZ && access->words >> word & 1)
                warp->reg[(*at)++][lane] = value[word];
        }
    }
}

void pending_write(struct exec_core *core, uint32_t token)
{
    const struct exec_pending *access = &core->pending[token];
    if (access->kind == PENDING_LOAD)
        load_registers(core->log, access);
    else if (access->kind == PENDING_ATOMIC)
        lane_data_write(access->warp, access->destination, access->lanes, access->bytes, access->sign,
                        core->log->operand[token]);
}
