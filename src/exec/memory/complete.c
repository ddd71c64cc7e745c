/* The end of an access in flight, for every kind. */
#include <assert.h>

#include "exec/exec.h"
#include "exec/memory/pending.h"
#include "exec/memory/remote.h"
#include "exec/memory/store_log.h"
#include "exec/memory/syncs.h"

static void finish(struct exec_core *core, uint32_t token)
{
    struct exec_pending *access = &core->pending[token];
    if (!access->warp || access->warp->generation != access->generation)
        return;
    if (access->kind == PENDING_WAIT || access->kind == PENDING_ARRIVAL)
        syncs_finish(core, access);
    else
        pending_write(core, token);
}

void exec_complete(struct exec_core *core, uint32_t token)
{
    assert(token < EXEC_TOKENS);
    struct exec_pending *access = &core->pending[token];
    if (remote_complete(core, token))
        return;
    finish(core, token);
    store_log_remove(core->log, access);
    access->lanes = 0;
}
