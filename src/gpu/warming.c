#include "gpu/warming.h"

#include "exec/cta.h"
#include "exec/launch.h"
#include "exec/warp_state.h"
#include "gpu/hybrid.h"
#include "sm/memory/cache_policy.h"
#include "sm/memory/coalesce.h"

/* CTAs that run side by side load the same lines: each has its own places. */
static struct warming_line *place_of(struct warming *w, uint64_t line)
{
    return &w->last[(line / PORT_LINE + 61 * w->cta) % WARMING_LINES];
}

static bool known(struct warming *w, uint64_t line, uint8_t sectors)
{
    struct warming_line *last = place_of(w, line);
    bool same = last->cta == w->cta && (last->line & ~(uint64_t)(PORT_LINE - 1)) == line;
    if (same && (sectors & ~last->line) == 0)
        return true;
    *last = (struct warming_line){line | sectors | (same ? last->line : 0), w->cta};
    return false;
}

static void forget(struct warming *w, uint64_t line) { place_of(w, line)->line = 0; }

static void send(struct warming *w, const struct request *request, bool past_l1)
{
    if (w->hybrid) {
        reuse_memory_see(w->hybrid->memory, request->sm, request, past_l1);
        return;
    }
    if (request->kind != REQUEST_LOAD)
        forget(w, request->line);
    else if (!request->effect && known(w, request->line, request->sectors))
        return;
    mem_warm(w->mem, request);
}

static bool kind_of(enum isa_memory memory, enum request_kind *kind)
{
    switch (memory) {
    case ISA_MEM_LOAD:
    case ISA_MEM_ASYNC_COPY: *kind = REQUEST_LOAD; return true;
    case ISA_MEM_STORE: *kind = REQUEST_STORE; return true;
    case ISA_MEM_ATOMIC: *kind = REQUEST_ATOMIC; return true;
    case ISA_MEM_REDUCTION: *kind = REQUEST_REDUCTION; return true;
    case ISA_MEM_NONE:
    case ISA_MEM_SHUFFLE: break;
    }
    return false;
}

/* The stacks of a hybrid launch know no priorities. */
static uint8_t policy_of(const struct warming *w, const struct issued *issued, uint64_t line, enum request_policy hint)
{
    return w->hybrid ? (uint8_t)hint : (uint8_t)cache_policy_of(issued->cache_policy, line, hint);
}

/* Sends the requests of an access, whose lines begin at `from`. */
static void send_lines(struct warming *w, const struct isa_inst *inst, const struct issued *issued,
                       enum request_kind kind, const struct line_access *line, unsigned lines, uint64_t from)
{
    const struct cache_hint hint = cache_hint_of(inst);
    bool copies = isa_op_info((enum isa_op)inst->op)->memory == ISA_MEM_ASYNC_COPY;
    bool past_l1 = issued->deferred || (copies && inst->mod[ISA_MOD_BYPASS] == ISA_BYPASS_BYPASS);
    for (unsigned i = 0; i < lines; i++)
        send(w,
             &(struct request){.line = from + line[i].line,
                               .sm = w->sm,
                               .sectors = line[i].sectors,
                               .partial = line[i].partial,
                               .bytes = kind == REQUEST_LOAD ? 0 : line[i].bytes,
                               .operations = kind == REQUEST_LOAD || kind == REQUEST_STORE ? 0 : line[i].operations,
                               .kind = (uint8_t)kind,
                               .effect = issued->deferred,
                               .policy = policy_of(w, issued, from + line[i].line, hint.policy),
                               .fetch = hint.fetch},
             past_l1);
}

/* The L2 of other launches counts no operations. */
static unsigned operands_of(const struct warming *w, enum request_kind kind)
{
    return kind == REQUEST_LOAD || kind == REQUEST_STORE ? 0 : w->operands;
}

static void see_lanes(struct warming *w, const struct isa_inst *inst, const struct issued *issued,
                      enum request_kind kind)
{
    struct line_access line[32];
    unsigned lines = coalesce_lines(issued, issued->active & ~issued->zero_fill, line);
    if (operands_of(w, kind))
        coalesce_operations(issued, line, lines, w->operands);
    send_lines(w, inst, issued, kind, line, lines, 0);
}

