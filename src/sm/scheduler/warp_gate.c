#include "sm/scheduler/warp_gate.h"

void gate_start(const struct warp_gate *g, unsigned warp, uint64_t age)
{
    gate_wake(g);
    scheduler_start(g->scheduler, warp, age);
}

void gate_retire(const struct warp_gate *g, unsigned warp)
{
    gate_wake(g);
    scheduler_retire(g->scheduler, warp);
}
