#include "gpu/replaying.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "exec/launch/save.h"
#include "exec/memory/pending.h"
#include "exec/memory/store_log.h"
#include "sm/sm.h"
#include "trace/save.h"

/* Local memory of traces that do not say where it was: below the addresses of allocations, and not among the code. */
#define LOCAL_BASE UINT64_C(0x0000680000000000)

/* What has to be found out about an instruction's access. */
enum rule {
    RULE_NONE,
    RULE_LOAD,       /* waits for its slice when its bytes are undecided */
    RULE_STRONG,     /* a load that always does */
    RULE_STORE,      /* always does; decides nothing by itself */
    RULE_ATOMIC,     /* always does, and reductions too */
    RULE_LOCAL,      /* has offsets in local memory */
    RULE_KIND = 7,   /* mask of these */
    RULE_GENERIC = 8 /* lanes may be in local memory as well */
};

struct replaying_warp {
    struct trace_cursor *cursor;
    uint64_t cta;
    uint32_t pc; /* of the next instruction */
    bool missing;
};

struct replaying_sm {
    const struct replaying *all;
    struct replaying_warp warp[SM_WARPS];
    uint32_t cursors;
    uint64_t local_base; /* of the SM's first warp slot */
    uint64_t thread_instructions;
    struct exec_core core; /* accesses in flight, of kernels that have undecided bytes */
    bool has_core;
    struct status scratch; /* of the cursors: STATUS_OK between calls */
    struct status damage;  /* the first */
    uint64_t damaged;      /* warps */
};

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static enum rule rule_of(const struct isa_inst *isa)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    struct exec_inst inst = {.isa = *isa};
    bool generic = info->space == ISA_SPACE_GENERIC;
    enum rule rule = RULE_NONE;
    if (info->space == ISA_SPACE_LOCAL && (info->memory == ISA_MEM_LOAD || info->memory == ISA_MEM_STORE))
        return RULE_LOCAL;
    if (info->space != ISA_SPACE_GLOBAL && !generic)
        return RULE_NONE;
    exec_inst_prepare(&inst);
    switch (info->memory) {
    case ISA_MEM_LOAD: rule = inst.at_slice ? RULE_STRONG : RULE_LOAD; break;
    case ISA_MEM_STORE: rule = RULE_STORE; break;
    case ISA_MEM_ATOMIC:
    case ISA_MEM_REDUCTION: rule = RULE_ATOMIC; break;
    case ISA_MEM_NONE:
    case ISA_MEM_ASYNC_COPY:
    case ISA_MEM_SHUFFLE: return RULE_NONE;
    }
    return generic ? rule | RULE_GENERIC : rule;
}

static bool find_rules(struct replaying *r, struct status *status)
{
    const struct trace_launch *l = r->launch;
    r->rule = calloc(l->code_count + 1u, 1);
    if (!r->rule)
        return status_fail(status, STATUS_MEMORY, "out of memory for the code of %s", l->name);
    r->undecided = false;
    for (uint32_t i = 0; i < l->code_count; i++) {
        r->rule[i] = (uint8_t)rule_of(&l->code[i].isa);
        unsigned kind = r->rule[i] & RULE_KIND;
        r->undecided |= kind == RULE_ATOMIC || kind == RULE_STRONG;
    }
    for (uint32_t i = 0; i < l->code_count && !r->undecided; i++)
        if (r->rule[i] == RULE_LOAD)
            r->rule[i] = RULE_NONE;
    return true;
}

/* Of a part of a kernel those CTAs run that are there, one after the other as if they were the grid. */
static bool find_ctas(struct replaying *r, struct status *status)
{
    uint64_t all = trace_launch_ctas(r->launch), room = 0;
    r->ctas = all;
    struct trace_summary summary;
    trace_kernel_summary(r->kernel, &summary);
    if (summary.complete)
        return true;
    r->ctas = 0;
    for (uint64_t cta = trace_kernel_next_cta(r->kernel, 0); cta < all;
         cta = trace_kernel_next_cta(r->kernel, cta + 1)) {
        if (r->ctas == room) {
            room = room ? 2 * room : 64;
            uint64_t *grown = realloc(r->cta, room * sizeof *grown);
            if (!grown)
                return status_fail(status, STATUS_MEMORY, "out of memory for the CTAs of %s", r->launch->name);
            r->cta = grown;
        }
        r->cta[r->ctas++] = cta;
    }
    return r->ctas || status_fail(status, STATUS_FORMAT, "%s: the trace has none of its CTAs", r->launch->name);
}

/* The place in device memory of an offset in a thread's local memory (src/exec/memory/local.c). */
static uint64_t local_address(const struct replaying_sm *s, uint32_t slot, unsigned lane, uint64_t offset)
{
    uint64_t base = s->local_base + (uint64_t)slot * s->all->launch->local_bytes * EXEC_LANES;
    return base + offset / 4 * 4 * EXEC_LANES + lane * 4 + offset % 4;
}