static void see_row(struct warming *w, const struct transfer *t, uint64_t from, enum request_kind kind, uint16_t sm)
{
    uint64_t to = from + transfer_span(t);
    for (uint64_t at = from; at < to;) {
        uint64_t line = at / PORT_LINE * PORT_LINE, end = line + PORT_LINE < to ? line + PORT_LINE : to;
        unsigned low = (unsigned)(at - line) / PORT_SECTOR, high = (unsigned)(end - 1 - line) / PORT_SECTOR;
        send(w,
             &(struct request){.line = line,
                               .sm = sm,
                               .sectors = (uint8_t)((2u << high) - (1u << low)),
                               .kind = (uint8_t)kind,
                               .fetch = t->fetch},
             true);
        at = end;
    }
}

static void see_transfer(struct warming *w, const struct transfer *t, uint16_t sm)
{
    static const uint8_t kinds[] = {[TRANSFER_LOAD] = REQUEST_LOAD,
                                    [TRANSFER_STORE] = REQUEST_STORE,
                                    [TRANSFER_REDUCTION] = REQUEST_REDUCTION,
                                    [TRANSFER_PREFETCH] = REQUEST_LOAD};
    bool moves = t->kind == TRANSFER_LOAD || t->kind == TRANSFER_STORE || t->kind == TRANSFER_REDUCTION ||
                 t->kind == TRANSFER_PREFETCH;
    uint64_t address;
    for (uint32_t row = 0; moves && row < t->rows; row++)
        if (transfer_row(t, row, &address))
            see_row(w, t, address, (enum request_kind)kinds[t->kind], sm);
}

/* Sets the CTA whose instructions come now. */
static void turn_to(struct warming *w, uint64_t cta)
{
    if (w->cta == cta)
        return;
    w->cta = cta;
    w->sm = (uint16_t)(w->hybrid ? share_sm(&w->hybrid->share, cta) : cta % w->sms);
}

bool warming_regards(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    enum request_kind kind;
    return info->way == ISA_WAY_ENGINE || kind_of(info->memory, &kind);
}

void warming_count(struct warming *w, uint64_t cta, uint64_t instructions)
{
    turn_to(w, cta);
    if (w->hybrid)
        w->hybrid->work[w->sm] += instructions;
}

void warming_see(struct warming *w, const struct isa_inst *inst, const struct issued *issued, uint64_t cta)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    enum request_kind kind;
    turn_to(w, cta);
    if (info->way == ISA_WAY_ENGINE)
        see_transfer(w, &issued->transfer, w->sm);
    else if (issued->space == ISA_SPACE_GLOBAL && issued->active && issued->bytes && kind_of(info->memory, &kind))
        see_lanes(w, inst, issued, kind);
}

void warming_see_folded(struct warming *w, const struct isa_inst *inst, struct issued *issued,
                        const struct trace_folded *folded, uint64_t cta)
{
    enum request_kind kind;
    turn_to(w, cta);
    if (!kind_of(isa_op_info((enum isa_op)inst->op)->memory, &kind))
        return;
    const struct folded_access *a = folded_lines_find(&w->folded, folded, issued, operands_of(w, kind));
    send_lines(w, inst, issued, kind, a->line, a->lines, folded->base - a->within);
}

static void issued_in_run(void *self, const struct exec_warp *warp, const struct issued *issued)
{
    const struct exec_cta *cta = warp->cta;
    const struct isa_inst *inst = &cta->launch->kernel->code[issued->pc / 16].isa;
    warming_count(self, cta->linear, 1);
    if (issued->space == ISA_SPACE_GLOBAL || isa_op_info((enum isa_op)inst->op)->way == ISA_WAY_ENGINE)
        warming_see(self, inst, issued, cta->linear);
}

static void computed_in_run(void *self, const struct exec_warp *warp, uint32_t count)
{
    warming_count(self, warp->cta->linear, count);
}

void warming_begin(struct warming *w, struct mem *mem, uint32_t sms)
{
    *w = (struct warming){.mem = mem, .sms = sms, .cta = UINT64_MAX};
    w->watch = (struct exec_watch){w, issued_in_run, computed_in_run};
}

void warming_begin_hybrid(struct warming *w, struct hybrid *hybrid, unsigned operands)
{
    warming_begin(w, NULL, hybrid->share.sms);
    w->hybrid = hybrid;
    w->operands = operands;
}
