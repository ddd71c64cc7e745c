#include "exec/launch/save.h"

#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "exec/engine/command.h"
#include "exec/launch.h"
#include "exec/memory/heap.h"
#include "exec/memory/pending.h"
#include "exec/memory/remote.h"
#include "exec/memory/store_log.h"
#include "exec/module.h"
#include "exec/pascal/stack_state.h"
#include "exec/tensor/commit.h"
#include "exec/tensor/tensor_memory.h"

/* ---- CTAs -------------------------------------------------------------------------------------------------------- */

static void warp_archive(struct archive *a, struct exec_warp *warp)
{
    archive_begin(a, "warp", warp, sizeof *warp);
    archive_array(a, &warp->reg, warp->register_count);
    archive_keep(a, &warp->cta);
    archive_keep(a, &warp->stack);
    archive_end(a);
    if (warp->stack)
        archive_plain(a, warp->stack, sizeof *warp->stack);
}

/* The columns that the CTA has allocated. */
static void tensor_archive(struct archive *a, struct tensor_memory *memory)
{
    archive_plain(a, &memory->units, sizeof memory->units);
    archive_plain(a, &memory->allocated_at, sizeof memory->allocated_at);
    archive_plain(a, memory->stores, sizeof memory->stores);
    memory->units &= TENSOR_ALL_UNITS;
    for (uint32_t left = memory->units; left && archive_ok(a); left &= left - 1)
        archive_plain(a, memory->cell[lowest_bit32(left) * TENSOR_UNIT], TENSOR_UNIT * sizeof *memory->cell);
}

/* Storage that no CTA has used yet has nothing in it. */
void exec_cta_archive(struct archive *a, struct exec_cta *cta)
{
    uint8_t started = cta->warps[0].generation > 0;
    archive_plain(a, &started, sizeof started);
    if (!started)
        return;
    archive_begin(a, "cta", cta, sizeof *cta);
    archive_keep(a, &cta->launch);
    archive_array(a, &cta->shared, cta->launch->shared_bytes);
    archive_keep(a, &cta->warps);
    archive_keep(a, &cta->shadow);
    archive_keep(a, &cta->tensor);
    archive_keep(a, &cta->sm_units);
    archive_keep(a, &cta->cluster);
    archive_end(a);
    if (cta->tensor)
        tensor_archive(a, cta->tensor);
    for (uint32_t w = 0; w < cta->launch->warps_per_cta; w++)
        warp_archive(a, &cta->warps[w]);
}

/* ---- cores ------------------------------------------------------------------------------------------------------- */

enum { NO_TOKEN = EXEC_TOKENS };

struct place {
    uint32_t token, cta, warp;
};

static struct place place_of(uint32_t token, const struct exec_warp *warp, struct exec_cta *const *cta, uint32_t count)
{
    struct place place = {token, 0, warp ? warp->index : 0};
    while (place.cta + 1 < count && cta[place.cta] != warp->cta)
        place.cta++;
    return place;
}

/* Of a warp that is there. */
static bool place_is_good(struct archive *a, const struct place *place, struct exec_cta *const *cta, uint32_t count,
                          bool of_a_cta)
{
    bool good = place->token < NO_TOKEN && (count || !of_a_cta) &&
                (!count || (place->cta < count && place->warp < cta[place->cta]->launch->warps_per_cta));
    if (!good)
        archive_fail(a, STATUS_FORMAT, "the saved run has an access of a warp that is not there");
    return good;
}

static void access_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count,
                           struct place *place)
{
    archive_plain(a, place, sizeof *place);
    if (!archive_ok(a) || place->token == NO_TOKEN)
        return;
    if (!place_is_good(a, place, cta, count, false))
        return;
    struct exec_pending *access = &core->pending[place->token];
    access->warp = count ? &cta[place->cta]->warps[place->warp] : NULL;
    archive_begin(a, "access in flight", access, sizeof *access);
    archive_keep(a, &access->warp);
    archive_end(a);
}

