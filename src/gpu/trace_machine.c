#include "gpu/trace_machine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/launch/save.h"
#include "exec/memory/pending.h"
#include "gpu/trace_objects.h"
#include "gpu/trace_part.h"
#include "sm/sm.h"
#include "trace/save.h"

/* Local memory of traces that do not say where it was: below the addresses of allocations, and not among the code. */
#define LOCAL_BASE UINT64_C(0x0000680000000000)

struct trace_machine_warp {
    struct trace_cursor *cursor;
    uint64_t cta;
    uint32_t pc; /* of the next instruction */
    bool missing;
};

struct trace_machine_sm {
    const struct trace_machine *all;
    struct trace_machine_warp warp[SM_WARPS];
    uint32_t cursors;
    struct trace_access access;
    struct trace_objects *objects; /* NULL: the kernel needs none */
    struct status scratch;         /* of the cursors: STATUS_OK between calls */
    struct status damage;          /* the first */
    uint64_t damaged;              /* warps */
};

static bool add_cta(struct trace_machine *r, uint64_t *room, uint64_t cta)
{
    if (r->ctas == *room) {
        *room = *room ? 2 * *room : 64;
        uint64_t *grown = realloc(r->cta, *room * sizeof *grown);
        if (!grown)
            return false;
        r->cta = grown;
    }
    r->cta[r->ctas++] = cta;
    return true;
}

/* CTAs of the cluster that begins with number `first` in the order of the launch. */
static bool has_cluster(const struct trace_machine *r, uint64_t first, uint32_t group)
{
    for (uint32_t i = 0; i < group; i++) {
        uint64_t cta = trace_launch_cta(r->launch, first + i);
        if (trace_kernel_next_cta(r->kernel, cta) != cta)
            return false;
    }
    return true;
}

/* In a part of a kernel with clusters those run that are there as a whole. */
static bool find_clusters(struct trace_machine *r, uint64_t all, uint32_t group)
{
    uint64_t room = 0;
    for (uint64_t first = 0; first < all; first += group)
        for (uint32_t i = 0; i < group && has_cluster(r, first, group); i++)
            if (!add_cta(r, &room, trace_launch_cta(r->launch, first + i)))
                return false;
    return true;
}

static bool find_single(struct trace_machine *r, uint64_t all)
{
    uint64_t room = 0;
    for (uint64_t cta = trace_kernel_next_cta(r->kernel, 0); cta < all; cta = trace_kernel_next_cta(r->kernel, cta + 1))
        if (!add_cta(r, &room, cta))
            return false;
    return true;
}

