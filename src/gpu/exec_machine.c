#include "gpu/exec_machine.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "gpu/rest.h"
#include "gpu/upload.h"

_Static_assert((int)EXEC_TOKENS == (int)LSU_TOKENS && (int)EXEC_COMMANDS == (int)TMA_COMMANDS &&
                   (int)EXEC_COMMITS == (int)ENGINE_COMMITS,
               "both sides name accesses alike");

/* ---- requests of the SM ---------------------------------------------------------------------------------------- */

static struct exec_warp *warp_in(struct exec_machine_sm *s, uint32_t slot) { return s->warp[slot]; }

static void step(void *self, uint32_t slot, uint32_t token, uint64_t clock, struct issued *out)
{
    struct exec_machine_sm *s = self;
    s->core.clock = clock;
    exec_step(&s->core, warp_in(s, slot), token, out);
}

static void step_strictly(void *self, uint32_t slot, uint32_t token, uint64_t clock, struct issued *out)
{
    struct exec_machine_sm *s = self;
    s->core.clock = clock;
    strict_step(&s->strict, slot, &s->core, warp_in(s, slot), token, clock - 1, out);
}

static void step_recorded(void *self, uint32_t slot, uint32_t token, uint64_t clock, struct issued *out)
{
    struct exec_machine_sm *s = self;
    (s->strict.slots ? step_strictly : step)(self, slot, token, clock, out);
    record_issued(s->record, s->core.sm_id * SM_WARPS + slot, warp_in(s, slot), out);
}

static void complete(void *self, uint32_t token)
{
    struct exec_machine_sm *s = self;
    if (token >= EXEC_TOKENS + EXEC_COMMANDS)
        exec_commit_complete(&s->core, token - EXEC_TOKENS - EXEC_COMMANDS);
    else if (token >= EXEC_TOKENS)
        exec_command_complete(&s->core, token - EXEC_TOKENS);
    else
        exec_complete(&s->core, token);
}

static bool ready(void *self, uint32_t token) { return exec_ready(&((struct exec_machine_sm *)self)->core, token); }

static bool awake(void *self, uint32_t slot) { return exec_awake(warp_in(self, slot)); }

static uint32_t release(void *self, uint32_t slot)
{
    uint32_t next;
    exec_release_barrier(warp_in(self, slot), &next);
    return next;
}

static void serve_remote(void *self, const struct request *message)
{
    struct exec_machine_sm *s = self;
    struct exec_core *from = &s->machine->sms[message->sm].core;
    if (message->client == ENGINE_CLIENT)
        exec_commit_serve(&s->core, from, message->token, message->lanes);
    else if (message->client >= PORT_ENGINE)
        exec_command_serve(&s->core, from, message->token, message->lanes);
    else
        exec_serve_remote(from, message->token, message->lanes);
}