static void place_local(const struct replaying_sm *s, uint32_t slot, uint32_t lanes, struct issued *out)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        out->address[lane] = local_address(s, slot, lane, out->address[lane]);
    }
}

/* The lanes of a generic access that are in local memory. */
static uint32_t place_generic(const struct replaying_sm *s, uint32_t slot, uint32_t lanes, struct issued *out)
{
    uint32_t local = 0;
    for (uint32_t left = lanes; left && out->space == ISA_SPACE_GLOBAL; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t offset = out->address[lane] - EXEC_LOCAL_WINDOW;
        if (offset >= EXEC_WINDOW_BYTES)
            continue;
        out->address[lane] = local_address(s, slot, lane, offset);
        local |= 1u << lane;
    }
    return local;
}

/* An access that waits for its slice; others have to know if it makes bytes undecided, or comes after one that does. */
static void defer(struct replaying_sm *s, enum pending_kind kind, uint32_t lanes, uint32_t token, struct issued *out)
{
    out->deferred = true;
    if (!s->has_core || (kind == PENDING_STORE && !store_log_undecided(&s->core)))
        return;
    uint64_t address[EXEC_LANES];
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        address[lane] = out->address[lane] / out->bytes * out->bytes; /* as execution guarantees, and traces do not */
    s->core.token = token;
    pending_note(&s->core, kind, lanes, out->bytes, address);
}

