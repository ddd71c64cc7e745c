#include "exec/tensor/tensor_pair.h"

#include <stdlib.h>
#include <string.h>

#include "exec/fault.h"
#include "exec/memory/remote.h"

struct exec_pair_operation {
    tensor_pair_effect *effect;
    struct exec_warp *warp;
    const struct exec_inst *inst;
    uint64_t generation; /* of the warp's storage */
    uint32_t word[TENSOR_PAIR_WORDS];
};

struct exec_cta *tensor_pair_other(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    struct exec_cta *other = remote_peer(warp->cta, warp->cta->cluster.rank ^ 1u);
    if (!other)
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER,
                   "the instruction is one of a pair of CTAs, and the CTA of rank %u has no other in its cluster of %u",
                   warp->cta->cluster.rank, warp->cta->cluster.size);
    return other;
}

void tensor_pair_begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                       tensor_pair_effect *effect, const uint32_t word[TENSOR_PAIR_WORDS])
{
    if (core->immediate) {
        effect(core, warp, inst, word);
        return;
    }
    if (core->pair_count == core->pair_room) {
        uint32_t room = core->pair_room ? 2 * core->pair_room : 64;
        struct exec_pair_operation *grown = realloc(core->pair, room * sizeof *grown);
        if (!grown) {
            exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_MEMORY, "no host memory for an operation in flight");
            return;
        }
        core->pair = grown;
        core->pair_room = room;
    }
    struct exec_pair_operation *o = &core->pair[core->pair_count++];
    *o = (struct exec_pair_operation){effect, warp, inst, warp->generation, {0}};
    memcpy(o->word, word, sizeof o->word);
}

void tensor_pair_serve(struct exec_core *core)
{
    for (uint32_t i = 0; i < core->pair_count; i++) {
        const struct exec_pair_operation *o = &core->pair[i];
        if (o->generation == o->warp->generation && !core->fault.code)
            o->effect(core, o->warp, o->inst, o->word);
    }
    core->pair_count = 0;
}

void tensor_pair_free(struct exec_core *core)
{
    free(core->pair);
    core->pair = NULL;
    core->pair_count = core->pair_room = 0;
}