/* In a part of a kernel those CTAs run that are there, one after the other as if they were the grid. */
static bool find_ctas(struct trace_machine *r, struct status *status)
{
    uint64_t all = trace_launch_ctas(r->launch);
    uint32_t group = trace_launch_group(r->launch);
    r->ctas = all;
    struct trace_summary summary;
    trace_kernel_summary(r->kernel, &summary);
    if (summary.complete)
        return true;
    r->ctas = 0;
    if (!(group > 1 ? find_clusters(r, all, group) : find_single(r, all)))
        return status_fail(status, STATUS_MEMORY, "out of memory for the CTAs of %s", r->launch->name);
    return r->ctas || status_fail(status, STATUS_FORMAT, "%s: the trace has none of its %s", r->launch->name,
                                  group > 1 ? "clusters as a whole" : "CTAs");
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* The warp exits where it stands. */
static void end_early(struct trace_machine_sm *s, uint32_t slot, struct issued *out)
{
    struct trace_machine_warp *w = &s->warp[slot];
    const struct trace_machine *r = s->all;
    if (!w->missing && s->scratch.code == STATUS_OK)
        status_fail(&s->scratch, STATUS_FORMAT,
                    "%s: CTA %" PRIu64 ", warp %u: the stream ends, or goes elsewhere, before 0x%" PRIx32
                    " without an EXIT of all its threads",
                    r->launch->name, w->cta, slot % r->warps_per_cta, w->pc);
    if (s->damage.code == STATUS_OK)
        s->damage = s->scratch;
    s->scratch = (struct status){0};
    s->damaged++;
    *out = (struct issued){.pc = w->pc, .flow = ISSUED_EXITED};
}

/* Whether the warp can do this next. */
static bool follows(const struct trace_machine_sm *s, struct trace_machine_warp *w, const struct issued *out)
{
    if (out->pc != w->pc)
        return false;
    uint32_t next = out->flow == ISSUED_NEXT ? out->pc + 16 : out->next_pc;
    if (out->flow != ISSUED_EXITED && (next / 16 >= s->all->launch->code_count || next % 16))
        return false;
    w->pc = next;
    return true;
}

static void step(void *self, uint32_t slot, uint32_t token, uint64_t clock, struct issued *out)
{
    (void)clock;
    struct trace_machine_sm *s = self;
    struct trace_machine_warp *w = &s->warp[slot];
    if (w->missing || !trace_cursor_next(w->cursor, out, &s->scratch) || !follows(s, w, out)) {
        end_early(s, slot, out);
        return;
    }
    out->deferred = out->wakes = out->retries = false;
    trace_access_resolve(&s->access, slot, token, out);
    if (s->objects)
        trace_objects_step(s->objects, slot, token, out);
}

/* Not the last instruction of the code: a stream that leaves the code is damaged. */
static uint32_t pass(void *self, uint32_t slot, uint32_t most, uint32_t *lanes)
{
    struct trace_machine_sm *s = self;
    struct trace_machine_warp *w = &s->warp[slot];
    uint32_t left = s->all->launch->code_count - 1 - w->pc / 16;
    if (w->missing || trace_cursor_pc(w->cursor) != w->pc)
        return 0;
    uint32_t count = (uint32_t)trace_cursor_pass(w->cursor, most < left ? most : left, lanes);
    w->pc += 16 * count;
    return count;
}

static void complete(void *self, uint32_t token)
{
    struct trace_machine_sm *s = self;
    if (s->objects && trace_objects_complete(s->objects, token))
        return;
    if (s->access.has_core)
        exec_complete(&s->access.core, token);
}

static bool ready(void *self, uint32_t token)
{
    struct trace_machine_sm *s = self;
    return !s->objects || trace_objects_ready(s->objects, token);
}

static bool awake(void *self, uint32_t slot)
{
    const struct trace_machine_sm *s = self;
    return !s->objects || trace_objects_awake(s->objects, slot);
}

static void serve(void *self, const struct request *message)
{
    struct trace_machine_sm *s = self;
    trace_objects_serve(s->objects, s->all->sms[message->sm]->objects, message);
}

static uint32_t release(void *self, uint32_t slot) { return ((const struct trace_machine_sm *)self)->warp[slot].pc; }

/* ---- the machine ------------------------------------------------------------------------------------------------- */

static struct sm_source source(void *self, uint32_t sm)
{
    return (struct sm_source){.self = ((struct trace_machine *)self)->sms[sm],
                              .step = step,
                              .pass = pass,
                              .complete = complete,
                              .ready = ready,
                              .awake = awake,
                              .serve = ((struct trace_machine *)self)->objects ? serve : NULL,
                              .release = release,
                              .patient = true};
}

static bool make_cursors(struct trace_machine_sm *s, uint32_t warps, struct status *status)
{
    const struct trace_kernel *kernel = s->all->kernel;
    for (; s->cursors < warps; s->cursors++) {
        struct trace_machine_warp *w = &s->warp[s->cursors];
        w->cursor = trace_cursor_create(kernel);
        if (!w->cursor)
            return status_fail(status, STATUS_MEMORY, "out of memory for the streams of %u warps on an SM", warps);
    }
    return true;
}

static bool begin_sm(void *self, uint32_t sm, uint32_t ctas, struct status *status)
{
    struct trace_machine *r = self;
    struct trace_machine_sm *s = r->sms[sm] = calloc(1, sizeof *s);
    if (!s)
        return status_fail(status, STATUS_MEMORY, "out of memory for the streams of an SM");
    s->all = r;
    uint64_t local_bytes = (uint64_t)r->launch->local_bytes * EXEC_LANES;
    s->access.rule = r->rules.rule;
    s->access.local_bytes = local_bytes;
    s->access.local_base = r->local_base + sm * r->config->sm.warps * local_bytes;
    if (r->rules.undecided && !exec_core_init(&s->access.core, NULL, &r->arena, sm, status))
        return false;
    s->access.has_core = r->rules.undecided;
    s->objects = r->objects ? trace_objects_create(r->launch, ctas, status) : NULL;
    if (r->objects && !s->objects)
        return false;
    return make_cursors(s, ctas * r->warps_per_cta, status);
}

static uint64_t start_cta(void *self, uint32_t sm, const struct cta_placement *place, uint64_t order,
                          const struct cluster_place *cluster)
{
    uint32_t cta_slot = place->slot;
    struct trace_machine_sm *s = ((struct trace_machine *)self)->sms[sm];
    uint32_t warps = s->all->warps_per_cta;
    uint64_t cta = s->all->cta ? s->all->cta[order] : trace_launch_cta(s->all->launch, order);
    if (s->objects)
        trace_objects_start(s->objects, cta_slot, cluster);
    for (uint32_t i = 0; i < warps; i++) {
        struct trace_machine_warp *w = &s->warp[cta_slot * warps + i];
        w->cta = cta;
        w->pc = 0;
        w->missing = !trace_cursor_seek(w->cursor, cta, i, &s->scratch);
        if (s->damage.code == STATUS_OK)
            s->damage = s->scratch;
        if (w->missing)
            s->scratch = (struct status){0};
    }
    return cta;
}

static void apply(void *self, const struct request *request)
{
    struct trace_machine_sm *s = ((struct trace_machine *)self)->sms[request->sm];
    if (s->access.has_core && request->client < PORT_ENGINE)
        exec_apply(&s->access.core, request->token, request->lanes);
}

static bool check(void *self, uint32_t sms, struct status *status)
{
    const struct trace_machine *r = self;
    for (uint32_t i = 0; i < sms && !r->passes_damage; i++) {
        if (r->sms[i] && r->sms[i]->damage.code != STATUS_OK) {
            *status = r->sms[i]->damage;
            return false;
        }
    }
    return true;
}

static void end(void *self, uint32_t sms)
{
    struct trace_machine *r = self;
    for (uint32_t i = 0; i < sms; i++) {
        struct trace_machine_sm *s = r->sms[i];
        if (!s)
            continue;
        while (s->cursors > 0)
            trace_cursor_destroy(s->warp[--s->cursors].cursor);
        if (s->access.has_core)
            exec_core_free(&s->access.core);
        s->access.has_core = false;
        trace_objects_destroy(s->objects);
        s->objects = NULL;
    }
}

static const struct isa_inst *instruction_at(const void *self, uint32_t index)
{
    static const struct isa_inst behind_the_end = {.op = ISA_INVALID};
    const struct trace_launch *l = self;
    return index < l->code_count ? &l->code[index].isa : &behind_the_end;
}

bool trace_machine_begin(struct trace_machine *r, const struct config *config, const struct trace_kernel *kernel,
                         bool passes_damage, struct timed_launch *out, struct status *status)
{
    _Static_assert((int)MACHINE_BANKS == (int)TRACE_BANKS, "constant banks");
    const struct trace_launch *l = trace_kernel_launch(kernel);
    *r = (struct trace_machine){.config = config,
                                .sms = calloc(config->gpu.sms, sizeof(struct trace_machine_sm *)),
                                .kernel = kernel,
                                .launch = l,
                                .warps_per_cta = trace_launch_warps(l),
                                .local_base = l->local_base ? l->local_base : LOCAL_BASE,
                                .objects = trace_objects_needed(l),
                                .passes_damage = passes_damage};
    if (!r->sms)
        return status_fail(status, STATUS_MEMORY, "out of memory for the streams of %u SMs", config->gpu.sms);
    if (!trace_access_rules(&r->rules, l, status) || !find_ctas(r, status))
        return false;
    *out = (struct timed_launch){
        .machine = {.self = r,
                    .begin_sm = begin_sm,
                    .source = source,
                    .start_cta = start_cta,
                    .apply = apply,
                    .check = check,
                    .part = trace_part,
                    .end = end},
        .kernel = l->name,
        .code = {l, instruction_at, l->code_count, !l->control_bits},
        .code_address = l->code_address,
        .ctas = r->ctas,
        .apart = true,
        .cta_group = trace_launch_group(l),
        .warps_per_cta = r->warps_per_cta,
        .threads_per_cta = l->block[0] * l->block[1] * l->block[2],
    };
    for (unsigned i = 0; i < MACHINE_BANKS; i++)
        out->bank_bytes[i] = l->bank_bytes[i];
    return true;
}

uint64_t trace_machine_damaged(const struct trace_machine *r, struct status *first)
{
    uint64_t warps = 0;
    *first = (struct status){0};
    for (uint32_t i = 0; i < r->config->gpu.sms; i++) {
        if (!r->sms[i])
            continue;
        warps += r->sms[i]->damaged;
        if (first->code == STATUS_OK)
            *first = r->sms[i]->damage;
    }
    return warps;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static void streams_archive(struct archive *a, struct trace_machine_sm *s)
{
    archive_same(a, "number of warps on an SM", s->cursors);
    archive_begin(a, "streams", s, sizeof *s);
    archive_keep(a, &s->all);
    for (uint32_t i = 0; i < SM_WARPS; i++)
        archive_keep(a, &s->warp[i].cursor);
    archive_keep(a, &s->access);
    archive_keep(a, &s->objects);
    archive_end(a);
    for (uint32_t i = 0; i < s->cursors && archive_ok(a); i++)
        trace_cursor_archive(a, s->warp[i].cursor);
    if (s->access.has_core)
        exec_core_archive(a, &s->access.core, NULL, 0);
    if (s->objects)
        trace_objects_archive(a, s->objects);
}

void trace_machine_archive(struct archive *a, struct trace_machine *r, uint32_t sms)
{
    for (uint32_t i = 0; i < sms && archive_ok(a); i++)
        streams_archive(a, r->sms[i]);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void trace_machine_free(struct trace_machine *r)
{
    for (uint32_t i = 0; r->sms && i < r->config->gpu.sms; i++)
        free(r->sms[i]);
    free(r->sms);
    arena_free(&r->arena);
    free(r->rules.rule);
    free(r->cta);
    *r = (struct trace_machine){0};
}
