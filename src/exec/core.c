/* The part of an SM that executes: its way to device memory and its accesses in flight. */
#include <stdlib.h>

#include "exec/core.h"
#include "exec/engine/command.h"
#include "exec/memory/pending.h"
#include "exec/memory/remote.h"
#include "exec/tensor/commit.h"
#include "exec/tensor/tensor_pair.h"

bool exec_core_init(struct exec_core *core, struct memory *memory, struct arena *accesses, unsigned sm_id,
                    struct status *status)
{
    *core = (struct exec_core){.memory = memory, .immediate = accesses == NULL, .sm_id = sm_id};
    if (core->immediate || (pending_init(core, accesses, status) && command_init(core, accesses, status) &&
                            commit_init(core, accesses, status)))
        return true;
    exec_core_free(core);
    return false;
}

void exec_core_free(struct exec_core *core)
{
    exec_write_output(&core, 1, NULL);
    free(core->output.piece);
    free(core->request);
    pending_free(core);
    command_free(core);
    remote_free(core);
    tensor_pair_free(core);
}
