/* Reports on each instruction, for the observer of a launch. */
#include "api/api.h"
#include "exec/cta.h"
#include "exec/inst.h"

static const struct isa_inst *instruction(const struct api_watch *w, uint32_t pc)
{
    return &w->code->code[pc / 16].isa;
}

static enum subcore_space space_of(uint8_t space)
{
    switch (space) {
    case ISA_SPACE_SHARED: return SUBCORE_SHARED;
    case ISA_SPACE_LOCAL: return SUBCORE_LOCAL;
    case ISA_SPACE_CONSTANT: return SUBCORE_CONSTANT;
    default: return SUBCORE_GLOBAL;
    }
}

static enum subcore_access_kind kind_of(const struct isa_inst *inst)
{
    switch (isa_op_info((enum isa_op)inst->op)->memory) {
    case ISA_MEM_STORE: return SUBCORE_STORE;
    case ISA_MEM_ATOMIC:
    case ISA_MEM_REDUCTION: return SUBCORE_ATOMIC;
    case ISA_MEM_ASYNC_COPY: return SUBCORE_COPY_TO_SHARED;
    default: return SUBCORE_LOAD;
    }
}

static void tell(const struct api_watch *w, const struct subcore_issue *issue, const struct issued *issued)
{
    if (w->to->issue)
        w->to->issue(w->to->self, issue);
    uint32_t lanes = issued->active & ~issued->zero_fill;
    if (!w->to->access || issued->space == ISA_SPACE_NONE || !lanes)
        return;
    const struct subcore_access access = {
        .issue = *issue,
        .space = space_of(issued->space),
        .kind = kind_of(instruction(w, issued->pc)),
        .lanes = lanes,
        .bytes = issued->bytes,
        .address = issued->address,
    };
    w->to->access(w->to->self, &access);
}

static void functional_issued(void *self, const struct exec_warp *warp, const struct issued *issued)
{
    struct api_watch *w = self;
    const struct subcore_issue issue = {
        .kernel = w->kernel,
        .pc = issued->pc,
        .lanes = issued->active,
        .slot = warp->slot,
        .warp = warp->index,
        .cta = warp->cta->linear,
        .cycle = w->instructions++,
    };
    tell(w, &issue, issued);
}

static void detailed_issued(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                            const struct issued *issued, uint64_t cycle)
{
    struct api_watch *w = self;
    const struct subcore_issue issue = {
        .kernel = w->kernel,
        .pc = issued->pc,
        .lanes = issued->active,
        .sm = sm,
        .slot = slot,
        .warp = slot % w->warps_per_cta,
        .cta = cta,
        .cycle = cycle,
    };
    (void)code;
    pthread_mutex_lock(&w->lock);
    tell(w, &issue, issued);
    pthread_mutex_unlock(&w->lock);
}

void api_watch_begin(struct api_watch *w, const struct subcore_launch *launch, const struct exec_kernel *code)
{
    const uint32_t *block = launch->block;
    uint32_t threads = block[0] * (block[1] ? block[1] : 1) * (block[2] ? block[2] : 1);
    *w = (struct api_watch){.to = launch->watch, .kernel = launch->kernel, .code = code};
    w->warps_per_cta = threads / EXEC_LANES + (threads % EXEC_LANES != 0);
    w->functional = (struct exec_watch){w, functional_issued, NULL};
    w->detailed = (struct sm_observer){w, detailed_issued, NULL};
    pthread_mutex_init(&w->lock, NULL);
}

void api_watch_end(struct api_watch *w) { pthread_mutex_destroy(&w->lock); }