/* Those in flight, then a place with no token. */
static void accesses_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count)
{
    struct place end = {.token = NO_TOKEN};
    if (archive_reading(a)) {
        for (uint32_t token = 0; token < EXEC_TOKENS; token++)
            core->pending[token].lanes = 0;
        do
            access_archive(a, core, cta, count, &end);
        while (archive_ok(a) && end.token != NO_TOKEN);
        return;
    }
    for (uint32_t token = 0; token < EXEC_TOKENS; token++) {
        struct place place = {token, 0, 0};
        if (!core->pending[token].lanes)
            continue;
        place = place_of(token, core->pending[token].warp, cta, count);
        access_archive(a, core, cta, count, &place);
    }
    access_archive(a, core, cta, count, &end);
}

/* All of them: few are in flight, and most of an unused one is 0. */
static void commands_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count)
{
    for (uint32_t i = 0; core->command && i < EXEC_COMMANDS && archive_ok(a); i++) {
        struct exec_command *c = &core->command[i];
        uint32_t place = 0;
        archive_plain(a, &c->used, sizeof c->used);
        if (!c->used)
            continue;
        while (!archive_reading(a) && place + 1 < count && cta[place] != c->cta)
            place++;
        archive_plain(a, &place, sizeof place);
        if (place >= count) {
            archive_fail(a, STATUS_FORMAT, "the saved run has a copy of a CTA that is not there");
            return;
        }
        c->cta = cta[place];
        archive_begin(a, "command", c, sizeof *c);
        archive_keep(a, &c->cta);
        archive_keep(a, &c->applied);
        archive_end(a);
        if (!c->reduces || c->box.transfer.kind != TRANSFER_REDUCTION)
            continue;
        if (!command_applied(c)) {
            archive_fail(a, STATUS_MEMORY, "no host memory for a reduction in flight");
            return;
        }
        archive_plain(a, (void *)c->applied, COMMAND_LINES / 8);
    }
}

/* Commits of tensor engines that have arrived everywhere stay until their place is used again. */
static void commits_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count)
{
    for (uint32_t i = 0; core->commit && i < EXEC_COMMITS && archive_ok(a); i++) {
        struct exec_commit *c = &core->commit[i];
        uint32_t place = count;
        for (uint32_t p = 0; !archive_reading(a) && c->cta && p < count; p++)
            place = cta[p] == c->cta && c->cta->order == c->generation ? p : place;
        archive_plain(a, &place, sizeof place);
        if (place >= count)
            continue;
        archive_begin(a, "commit", c, sizeof *c);
        archive_keep(a, &c->cta);
        archive_end(a);
        c->cta = cta[place];
    }
}

/* ---- accesses to other CTAs ---------------------------------------------------------------------------------- */

static void remote_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count,
                           struct place *place)
{
    archive_plain(a, place, sizeof *place);
    if (!archive_ok(a) || place->token == NO_TOKEN || !place_is_good(a, place, cta, count, true))
        return;
    struct exec_remote *access = remote_record(core, place->token);
    if (!access) {
        archive_fail(a, STATUS_MEMORY, "no host memory for an access in flight");
        return;
    }
    const struct exec_kernel *kernel = cta[place->cta]->launch->kernel;
    access->warp = &cta[place->cta]->warps[place->warp];
    archive_begin(a, "access to another CTA", access, sizeof *access);
    archive_keep(a, &access->warp);
    archive_entry(a, &access->inst, kernel->code, kernel->count);
    archive_end(a);
}

static void remotes_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count)
{
    struct place end = {.token = NO_TOKEN};
    if (archive_reading(a)) {
        remote_free(core);
        do
            remote_archive(a, core, cta, count, &end);
        while (archive_ok(a) && end.token != NO_TOKEN);
        return;
    }
    for (uint32_t token = 0; token < EXEC_TOKENS; token++) {
        const struct exec_remote *access = core->remote ? core->remote[token] : NULL;
        if (!access || !access->lanes)
            continue;
        struct place place = place_of(token, access->warp, cta, count);
        remote_archive(a, core, cta, count, &place);
    }
    remote_archive(a, core, cta, count, &end);
}

