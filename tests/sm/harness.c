#include "tests/sm/harness.h"

struct harness *harness_new(void)
{
    struct harness *h = calloc(1, sizeof *h);
    assert_non_null(h);
    config_defaults(&h->config);
    h->config.icache.perfect = true;
    h->config.tlb.miss_latency = 0; /* tests of the TLB set it */
    h->warps_per_cta = 1;
    h->latency = 200;
    return h;
}

struct harness *harness_cold(void)
{
    struct harness *h = harness_new();
    h->latency = HARNESS_L2_MORE - 2 * h->config.noc.latency;
    return h;
}

void harness_free(struct harness *h)
{
    if (h->sm)
        sm_free(h->sm);
    arena_free(&h->storage);
    free(h->sm);
    free(h->registers);
    free(h);
}

/* ---- program ---------------------------------------------------------------------------------------------------- */

/* Intervals and latencies by unit, as code_build resolves them. The stall count by code_build itself. */
static void resolve(const struct config *c, struct inst *i)
{
    struct code *code = &i->code;
    switch ((enum issue_class)code->class) {
    case CLASS_ALU:
    case CLASS_ALU_EITHER:
        code->interval = (uint16_t)c->core.alu_interval;
        code->latency = (uint16_t)c->core.alu_latency;
        break;
    case CLASS_FMA:
    case CLASS_FMAHEAVY:
        code->interval = (uint16_t)c->core.fma_interval;
        code->latency = (uint16_t)c->core.fma_latency;
        break;
    case CLASS_XU:
        code->interval = (uint16_t)c->core.xu_interval;
        code->latency = (uint16_t)c->core.xu_latency;
        break;
    case CLASS_MIO:
        if (code->op == ISA_OP_SHFL) {
            code->interval = (uint16_t)c->lsu.shuffle_interval;
            code->latency = (uint16_t)c->lsu.shuffle_latency;
        } else if (code->op == ISA_OP_MATCH) {
            code->interval = (uint16_t)c->lsu.match_interval;
            code->latency = (uint16_t)c->lsu.match_latency;
        } else if (code->memory == ISA_MEM_SHUFFLE) {
            code->interval = (uint16_t)c->lsu.misc_interval;
            code->latency = (uint16_t)c->core.s2r_latency;
        }
        break;
    case CLASS_FP64:
        code->interval = (uint16_t)c->core.fp64_interval;
        code->latency = (uint16_t)(c->core.fp64_latency - (c->core.fp64_shared ? 18 + c->core.fp64_steps : 0));
        break;
    case CLASS_CBU: code->interval = (uint16_t)c->core.branch_interval; break;
    case CLASS_ADU: code->interval = (uint16_t)c->core.adu_interval; break;
    default: break; /* as the test gives them */
    }
    code->pipe_cycles = code->interval;
    struct isa_inst plain = {.op = ISA_INVALID, .control = i->control};
    struct code resolved;
    code_build(&resolved, &plain, c);
    code->stall = resolved.stall;
    code->wait = i->control.wait;
    code->write_sb = i->control.write_sb;
    code->read_sb = i->control.read_sb;
    code_derive(code, &c->core);
}

uint32_t add(struct harness *h, struct inst i)
{
    assert_true(h->count < HARNESS_CODE);
    resolve(&h->config, &i);
    h->program[h->count] = i;
    h->code[h->count] = i.code;
    return h->count++;
}

void add_many(struct harness *h, struct inst i, uint32_t times)
{
    while (times--)
        add(h, i);
}

/* ---- source ----------------------------------------------------------------------------------------------------- */

static void set_addresses(const struct inst *i, uint32_t slot, struct issued *out)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t offset = i->offsets ? i->offsets[lane] : lane * i->stride;
        out->address[lane] = i->base + offset + slot * i->slot_stride;
        out->shared[lane] = lane * (i->shared_stride ? i->shared_stride : i->bytes);
        if (i->code.class == CLASS_TEX)
            out->operand[lane] = i->operand;
    }
}