static void resolve(struct replaying_sm *s, uint32_t slot, uint32_t token, unsigned rule, struct issued *out)
{
    uint32_t lanes = out->active & ~out->zero_fill;
    if (out->space == ISA_SPACE_LOCAL)
        place_local(s, slot, lanes, out);
    if (rule & RULE_GENERIC)
        lanes &= ~place_generic(s, slot, lanes, out);
    if (out->space != ISA_SPACE_GLOBAL || !lanes || !out->bytes || ISA_SECTOR % out->bytes)
        return;
    switch (rule & RULE_KIND) {
    case RULE_LOAD:
        if (s->has_core && store_log_unknown(&s->core, out->address, lanes, out->bytes))
            defer(s, PENDING_LOAD, lanes, token, out);
        break;
    case RULE_STRONG: defer(s, PENDING_LOAD, lanes, token, out); break;
    case RULE_STORE: defer(s, PENDING_STORE, lanes, token, out); break;
    case RULE_ATOMIC: defer(s, PENDING_ATOMIC, lanes, token, out); break;
    default: break;
    }
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* The warp exits where it stands. */
static void end_early(struct replaying_sm *s, uint32_t slot, struct issued *out)
{
    struct replaying_warp *w = &s->warp[slot];
    const struct replaying *r = s->all;
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
static bool follows(const struct replaying_sm *s, struct replaying_warp *w, const struct issued *out)
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
    struct replaying_sm *s = self;
    struct replaying_warp *w = &s->warp[slot];
    if (w->missing || !trace_cursor_next(w->cursor, out, &s->scratch) || !follows(s, w, out)) {
        end_early(s, slot, out);
        return;
    }
    out->deferred = false;
    s->thread_instructions += popcount32(out->active);
    unsigned rule = s->all->rule[out->pc / 16];
    if (rule != RULE_NONE)
        resolve(s, slot, token, rule, out);
}

static void complete(void *self, uint32_t token)
{
    struct replaying_sm *s = self;
    if (s->has_core)
        exec_complete(&s->core, token);
}

static uint32_t release(void *self, uint32_t slot) { return ((const struct replaying_sm *)self)->warp[slot].pc; }

/* ---- the machine ------------------------------------------------------------------------------------------------- */

static struct sm_source source(void *self, uint32_t sm)
{
    return (struct sm_source){((struct replaying *)self)->sms[sm], step, complete, release};
}

static bool make_cursors(struct replaying_sm *s, uint32_t warps, struct status *status)
{
    const struct trace_kernel *kernel = s->all->kernel;
    for (; s->cursors < warps; s->cursors++) {
        struct replaying_warp *w = &s->warp[s->cursors];
        w->cursor = trace_cursor_create(kernel);
        if (!w->cursor)
            return status_fail(status, STATUS_MEMORY, "out of memory for the streams of %u warps on an SM", warps);
    }
    return true;
}

static bool begin_sm(void *self, uint32_t sm, uint32_t ctas, struct status *status)
{
    struct replaying *r = self;
    struct replaying_sm *s = r->sms[sm] = calloc(1, sizeof *s);
    if (!s)
        return status_fail(status, STATUS_MEMORY, "out of memory for the streams of an SM");
    s->all = r;
    s->local_base = r->local_base + (uint64_t)sm * r->config->sm.warps * r->launch->local_bytes * EXEC_LANES;
    if (r->undecided && !exec_core_init(&s->core, NULL, &r->arena, sm, status))
        return false;
    s->has_core = r->undecided;
    return make_cursors(s, ctas * r->warps_per_cta, status);
}

static void start_cta(void *self, uint32_t sm, uint32_t cta_slot, uint64_t linear)
{
    struct replaying_sm *s = ((struct replaying *)self)->sms[sm];
    uint32_t warps = s->all->warps_per_cta;
    uint64_t cta = s->all->cta ? s->all->cta[linear] : linear;
    for (uint32_t i = 0; i < warps; i++) {
        struct replaying_warp *w = &s->warp[cta_slot * warps + i];
        w->cta = cta;
        w->pc = 0;
        w->missing = !trace_cursor_seek(w->cursor, cta, i, &s->scratch);
        if (s->damage.code == STATUS_OK)
            s->damage = s->scratch;
        if (w->missing)
            s->scratch = (struct status){0};
    }
}

static void apply(void *self, uint32_t sm, uint32_t token, uint32_t lanes)
{
    struct replaying_sm *s = ((struct replaying *)self)->sms[sm];
    if (s->has_core)
        exec_apply(&s->core, token, lanes);
}

static bool check(void *self, uint32_t sms, struct status *status)
{
    const struct replaying *r = self;
    for (uint32_t i = 0; i < sms && !r->passes_damage; i++) {
        if (r->sms[i] && r->sms[i]->damage.code != STATUS_OK) {
            *status = r->sms[i]->damage;
            return false;
        }
    }
    return true;
}

static uint64_t thread_instructions(void *self, uint32_t sm)
{
    return ((const struct replaying *)self)->sms[sm]->thread_instructions;
}

static void end(void *self, uint32_t sms)
{
    struct replaying *r = self;
    for (uint32_t i = 0; i < sms; i++) {
        struct replaying_sm *s = r->sms[i];
        if (!s)
            continue;
        while (s->cursors > 0)
            trace_cursor_destroy(s->warp[--s->cursors].cursor);
        if (s->has_core)
            exec_core_free(&s->core);
        s->has_core = false;
    }
}

static const struct isa_inst *instruction_at(const void *self, uint32_t index)
{
    static const struct isa_inst behind_the_end = {.op = ISA_INVALID};
    const struct trace_launch *l = self;
    return index < l->code_count ? &l->code[index].isa : &behind_the_end;
}

bool replaying_begin(struct replaying *r, const struct config *config, const struct trace_kernel *kernel,
                     bool passes_damage, struct timed_launch *out, struct status *status)
{
    _Static_assert((int)MACHINE_BANKS == (int)TRACE_BANKS, "constant banks");
    const struct trace_launch *l = trace_kernel_launch(kernel);
    *r = (struct replaying){.config = config,
                            .sms = calloc(config->gpu.sms, sizeof(struct replaying_sm *)),
                            .kernel = kernel,
                            .launch = l,
                            .warps_per_cta = trace_launch_warps(l),
                            .local_base = l->local_base ? l->local_base : LOCAL_BASE,
                            .passes_damage = passes_damage};
    if (!r->sms)
        return status_fail(status, STATUS_MEMORY, "out of memory for the streams of %u SMs", config->gpu.sms);
    if (!find_rules(r, status) || !find_ctas(r, status))
        return false;
    *out = (struct timed_launch){
        .machine = {.self = r,
                    .begin_sm = begin_sm,
                    .source = source,
                    .start_cta = start_cta,
                    .apply = apply,
                    .check = check,
                    .thread_instructions = thread_instructions,
                    .end = end},
        .kernel = l->name,
        .code = {l, instruction_at, l->code_count, !l->control_bits},
        .code_address = l->code_address,
        .ctas = r->ctas,
        .cta_group = 1,
        .warps_per_cta = r->warps_per_cta,
        .threads_per_cta = l->block[0] * l->block[1] * l->block[2],
    };
    for (unsigned i = 0; i < MACHINE_BANKS; i++)
        out->bank_bytes[i] = l->bank_bytes[i];
    return true;
}

uint64_t replaying_damaged(const struct replaying *r, struct status *first)
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

static void streams_archive(struct archive *a, struct replaying_sm *s)
{
    archive_same(a, "number of warps on an SM", s->cursors);
    archive_begin(a, "streams", s, sizeof *s);
    archive_keep(a, &s->all);
    for (uint32_t i = 0; i < SM_WARPS; i++)
        archive_keep(a, &s->warp[i].cursor);
    archive_keep(a, &s->core);
    archive_end(a);
    for (uint32_t i = 0; i < s->cursors && archive_ok(a); i++)
        trace_cursor_archive(a, s->warp[i].cursor);
    if (s->has_core)
        exec_core_archive(a, &s->core, NULL, 0);
}

void replaying_archive(struct archive *a, struct replaying *r, uint32_t sms)
{
    for (uint32_t i = 0; i < sms && archive_ok(a); i++)
        streams_archive(a, r->sms[i]);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void replaying_free(struct replaying *r)
{
    for (uint32_t i = 0; r->sms && i < r->config->gpu.sms; i++)
        free(r->sms[i]);
    free(r->sms);
    arena_free(&r->arena);
    free(r->rule);
    free(r->cta);
    *r = (struct replaying){0};
}
