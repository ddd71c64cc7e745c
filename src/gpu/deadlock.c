#include "gpu/deadlock.h"

#include <stdio.h>

/* The event that it waits for, in more words where the machine knows them. */
static const char *wait_of(const struct timed *t, uint32_t sm, uint32_t slot, const char *state, char text[static 240])
{
    const struct kernel_run *k = tenants_first(&t->sms[sm]);
    const struct machine *machine = k ? &k->launch.machine : NULL;
    bool known = machine && machine->wait_text && machine->wait_text(machine->self, sm, slot, text, 240);
    return known ? text : state;
}

bool deadlock_report(const struct timed *t, struct status *status)
{
    char text[800], wait[240];
    size_t used = 0;
    unsigned shown = 0, warps = 0;
    for (uint32_t i = 0; i < t->used; i++) {
        for (uint32_t slot = 0; slot < SM_WARPS; slot++) {
            const char *state = sm_warp_state(&t->sms[i].sm, slot);
            if (!state)
                continue;
            warps++;
            if (shown < 6 && used < sizeof text) {
                used += (size_t)snprintf(text + used, sizeof text - used, "; SM %u warp %u at 0x%x: %s", i, slot,
                                         t->sms[i].sm.warp[slot].pc, wait_of(t, i, slot, state, wait));
                shown++;
            }
        }
    }
    const struct kernel_run *k = t->kernels;
    while (k->ended)
        k = k->next;
    return status_fail(status, STATUS_DEADLOCK, "kernel %s: nothing moved for %u cycles, %u warps wait%s",
                       k->launch.kernel, t->config->run.deadlock_cycles, warps, shown ? text : "");
}