static void step(void *self, uint32_t slot, uint32_t token, uint64_t clock, struct issued *out)
{
    struct harness *h = self;
    uint32_t index = h->pc[slot];
    assert_true(index < h->count);
    assert_true(h->logged < HARNESS_LOG);
    const struct inst *i = &h->program[index];
    h->log[h->logged++] = (struct issue_record){slot, index, clock - 1};
    *out = (struct issued){.pc = index * 16,
                           .next_pc = index * 16 + 16,
                           .path = ~UINT32_C(0),
                           .active = i->active,
                           .space = i->code.space,
                           .bytes = i->bytes,
                           .sleep = i->sleep,
                           .values = i->values,
                           .wakes = i->wakes,
                           .retries = i->retries,
                           .deferred = i->deferred,
                           .barrier = i->barrier_number,
                           .barrier_warps = i->barrier_warps,
                           .barrier_arrive = i->arrives};
    if (i->code.memory != ISA_MEM_NONE) {
        assert_true(token < LSU_TOKENS);
        set_addresses(i, slot, out);
    }
    if (i->exits)
        out->flow = ISSUED_EXITED;
    else if (i->barrier && !i->arrives)
        out->flow = ISSUED_AT_BARRIER;
    else if (i->jumps && h->taken[slot][index] < i->times) {
        h->taken[slot][index]++;
        out->flow = ISSUED_JUMP;
        out->next_pc = i->target * 16;
    }
    h->pc[slot] = out->next_pc / 16;
}

static void complete(void *self, uint32_t token) { ((struct harness *)self)->completed[token]++; }

static bool ready(void *self, uint32_t token)
{
    (void)token;
    const struct harness *h = self;
    return h->sm->now >= h->phase_at;
}

static uint32_t release(void *self, uint32_t slot)
{
    struct harness *h = self;
    h->released++;
    return h->pc[slot] * 16;
}

/* ---- run -------------------------------------------------------------------------------------------------------- */

void harness_begin(struct harness *h)
{
    if (!h->sm) {
        h->sm = calloc(1, sizeof *h->sm);
        assert_non_null(h->sm);
        h->made = h->config;
        assert_true(sm_init(h->sm, 0, &h->config, h->config.noc.latency, &h->storage));
    }
    assert_memory_equal(&h->config, &h->made, sizeof h->made); /* the SM is bound to it */
    h->table = (struct code_table){.code = h->code,
                                   .count = h->count,
                                   .l1_bytes = h->config.sm.unified,
                                   .registers = h->registers,
                                   .scoreboard = h->registers != NULL,
                                   .windows = 1,
                                   .window[0] = {0, h->count, 0}};
    memset(h->pc, 0, sizeof h->pc);
    memset(h->taken, 0, sizeof h->taken);
    memset(h->completed, 0, sizeof h->completed);
    h->logged = h->requests = h->released = 0;
    h->end = 0;
    sm_begin_kernel(
        h->sm, &h->table,
        (struct sm_source){
            .self = h, .step = step, .complete = complete, .ready = ready, .awake = ready, .release = release});
}

static void nobody(void *context, uint16_t token)
{
    (void)context;
    (void)token;
}

void harness_warm_l1(struct harness *h, uint64_t address, uint64_t bytes)
{
    for (uint64_t line = address & ~UINT64_C(127); line < address + bytes; line += 128) {
        l1_miss(&h->sm->lsu.l1, line, 0xf, LSU_NO_TOKEN, L1_KEEP_NORMAL, false);
        l1_fill(&h->sm->lsu.l1, line, 0xf, nobody, NULL);
    }
}

void harness_warm_constant(struct harness *h, uint8_t bank, uint32_t offset, bool fl, bool vl)
{
    uint64_t address = (uint64_t)bank << 16 | offset, line = address / h->config.constant.line;
    tags_insert(&h->sm->l15.tags, (L15_CONSTANTS + address) / h->config.l15.line, 0);
    for (unsigned p = 0; fl && p < SM_SUBCORES; p++)
        tags_insert(&h->sm->subcore[p].constants.tags, line, 0);
    if (vl)
        tags_insert(&h->sm->ldc_constants.tags, line, 0);
}

void harness_enter(struct harness *h, uint32_t slot, uint32_t first)
{
    const struct issue *issue = &h->sm->subcore[slot_subcore(slot)].issue;
    h->pc[slot] = first;
    h->sm->warp[slot].pc = first * 16;
    fetch_redirect(issue->fetch, slot_warp(slot), first * 16);
    issue_new_head(issue, slot_warp(slot), h->sm->now);
}

void harness_warp(struct harness *h, uint32_t slot, uint32_t first)
{
    assert_int_equal(h->warps_per_cta, 1);
    assert_true(slot < SM_CTAS);
    sm_start_cta(h->sm, &(struct cta_placement){.slot = (uint8_t)slot, .first_warp = (uint16_t)slot, .warps = 1}, slot,
                 NULL);
    harness_enter(h, slot, first);
}

void harness_cta(struct harness *h, uint32_t cta_slot)
{
    for (uint32_t w = 0; w < h->warps_per_cta; w++)
        h->pc[cta_slot * h->warps_per_cta + w] = 0;
    const struct cta_placement place = {.slot = (uint8_t)cta_slot,
                                        .first_warp = (uint16_t)(cta_slot * h->warps_per_cta),
                                        .warps = (uint16_t)h->warps_per_cta};
    sm_start_cta(h->sm, &place, cta_slot, NULL);
}