static struct sm_source source(void *self, uint32_t sm)
{
    struct exec_machine *e = ((const struct exec_grid *)self)->machine;
    return (struct sm_source){.self = &e->sms[sm],
                              .step = e->record   ? step_recorded
                                      : e->strict ? step_strictly
                                                  : step,
                              .complete = complete,
                              .ready = ready,
                              .awake = awake,
                              .serve = serve_remote,
                              .release = release};
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

/* Cores are made when the first CTA comes to them. */
static bool make_core(struct exec_machine *e, uint32_t sm, struct status *status)
{
    if (e->cores[sm])
        return true;
    struct exec_core *core = &e->sms[sm].core;
    if (!exec_core_init(core, e->memory, &e->arena, sm, status))
        return false;
    core->clock_hz = (uint64_t)(e->config->gpu.clock * 1e6);
    e->cores[sm] = core;
    return true;
}

/* At least twice the old size: an arena takes nothing back. */
static bool make_room(struct exec_machine *e, struct cta_storage *storage, size_t bytes, struct status *status)
{
    if (bytes <= storage->room)
        return true;
    size_t room = bytes > 2 * storage->room ? bytes : 2 * storage->room;
    storage->bytes = arena_take(&e->arena, room);
    storage->room = storage->bytes ? room : 0;
    return storage->bytes || status_fail(status, STATUS_MEMORY, "no host memory for a CTA (%zu bytes)", bytes);
}

static bool take_slot(void *self, uint32_t sm, uint32_t cta_slot, struct status *status)
{
    const struct exec_grid *grid = self;
    struct exec_machine_sm *s = &grid->machine->sms[sm];
    struct cta_storage *storage = &s->storage[cta_slot];
    if (s->cta[cta_slot] && s->cta[cta_slot]->launch == grid->launch)
        return true;
    if (!make_room(grid->machine, storage, exec_cta_bytes(grid->launch), status))
        return false;
    s->cta[cta_slot] = exec_cta_place(storage->bytes, grid->launch);
    s->cta[cta_slot]->sm_units = &s->core.tensor_units;
    return true;
}

static bool begin_strict(const struct exec_machine *e, const struct exec_launch *launch, struct strict *strict,
                         struct status *status)
{
    strict_free(strict);
    if (e->strict && !strict_init(strict, SM_WARPS, status))
        return false;
    strict->sm = launch->module->sm;
    strict->sleep = e->config->core.stall_zero_yield;
    return true;
}

static bool begin_sm(void *self, uint32_t sm, uint32_t ctas, struct status *status)
{
    const struct exec_grid *grid = self;
    struct exec_machine *e = grid->machine;
    struct exec_machine_sm *s = &e->sms[sm];
    if (!make_core(e, sm, status) || !begin_strict(e, grid->launch, &s->strict, status))
        return false;
    s->record = e->record;
    s->machine = e;
    s->core.fault = (struct status){0};
    s->core.report = (struct exec_fault_report){0};
    s->core.start_ns = grid->launch->start_ns;
    s->core.tensor_units = 0;
    memset(s->cta, 0, sizeof s->cta);
    for (uint32_t c = 0; c < ctas; c++)
        if (!take_slot(self, sm, c, status))
            return false;
    return true;
}

void exec_machine_join(const struct exec_machine *e, struct exec_cta *cta, const struct cluster_place *place)
{
    cta->cluster = (struct exec_cluster){.size = place->size, .rank = place->rank};
    for (uint32_t i = 0; i < place->size; i++)
        cta->cluster.peer[i] = e->sms[place->member[i].sm].cta[place->member[i].slot];
}

static uint64_t start_cta(void *self, uint32_t sm, const struct cta_placement *place, uint64_t order,
                          const struct cluster_place *cluster)
{
    const struct exec_machine *e = ((const struct exec_grid *)self)->machine;
    struct exec_machine_sm *s = &e->sms[sm];
    struct exec_cta *cta = s->cta[place->slot];
    if (cluster->size > 1)
        exec_machine_join(e, cta, cluster);
    exec_cta_start(cta, order, place->first_warp);
    for (uint32_t w = 0; w < place->warps; w++) {
        s->warp[place->first_warp + w] = &cta->warps[w];
        if (s->strict.slots)
            strict_start(&s->strict, place->first_warp + w);
    }
    return cta->linear;
}

static void apply(void *self, const struct request *request)
{
    struct exec_core *core = &((const struct exec_grid *)self)->machine->sms[request->sm].core;
    if (request->client >= PORT_ENGINE)
        exec_command_apply(core, request->token, request->lanes, request->line, request->sectors);
    else
        exec_apply(core, request->token, request->lanes);
}

static void written(void *self, uint32_t sm, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    strict_written(&((const struct exec_grid *)self)->machine->sms[sm].strict, slot, pc, cycle);
}

/* Device heap and printed text, SM by SM. */
static void serve(void *self, uint32_t sms)
{
    const struct exec_grid *grid = self;
    struct exec_machine *e = grid->machine;
    for (uint32_t i = 0; i < sms; i++)
        exec_serve(e->cores[i]);
    exec_write_output(e->cores, sms, grid->launch->output);
}

static void serve_work(void *self, uint32_t sms, bool (*take)(void *context, uint64_t *order), void *context)
{
    const struct exec_grid *grid = self;
    for (uint32_t i = 0; i < sms; i++)
        exec_serve_work(grid->machine->cores[i], grid->launch, take, context);
}

static bool check(void *self, uint32_t sms, struct status *status)
{
    const struct exec_machine *e = ((const struct exec_grid *)self)->machine;
    for (uint32_t i = 0; i < sms; i++) {
        if (e->sms[i].core.fault.code != STATUS_OK) {
            *status = e->sms[i].core.fault;
            return false;
        }
        if (e->sms[i].strict.failed)
            return status_fail(status, STATUS_MEMORY, "out of memory for --strict-hazards");
    }
    return true;
}

static void each_warp(void *self, const struct timed *t, void (*each)(void *context, const struct exec_warp *warp),
                      void *context)
{
    const struct exec_machine *e = ((const struct exec_grid *)self)->machine;
    for (uint32_t i = 0; i < t->used; i++)
        for (uint32_t c = 0; c < SM_CTAS; c++)
            for (uint32_t w = 0; t->sms[i].sm.cta[c].used && w < e->sms[i].cta[c]->launch->warps_per_cta; w++)
                if (e->sms[i].cta[c]->warps[w].live)
                    each(context, &e->sms[i].cta[c]->warps[w]);
}

static bool wait_text(void *self, uint32_t sm, uint32_t slot, char *text, size_t size)
{
    return exec_wait_text(warp_in(&((const struct exec_grid *)self)->machine->sms[sm], slot), text, size);
}

static void end(void *self, uint32_t sms)
{
    const struct exec_grid *grid = self;
    struct exec_machine *e = grid->machine;
    for (uint32_t i = 0; i < sms; i++)
        for (uint32_t c = 0; c < SM_CTAS; c++)
            if (e->sms[i].cta[c] && e->sms[i].cta[c]->launch == grid->launch)
                e->sms[i].cta[c] = NULL;
}

static const struct isa_inst *instruction_at(const void *self, uint32_t index)
{
    return &((const struct exec_kernel *)self)->code[index].isa;
}

static void describe(struct exec_grid *grid, struct timed_launch *out)
{
    const struct exec_launch *launch = grid->launch;
    *out = (struct timed_launch){
        .machine = {.self = grid,
                    .begin_sm = begin_sm,
                    .take_slot = take_slot,
                    .source = source,
                    .start_cta = start_cta,
                    .apply = apply,
                    .written = grid->machine->strict ? written : NULL,
                    .serve = serve,
                    .serve_work = serve_work,
                    .check = check,
                    .part = rest_part,
                    .rest = rest_run,
                    .each_warp = each_warp,
                    .wait_text = wait_text,
                    .end = end},
        .kernel = launch->kernel->cubin->name,
        .code = {launch->kernel, instruction_at, launch->kernel->count, false},
        .code_address = upload_address(launch),
        .ctas = launch->cta_count,
        .cooperative = launch->cooperative,
        .apart = exec_kernel_order(launch->kernel) == EXEC_APART,
        .cta_group = launch->cta_group,
        .warps_per_cta = launch->warps_per_cta,
        .threads_per_cta = launch->block.x * launch->block.y * launch->block.z,
    };
    upload_banks(launch, out->bank_bytes);
}

void exec_machine_begin(struct exec_machine *e, const struct exec_launch *launch, bool strict, struct record *record,
                        struct timed_launch *out)
{
    e->record = record;
    e->alone = (struct exec_grid){e, launch};
    e->strict = strict;
    e->rest_fault = (struct exec_fault_report){0};
    describe(&e->alone, out);
}

void exec_machine_begin_shared(struct exec_machine *e)
{
    e->record = NULL;
    e->strict = false;
    e->rest_fault = (struct exec_fault_report){0};
}

void exec_machine_add(struct exec_machine *e, const struct exec_launch *launch, struct exec_grid *grid,
                      struct timed_launch *out)
{
    *grid = (struct exec_grid){e, launch};
    describe(grid, out);
}

struct exec_fault_report exec_machine_fault(const struct exec_machine *e)
{
    for (uint32_t i = 0; i < e->config->gpu.sms; i++)
        if (e->cores[i] && e->sms[i].core.fault.code != STATUS_OK)
            return e->sms[i].core.report;
    return e->rest_fault;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool exec_machine_init(struct exec_machine *e, const struct config *config, struct memory *memory,
                       struct status *status)
{
    *e = (struct exec_machine){.config = config, .memory = memory};
    e->sms = calloc(config->gpu.sms, sizeof *e->sms);
    e->cores = calloc(config->gpu.sms, sizeof(struct exec_core *));
    if (e->sms && e->cores)
        return true;
    exec_machine_free(e);
    return status_fail(status, STATUS_MEMORY, "out of memory for the cores of %u SMs", config->gpu.sms);
}

void exec_machine_free(struct exec_machine *e)
{
    for (uint32_t i = 0; e->cores && i < e->config->gpu.sms; i++) {
        if (e->cores[i])
            exec_core_free(e->cores[i]);
        strict_free(&e->sms[i].strict);
    }
    free(e->sms);
    free(e->cores);
    arena_free(&e->arena);
    *e = (struct exec_machine){0};
}