void exec_core_archive(struct archive *a, struct exec_core *core, struct exec_cta *const *cta, uint32_t count)
{
    archive_same(a, "state of its cores", 0u + core->request_count + core->output.count + core->pair_count);
    archive_begin(a, "core", core, sizeof *core);
    archive_keep(a, &core->memory);
    archive_keep(a, &core->output);
    archive_keep(a, &core->request);
    archive_keep(a, &core->request_room);
    archive_keep(a, &core->pair);
    archive_keep(a, &core->pair_room);
    archive_keep(a, &core->pending);
    archive_keep(a, &core->log);
    archive_keep(a, &core->command);
    archive_keep(a, &core->commit);
    archive_keep(a, &core->work);
    archive_keep(a, &core->remote);
    archive_end(a);
    accesses_archive(a, core, cta, count);
    commands_archive(a, core, cta, count);
    commits_archive(a, core, cta, count);
    remotes_archive(a, core, cta, count);
    store_log_archive(a, core);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool is_zero(const uint8_t *bytes, size_t count)
{
    return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

static uint64_t next_page(const uint8_t *bytes, uint64_t from, uint64_t end)
{
    while (from < end && is_zero(bytes + from, end - from < MEMORY_PAGE ? end - from : MEMORY_PAGE))
        from += MEMORY_PAGE;
    return from < end ? from : end;
}

/* Pages that hold something, each behind its offset. The offset of the end comes last. */
static void write_block(struct archive *a, uint8_t *bytes, uint64_t size)
{
    for (uint64_t at = 0;; at += MEMORY_PAGE) {
        at = at < size ? next_page(bytes, at, size) : size;
        archive_plain(a, &at, sizeof at);
        if (at == size || !archive_ok(a))
            return;
        archive_plain(a, bytes + at, size - at < MEMORY_PAGE ? size - at : MEMORY_PAGE);
    }
}

/* A zero part stays untouched: it may be a page that the host does not have yet. */
static void clear(uint8_t *bytes, uint64_t from, uint64_t to)
{
    while ((from = next_page(bytes, from, to)) < to) {
        uint64_t size = to - from < MEMORY_PAGE ? to - from : MEMORY_PAGE;
        memset(bytes + from, 0, size);
        from += size;
    }
}

static void read_block(struct archive *a, uint8_t *bytes, uint64_t size)
{
    for (uint64_t at = 0, next = 0;; at = next + MEMORY_PAGE) {
        archive_plain(a, &next, sizeof next);
        if (!archive_ok(a))
            return;
        if (next > size || (next < size && (next % MEMORY_PAGE || next < at))) {
            archive_fail(a, STATUS_FORMAT, "the saved run has memory where there is none");
            return;
        }
        if (at < next)
            clear(bytes, at, next);
        if (next == size)
            return;
        archive_plain(a, bytes + next, size - next < MEMORY_PAGE ? size - next : MEMORY_PAGE);
    }
}

static uint64_t allocations(const struct memory *m)
{
    uint64_t hash = HASH_SEED;
    for (size_t i = 0; i < m->block_count; i++) {
        const struct memory_block *b = &m->blocks[i];
        const uint64_t facts[] = {b->address, b->bytes, b->extent, b->kind};
        hash = hash_bytes(hash, facts, sizeof facts);
    }
    return hash;
}

void memory_archive(struct archive *a, struct memory *m)
{
    archive_same(a, "allocation of device memory", allocations(m));
    archive_same(a, "device heap", m->heap != NULL);
    for (size_t i = 0; i < m->block_count && archive_ok(a); i++) {
        const struct memory_block *b = &m->blocks[i];
        if (b->kind != MEMORY_PLAIN)
            continue;
        if (archive_reading(a))
            read_block(a, memory_at(m, b->address), b->bytes);
        else
            write_block(a, memory_at(m, b->address), b->bytes);
    }
    if (m->heap)
        heap_archive(a, m->heap);
}