void harness_hold(struct harness *h, uint64_t cycle)
{
    for (uint32_t slot = 0; slot < SM_WARPS; slot++) {
        struct scheduler *s = &h->sm->subcore[slot % SM_SUBCORES].scheduler;
        if (s->resident >> slot / SM_SUBCORES & 1)
            scheduler_stall(s, slot / SM_SUBCORES, cycle);
    }
}

void harness_start(struct harness *h, uint32_t warps)
{
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t slot = 0; slot < warps; slot++)
        harness_warp(h, slot, 0);
    harness_hold(h, START);
}

void harness_reply(struct harness *h, const struct request *to, uint64_t arrival)
{
    const struct reply reply = {.arrival = arrival,
                                .line = to->line,
                                .sm = to->sm,
                                .token = to->token,
                                .client = to->client,
                                .sectors = to->sectors,
                                .kind = to->kind};
    assert_true(inbox_add(&h->sm->port.in, &reply));
}

/* Requests of the quantum are answered. The network takes its latency each way. */
static void answer(struct harness *h)
{
    struct outbox *out = &h->sm->port.out;
    for (uint32_t i = 0; i < out->count; i++) {
        assert_true(h->requests < HARNESS_REQUESTS);
        struct request *r = &h->request[h->requests++];
        *r = out->request[i];
        r->arrival += h->config.noc.latency;
        if (h->silent)
            continue;
        uint64_t more = h->spread ? r->line / PORT_LINE * 2654435761u % h->spread : 0;
        harness_reply(h, r, r->arrival + h->latency + more + h->config.noc.latency);
    }
    out->count = 0;
}

static void take_finished(struct harness *h)
{
    for (uint32_t i = 0; i < h->sm->finished_count; i++) {
        h->finished[h->sm->finished[i].cta_slot] = h->sm->finished[i].cycle;
        h->end = h->sm->finished[i].cycle;
    }
    h->sm->finished_count = 0;
}

void harness_run_until(struct harness *h, uint64_t end)
{
    uint32_t quantum = h->quantum ? h->quantum : h->config.noc.latency;
    while (h->sm->now < end) {
        uint64_t next = h->sm->now + quantum;
        sm_run(h->sm, next < end ? next : end);
        answer(h);
        take_finished(h);
    }
}

void harness_run(struct harness *h)
{
    while (h->sm->ctas || (!h->silent && !lsu_acknowledged(&h->sm->lsu))) {
        harness_run_until(h, h->sm->now + (h->quantum ? h->quantum : h->config.noc.latency));
        if (h->sm->now > 1000000)
            fail_msg("slot 0 still waits at instruction %u after a million cycles", h->pc[0]);
    }
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static const struct issue_record *find(const struct harness *h, uint32_t slot, uint32_t index, uint32_t n)
{
    for (uint32_t i = 0; i < h->logged; i++) {
        if (h->log[i].slot == slot && h->log[i].index == index && n-- == 0)
            return &h->log[i];
    }
    return NULL;
}

bool has_issued(const struct harness *h, uint32_t slot, uint32_t index) { return find(h, slot, index, 0) != NULL; }

uint64_t issued_nth(const struct harness *h, uint32_t slot, uint32_t index, uint32_t n)
{
    const struct issue_record *r = find(h, slot, index, n);
    if (!r)
        fail_msg("warp %u did not issue instruction %u time %u", slot, index, n);
    return r ? r->cycle : 0;
}

uint64_t issued_at(const struct harness *h, uint32_t slot, uint32_t index) { return issued_nth(h, slot, index, 0); }

uint64_t distance(const struct harness *h, uint32_t slot, uint32_t from, uint32_t to)
{
    return issued_at(h, slot, to) - issued_at(h, slot, from);
}

unsigned harness_spans(const struct harness *h, uint64_t start, struct span out[64])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < h->logged; i++) {
        const struct issue_record *r = &h->log[i];
        uint64_t at = r->cycle - start;
        if (r->slot % SM_SUBCORES)
            continue;
        if (n && out[n - 1].slot == r->slot && out[n - 1].to == at) {
            out[n - 1].to++;
            continue;
        }
        assert_true(n < 64);
        out[n++] = (struct span){r->slot, at, at + 1};
    }
    return n;
}

uint64_t stall_sum(const struct sm_counters *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += n->stall[i];
    return sum;
}

uint64_t cycle_sum(const struct sm_counters *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        sum += n->cycle[i];
    return sum;
}
